package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Products of floats as lanes.Product has them: exact products, cut a number of bits below the leading bit of the
// largest summand, and an exact sum. Here an element of A or B is a .f32 of at most 12 significant bits, so that a
// product is an exact .f32, too; a summand in units of the last place is a 32-bit integer; and the sum of 16 such
// products fits in one. The routine fails where that is not so: at infinities and NaNs, at large and small exponents,
// and where the sum overflows.
//
// Exponents have 16 bits and the bias of their format, so that those of products have the sum of two biases.

// Limits of exponents.
const (
	productExponent = 62   // of elements of types with the exponents of .f32: products are normal numbers
	productTop      = 120  // of the largest summand: the sum does not overflow
	productBottom   = -100 // of the largest summand: the sum is a normal number
	// absent is subtracted from the exponent of 0, so that a product with 0 is below all others.
	absent = 2000
)

// Vectors of the routine, beyond those that steps use: 0 to 10.
const (
	productLow   Vec = 11 // smallest and largest exponents of sums
	productHigh  Vec = 12
	productWraps Vec = 13 // signs of sums that overflow
	// While elements are unpacked: the largest and the smallest ones, of A and of B.
	productLarge   Vec = 11
	productLittle  Vec = 12
	productLargeB  Vec = 13
	productLittleB Vec = 14
	productSummand Vec = 14 // the largest one of C, if it is of .f16
)

// floatFormat is a format of A, B or C. Words of two elements have those with 16 bits as they are, and those of 8 bits
// as .f16 with another bias.
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
	x.eachPart(func() { x.floatPart(a.bias + b.bias) })
	x.checkSums(a.bias + b.bias)
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

// twice is the same 16 bits in both halves of a word.
func twice(bits int32) uint32 { return uint32(bits)&0xffff | uint32(bits)<<16 }

// unpack unpacks A and B, and checks the elements.
func (x *product) unpack(a, b *floatFormat) {
	x.constantTo(productLittle, 0xffffffff)
	x.constantTo(productLittleB, 0xffffffff)
	x.v3(vpxor, x.l, productLarge, productLarge, productLarge)
	x.v3(vpxor, x.l, productLargeB, productLargeB, productLargeB)
	x.eachWordOfA(func(at Mem, to int32) {
		x.v2M(vmovdqu, x.l, 4, at)
		for n := range x.pairs() {
			place := func(slot int32) Mem { return memAt(productScratch, to+(n*3+slot)*x.bytes) }
			x.pair(a, x.A, x.l, 4, n)
			x.exponents(a, x.l, productLarge, productLittle)
			exponents := min(x.per, 2)
			x.vStore(vmovdqu, x.l, place(exponents), 6)
			for s := range exponents {
				x.element(a, x.A, x.l, s)
				x.vStore(vmovdqu, x.l, place(s), 6)
			}
		}
	})
	x.eachWordOfB(func(w Vec, to int32) {
		for n := range x.pairs() {
			place := func(s int32) Mem { return memAt(productScratch, to+48*(s*x.pairs()+n)) }
			x.pair(b, x.B, l256, w, n)
			x.exponents(b, l256, productLargeB, productLittleB)
			x.pairsByColumns(place)
			for s := range min(x.per, 2) {
				x.element(b, x.B, l256, s)
				x.vStore(vmovdqu, l256, place(s), 6)
			}
		}
	})
	x.checkElements(x.l, a, productLarge, productLittle)
	x.checkElements(l256, b, productLargeB, productLittleB)
	x.v3(vpor, x.l, productLarge, productLarge, productLargeB)
	x.jumpUnlessZero(productLarge, x.fail)
}

// pair sets vector 5 to pair n of the elements of a word, of 16 bits each: to elements n and n plus the number of
// pairs. A single element is unchanged.
func (x *product) pair(t *floatFormat, of lanes.MatrixType, l length, w Vec, n int32) {
	switch {
	case t.single():
		x.v3M(vpand, l, 5, w, x.constant(0xffffe000, 32))
	case x.per == 2:
		x.v2(vmovdqa, l, 5, w)
	default:
		if n == 0 {
			x.vShiftImm(vpslld, l, 5, w, 8)
			w = 5
		}
		x.v3M(vpand, l, 5, w, x.constant(0xff00ff00, 32))
		if of == lanes.MatrixE4M3 {
			x.vShiftImm(vpsraw, l, 5, 5, 1)
			x.v3M(vpand, l, 5, 5, x.constant(0xbf80bf80, 32))
		}
	}
}

