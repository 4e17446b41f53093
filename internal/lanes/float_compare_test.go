package lanes

import (
	"math"
	"testing"
)

// refCompare is a comparison by PTX's definition: an ordered one is false, an
// unordered one true, when an operand is NaN.
func refCompare(cmp Comparison, x, y float64) bool {
	nan := math.IsNaN(x) || math.IsNaN(y)
	switch cmp {
	case Eq, Equ:
		return nan && cmp == Equ || !nan && x == y
	case Ne, Neu:
		return nan && cmp == Neu || !nan && x != y
	case Lt, Ltu:
		return nan && cmp == Ltu || !nan && x < y
	case Le, Leu:
		return nan && cmp == Leu || !nan && x <= y
	case Gt, Gtu:
		return nan && cmp == Gtu || !nan && x > y
	case Ge, Geu:
		return nan && cmp == Geu || !nan && x >= y
	case Num:
		return !nan
	}
	return nan
}

func TestFloatComparisonsMatchIEEE(t *testing.T) {
	compare := map[Elem]func(*File, *Op) Mask{F16: compareF16, BF16: func(f *File, in *Op) Mask { return compareBF16(f, in, 0) }, F32: compareF32, F64: compareF64}
	for e, fn := range compare {
		for _, cmp := range []Comparison{Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan} {
			for _, mode := range []Mode{0, FTZ} {
				if (e == F64 || e == BF16) && mode != 0 {
					continue
				}
				asWord := func(f *File, in *Op, m Mask) {
					r := fn(f, in)
					for i := range Width {
						Reg[uint32](f, in.D)[i] = uint32(r >> i & 1)
					}
				}
				b := newFloatBench(Op{Mode: mode, Imm: uint64(cmp)})
				b.run(asWord, U32, e, triples(e, 2, 1000), func(c triple, got uint64) {
					x, y := refValue(e, refFlush(e, c[0], mode)), refValue(e, refFlush(e, c[1], mode))
					if want := refCompare(cmp, x, y); (got != 0) != want {
						t.Fatalf("elem %d cmp %d mode %d: %x: got %d, want %t", e, cmp, mode, c[:2], got, want)
					}
				})
			}
		}
	}
}

// refMin is min by PTX's definition, on encodings: -0 is below +0, a number has priority over NaN, two NaNs give a
// NaN.
func refMin(e Elem, x, y uint64, greater, nanWins bool) uint64 {
	a, b := refValue(e, x), refValue(e, y)
	switch {
	case a != a && b != b, nanWins && (a != a || b != b):
		if e == F64 {
			return refNaNF64(y, x)
		}
		return refNaN(e)
	case a != a:
		return y
	case b != b:
		return x
	case a == b && math.Signbit(a) == greater, a != b && (a < b) == greater:
		return y
	}
	return x
}

func TestMinAndMaxOrderFloats(t *testing.T) {
	for _, c := range []struct {
		name             string
		fn               Func
		e                Elem
		greater, nanWins bool
	}{
		{"min.f16", MinF16, F16, false, false}, {"max.f16", MaxF16, F16, true, false},
		{"min.bf16", MinBF16, BF16, false, false}, {"max.bf16", MaxBF16, BF16, true, false},
		{"min.f32", MinF32, F32, false, false}, {"max.f32", MaxF32, F32, true, false},
		{"min.f64", MinF64, F64, false, false}, {"max.f64", MaxF64, F64, true, false},
	} {
		for _, mode := range []Mode{0, FTZ} {
			if (c.e == F64 || c.e == BF16) && mode != 0 {
				continue
			}
			newFloatBench(Op{Mode: mode}).run(c.fn, c.e, c.e, triples(c.e, 2, 1000), func(v triple, got uint64) {
				want := refMin(c.e, refFlush(c.e, v[0], mode), refFlush(c.e, v[1], mode), c.greater, c.nanWins)
				if got != want {
					t.Fatalf("%s mode %d: %x: got %x, want %x", c.name, mode, v[:2], got, want)
				}
			})
		}
	}
}

