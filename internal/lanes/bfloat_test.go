package lanes

import (
	"fmt"
	"math"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

var bfloatArithmetic = []struct {
	op            string
	sources       int
	bf16, packed2 Func
}{
	{"add", 2, AddBF16, AddBF16x2}, {"sub", 2, SubBF16, SubBF16x2}, {"mul", 2, MulBF16, MulBF16x2}, {"fma", 3, FmaBF16, FmaBF16x2},
}

func refArithmeticBF16(op string, c triple, mode Mode) uint64 {
	x, y, z := refValue(BF16, c[0]), refValue(BF16, c[1]), refValue(BF16, c[2])
	return refResult(BF16, refExact(op, x, y, z, mode), mode, refNaN(BF16))
}

func TestBF16ArithmeticRoundsExactResult(t *testing.T) {
	short.Alternates(t, 2, 3)
	for _, a := range bfloatArithmetic {
		cases := triples(BF16, a.sources, 40000)
		for _, mode := range []Mode{0, RELU} {
			if mode == RELU && a.op != "fma" {
				continue
			}
			t.Run(fmt.Sprintf("%s/mode=%d", a.op, mode), func(t *testing.T) {
				t.Parallel()
				newFloatBench(Op{Mode: mode}).run(a.bf16, BF16, BF16, cases, func(c triple, got uint64) {
					if want := refArithmeticBF16(a.op, c, mode); got != want {
						t.Fatalf("%04x: got %04x, want %04x", c, got, want)
					}
				})
			})
		}
	}
}

// TestFmaBF16RoundsOnce adds to midpoints numbers so small that no float64 holds the sum.
func TestFmaBF16RoundsOnce(t *testing.T) {
	for _, c := range []struct{ x, y, z, want uint64 }{
		{0x3f88, 0x3f88, 0, 0x3f90},      // (1+2^-4)^2 = 1+2^-3+2^-8, a tie
		{0x3f88, 0x3f88, 0x0001, 0x3f91}, // and a little more, 2^-133
		{0x3f88, 0x3f88, 0x8001, 0x3f90},
		{0x3f88, 0xbf88, 0x8001, 0xbf91},
		{0x3fb8, 0x3fa8, 0, 0x3ff2},      // 1.4375 * 1.3125 = 1.88671875, a tie
		{0x3fb8, 0x3fa8, 0x8001, 0x3ff1}, // and a little less
		{0x7f7f, 0x3f80, 0x7b00, 0x7f80}, // the largest number and half of its last place, 2^119
		{0x7f7f, 0x3f80, 0x7aff, 0x7f7f},
		{0x0080, 0x3b80, 0, 0},           // 2^-126 * 2^-8 = 2^-134, a tie with 0
		{0x0080, 0x3b80, 0x0001, 0x0002}, // 1.5 units: a tie with 2
	} {
		newFloatBench(Op{}).run(FmaBF16, BF16, BF16, []triple{{c.x, c.y, c.z}}, func(v triple, got uint64) {
			if got != c.want {
				t.Errorf("fma %04x: got %04x, want %04x", v, got, c.want)
			}
		})
	}
}

// TestBF16HalvesAreComputedSeparately checks that each half is computed from its own sources.
func TestBF16HalvesAreComputedSeparately(t *testing.T) {
	for _, a := range bfloatArithmetic {
		cases := triples(BF16, a.sources, 1000)
		var packed []triple
		for i, lo := range cases {
			hi := cases[(i*7+3)%len(cases)]
			packed = append(packed, triple{lo[0] | hi[0]<<16, lo[1] | hi[1]<<16, lo[2] | hi[2]<<16})
		}
		newFloatBench(Op{}).run(a.packed2, U32, U32, packed, func(c triple, got uint64) {
			const low = 0xffff
			want := refArithmeticBF16(a.op, triple{c[0] & low, c[1] & low, c[2] & low}, 0) |
				refArithmeticBF16(a.op, triple{c[0] >> 16, c[1] >> 16, c[2] >> 16}, 0)<<16
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
		{"neg", NegBF16x2, 0x3f808001, 0, 0, 0xbf800001},
		{"abs", AbsBF16x2, 0xbf80ffc1, 0, 0, 0x3f807fff},
		{"min", MinBF16x2, 0x3f808000, 0x7fc10000, 0, 0x3f808000},
		{"max", MaxBF16x2, 0x3f808000, 0x7fc10000, 0, 0x3f800000},
		{"min.NaN", ExtremumBF16x2, 0x3f808000, 0x7fc10000, ExtremumNaN, 0x7fff8000},
		{"max.xorsign.abs", ExtremumBF16x2, 0x3f80c000, 0xc0003f80, ExtremumMax | ExtremumXorSign, 0xc000c000},
		{"ex2", Ex2BF16x2, 0x4040bf80, 0, 0, 0x41003f00},
		{"tanh", TanhBF16x2, 0xff807f80, 0, 0, 0xbf803f80},
	} {
		newFloatBench(Op{Imm: c.imm}).run(c.fn, U32, U32, []triple{{c.a, c.b}}, func(_ triple, got uint64) {
			if got != c.want {
				t.Errorf("%s.bf16x2: got %08x, want %08x", c.name, got, c.want)
			}
		})
	}
}

// TestEveryBF16SurvivesConversion converts all encodings to .f32 and back, and .f32 numbers around and between them.
func TestEveryBF16SurvivesConversion(t *testing.T) {
	short.Alternates(t, 0, 3)
	for x := range uint32(1 << 16) {
		if short.Skips(int(x)) {
			continue
		}
		v := refSmall(BF16, x)
		if got := valueBF16(x); got != v && (got == got || v == v) {
			t.Fatalf("valueBF16(%04x) = %g, want %g", x, got, v)
		}
		want := x
		if v != v {
			want = nanF16
		}
		if got := roundBF16(v); got != want {
			t.Fatalf("roundBF16(%g) = %04x, want %04x", v, got, want)
		}
		for _, low := range []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff} {
			single := math.Float32frombits(x<<16 | low)
			want := uint32(nanF16)
			if single == single {
				want = uint32(refResult(BF16, exact(float64(single)), 0, 0))
			}
			if got := roundF32ToBF16(single); got != want {
				t.Fatalf("roundF32ToBF16(%g) = %04x, want %04x", single, got, want)
			}
		}
	}
}

// TestBF16HalvesAreComparedSeparately checks that each half gives its own result.
func TestBF16HalvesAreComparedSeparately(t *testing.T) {
	cases := triples(BF16, 2, 500)
	for _, cmp := range []Comparison{Eq, Ne, Lt, Ge, Gtu, Nan} {
		for i, lo := range cases {
			hi := cases[(i*7+3)%len(cases)]
			b := newFloatBench(Op{Imm: uint64(cmp) | uint64(BoolXor)<<8 | 0x3f80<<32})
			holds := func(c triple) Mask {
				if refCompare(cmp, refValue(BF16, c[0]), refValue(BF16, c[1])) {
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
			SetpBF16x2(b.f, &b.in, 1)
			if p, q := *Pred(b.f, b.in.D)&1, *Pred(b.f, b.in.D2)&1; p != wantLo || q != wantHi {
				t.Fatalf("setp %d: %04x, %04x: got %d|%d, want %d|%d", cmp, lo[:2], hi[:2], p, q, wantLo, wantHi)
			}
			SetBF16x2(b.f, &b.in, 1)
			if got, want := Reg[uint32](b.f, b.in.D)[0], uint32(wantLo*0x3f80|wantHi*0x3f800000); got != want {
				t.Fatalf("set %d: %04x, %04x: got %08x, want %08x", cmp, lo[:2], hi[:2], got, want)
			}
		}
	}
}

// TestBF16ApproximationsAreAccurate checks that the approximations are within slightly more than half a unit in the
// last place, against series, and their limits.
func TestBF16ApproximationsAreAccurate(t *testing.T) {
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
		{"ex2", Ex2BF16, 16, exp2Series, map[uint64]uint64{
			0: 0x3f80, 0x8000: 0x3f80, 0x0001: 0x3f80, 0x7f80: 0x7f80, 0xff80: 0, 0x7fc1: nanF16, 0x4300: 0x7f80, // of 128
			0xc2fc: 0x0080, 0xc2fe: 0, 0xc300: 0, // of -126, -127 and -128
		}},
		{"tanh", TanhBF16, 5, tanh, map[uint64]uint64{
			0: 0, 0x8000: 0x8000, 0x7f80: 0x3f80, 0xff80: 0xbf80, 0xffc1: nanF16, 1: 1, 0x8001: 0x8001,
		}},
	} {
		var cases []triple
		for h := uint64(0); h < 1<<16; h += 7 {
			if x := refValue(BF16, h); math.Abs(x) > 0x1p-10 && math.Abs(x) < c.bound {
				cases = append(cases, triple{h})
			}
		}
		newFloatBench(Op{}).run(c.fn, BF16, BF16, cases, func(v triple, got uint64) {
			x, y := refValue(BF16, v[0]), refValue(BF16, got)
			ulp := refNext(BF16, math.Abs(y), true) - math.Abs(y)
			if off := y - c.want(x); math.Abs(off) > 0.51*ulp {
				t.Errorf("%s(%g) = %g: off by %.3f ulp", c.name, x, y, off/ulp)
			}
		})
		for x, want := range c.limits {
			newFloatBench(Op{}).run(c.fn, BF16, BF16, []triple{{x}}, func(_ triple, got uint64) {
				if got != want {
					t.Errorf("%s(%04x) = %04x, want %04x", c.name, x, got, want)
				}
			})
		}
	}
}

func TestAtomAddsBF16x2Halves(t *testing.T) {
	f := NewFile(fileBytes)
	a := &Access{Mem: make([]byte, 4), Size: 4}
	*place[uint32](a, 0, 0) = 0x7f7f3f80 // the largest number and 1
	put(f, regB, 32, 0, 0x7b00c000)      // half of its last place and -2
	AtomAddBF16x2(f, &Op{D: regD, B: regB}, 1, a)
	if old, sum := get(f, regD, 32, 0), *place[uint32](a, 0, 0); old != 0x7f7f3f80 || sum != 0x7f80bf80 {
		t.Errorf("found %08x, left %08x; want 7f7f3f80, 7f80bf80", old, sum)
	}
}