// exponents sets vector 6 to the exponents of the elements in vector 5, and updates the largest and the smallest
// magnitudes. The smallest are kept minus 1, so that 0 counts as the largest.
func (x *product) exponents(t *floatFormat, l length, large, little Vec) {
	magnitude, shift, most, least, add := uint32(0x7fff7fff), vpsrlw, vpmaxuw, vpminuw, vpaddw
	if t.single() {
		magnitude, shift, most, least, add = 0x7fffffff, vpsrld, vpmaxud, vpminud, vpaddd
	}
	x.v3M(vpand, l, 7, 5, x.constant(uint64(magnitude), 32))
	x.v3(most, l, large, large, 7)
	if t.wide {
		x.v3(vpcmpeqd, l, 8, 8, 8)
		x.v3(add, l, 8, 8, 7)
		x.v3(least, l, little, little, 8)
	}
	x.vShiftImm(shift, l, 6, 7, t.fraction)
	if !t.wide {
		x.v3M(vpmaxuw, l, 6, 6, x.constant(uint64(twice(1)), 32)) // of subnormal numbers
	}
	x.absentWhereZero(l, t.single(), 6, 7)
}

// absentWhereZero subtracts absent from elements of d where those of a are 0. It changes vector 8.
func (x *product) absentWhereZero(l length, single bool, d, a Vec) {
	equal, test, sub, amount := vpcmpeqw, vptestnmw, vpsubw, uint64(twice(absent))
	if single {
		equal, test, sub, amount = vpcmpeqd, vptestnmd, vpsubd, absent
	}
	if x.Level == AVX512 {
		x.vTestK(test, l, maskScratch, a, a, k0)
		x.v3MK(sub, l, d, d, x.constant(amount, 32), maskScratch, false)
		return
	}
	x.v3(vpxor, l, 8, 8, 8)
	x.v3(equal, l, 8, 8, a)
	x.v3M(vpand, l, 8, 8, x.constant(amount, 32))
	x.v3(sub, l, d, d, 8)
}

// pairsByColumns writes the exponents of two elements of a word of B, which are in the halves of vector 6, for all
// columns: in words that have those of even columns in the lower and of odd ones in the upper half.
func (x *product) pairsByColumns(place func(s int32) Mem) {
	x.v2I(vextracti128, l256, 7, 6, 1)
	x.vShiftImm(vpslld, l128, 8, 7, 16)
	x.v3I(vpblendw, l128, 8, 6, 8, 0xaa)
	x.vStore(vmovdqu, l128, place(0).plus(32), 8)
	if x.per > 1 {
		x.vShiftImm(vpsrld, l128, 6, 6, 16)
		x.v3I(vpblendw, l128, 6, 6, 7, 0xaa)
		x.vStore(vmovdqu, l128, place(1).plus(32), 6)
	}
}

// element sets vector 6 to the lower or the upper one of the elements in vector 5, as .f32.
func (x *product) element(t *floatFormat, of lanes.MatrixType, l length, upper int32) {
	switch {
	case t.single():
		x.v2(vmovdqa, l, 6, 5)
	case t.wide && upper == 0:
		x.vShiftImm(vpslld, l, 6, 5, 16)
	case t.wide:
		x.v3M(vpand, l, 6, 5, x.constant(0xffff0000, 32))
	default:
		w := Vec(5)
		if upper == 0 {
			x.vShiftImm(vpslld, l, 6, 5, 16)
			w = 6
		}
		x.expandHalf(l, 6, w, 127-t.bias)
	}
}

// expandHalf sets d to the .f16 in the upper halves of w as a .f32, with a number added to the exponent. It changes the
// vectors 7 to 9. A subnormal .f16 becomes the number with the next larger exponent, less the power of two that its
// leading bit would be; a multiplication of a subnormal .f32 would be slow.
func (x *product) expandHalf(l length, d, w Vec, add int32) {
	const leadingF16, exponentF16 = 23, 0x1f << 23
	x.vShiftImm(vpsrad, l, d, w, 3)
	x.v3M(vpand, l, d, d, x.constant(0x8fffe000, 32))
	least := x.constant(uint64(add+1)<<leadingF16, 32) // the smallest normal number, and the difference between exponents
	if x.Level == AVX512 {
		x.vTestKM(vptestnmd, l, maskScratch, d, x.constant(exponentF16, 32))
		x.v3M(vpaddd, l, 7, d, least)
		x.v3M(vpand, l, 8, d, x.constant(1<<31, 32))
		x.v3M(vpor, l, 8, 8, least)
		x.v3M(vpaddd, l, d, d, x.constant(uint64(add)<<leadingF16, 32))
		x.v3K(vsubps, l, d, 7, 8, maskScratch, false)
		return
	}
	x.v3M(vpand, l, 8, d, x.constant(1<<31, 32))
	x.v3M(vpor, l, 8, 8, least)
	x.v3M(vpaddd, l, 7, d, least)
	x.v3(vsubps, l, 7, 7, 8)
	x.v3M(vpand, l, 8, d, x.constant(exponentF16, 32))
	x.v3(vpxor, l, 9, 9, 9)
	x.v3(vpcmpeqd, l, 8, 8, 9)
	x.v3M(vpaddd, l, d, d, x.constant(uint64(add)<<leadingF16, 32))
	x.pick(l, d, d, 7, 8)
}

