package lanes

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// refByte returns the number that a byte encodes with a number of bits of fraction, by the definition of e4m3 and
// e5m2.
func refByte(fraction int, b uint32) float64 {
	bias := 1<<(6-fraction) - 1
	exp, frac, sign := int(b&0x7f)>>fraction, float64(b&(1<<fraction-1)), 1.0
	if b&0x80 != 0 {
		sign = -1
	}
	switch {
	case b&0x7f == 0x7f, fraction == 2 && exp == 31 && frac > 0:
		return math.NaN()
	case fraction == 2 && exp == 31:
		return math.Inf(int(sign))
	case exp == 0:
		return math.Copysign(math.Ldexp(frac, 1-bias-fraction), sign)
	}
	return sign * math.Ldexp(float64(int(1)<<fraction)+frac, exp-bias-fraction)
}

var byteFormats = []struct {
	name            string
	fraction        int
	f32, f16, halve Func
}{
	{"e4m3", 3, CvtE4M3x2F32, CvtE4M3x2F16x2, CvtF16x2E4M3x2},
	{"e5m2", 2, CvtE5M2x2F32, CvtE5M2x2F16x2, CvtF16x2E5M2x2},
}

// refNearestByte is the byte of the number nearest to x, ties to even, by comparing
// exact distances.
func refNearestByte(fraction int, x float64, mode Mode) uint64 {
	if x != x {
		return 0x7f
	}
	sign := uint64(0)
	if math.Signbit(x) {
		sign = 0x80
	}
	if sign != 0 && mode&RELU != 0 {
		return 0
	}
	v := exact(min(math.Abs(x), 1e6))
	best, least := uint64(0), new(big.Float).Abs(v)
	for b := uint64(1); b < 0x7f; b++ {
		n := refByte(fraction, uint32(b))
		if n != n || math.IsInf(n, 0) {
			break
		}
		off := new(big.Float).SetPrec(exactPrec).Sub(v, exact(n))
		if c := off.Abs(off).Cmp(least); c < 0 || c == 0 && b%2 == 0 {
			best, least = b, off
		}
	}
	return sign | best
}

// TestF32RoundsToBytes tests every number of the formats, the midpoints between them, their neighbours, and edges of
// .f32.
func TestF32RoundsToBytes(t *testing.T) {
	for _, format := range byteFormats {
		var cases []triple
		add := func(x float64) {
			b := uint64(math.Float32bits(float32(x)))
			for _, v := range []uint64{b, b + 1, b - 1} {
				cases = append(cases, triple{v & math.MaxUint32, uint64(len(cases)) * 0x9e3779b9 & math.MaxUint32})
			}
		}
		for b := range uint32(256) {
			if n, next := refByte(format.fraction, b), refByte(format.fraction, b+1); n == n {
				add(n)
				add((n + next) / 2)
			}
		}
		for _, x := range floatEdges(F32) {
			cases = append(cases, triple{x, x ^ 1<<31})
		}
		for _, mode := range []Mode{SATFINITE, SATFINITE | RELU} {
			newFloatBench(Op{Mode: mode}).run(format.f32, U32, F32, cases, func(c triple, got uint64) {
				want := refNearestByte(format.fraction, refValue(F32, c[0]), mode)<<8 | refNearestByte(format.fraction, refValue(F32, c[1]), mode)
				if got != want {
					t.Fatalf("%s mode %d: %08x: got %04x, want %04x", format.name, mode, c[:2], got, want)
				}
			})
		}
	}
}

// TestF16RoundsToBytes tests all halves, and TestBytesBecomeHalves all bytes.
func TestF16RoundsToBytes(t *testing.T) {
	short.Alternates(t, 2, 3)
	for _, format := range byteFormats {
		var cases []triple
		for h := range uint64(1 << 16) {
			if h%3 == 0 || h&0x7f < 3 {
				cases = append(cases, triple{h | (h*7+3)&0xffff<<16})
			}
		}
		newFloatBench(Op{Mode: SATFINITE}).run(format.f16, U32, U32, cases, func(c triple, got uint64) {
			want := refNearestByte(format.fraction, refHalf(uint32(c[0]>>16)), 0)<<8 | refNearestByte(format.fraction, refHalf(uint32(c[0]&0xffff)), 0)
			if got != want {
				t.Fatalf("%s: %08x: got %04x, want %04x", format.name, c[0], got, want)
			}
		})
	}
}

