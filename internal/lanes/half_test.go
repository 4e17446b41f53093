package lanes

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

var halfArithmetic = []struct {
	op           string
	sources      int
	f16, packed2 Func
}{
	{"add", 2, AddF16, AddF16x2}, {"sub", 2, SubF16, SubF16x2}, {"mul", 2, MulF16, MulF16x2}, {"fma", 3, FmaF16, FmaF16x2},
}

func TestF16ArithmeticRoundsExactResult(t *testing.T) {
	short.Alternates(t, 2, 3)
	for _, a := range halfArithmetic {
		cases := triples(F16, a.sources, 20000)
		for _, mode := range []Mode{0, FTZ, SAT, FTZ | SAT, RELU, FTZ | RELU} {
			t.Run(fmt.Sprintf("%s/mode=%d", a.op, mode), func(t *testing.T) {
				t.Parallel()
				newFloatBench(Op{Mode: mode}).run(a.f16, F16, F16, cases, func(c triple, got uint64) {
					if want := refArithmeticF16(a.op, c, mode); got != want {
						t.Fatalf("%04x: got %04x, want %04x", c, got, want)
					}
				})
			})
		}
	}
}

func refArithmeticF16(op string, c triple, mode Mode) uint64 {
	var v [3]float64
	for k := range v {
		v[k] = refValue(F16, refFlush(F16, c[k], mode))
	}
	return refResult(F16, refTiny(F16, op, refExact(op, v[0], v[1], v[2], mode), mode), mode, refNaN(F16))
}

// TestHalvesAreComputedSeparately checks that each half is computed from its own sources.
func TestHalvesAreComputedSeparately(t *testing.T) {
	for _, a := range halfArithmetic {
		cases := triples(F16, a.sources, 1000)
		var packed []triple
		for i, lo := range cases {
			hi := cases[(i*7+3)%len(cases)]
			packed = append(packed, triple{lo[0] | hi[0]<<16, lo[1] | hi[1]<<16, lo[2] | hi[2]<<16})
		}
		newFloatBench(Op{}).run(a.packed2, U32, U32, packed, func(c triple, got uint64) {
			const low = 0xffff
			want := refArithmeticF16(a.op, triple{c[0] & low, c[1] & low, c[2] & low}, 0) |
				refArithmeticF16(a.op, triple{c[0] >> 16, c[1] >> 16, c[2] >> 16}, 0)<<16
			if got != want {
				t.Fatalf("%s: %08x: got %08x, want %08x", a.op, c, got, want)
			}
		})
	}
	for _, c := range []struct {
		name            string
		fn              Func
		a, b, imm, want uint64
	}{
		{"neg", NegF16x2, 0x3c008001, 0, 0, 0xbc000001},
		{"abs", AbsF16x2, 0xbc008001, 0, 0, 0x3c000001},
		{"min", MinF16x2, 0x3c008000, 0x7e010000, 0, 0x3c008000},
		{"max", MaxF16x2, 0x3c008000, 0x7e010000, 0, 0x3c000000},
		{"min.NaN", ExtremumF16x2, 0x3c008000, 0x7e010000, ExtremumNaN, 0x7fff8000},
		{"max.xorsign.abs", ExtremumF16x2, 0x3c00c000, 0xc0003c00, ExtremumMax | ExtremumXorSign, 0xc000c000},
		{"ex2", Ex2F16x2, 0x4200bc00, 0, 0, 0x48003800},
		{"tanh", TanhF16x2, 0xfc007c00, 0, 0, 0xbc003c00},
	} {
		newFloatBench(Op{Imm: c.imm}).run(c.fn, U32, U32, []triple{{c.a, c.b}}, func(_ triple, got uint64) {
			if got != c.want {
				t.Errorf("%s.f16x2: got %08x, want %08x", c.name, got, c.want)
			}
		})
	}
}

// TestEveryHalfIsComputedExactly tests all encodings: as operands of add and mul with each edge, compared with the
// exact float64 result; and converted to .f32 and back.
func TestEveryHalfIsComputedExactly(t *testing.T) {
	short.Alternates(t, 0, 3)
	list := floatEdges(F16)
	for x := range uint32(1 << 16) {
		if short.Skips(int(x)) {
			continue
		}
		if got, want := float64(expandF16(x)), refHalf(x); got != want && (got == got || want == want) {
			t.Fatalf("expandF16(%04x) = %g, want %g", x, got, want)
		}
		v := refHalf(x)
		want := x
		if v != v {
			want = nanF16
		}
		if got := roundF16(v); got != want {
			t.Fatalf("roundF16(%g) = %04x, want %04x", v, got, want)
		}
		for _, e := range list {
			y := refHalf(uint32(e))
			sum, product := addF16(x, uint32(e), 0), mulF16(x, uint32(e), 0)
			if !nearestHalf(sum, v+y) || !nearestHalf(product, v*y) {
				t.Fatalf("%04x, %04x: sum %04x product %04x", x, e, sum, product)
			}
		}
	}
}

// nearestHalf reports whether h is the half nearest to x, ties to even: no other is nearer, or as near and even.
func nearestHalf(h uint32, x float64) bool {
	if x != x {
		return h == nanF16
	}
	if (h&signF16 != 0) != (x < 0 || x == 0 && 1/x < 0) {
		return false
	}
	extended := func(i uint32) float64 { // the numbers continue past the largest, for rounding
		if i == exponentF16 {
			return 65536
		}
		return refHalf(i)
	}
	if x < 0 {
		x = -x
	}
	h &^= signF16
	if h == exponentF16 {
		return x >= (65504+65536)/2
	}
	if h > exponentF16 {
		return false
	}
	above := (extended(h) + extended(h+1)) / 2
	if x > above || x == above && h&1 != 0 {
		return false
	}
	if h == 0 {
		return true
	}
	below := (extended(h) + extended(h-1)) / 2
	return x > below || x == below && h&1 == 0
}