// checkElements leaves bits in large if there are elements that the routine is not for.
func (x *product) checkElements(l length, t *floatFormat, large, little Vec) {
	most, least, limit, smallest := vpmaxuw, vpminuw, twice(int32(t.limit-1)), twice(int32(t.little()-1))
	if t.single() {
		most, least, limit, smallest = vpmaxud, vpminud, t.limit-1, t.little()-1
	}
	x.constantTo(0, limit) // unsigned comparisons, by the largest and the smallest of two
	x.v3(most, l, large, large, 0)
	x.v3(vpxor, l, large, large, 0)
	if t.wide {
		x.constantTo(0, smallest)
		x.v3(least, l, little, little, 0)
		x.v3(vpxor, l, little, little, 0)
		x.v3(vpor, l, large, large, little)
	}
}

// eachElement emits body for the elements along K: with the place of the values in a part of A, that of the exponents,
// in which half of a word these are, the number of the lane that has the element among four, and the place in B.
func (x *product) eachElement(body func(a, exponents Mem, half, lane int32, b Mem)) {
	for vector := range int32(x.K) / 4 {
		word, s := vector/x.per*4, vector%x.per
		n, half := s%x.pairs(), s/x.pairs()
		base := vector/x.per*x.slots + 3*n
		for lane := range int32(4) {
			body(memAt(productA, (base+half)*x.bytes), memAt(productA, (base+min(x.per, 2))*x.bytes), half, lane,
				memAt(productB, 48*((word+lane)*x.per+s)))
		}
	}
}

// floatPart computes a part of D. The exponents of products have a bias.
func (x *product) floatPart(bias int32) {
	x.summands(bias)
	x.eachElement(func(_, exponents Mem, half, lane int32, b Mem) { // the largest exponents
		if lane == 0 {
			x.v2M(vmovdqu, x.l, 5, exponents)
		}
		pattern := uint64(0x0100010001000100) + uint64(4*lane+2*half)*0x0101010101010101
		x.v3M(vpshufb, x.l, 6, 5, x.constant(pattern, 64))
		x.vBroadcast128(7, b.plus(32))
		x.v3(vpaddw, x.l, 6, 6, 7)
		x.v3(vpmaxsw, x.l, 4, 4, 6)
	})
	x.v3M(vpaddw, x.l, 5, 4, x.constant(uint64(twice(absent/2)), 32)) // no summand: a large unsigned number
	x.v3(vpminuw, x.l, productLow, productLow, 5)
	x.v3(vpmaxsw, x.l, productHigh, productHigh, 5)
	x.units(2, 4, true, bias)
	x.units(3, 4, false, bias)
	x.sums()
	x.results()
}

// summands sets the vectors 9 and 10 to C as .f32, and 4 to its exponents, with the bias of products.
func (x *product) summands(bias int32) {
	if x.C == lanes.MatrixF16 {
		t := formatOf(lanes.MatrixF16)
		x.v2M(vmovdqu, x.l, 5, memAt(productLeft, 0))
		x.exponents(&t, x.l, productSummand, 0)
		x.v3M(vpaddw, x.l, 4, 6, x.constant(uint64(twice(bias-t.bias)), 32))
		x.expandHalf(x.l, 10, 5, 127-t.bias)
		x.vShiftImm(vpslld, x.l, 5, 5, 16)
		x.expandHalf(x.l, 6, 5, 127-t.bias)
		x.v2(vmovdqa, x.l, 9, 6)
		return
	}
	x.v2M(vmovdqu, x.l, 9, memAt(productLeft, 0))
	x.v2M(vmovdqu, x.l, 10, memAt(productRight, 0))
	for i := range Vec(2) {
		x.vShiftImm(vpslld, x.l, 7, 9+i, 1)
		x.vShiftImm(vpsrld, x.l, 4+i, 7, 24)
		x.v3M(vpmaxsd, x.l, 4+i, 4+i, x.constant(1, 32))
		x.absentWhereZero(x.l, true, 4+i, 7)
	}
	x.vShiftImm(vpslld, x.l, 5, 5, 16)
	x.v3M(vpand, x.l, 4, 4, x.constant(0xffff, 32))
	x.v3(vpor, x.l, 4, 4, 5)
	x.v3M(vpaddw, x.l, 4, 4, x.constant(uint64(twice(bias-127)), 32))
}

