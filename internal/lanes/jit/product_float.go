package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Products of floats as lanes.Product has them: exact products, cut a number of bits below the leading bit of the
// largest summand, and an exact sum. Here an element of A or B is a .f32 of at most 12 significant bits, so that a
// product is an exact .f32, too; a summand in units of the last place is a 32-bit integer; and the sum of 16 such
// products fits in one. The routine fails where that is not so: at infinities and NaNs, at large and small exponents,
// and where the sum overflows.
//
// Exponents are those of .f32 with its bias, in bytes; 0 where a summand is 0. The exponent of a product is the
// difference of two bytes that is not less than 0: exponentOfA plus that of the element of A, and exponentOfB minus
// that of the element of B. Where an element is 0 these are 0 and 255, so that the difference is 0.

// Limits of exponents.
const (
	productExponent = 62   // of elements of types with the exponents of .f32: products are normal numbers
	productTop      = 120  // of the largest summand: the sum does not overflow
	productBottom   = -100 // of the largest summand: the sum is a normal number

	exponentOfB = productExponent
	exponentOfA = 127 + exponentOfB
)

// Vectors of the routine, beyond those that steps use: 0 to 10.
const (
	productLow   Vec = 11 // smallest and largest exponents of sums, in the upper bytes
	productHigh  Vec = 12
	productWraps Vec = 13 // signs of sums that overflow
	// While elements are unpacked: the largest and the smallest ones, of A and of B.
	productLarge   Vec = 11
	productLittle  Vec = 12
	productLargeB  Vec = 13
	productLittleB Vec = 14
	productOrder   Vec = 15 // for inOrder, with AVX-512

	productSummand Vec = 14 // the largest one of C, if it is of .f16
)

// floatFormat is a format of A, B or C. Words of two elements have those with 16 bits as they are, and those of 8 bits
// as .f16, perhaps with another bias: then elements as .f32 are a power of two too small, and those of B are
// multiplied.
type floatFormat struct {
	bias     int32  // of the exponent in 16 bits
	fraction uint8  // bits below the exponent in 16 bits, or in the upper half of a .f32
	limit    uint32 // magnitude of the smallest infinity or NaN, or of the first large number, in as many bits
	wide     bool   // it has the exponents of .f32
}

// formatOf returns the format of a type.
func formatOf(t lanes.MatrixType) floatFormat {
	const large = (127 + productExponent + 1) << 7
	switch t {
	case lanes.MatrixF16, lanes.MatrixE5M2:
		return floatFormat{bias: 15, fraction: 10, limit: 0x7c00}
	case lanes.MatrixE4M3:
		return floatFormat{bias: 7, fraction: 10, limit: 0x7f << 7}
	case lanes.MatrixTF32:
		return floatFormat{bias: 127, fraction: 23, limit: large << 16, wide: true}
	}
	return floatFormat{bias: 127, fraction: 7, limit: large, wide: true}
}

// little is the magnitude of the smallest number that is not small.
func (t *floatFormat) little() uint32 { return (127 - productExponent) << t.fraction }

// single reports whether a word is one element.
func (t *floatFormat) single() bool { return t.fraction == 23 }

// floats writes the routine of a product of floats.
func (x *product) floats() {
	a, b := formatOf(x.A), formatOf(x.B)
	x.unpack(&a, &b)
	if x.Level < AVX512 {
		x.SetControl(ControlOf(lanes.RoundZero))
	}
	x.constantTo(productLow, 0xffffffff)
	x.v3(vpxor, x.l, productHigh, productHigh, productHigh)
	x.v3(vpxor, x.l, productWraps, productWraps, productWraps)
	x.v3(vpxor, x.l, productSummand, productSummand, productSummand)
	x.eachPart(func() { x.floatPart(&a, &b) })
	x.checkSums()
	x.finish(func() {
		if x.Level < AVX512 {
			x.SetControl(Nearest)
		}
	})
}

// constantTo sets a vector to the same 32 bits everywhere.
func (x *product) constantTo(v Vec, bits uint32) {
	x.v2M(vmovdqu, x.l, v, x.constant(uint64(bits), 32))
}

// eachVector emits body for each vector of elements of a part of A. A vector holds elements of four words: body gets
// its place, the first of the words, and which pair and half of each word it holds. A closure as an argument would keep
// the type of product, with all its methods, in the command.
func (x *product) eachVector(body func(a Mem, word, n, half int32)) {
	for word := int32(0); word < x.words(); word += 4 {
		for n := range x.pairs() {
			for s := range min(x.per, 2) {
				body(memAt(productA, (word/4*x.slots+3*n+s)*x.bytes), word, n, s)
			}
		}
	}
}

// elementOfLane is the place in a tile of the elements of B of even columns for one of four lanes of a vector of A.
func (x *product) elementOfLane(b *floatFormat, word, n, half, lane int32) int32 {
	if b.wide {
		return x.elementAt(b, word+lane, n, half, 0)
	}
	return x.elementAt(b, word+2*half+lane/2, n, lane%2, 0)
}

