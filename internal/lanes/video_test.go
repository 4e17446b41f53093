package lanes

import (
	"math/rand/v2"
	"testing"
)

// TestVideoImmediateIsComplete: the Imm of an Op describes a video instruction completely.
func TestVideoImmediateIsComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	flip := func() bool { return r.IntN(2) == 0 }
	part := func() Part {
		bits := []int{8, 16, 32}[r.IntN(3)]
		return Part{At: r.IntN(32/bits) * bits, Bits: bits, Signed: flip()}
	}
	for range 1000 {
		scalar := ScalarVideo{Op: VideoOp(r.IntN(len(videoOps))), A: part(), B: part(), D: part(), Sat: flip(), Second: SecondOp(r.IntN(int(Insert) + 1)),
			NegProduct: flip(), NegC: flip(), PlusOne: flip(), Shift: []int{0, 7, 15}[r.IntN(3)]}
		if got := scalarVideo(scalar.Imm()); got != scalar {
			t.Fatalf("%+v became %+v", scalar, got)
		}
		simd := SIMDVideo{Op: VideoOp(r.IntN(len(videoOps))), A: uint16(r.Uint32()), B: uint16(r.Uint32()), SignedA: flip(), SignedB: flip(), SignedD: flip(),
			Mask: uint8(r.IntN(16)), Sat: flip(), Add: flip()}
		if got := simdVideo(simd.Imm()); got != simd {
			t.Fatalf("%+v became %+v", simd, got)
		}
	}
}

// TestVideoInstructionsAllocateNothing checks that video instructions allocate nothing.
func TestVideoInstructionsAllocateNothing(t *testing.T) {
	f := NewFile(ScratchBytes + 4*Slot32)
	in := &Op{D: ScratchBytes, A: ScratchBytes + Slot32, B: ScratchBytes + 2*Slot32, C: ScratchBytes + 3*Slot32,
		Imm: ScalarVideo{A: Part{Bits: 8}, B: Part{Bits: 16}, D: Part{Bits: 32}}.Imm()}
	for _, fn := range []Func{VideoScalar, VideoMad, VideoHalves, VideoBytes} {
		if n := testing.AllocsPerRun(10, func() { fn(f, in, AllLanes) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// TestVideoElementsMatchScalars: SIMD video instructions compute each element like a scalar operation on numbers.
func TestVideoElementsMatchScalars(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	flip := func() bool { return r.IntN(2) == 0 }
	ops := []VideoOp{VAdd, VSub, VAbsDiff, VMin, VMax, VAvrg, VSetEq, VSetNe, VSetLt, VSetLe, VSetGt, VSetGe}
	f := NewFile(ScratchBytes + 4*Slot32)
	in := &Op{D: ScratchBytes, A: ScratchBytes + Slot32, B: ScratchBytes + 2*Slot32, C: ScratchBytes + 3*Slot32}
	for i := range 20_000 {
		v := SIMDVideo{Op: ops[i%len(ops)], A: 0x3210, B: 0x7654, SignedA: flip(), SignedB: flip(), SignedD: flip(), Mask: uint8(r.IntN(16)), Sat: flip(), Add: flip()}
		width, fn := 8, VideoBytes
		if flip() {
			width, fn, v.A, v.B, v.Mask = 16, VideoHalves, 0x10, 0x32, v.Mask&3
		}
		if flip() {
			v.A, v.B = uint16(r.Uint32()), uint16(r.Uint32())
			if width == 16 {
				v.A, v.B = v.A&0x33, v.B&0x33
			} else {
				v.A, v.B = v.A&0x7777, v.B&0x7777
			}
		}
		for lane := range Width {
			for _, off := range []uint32{in.A, in.B, in.C} {
				if Reg[uint32](f, off)[lane] = r.Uint32(); flip() {
					Reg[uint32](f, off)[lane] = []uint32{0, 0x7f807f80, 0x80ff80ff, 0x7fff8000, 0xffffffff, 0x80007fff}[r.IntN(6)]
				}
			}
		}
		in.Imm = v.Imm()
		fn(f, in, AllLanes)
		for lane := range Width {
			a, b, c := Reg[uint32](f, in.A)[lane], Reg[uint32](f, in.B)[lane], Reg[uint32](f, in.C)[lane]
			if got, want := Reg[uint32](f, in.D)[lane], elementByElement(v, width, a, b, c); got != want {
				t.Fatalf("%+v of %d bits: %08x, %08x, %08x: %08x, want %08x", v, width, a, b, c, got, want)
			}
		}
	}
}

func elementByElement(v SIMDVideo, width int, a, b, c uint32) uint32 {
	sources, d := uint64(b)<<32|uint64(a), c
	for i := range 32 / width {
		if v.Mask>>i&1 == 0 {
			continue
		}
		x := videoOps[v.Op](Part{int(v.A >> (4 * i) & 15 * uint16(width)), width, v.SignedA}.of(sources), Part{int(v.B >> (4 * i) & 15 * uint16(width)), width, v.SignedB}.of(sources))
		to := Part{i * width, width, v.SignedD}
		if v.Sat {
			x = to.clamp(x)
		}
		if v.Add {
			d += uint32(x)
		} else {
			d = to.into(d, x)
		}
	}
	return d
}