// vBroadcast128 sets d to copies of 16 bytes.
func (x *product) vBroadcast128(d Vec, m Mem) {
	if x.l == l512 {
		x.v2M(vbroadcasti32X4, l512, d, m)
		return
	}
	x.v2M(vbroadcasti128, l256, d, m)
}

// units sets d to factors for the summands, so that those with the largest exponents, in the lower or the upper halves
// of tops, are integers of aligned bits below the leading one.
func (x *product) units(d, tops Vec, lower bool, bias int32) {
	if lower {
		x.vShiftImm(vpslld, x.l, d, tops, 16)
		x.vShiftImm(vpsrad, x.l, d, d, 16)
	} else {
		x.vShiftImm(vpsrad, x.l, d, tops, 16)
	}
	x.v3M(vpmaxsd, x.l, d, d, x.constant(uint64(uint32(productBottom+bias)), 32))
	x.constantTo(5, uint32(127+x.Aligned()+bias))
	x.v3(vpsubd, x.l, d, 5, d)
	x.vShiftImm(vpslld, x.l, d, d, 23)
}

// sums sets the vectors 0 and 1 to the sums of cut summands, in units of 1/vectors 2 and 3.
func (x *product) sums() {
	for i := range Vec(2) { // the summands of C
		x.v3(vmulps, x.l, 9+i, 9+i, 2+i)
		x.v2(vcvttps2DQ, x.l, 9+i, 9+i)
		x.v3(vpxor, x.l, i, i, i)
	}
	n := 0
	x.eachElement(func(a, _ Mem, _, lane int32, b Mem) {
		if lane == 0 {
			if n > 0 && n%16 == 0 { // more products may not fit in the sum
				x.addC()
				for i := range Vec(2) {
					x.v2(vmovdqa, x.l, 9+i, i)
					x.v3(vpxor, x.l, i, i, i)
				}
			}
			x.v2M(vmovdqu, x.l, 5, a)
		}
		n++
		x.v2I(vpshufd, x.l, 6, 5, uint8(lane)*0x55)
		for i := range Vec(2) {
			x.vBroadcast128(7+i, b.plus(16*int32(i)))
			x.v3(vmulps, x.l, 7+i, 7+i, 6)
			x.v3(vmulps, x.l, 7+i, 7+i, 2+i)
			x.v2(vcvttps2DQ, x.l, 7+i, 7+i)
			x.v3(vpaddd, x.l, i, i, 7+i)
		}
	})
	x.addC()
}

// addC adds the vectors 9 and 10 to 0 and 1, and collects overflows.
func (x *product) addC() {
	for i := range Vec(2) {
		x.v3(vpaddd, x.l, 5, i, 9+i)
		x.v3(vpxor, x.l, 6, 5, i)
		x.v3(vpxor, x.l, 7, 5, 9+i)
		x.v3(vpand, x.l, 6, 6, 7)
		x.v3(vpor, x.l, productWraps, productWraps, 6)
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
func (x *product) checkSums(bias int32) {
	x.constantTo(0, twice(absent/2+productBottom+bias))
	x.v3(vpminuw, x.l, productLow, productLow, 0)
	x.v3(vpxor, x.l, productLow, productLow, 0)
	x.constantTo(0, twice(absent/2+productTop+bias))
	x.v3(vpmaxsw, x.l, productHigh, productHigh, 0)
	x.v3(vpxor, x.l, productHigh, productHigh, 0)
	x.vShiftImm(vpsrad, x.l, productWraps, productWraps, 31)
	x.v3(vpor, x.l, productLow, productLow, productHigh)
	x.v3(vpor, x.l, productLow, productLow, productWraps)
	if x.C == lanes.MatrixF16 {
		t := formatOf(lanes.MatrixF16)
		x.checkElements(x.l, &t, productSummand, 0)
		x.v3(vpor, x.l, productLow, productLow, productSummand)
	}
	x.jumpUnlessZero(productLow, x.fail)
}
