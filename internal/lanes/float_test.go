package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// A floatBench is a register file with room for one operation.
type floatBench struct {
	f  *File
	in Op
}

func newFloatBench(in Op) *floatBench {
	in.D, in.A, in.B, in.C = ScratchBytes, ScratchBytes+Slot64, ScratchBytes+2*Slot64, ScratchBytes+3*Slot64
	return &floatBench{NewFile(ScratchBytes + 4*Slot64), in}
}

// put and take move lane values between a slot of the given width and v.
func (b *floatBench) put(off uint32, bits int, v []uint64) {
	for i, x := range v {
		if bits == 64 {
			Reg[uint64](b.f, off)[i] = x
		} else {
			Reg[uint32](b.f, off)[i] = uint32(x)
		}
	}
}

func (b *floatBench) take(off uint32, bits int) (v [Width]uint64) {
	for i := range v {
		if bits == 64 {
			v[i] = Reg[uint64](b.f, off)[i]
		} else {
			v[i] = uint64(Reg[uint32](b.f, off)[i])
		}
	}
	return v
}

// A triple is the sources of one lane.
type triple [3]uint64

// run applies fn to 32 triples at a time and gives each result to check.
func (b *floatBench) run(fn Func, to, from Elem, cases []triple, check func(c triple, got uint64)) {
	for len(cases) > 0 {
		n := min(len(cases), Width)
		var v [3][Width]uint64
		for i, c := range cases[:n] {
			v[0][i], v[1][i], v[2][i] = c[0], c[1], c[2]
		}
		b.put(b.in.A, from.bits(), v[0][:])
		b.put(b.in.B, from.bits(), v[1][:])
		b.put(b.in.C, from.bits(), v[2][:])
		fn(b.f, &b.in, AllLanes)
		got := b.take(b.in.D, to.bits())
		for i, c := range cases[:n] {
			check(c, got[i])
		}
		cases = cases[n:]
	}
}

// triples returns the sources for an operation with n of them: combinations of edges, and random ones.
func triples(e Elem, n int, random int) (cases []triple) {
	list := floatEdges(e)
	switch n {
	case 1:
		for _, x := range list {
			cases = append(cases, triple{x})
		}
	case 2:
		for _, x := range list {
			for _, y := range list {
				cases = append(cases, triple{x, y})
			}
		}
	case 3:
		for i, x := range list {
			for j := i % 3; j < len(list); j += 3 {
				for k := (i + j) % 5; k < len(list); k += 5 {
					cases = append(cases, triple{x, list[j], list[k]})
				}
			}
			for off := range 3 {
				a, b := nearHalfUnit(e, x, off-1)
				cases = append(cases, triple{a, b, x})
			}
		}
	}
	kept := cases[:0]
	for i, c := range cases {
		if !short.Skips(i) {
			kept = append(kept, c)
		}
	}
	cases = kept
	r := rand.New(rand.NewPCG(uint64(e), uint64(n)))
	for range short.Of(random) {
		var c triple
		for k := range n {
			c[k] = randomFloat(r, e)
		}
		if kind := r.IntN(3); n == 3 && kind == 0 {
			c[2] = cancelling(e, c)
		} else if n == 3 && kind == 1 {
			c[0], c[1] = nearHalfUnit(e, c[2], r.IntN(3)-1)
		}
		cases = append(cases, c)
	}
	return cases
}

// cancelling returns a third source that nearly cancels the product of the first two.
func cancelling(e Elem, c triple) uint64 {
	p := refValue(e, c[0]) * refValue(e, c[1])
	if math.IsNaN(p) || math.IsInf(p, 0) {
		return c[2]
	}
	if v := -refRound(e, exact(p), RoundNearest); !math.IsInf(v, 0) {
		return refEncoding(e, v)
	}
	return c[2]
}

// nearHalfUnit returns two numbers with a product of half a unit in the last place of z, or differing from that as
// little as possible: adding it to z gives a midpoint, or a number so near that a first rounding can reach it.
func nearHalfUnit(e Elem, z uint64, off int) (x, y uint64) {
	v := math.Abs(refValue(e, z))
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return z, z
	}
	_, exp := math.Frexp(v - refNext(e, v, v == 0)) // the unit is 2^(exp-1), or half of that at a power of 2
	tiny := math.Ldexp(float64(off), -fractionBits[e])
	half := exp / 2
	near := func(v float64) uint64 { return refEncoding(e, refRound(e, exact(v), RoundNearest)) }
	return near(math.Ldexp(1+tiny, half)), near(math.Ldexp(1-tiny, exp-2-half))
}

// refNaNF64 returns the NaN of an operation on float64 values: the first of them made quiet.
func refNaNF64(sources ...uint64) uint64 {
	for _, x := range sources {
		if math.IsNaN(math.Float64frombits(x)) {
			return x | 1<<51
		}
	}
	return 0xfff8 << 48
}