// signed returns d, or the result of neg and abs for NaN.
func signed(e Elem, x, d uint64) uint64 {
	switch v := refValue(e, x); {
	case v == v:
		return d
	case e == F64:
		return refNaNF64(x)
	}
	return refNaN(e)
}

// TestExtremumHandlesNaNAndSign checks .NaN and .xorsign.abs.
func TestExtremumHandlesNaNAndSign(t *testing.T) {
	for e, fn := range map[Elem]Func{F16: ExtremumF16, BF16: ExtremumBF16, F32: ExtremumF32} {
		sign := uint64(1) << (e.bits() - 1)
		for imm := range uint64(ExtremumMax + ExtremumNaN + ExtremumXorSign + 1) {
			for _, mode := range []Mode{0, FTZ} {
				newFloatBench(Op{Mode: mode, Imm: imm}).run(fn, e, e, triples(e, 2, 1000), func(v triple, got uint64) {
					x, y := refFlush(e, v[0], mode), refFlush(e, v[1], mode)
					product := (x ^ y) & sign
					if imm&ExtremumXorSign != 0 {
						x, y = x&^sign, y&^sign
					}
					want := refMin(e, x, y, imm&ExtremumMax != 0, imm&ExtremumNaN != 0)
					if imm&ExtremumXorSign != 0 && !math.IsNaN(refValue(e, want)) {
						want |= product
					}
					if got != want {
						t.Fatalf("elem %d imm %d mode %d: %x: got %x, want %x", e, imm, mode, v[:2], got, want)
					}
				})
			}
		}
	}
}

func TestSignFunctionsMatchReference(t *testing.T) {
	for _, c := range []struct {
		name string
		fn   Func
		e    Elem
		n    int
		want func(sign, x, y uint64) uint64
	}{
		{"neg.f16", NegF16, F16, 1, func(sign, x, _ uint64) uint64 { return signed(F16, x, x^sign) }},
		{"neg.bf16", NegBF16, BF16, 1, func(sign, x, _ uint64) uint64 { return signed(BF16, x, x^sign) }},
		{"abs.bf16", AbsBF16, BF16, 1, func(sign, x, _ uint64) uint64 { return signed(BF16, x, x&^sign) }},
		{"neg.f32", NegF32, F32, 1, func(sign, x, _ uint64) uint64 { return signed(F32, x, x^sign) }},
		{"neg.f64", NegF64, F64, 1, func(sign, x, _ uint64) uint64 { return signed(F64, x, x^sign) }},
		{"abs.f16", AbsF16, F16, 1, func(sign, x, _ uint64) uint64 { return signed(F16, x, x&^sign) }},
		{"abs.f32", AbsF32, F32, 1, func(sign, x, _ uint64) uint64 { return signed(F32, x, x&^sign) }},
		{"abs.f64", AbsF64, F64, 1, func(sign, x, _ uint64) uint64 { return signed(F64, x, x&^sign) }},
		{"copysign.f32", CopysignF32, F32, 2, func(sign, x, y uint64) uint64 { return x&sign | y&^sign }},
		{"copysign.f64", CopysignF64, F64, 2, func(sign, x, y uint64) uint64 { return x&sign | y&^sign }},
	} {
		for _, mode := range []Mode{0, FTZ} {
			if mode != 0 && (c.e == F64 || c.e == BF16 || c.n == 2) {
				continue
			}
			newFloatBench(Op{Mode: mode}).run(c.fn, c.e, c.e, triples(c.e, c.n, 100), func(v triple, got uint64) {
				want := c.want(1<<(c.e.bits()-1), refFlush(c.e, v[0], mode), refFlush(c.e, v[1], mode))
				if got != want {
					t.Fatalf("%s mode %d: %x: got %x, want %x", c.name, mode, v, got, want)
				}
			})
		}
	}
}

