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