func TestBytesBecomeHalves(t *testing.T) {
	for _, format := range byteFormats {
		half := func(b uint64, mode Mode) uint64 {
			n := refByte(format.fraction, uint32(b))
			if n != n {
				return nanF16
			}
			if mode&RELU != 0 {
				n = max(n, 0)
			}
			return refEncoding(F16, n)
		}
		var cases []triple
		for b := range uint64(256) {
			cases = append(cases, triple{b | (b*7+3)%256<<8})
		}
		for _, mode := range []Mode{0, RELU} {
			newFloatBench(Op{Mode: mode}).run(format.halve, U32, U32, cases, func(c triple, got uint64) {
				if want := half(c[0]>>8, mode)<<16 | half(c[0]&0xff, mode); got != want {
					t.Fatalf("%s mode %d: %04x: got %08x, want %08x", format.name, mode, c[0], got, want)
				}
			})
		}
	}
}

// TestTF32RoundsTo11Bits compares with rounding of exact numbers to 11 bits: a tf32 number that is
// not subnormal is a .f32 of that precision.
func TestTF32RoundsTo11Bits(t *testing.T) {
	ref := func(x uint64, mode Mode, rounding big.RoundingMode) uint64 {
		v := refValue(F32, x)
		switch {
		case v != v:
			return 0x7fffffff
		case mode&RELU != 0 && math.Signbit(v):
			return 0
		case math.IsInf(v, 0):
		case math.Abs(v) < 0x1p-126: // a multiple of 2^-136
			if v != 0 {
				n := new(big.Float).SetMode(rounding).SetPrec(uint(max(1, math.Ilogb(v)+137))).SetFloat64(v)
				if math.Ilogb(v) < -136 { // below the unit: it or nothing
					unit := math.Copysign(0x1p-136, v)
					up := rounding != big.ToZero && (math.Abs(v) > 0x1p-137 || math.Abs(v) == 0x1p-137 && rounding == big.ToNearestAway)
					n.SetFloat64(map[bool]float64{true: unit, false: math.Copysign(0, v)}[up])
				}
				v, _ = n.Float64()
			}
		default:
			v, _ = new(big.Float).SetPrec(11).SetMode(rounding).SetFloat64(v).Float64()
		}
		if math.Abs(v) >= 0x1p128 {
			v = math.Copysign(math.Inf(1), v)
			if mode&SATFINITE != 0 {
				v = math.Copysign(0x1.ffcp127, v)
			}
		}
		return uint64(math.Float32bits(float32(v)))
	}
	cases := cvtSourceCases(F32, 20000)
	for e := uint64(0); e < 256; e++ { // middles, and what lies beside them
		for _, low := range []uint64{0xfff, 0x1000, 0x1001, 0x2fff, 0x3000, 0x3001, 0x7fefff, 0x7ff000} {
			cases = append(cases, triple{e<<23 | low}, triple{1<<31 | e<<23 | low})
		}
	}
	for _, c := range []struct {
		mode     Mode
		away     bool
		rounding big.RoundingMode
	}{
		{0, false, big.ToNearestEven}, {0, true, big.ToNearestAway}, {RoundZero, false, big.ToZero}, {SATFINITE, true, big.ToNearestAway},
		{RELU, false, big.ToNearestEven}, {RoundZero | RELU | SATFINITE, false, big.ToZero}, {SATFINITE, false, big.ToNearestEven},
	} {
		t.Run(fmt.Sprintf("mode=%d/away=%v", c.mode, c.away), func(t *testing.T) {
			in := Op{Mode: c.mode}
			if c.away {
				in.Imm = CvtAway
			}
			newFloatBench(in).run(CvtTF32F32, U32, F32, cases, func(v triple, got uint64) {
				if want := ref(v[0], c.mode, c.rounding); got != want {
					t.Fatalf("%08x: got %08x, want %08x", v[0], got, want)
				}
			})
		})
	}
}