func TestTestpClassifiesFloats(t *testing.T) {
	for e, fn := range map[Elem]Func{F32: TestpF32, F64: TestpF64} {
		least := map[Elem]float64{F32: 0x1p-126, F64: 0x1p-1022}[e]
		for class, holds := range map[uint64]func(x float64) bool{
			TestpFinite:     func(x float64) bool { return math.Abs(x) <= math.MaxFloat64 },
			TestpInfinite:   func(x float64) bool { return math.IsInf(x, 0) },
			TestpNumber:     func(x float64) bool { return !math.IsNaN(x) },
			TestpNotANumber: math.IsNaN,
			TestpNormal:     func(x float64) bool { return x == 0 || math.Abs(x) >= least && !math.IsInf(x, 0) },
			TestpSubnormal:  func(x float64) bool { return x != 0 && math.Abs(x) < least },
		} {
			asWord := func(f *File, in *Op, m Mask) {
				fn(f, in, m)
				r := *Pred(f, in.D)
				for i := range Width {
					Reg[uint32](f, in.D)[i] = uint32(r >> i & 1)
				}
			}
			newFloatBench(Op{Imm: class}).run(asWord, U32, e, triples(e, 1, 1000), func(c triple, got uint64) {
				if want := holds(refValue(e, c[0])); (got != 0) != want {
					t.Fatalf("elem %d class %d: %x: got %d, want %t", e, class, c[0], got, want)
				}
			})
		}
	}
}

func TestSlctComparesFloatWithZero(t *testing.T) {
	for _, c := range []struct {
		c      float32
		mode   Mode
		wantsA bool
	}{
		{1, 0, true}, {0, 0, true}, {float32(math.Copysign(0, -1)), 0, true}, {-1, 0, false},
		{float32(math.NaN()), 0, false}, {float32(math.Inf(1)), 0, true}, {float32(math.Inf(-1)), 0, false},
		{-0x1p-130, 0, false}, {-0x1p-130, FTZ, true}, {-0x1p-126, FTZ, false},
	} {
		b := newFloatBench(Op{Mode: c.mode})
		Reg[float32](b.f, b.in.C)[7] = c.c
		Reg[uint64](b.f, b.in.A)[7], Reg[uint64](b.f, b.in.B)[7] = 1<<40, 2<<40
		Slct64F32(b.f, &b.in, AllLanes)
		if got := Reg[uint64](b.f, b.in.D)[7] == 1<<40; got != c.wantsA {
			t.Errorf("slct.b64.f32 of %g mode %d: chose a: %t, want %t", c.c, c.mode, got, c.wantsA)
		}
		Reg[uint32](b.f, b.in.A)[7], Reg[uint32](b.f, b.in.B)[7] = 1, 0x80000001 // no flush of a and b
		SlctF32(b.f, &b.in, AllLanes)
		if got := Reg[uint32](b.f, b.in.D)[7]; got != map[bool]uint32{true: 1, false: 0x80000001}[c.wantsA] {
			t.Errorf("slct.f32.f32 of %g mode %d: got %#x", c.c, c.mode, got)
		}
	}
}