// floatPart computes a part of D.
func (x *product) floatPart(a, b *floatFormat) {
	x.largestExponents(a)
	x.summands()
	x.sums(b)
	x.results()
}

// largestExponents sets the upper byte of the words of vector 4 to the largest exponents of products of odd columns,
// and the next byte to those of even ones.
func (x *product) largestExponents(a *floatFormat) {
	top := Vec(4)
	for word := int32(0); word < x.words(); word += 4 {
		for n := range x.pairs() {
			x.v2M(vmovdqu, x.l, 5, memAt(productA, (word/4*x.slots+3*n+min(x.per, 2))*x.bytes))
			for lane := range int32(4) {
				pattern := uint32(4*lane) * 0x01010101
				if a.single() {
					pattern |= 0x80800000 // 0
				} else {
					pattern |= 0x02020000
				}
				to := Vec(6)
				if word+n+lane == 0 {
					to = top
				}
				x.v3M(vpshufb, x.l, to, 5, x.constant(uint64(pattern), 32))
				x.vBroadcast128(7, memAt(productB, x.exponentAt(word+lane, n)))
				x.v3(vpsubusb, x.l, to, to, 7)
				if to != top {
					x.v3(vpmaxub, x.l, top, top, to)
				}
			}
		}
	}
	x.vShiftImm(vpslld, x.l, 5, top, 16)
	x.v3(vpmaxub, x.l, top, top, 5)
}

// summands sets the vectors 2 and 3 to the factors for summands, so that those with the largest exponents are integers
// of aligned bits below the leading one, and the vectors 9 and 10 to C as such integers.
func (x *product) summands() {
	const even, odd = 9, 10
	if x.C == lanes.MatrixF16 {
		x.v2M(vmovdqu, x.l, 5, memAt(productLeft, 0))
		x.v3M(vpand, x.l, 6, 5, x.constant(0x7fff7fff, 32))
		x.v3(vpmaxuw, x.l, productSummand, productSummand, 6)
		x.v3M(vpshufb, x.l, 5, 5, x.halvesInOrder())
		x.inOrder(5, 5)
		upper := vextracti128
		if x.l == l512 {
			upper = vextracti64X4
		}
		x.v2(vcvtph2PS, x.l, even, 5)
		x.v2I(upper, x.l, 5, 5, 1)
		x.v2(vcvtph2PS, x.l, odd, 5)
	} else {
		x.v2M(vmovdqu, x.l, even, memAt(productLeft, 0))
		x.v2M(vmovdqu, x.l, odd, memAt(productRight, 0))
	}
	for i := range Vec(2) {
		c, unit := even+i, 2+i
		x.v3(vpaddd, x.l, 5, c, c) // without the sign, the exponent in the upper byte
		if x.C == lanes.MatrixF16 {
			x.unlessZero(vpmaxud, vptestmd, vpcmpeqd, 5, 5, (127-14)<<24) // that of the smallest normal number
		}
		tops := Vec(4)
		if i == 0 {
			x.vShiftImm(vpslld, x.l, 6, tops, 8)
			tops = 6
		}
		x.v3M(vpand, x.l, 6, tops, x.constant(0xff000000, 32))
		x.v3(vpmaxud, x.l, 5, 5, 6)
		x.v3(vpmaxud, x.l, productHigh, productHigh, 5)
		x.v3M(vpaddd, x.l, 6, 5, x.constant(0xffffffff, 32)) // no summand: a large unsigned number
		x.v3(vpminud, x.l, productLow, productLow, 6)
		x.v3M(vpmaxud, x.l, 5, 5, x.constant((127+productBottom)<<24, 32))
		x.vShiftImm(vpsrld, x.l, 5, 5, 24)
		x.vShiftImm(vpslld, x.l, 5, 5, 23)
		x.constantTo(unit, uint32(2*127+x.Aligned())<<23)
		x.v3(vpsubd, x.l, unit, unit, 5)
		x.v3(vmulps, x.l, c, c, unit)
		x.v2(vcvttps2DQ, x.l, c, c)
	}
}

// vBroadcast128 sets d to copies of 16 bytes.
func (x *product) vBroadcast128(d Vec, m Mem) {
	if x.l == l512 {
		x.v2M(vbroadcasti32X4, l512, d, m)
		return
	}
	x.v2M(vbroadcasti128, l256, d, m)
}

