package lanes

import "math"

// A stochastic is a floating-point format to which .rs rounds: the part of a number below the last place, as a fraction
// of it, is added to a random fraction, and the sum is cut off. PTX leaves open how the random bits meet the bits that
// are cut off; here the highest of both have the same place, also where the result is subnormal.
type stochastic struct {
	fraction, least int    // bits of fraction, exponent of the smallest normal number
	greatest, nan   uint32 // encodings of the largest number and of NaN
	sign            int    // place of the sign bit
	random          int    // number of random bits
}

var (
	randomF16  = stochastic{10, -14, 0x7bff, 0x7fff, 15, 13}
	randomBF16 = stochastic{7, -126, 0x7f7f, 0x7fff, 15, 16}
	randomE4M3 = stochastic{3, -6, 0x7e, 0x7f, 7, 16}
	randomE5M2 = stochastic{2, -14, 0x7b, 0x7f, 7, 16}
	randomE2M3 = stochastic{3, 0, 0x1f, 0x1f, 5, 16}
	randomE3M2 = stochastic{2, -2, 0x1f, 0x1f, 5, 16}
	randomE2M1 = stochastic{1, 0, 0x7, 0x7, 3, 8}
)

// round returns x rounded with the lowest bits of r. It honours RELU and SATFINITE.
func (t *stochastic) round(x float32, r uint32, mode Mode) uint32 {
	sign := math.Float32bits(x) >> 31
	switch {
	case x != x:
		return t.nan
	case sign != 0 && mode&RELU != 0:
		return 0
	}
	sign <<= t.sign
	magnitude := math.Abs(float64(x))
	if magnitude == 0 {
		return sign
	}
	code := t.greatest + 1
	if !math.IsInf(magnitude, 0) {
		exponent := max(math.Ilogb(magnitude), t.least)
		chance := math.Ldexp(float64(r&(1<<t.random-1)), -t.random)
		places := math.Floor(math.Ldexp(magnitude, t.fraction-exponent) + chance)
		code = min(code, uint32(places)+uint32(exponent-t.least)<<t.fraction)
	}
	if mode&SATFINITE != 0 {
		code = min(code, t.greatest)
	}
	return sign | code
}

// pair rounds a, with the upper half of the random bits c, and b, with the lower one.
func (t *stochastic) pair(f *File, in *Op, m Mask) {
	a, b, r := Reg[float32](f, in.A), Reg[float32](f, in.B), Reg[uint32](f, in.C)
	d := Out[uint32](f, in.D, m)
	for i := range d {
		x, y, bits := a[i], b[i], r[i]
		d[i] = t.round(x, bits>>16, in.Mode)<<16 | t.round(y, bits, in.Mode)
	}
	Merge[uint32](f, in.D, m)
}

// four rounds the four elements of a, the first for the highest place, of step bits. shifts are the places of their
// random bits in c.
func (t *stochastic) four(f *File, in *Op, m Mask, step int, shifts [4]int) {
	var packed [Width]uint32
	r := Reg[uint32](f, in.C)
	for k, shift := range shifts {
		a := Reg[float32](f, in.Vec[k])
		for i := range packed {
			packed[i] = packed[i]<<step | t.round(a[i], r[i]>>shift, in.Mode)
		}
	}
	Select(Reg[uint32](f, in.D), &packed, m)
}

// halvesOfBits are the places of random bits for bytes: the upper half for the first two, the lower for the others.
var halvesOfBits = [4]int{16, 16, 0, 0}

// CvtRandomF16x2 is the .f32 values a and b as halves, a in the upper one, rounded with the random bits c. It honours
// RELU and SATFINITE.
func CvtRandomF16x2(f *File, in *Op, m Mask) { randomF16.pair(f, in, m) }

// CvtRandomBF16x2 is CvtRandomF16x2 for bfloat16.
func CvtRandomBF16x2(f *File, in *Op, m Mask) { randomBF16.pair(f, in, m) }

// CvtRandomE4M3x4 is four .f32 values as bytes, the first in the highest one, rounded with the random bits c, of which
// the first two share the upper half. It honours RELU and SATFINITE.
func CvtRandomE4M3x4(f *File, in *Op, m Mask) { randomE4M3.four(f, in, m, 8, halvesOfBits) }

// CvtRandomE5M2x4 is CvtRandomE4M3x4 for e5m2.
func CvtRandomE5M2x4(f *File, in *Op, m Mask) { randomE5M2.four(f, in, m, 8, halvesOfBits) }

// CvtRandomE2M3x4 is CvtRandomE4M3x4 for e2m3.
func CvtRandomE2M3x4(f *File, in *Op, m Mask) { randomE2M3.four(f, in, m, 8, halvesOfBits) }

// CvtRandomE3M2x4 is CvtRandomE4M3x4 for e3m2.
func CvtRandomE3M2x4(f *File, in *Op, m Mask) { randomE3M2.four(f, in, m, 8, halvesOfBits) }

// CvtRandomE2M1x4 is CvtRandomE4M3x4 for e2m1, of four bits each. The first two have the upper bytes of the halves of
// c, the others the lower ones.
func CvtRandomE2M1x4(f *File, in *Op, m Mask) { randomE2M1.four(f, in, m, 4, [4]int{24, 8, 16, 0}) }