type arithmeticOp struct {
	op       string
	sources  int
	f32, f64 Func
}

var arithmetic = []arithmeticOp{
	{"add", 2, AddF32, AddF64}, {"sub", 2, SubF32, SubF64}, {"mul", 2, MulF32, MulF64}, {"fma", 3, FmaF32, FmaF64},
	{"div", 2, DivF32, DivF64}, {"rcp", 1, RcpF32, RcpF64}, {"sqrt", 1, SqrtF32, SqrtF64},
}

// inOrder returns the sources in the order in which an H100's units look for a NaN.
func (a *arithmeticOp) inOrder(c triple) []uint64 {
	switch a.op {
	case "add", "sub", "mul":
		return []uint64{c[1], c[0]}
	case "fma":
		return []uint64{c[1], c[2], c[0]}
	}
	return c[:a.sources]
}

var roundings = []Mode{RoundNearest, RoundZero, RoundDown, RoundUp}

func TestF32ArithmeticRoundsExactResult(t *testing.T) {
	short.Alternates(t, 0, 3)
	for _, a := range arithmetic {
		cases := triples(F32, a.sources, 10000)
		for mode := range RoundUp + FTZ + SAT + 1 {
			t.Run(fmt.Sprintf("%s/mode=%d", a.op, mode), func(t *testing.T) {
				t.Parallel()
				newFloatBench(Op{Mode: mode}).run(a.f32, F32, F32, cases, func(c triple, got uint64) {
					var v [3]float64
					for k := range v {
						v[k] = refValue(F32, refFlush(F32, c[k], mode))
					}
					exact := refTiny(F32, a.op, refExact(a.op, v[0], v[1], v[2], mode), mode)
					want := refResult(F32, exact, mode, refNaN(F32))
					if got != want {
						t.Fatalf("%08x: got %08x, want %08x", c, got, want)
					}
				})
			})
		}
	}
}

func TestF64ArithmeticRoundsExactResult(t *testing.T) {
	for _, a := range arithmetic {
		cases := triples(F64, a.sources, 10000)
		for _, mode := range roundings {
			t.Run(fmt.Sprintf("%s/mode=%d", a.op, mode), func(t *testing.T) {
				t.Parallel()
				newFloatBench(Op{Mode: mode}).run(a.f64, F64, F64, cases, func(c triple, got uint64) {
					v := refExact(a.op, refValue(F64, c[0]), refValue(F64, c[1]), refValue(F64, c[2]), mode)
					want := refResult(F64, v, mode, refNaNF64(a.inOrder(c)...))
					if got != want {
						t.Fatalf("%016x: got %016x, want %016x", c, got, want)
					}
				})
			})
		}
	}
}

// TestZeroSumsHaveIEEESign: a zero sum is that of IEEE 754 (6.3), +0 unless both the product and the addend are -0, and
// needs no special path: it is exact, so that it may be rounded again, unlike a sum next to zero, which may lose its
// last bits.
func TestZeroSumsHaveIEEESign(t *testing.T) {
	negZero := float32(math.Copysign(0, -1))
	var f = NewFile(ScratchBytes + 4*Slot64)
	op := Op{From: F32, A: ScratchBytes, B: ScratchBytes + Slot64, C: ScratchBytes + 2*Slot64, D: ScratchBytes + 3*Slot64}
	cases := []struct{ x, y, z, want float32 }{
		{0, 5, 0, 0}, {negZero, 5, 0, 0}, {0, 5, negZero, 0}, {negZero, 5, negZero, negZero},
		{2, 3, -6, 0}, {-2, 3, 6, 0}, {0x1p-149, 0, negZero, 0}, {0x1p-149, 0x1p-149, 0, 0},
	}
	for _, m := range []Mask{AllLanes, 0xff, 1 << 31, 0xffff0001} {
		for lane := range Width {
			c := cases[lane%len(cases)]
			Reg[float32](f, op.A)[lane], Reg[float32](f, op.B)[lane], Reg[float32](f, op.C)[lane] = c.x, c.y, c.z
			Reg[float32](f, op.D)[lane] = 99
		}
		FmaF32(f, &op, m)
		for lane, got := range Reg[float32](f, op.D) {
			want := cases[lane%len(cases)].want
			if m>>lane&1 == 0 {
				want = 99
			}
			if math.Float32bits(got) != math.Float32bits(want) {
				t.Errorf("mask %08x, lane %d: %v, want %v", uint32(m), lane, got, want)
			}
		}
	}
	for _, s := range []float64{0, math.Copysign(0, -1)} {
		if !roundsTwiceF32(s) {
			t.Errorf("%v takes the long way", s)
		}
	}
	if roundsTwiceF32(0x1p-298) {
		t.Error("a sum below the normal numbers does not take the long way")
	}
}