// sums sets the vectors 0 and 1 to the sums of cut summands, in units of 1/vectors 2 and 3.
func (x *product) sums(b *floatFormat) {
	for i := range Vec(2) {
		x.v3(vpxor, x.l, i, i, i)
	}
	n := 0
	x.eachVector(func(a Mem, word, pair, half int32) {
		if n > 0 && n%16 == 0 { // more products may not fit in the sum
			x.addC()
			for i := range Vec(2) {
				x.v2(vmovdqa, x.l, 9+i, i)
				x.v3(vpxor, x.l, i, i, i)
			}
		}
		n += 4
		x.v2M(vmovdqu, x.l, 5, a)
		for lane := range int32(4) {
			x.v2I(vpshufd, x.l, 6, 5, uint8(lane)*0x55)
			for i := range Vec(2) {
				distance := 16 * int32(i)
				if !b.wide {
					distance *= 2
				}
				x.vBroadcast128(7+i, memAt(productB, x.elementOfLane(b, word, pair, half, lane)+distance))
				x.v3(vmulps, x.l, 7+i, 7+i, 6)
				x.v3(vmulps, x.l, 7+i, 7+i, 2+i)
				x.v2(vcvttps2DQ, x.l, 7+i, 7+i)
				x.v3(vpaddd, x.l, i, i, 7+i)
			}
		}
	})
	x.addC()
}

// addC adds the vectors 9 and 10 to 0 and 1, and collects overflows, which need more than 8 products.
func (x *product) addC() {
	for i := range Vec(2) {
		if x.K <= 8 {
			x.v3(vpaddd, x.l, i, i, 9+i)
			continue
		}
		x.v3(vpaddd, x.l, 5, i, 9+i)
		if x.Level == AVX512 {
			x.v3I(vpternlogd, x.l, i, 9+i, 5, 0x42) // where the sum differs from both: index bits are i, 9+i and 5
			x.v3(vpor, x.l, productWraps, productWraps, i)
		} else {
			x.v3(vpxor, x.l, 6, 5, i)
			x.v3(vpxor, x.l, 7, 5, 9+i)
			x.v3(vpand, x.l, 6, 6, 7)
			x.v3(vpor, x.l, productWraps, productWraps, 6)
		}
		x.v2(vmovdqa, x.l, i, 5)
	}
}

// results writes a part of D.
func (x *product) results() {
	for i := range Vec(2) {
		x.truncated(5, i)
		if x.D == lanes.MatrixF16 { // to odd, so that rounding once more is right
			x.v2(vcvttps2DQ, x.l, 6, 5)
			x.v3(vpsubd, x.l, 6, 6, i)
			x.v3(vpxor, x.l, 7, 7, 7)
			x.v3(vpcmpeqd, x.l, 6, 6, 7)
			x.v3M(vpandn, x.l, 6, 6, x.constant(1, 32))
			x.v3(vpor, x.l, 5, 5, 6)
		}
		x.constantTo(6, 2*127<<23)
		x.v3(vpsubd, x.l, 6, 6, 2+i)
		x.v3(vmulps, x.l, i, 5, 6)
		if x.D != lanes.MatrixF16 {
			if x.Coarse {
				x.v3M(vpand, x.l, i, i, x.constant(uint64(^uint32(1<<(23-x.Aligned())-1)), 32))
			}
			x.vStore(vmovdqu, x.l, memAt(productD, 4*lanes.Width*int32(i)), i)
		}
	}
	if x.D == lanes.MatrixF16 {
		x.halves()
	}
}

// truncated sets d to integers as .f32, rounded towards zero.
func (x *product) truncated(d, s Vec) {
	if x.Level == AVX512 {
		x.v2R(vcvtdq2PS, d, s, roundZero)
		return
	}
	x.v2(vcvtdq2PS, x.l, d, s)
}

// halves writes the vectors 0 and 1 as .f16, in the lower and upper halves of words.
func (x *product) halves() {
	const nearest = 0
	for i := range Vec(2) {
		x.v2I(vcvtps2PH, x.l, 5, i, nearest)
		x.v2(vpmovzxwd, x.l, i, 5)
	}
	x.vShiftImm(vpslld, x.l, 1, 1, 16)
	x.v3(vpor, x.l, 0, 0, 1)
	x.vStore(vmovdqu, x.l, memAt(productD, 0), 0)
}

// checkSums fails if the routine cannot handle a summand or a sum.
func (x *product) checkSums() {
	x.constantTo(0, (127+productBottom)<<24-1)
	x.v3(vpminud, x.l, productLow, productLow, 0)
	x.v3(vpxor, x.l, productLow, productLow, 0)
	x.constantTo(0, (127+productTop+1)<<24-1)
	x.v3(vpmaxud, x.l, productHigh, productHigh, 0)
	x.v3(vpxor, x.l, productHigh, productHigh, 0)
	x.vShiftImm(vpsrad, x.l, productWraps, productWraps, 31)
	x.v3(vpor, x.l, productLow, productLow, productHigh)
	x.v3(vpor, x.l, productLow, productLow, productWraps)
	if x.C == lanes.MatrixF16 {
		t := formatOf(lanes.MatrixF16)
		x.checkElements(&t, productSummand, 0)
		x.v3(vpor, x.l, productLow, productLow, productSummand)
	}
	x.jumpUnlessZero(productLow, x.fail)
}