// floatFuncs are the lane functions with results and sources of one width, with the number of sources.
var floatFuncs = []struct {
	name    string
	fn      Func
	e       Elem
	sources int
}{
	{"AddF32", AddF32, F32, 2}, {"SubF32", SubF32, F32, 2}, {"MulF32", MulF32, F32, 2}, {"FmaF32", FmaF32, F32, 3},
	{"DivF32", DivF32, F32, 2}, {"RcpF32", RcpF32, F32, 1}, {"SqrtF32", SqrtF32, F32, 1},
	{"AddF64", AddF64, F64, 2}, {"SubF64", SubF64, F64, 2}, {"MulF64", MulF64, F64, 2}, {"FmaF64", FmaF64, F64, 3},
	{"DivF64", DivF64, F64, 2}, {"RcpF64", RcpF64, F64, 1}, {"SqrtF64", SqrtF64, F64, 1},
	{"MinF32", MinF32, F32, 2}, {"MaxF32", MaxF32, F32, 2}, {"ExtremumF32", ExtremumF32, F32, 2}, {"ExtremumF16", ExtremumF16, F16, 2},
	{"MinF64", MinF64, F64, 2}, {"MaxF64", MaxF64, F64, 2},
	{"NegF32", NegF32, F32, 1}, {"AbsF32", AbsF32, F32, 1}, {"CopysignF32", CopysignF32, F32, 2},
	{"NegF64", NegF64, F64, 1}, {"AbsF64", AbsF64, F64, 1}, {"CopysignF64", CopysignF64, F64, 2}, {"SlctF32", SlctF32, F32, 3},
	{"DivApproxF32", DivApproxF32, F32, 2}, {"DivFullF32", DivFullF32, F32, 2}, {"SinF32", SinF32, F32, 1},
	{"RsqrtApproxF64", RsqrtApproxF64, F64, 1}, {"RcpApproxFtzF64", RcpApproxFtzF64, F64, 1}, {"RsqrtApproxFtzF64", RsqrtApproxFtzF64, F64, 1},
	{"AddF16", AddF16, F16, 2}, {"FmaF16", FmaF16, F16, 3}, {"NegF16", NegF16, F16, 1}, {"Ex2F16", Ex2F16, F16, 1}, {"TanhF16", TanhF16, F16, 1},
	{"AddBF16", AddBF16, BF16, 2}, {"FmaBF16", FmaBF16, BF16, 3}, {"NegBF16", NegBF16, BF16, 1}, {"Ex2BF16", Ex2BF16, BF16, 1}, {"ExtremumBF16", ExtremumBF16, BF16, 2},
	{"AddBF16x2", AddBF16x2, U32, 2}, {"FmaBF16x2", FmaBF16x2, U32, 3}, {"NegBF16x2", NegBF16x2, U32, 1}, {"CvtBF16x2F32", CvtBF16x2F32, F32, 2},
	{"AddF16x2", AddF16x2, U32, 2}, {"FmaF16x2", FmaF16x2, U32, 3}, {"NegF16x2", NegF16x2, U32, 1}, {"CvtF16x2F32", CvtF16x2F32, F32, 2},
}

// TestFloatResultsKeepOtherLanes checks that lanes outside the mask keep their values, and that the result may be one
// of the sources.
func TestFloatResultsKeepOtherLanes(t *testing.T) {
	for _, c := range floatFuncs {
		for _, mode := range []Mode{0, FTZ, RoundUp} {
			list := floatEdges(c.e)
			b := newFloatBench(Op{Mode: mode})
			fill := func() {
				for k, off := range []uint32{b.in.D, b.in.A, b.in.B, b.in.C} {
					for i := range Width {
						x := list[(i*(k+3)+5*k)%len(list)]
						if off == b.in.D {
							x = 0x1234
						}
						b.put(off+uint32(i*c.e.slotBytes()), c.e.bits(), []uint64{x})
					}
				}
			}
			fill()
			c.fn(b.f, &b.in, AllLanes)
			all := b.take(b.in.D, c.e.bits())
			sources := []uint32{b.in.D, b.in.A, b.in.B, b.in.C}[:c.sources+1]
			for k, d := range sources {
				for _, m := range []Mask{0, 1, 0x80000000, 0x0ff0f00f, 0xaaaaaaaa, AllLanes} {
					fill()
					before, in := b.take(d, c.e.bits()), b.in
					in.D = d
					c.fn(b.f, &in, m)
					for i, got := range b.take(d, c.e.bits()) {
						want := before[i]
						if m>>i&1 != 0 {
							want = all[i]
						}
						if got != want {
							t.Fatalf("%s mode %d, result in operand %d, mask %#x: lane %d: got %#x, want %#x", c.name, mode, k, m, i, got, want)
						}
					}
				}
			}
		}
	}
}

// slotBytes returns the bytes of one lane in a slot.
func (e Elem) slotBytes() int { return max(32, e.bits()) / 8 }