// TestHalvesAreComparedSeparately checks that each half gives its own result.
func TestHalvesAreComparedSeparately(t *testing.T) {
	cases := triples(F16, 2, 500)
	for _, cmp := range []Comparison{Eq, Ne, Lt, Ge, Gtu, Nan} {
		for _, mode := range []Mode{0, FTZ} {
			for i, lo := range cases {
				hi := cases[(i*7+3)%len(cases)]
				b := newFloatBench(Op{Mode: mode, Imm: uint64(cmp) | uint64(BoolXor)<<8 | 0x3c00<<32})
				holds := func(c triple) Mask {
					if refCompare(cmp, refValue(F16, refFlush(F16, c[0], mode)), refValue(F16, refFlush(F16, c[1], mode))) {
						return 1
					}
					return 0
				}
				third := Mask(i & 1)
				wantLo, wantHi := holds(lo)^third, holds(hi)^third
				*Pred(b.f, b.in.C) = third
				Reg[uint32](b.f, b.in.A)[0] = uint32(lo[0] | hi[0]<<16)
				Reg[uint32](b.f, b.in.B)[0] = uint32(lo[1] | hi[1]<<16)
				b.in.D2 = b.in.D + SlotPred
				SetpF16x2(b.f, &b.in, 1)
				if p, q := *Pred(b.f, b.in.D)&1, *Pred(b.f, b.in.D2)&1; p != wantLo || q != wantHi {
					t.Fatalf("setp %d mode %d: %04x, %04x: got %d|%d, want %d|%d", cmp, mode, lo[:2], hi[:2], p, q, wantLo, wantHi)
				}
				SetF16x2(b.f, &b.in, 1)
				if got, want := Reg[uint32](b.f, b.in.D)[0], uint32(wantLo*0x3c00|wantHi*0x3c000000); got != want {
					t.Fatalf("set %d mode %d: %04x, %04x: got %08x, want %08x", cmp, mode, lo[:2], hi[:2], got, want)
				}
			}
		}
	}
}

// TestHalfApproximationsMatchH100 compares the approximations of all halves with those of an H100 (driver 580.159.04,
// 2026-11-22), by a hash.
func TestHalfApproximationsMatchH100(t *testing.T) {
	for _, c := range []struct {
		name string
		fn   Func
		want string
	}{
		{"ex2", Ex2F16, "0b1bab5ab5e9f0b651a93cbb9f3d9ba6dfd06213bbde208c85ea6a1715fa5359"},
		{"tanh", TanhF16, "52bd79238ac307cacae2bc02c4cdf434d3ce31da6206d4d899c256739a4c8484"},
	} {
		var cases []triple
		for h := range uint64(1 << 16) {
			cases = append(cases, triple{h})
		}
		var results []byte
		newFloatBench(Op{}).run(c.fn, F16, F16, cases, func(_ triple, got uint64) {
			results = append(results, byte(got), byte(got>>8))
		})
		if sum := sha256.Sum256(results); hex.EncodeToString(sum[:]) != c.want {
			t.Errorf("%s: not an H100's results", c.name)
		}
	}
}

// TestHalfApproximationsAreAccurate checks that the approximations in half precision are within slightly more than a
// unit in the last place, against series, and their limits.
func TestHalfApproximationsAreAccurate(t *testing.T) {
	tanh := func(x float64) float64 {
		e := exp2Series(2 * x / math.Ln2)
		return (e - 1) / (e + 1)
	}
	for _, c := range []struct {
		name   string
		fn     Func
		bound  float64 // of the magnitude of sources
		want   func(x float64) float64
		limits map[uint64]uint64
	}{
		{"ex2", Ex2F16, 15.9, exp2Series, map[uint64]uint64{
			0: 0x3c00, 0x8000: 0x3c00, 0x7c00: 0x7c00, 0xfc00: 0, 0x7e00: nanF16, 0x4c00: 0x7c00, 0xce00: 0x0001, 0xd200: 0, 0xcf00: 0, 0x8001: 0x3c00, 0x8002: 0x3bff,
		}},
		{"tanh", TanhF16, 5, tanh, map[uint64]uint64{
			0: 0, 0x8000: 0x8000, 0x7c00: 0x3c00, 0xfc00: 0xbc00, 0x7e00: nanF16, 1: 1, 0x8001: 0x8001,
		}},
	} {
		var cases []triple
		for h := uint64(0); h < 1<<16; h += 37 {
			if x := refHalf(uint32(h)); math.Abs(x) > 0x1p-10 && math.Abs(x) < c.bound {
				cases = append(cases, triple{h})
			}
		}
		newFloatBench(Op{}).run(c.fn, F16, F16, cases, func(v triple, got uint64) {
			x, y := refHalf(uint32(v[0])), refHalf(uint32(got))
			ulp := refNext(F16, math.Abs(y), true) - math.Abs(y)
			if off := y - c.want(x); math.Abs(off) > 1.01*ulp {
				t.Errorf("%s(%g) = %g: off by %.3f ulp", c.name, x, y, off/ulp)
			}
		})
		for x, want := range c.limits {
			newFloatBench(Op{}).run(c.fn, F16, F16, []triple{{x}}, func(_ triple, got uint64) {
				if got != want {
					t.Errorf("%s(%04x) = %04x, want %04x", c.name, x, got, want)
				}
			})
		}
	}
}
