package launch

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestNumbersParseByType(t *testing.T) {
	tests := []struct {
		elem  Elem
		text  string
		loose bool
		want  uint64
		err   string
	}{
		{elem: U8, text: "255", want: 0xff},
		{elem: U8, text: "300", err: "300 is out of range for u8, which takes 0 to 255"},
		{elem: U8, text: "300", loose: true, err: "300 is out of range for u8, which takes -128 to 255"},
		{elem: U8, text: "-1", err: "takes 0 to 255"},
		{elem: U8, text: "-128", loose: true, want: 0x80},
		{elem: S8, text: "-128", want: 0x80},
		{elem: S8, text: "128", err: "takes -128 to 127"},
		{elem: U16, text: "0xffff", want: 0xffff},
		{elem: U32, text: "+7", want: 7},
		{elem: U32, text: "-1", loose: true, want: 0xffffffff},
		{elem: S64, text: "-9223372036854775808", want: 1 << 63},
		{elem: S64, text: "9223372036854775808", err: "out of range"},
		{elem: U64, text: "18446744073709551615", want: math.MaxUint64},
		{elem: U64, text: "18446744073709551616", err: "out of range"},
		{elem: U32, text: "1.5", err: `"1.5" is not an integer`},
		{elem: U32, text: "0f3f800000", want: 0x3f800000},
		{elem: U64, text: "0f3f800000", err: "is 32 bits; u64 has 64"},
		{elem: U64, text: "0d3ff0000000000000", want: 0x3ff0000000000000},
		{elem: F32, text: "1.5", want: 0x3fc00000},
		{elem: F32, text: "-0", want: 0x80000000},
		{elem: F32, text: "0f80000000", want: 0x80000000},
		{elem: F32, text: "0d3ff8000000000000", want: 0x3fc00000},
		{elem: F64, text: "0f3fc00000", want: 0x3ff8000000000000},
		{elem: F32, text: "nan", want: 0x7fffffff},
		{elem: F64, text: "nan", want: 0x7ff8000000000000},
		{elem: F32, text: "-inf", want: 0xff800000},
		{elem: F32, text: "1e39", err: "1e39 is out of range for f32"},
		{elem: F32, text: "0x10", err: "is not a decimal number"},
		{elem: F16, text: "1", want: 0x3c00},
		{elem: F16, text: "65504", want: 0x7bff},
		{elem: F16, text: "65520", err: "out of range for f16"},
		{elem: F16, text: "6e-8", want: 1},
		{elem: F16, text: "1e-999999999", want: 0},
		{elem: BF16, text: "1", want: 0x3f80},
		{elem: BF16, text: "-3.5", want: 0xc060},
		{elem: F16, text: "inf", want: 0x7c00},
		{elem: U32, text: "n", err: "is not a number"},
		{elem: U32, text: "", err: "is not a number"},
		{elem: F32, text: "1.2.3", err: "is not a number"},
	}
	for _, tt := range tests {
		got, err := tt.elem.parse(tt.text, tt.loose)
		switch {
		case tt.err == "" && err != nil:
			t.Errorf("%s %q: %v", tt.elem, tt.text, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%s %q: error %v, want %q", tt.elem, tt.text, err, tt.err)
		case got.bits != tt.want && tt.err == "":
			t.Errorf("%s %q = %#x, want %#x", tt.elem, tt.text, got.bits, tt.want)
		}
	}
}

// nearest16 finds the 16-bit value nearest to x by trying all: ties go to the even value, and numbers half a step or
// more above the greatest become infinite.
func nearest16(f format16, x *big.Rat) uint64 {
	top := f.infinity() - 1
	values := func(bits uint64) *big.Rat { return new(big.Rat).SetFloat64(f.widen(bits)) }
	step := new(big.Rat).Sub(values(top), values(top-1))
	limit := new(big.Rat).Add(values(top), step.Quo(step, big.NewRat(2, 1)))
	if x.Cmp(limit) >= 0 {
		return f.infinity()
	}
	lo, hi := uint64(0), top
	for lo < hi { // the last value not above x
		mid := (lo + hi + 1) / 2
		if values(mid).Cmp(x) <= 0 {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo == top {
		return lo
	}
	below, above := new(big.Rat).Sub(x, values(lo)), new(big.Rat).Sub(values(lo+1), x)
	switch c := below.Cmp(above); {
	case c < 0 || c == 0 && lo&1 == 0:
		return lo
	}
	return lo + 1
}

// TestDecimalsRoundOnceToNarrowTypes rounds decimal numbers at, and just above and below, the midpoint between
// neighbours, where rounding to float64 first gives the wrong result.
func TestDecimalsRoundOnceToNarrowTypes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, e := range []Elem{F16, BF16} {
		f := e.format16()
		for range 300 {
			bits := rng.Uint64N(f.infinity() - 1)
			middle := new(big.Rat).SetFloat64(f.widen(bits))
			middle.Add(middle, new(big.Rat).SetFloat64(f.widen(bits+1)))
			middle.Quo(middle, big.NewRat(2, 1))
			exact := middle.FloatString(200) // the midpoint has fewer digits
			for _, text := range []string{exact, exact + "1", strings.TrimRight(exact, "0")} {
				x, _ := new(big.Rat).SetString(text)
				got, err := e.parse(text, false)
				if want := nearest16(f, x); err == nil && got.bits != want {
					t.Errorf("%s %s = %#x, want %#x", e, text, got.bits, want)
				}
			}
		}
	}
}

// TestNarrowInvertsWiden checks that widen and narrow are inverse for every bit pattern, and that bfloat16 is the upper
// half of a float32.
func TestNarrowInvertsWiden(t *testing.T) {
	for bits := range uint64(1 << 16) {
		for _, f := range []format16{binary16, bfloat16} {
			v := f.widen(bits)
			if got := f.narrow(v); got != bits && !math.IsNaN(v) {
				t.Fatalf("%+v: %#x is %v, which narrows to %#x", f, bits, v, got)
			}
		}
		v := float64(math.Float32frombits(uint32(bits) << 16))
		if got := bfloat16.widen(bits); got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
			t.Fatalf("bfloat16 %#x is %v, want %v", bits, got, v)
		}
	}
	for bits, want := range map[uint64]float64{0x3555: 0.333251953125, 0x0001: 0x1p-24, 0x03ff: 0x3ffp-24, 0x7bff: 65504, 0xc000: -2} {
		if got := binary16.widen(bits); got != want {
			t.Errorf("binary16 %#x is %v, want %v", bits, got, want)
		}
	}
}

func TestElementTextFollowsType(t *testing.T) {
	tests := []struct {
		elem Elem
		bits uint64
		want string
	}{
		{U8, 200, "200"},
		{S8, 200, "-56"},
		{U64, math.MaxUint64, "18446744073709551615"},
		{S64, 1 << 63, "-9223372036854775808"},
		{F32, 0x3dcccccd, "0.1"},
		{F32, 0x4b800000, "16777216"},
		{F32, 0x80000000, "-0"},
		{F32, 0x7fc00001, "nan"},
		{F32, 0xff800000, "-inf"},
		{F32, 0x7f7fffff, "3.4028235e+38"},
		{F64, 0x3fb999999999999a, "0.1"},
		{F16, 0x2e66, "0.1"},
		{F16, 0x0001, "6e-08"},
		{F16, 0x7bff, "65500"},
		{BF16, 0x3dcd, "0.1"},
		{BF16, 0x4049, "3.14"},
		{BF16, 0x7f80, "inf"},
	}
	for _, tt := range tests {
		if got := tt.elem.Text(tt.bits); got != tt.want {
			t.Errorf("%s %#x is %s, want %s", tt.elem, tt.bits, got, tt.want)
		}
	}
}

// TestTextReadsBack checks that parse inverts Text for floating-point bit patterns.
func TestTextReadsBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, e := range []Elem{F16, BF16, F32, F64, S32, U64} {
		for range 2000 {
			bits := e.truncate(rng.Uint64())
			if e.isFloat() && math.IsNaN(e.float(bits)) {
				continue
			}
			text := e.Text(bits)
			if got, err := e.parse(text, false); err != nil || got.bits != bits {
				t.Fatalf("%s %#x is %s, which is %#x, %v", e, bits, text, got.bits, err)
			}
			if _, err := strconv.ParseFloat(text, 64); err != nil {
				t.Fatalf("%s is no number for others: %v", text, err)
			}
		}
	}
}

func TestMatchesHonoursTolerance(t *testing.T) {
	tests := []struct {
		elem   Elem
		got    uint64
		want   string
		within tolerance
		ok     bool
	}{
		{F32, 0x80000000, "0", tolerance{}, true},
		{F32, 0x80000000, "0f00000000", tolerance{}, false},
		{F32, 0x7fc00000, "nan", tolerance{}, true},
		{F32, 0x7fc00000, "0f7fffffff", tolerance{}, false},
		{F32, 0x3f800001, "1", tolerance{}, false},
		{F32, 0x3f800001, "1", tolerance{ulp: 1}, true},
		{F32, 0x3f800002, "1", tolerance{ulp: 1}, false},
		{F32, 0x00000001, "-0", tolerance{ulp: 1}, true},
		{F32, 0x80000001, "0f00000001", tolerance{ulp: 1}, false}, // two steps apart
		{F32, 0x80000001, "0f00000001", tolerance{ulp: 2}, true},
		{F32, 0x3fa00000, "1", tolerance{abs: 0.25}, true},
		{F32, 0x3fa00000, "1", tolerance{abs: 0.2}, false},
		{F32, 0x40a00000, "4", tolerance{rel: 0.25}, true},
		{F32, 0x7f800000, "1", tolerance{rel: 1e30, abs: 1e30}, false},
		{F32, 0x7f800000, "inf", tolerance{abs: 1}, true},
		{F32, 0x7fffffff, "1", tolerance{abs: 1}, false},
		{F16, 0x3c01, "1", tolerance{ulp: 1}, true},
		{S32, 0xffffffff, "1", tolerance{abs: 2}, true},
		{S32, 0xffffffff, "1", tolerance{abs: 1}, false},
		{U64, math.MaxUint64, "0", tolerance{abs: 1}, false},
		{S64, 1 << 63, "9223372036854775807", tolerance{abs: 1}, false},
		{U8, 7, "7", tolerance{}, true},
		{U8, 7, "8", tolerance{}, false},
	}
	for _, tt := range tests {
		want, err := tt.elem.parse(tt.want, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := tt.elem.matches(tt.got, want, tt.within); got != tt.ok {
			t.Errorf("%s %#x against %s within %+v: %v, want %v", tt.elem, tt.got, tt.want, tt.within, got, tt.ok)
		}
	}
}
