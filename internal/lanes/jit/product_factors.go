package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Matrices of floats are unpacked to .f32, and exponents in bytes.

// twice is the same 16 bits in both halves of a word.
func twice(bits int32) uint32 { return uint32(bits)&0xffff | uint32(bits)<<16 }

// unpack unpacks A and B, and checks the elements.
func (x *product) unpack(a, b *floatFormat) {
	x.constantTo(productLittle, 0xffffffff)
	x.constantTo(productLittleB, 0xffffffff)
	x.v3(vpxor, x.l, productLarge, productLarge, productLarge)
	x.v3(vpxor, x.l, productLargeB, productLargeB, productLargeB)
	if !a.wide && x.l == l512 {
		x.v2M(vmovdqu, x.l, productOrder, x.pooled(poolConstant{wide: true, kind: poolEvens}))
	}
	x.eachWordOfA(func(at Mem, to int32) {
		x.v2M(vmovdqu, x.l, 4, at)
		for n := range x.pairs() {
			x.pair(a, x.A, 4, n)
			x.exponents(a, exponentOfA-a.bias, productLarge, productLittle)
			place := memAt(productScratch, to+n*3*x.bytes)
			x.vStore(vmovdqu, x.l, place.plus(min(x.per, 2)*x.bytes), 6)
			x.elementsOfA(a, place)
		}
	})
	x.columns(func(w Vec, tile, word int32) {
		for n := range x.pairs() {
			x.pair(b, x.B, w, n)
			x.exponents(b, 255-exponentOfB-b.bias, productLargeB, productLittleB)
			base := x.b + tile*x.tile
			x.exponentsOfB(b, memAt(productScratch, base+x.exponentAt(word, n)))
			x.elementsOfB(a, b, memAt(productScratch, base+x.elementAt(b, word, n, 0, 0)))
		}
	})
	x.checkElements(a, productLarge, productLittle)
	x.checkElements(b, productLargeB, productLittleB)
	x.v3(vpor, x.l, productLarge, productLarge, productLargeB)
	x.jumpUnlessZero(productLarge, x.fail)
}

// words is the number of words of a row of A.
//
//go:noinline
func (x *product) words() int32 { return int32(x.K) / x.per }

// elementAt is the place in a tile of the elements of B in one half of pair n of a word, for even or odd columns.
// Formats that are converted have both halves of a word together, and others all words of one half.
//
//go:noinline
func (x *product) elementAt(t *floatFormat, word, n, half, odd int32) int32 {
	if t.wide {
		return 32*(half*x.words()+word) + 16*odd
	}
	return 64*(n*x.words()+word) + 32*odd + 16*half
}

// exponentAt is the place in a tile of the exponents of pair n of a word of B.
//
//go:noinline
func (x *product) exponentAt(word, n int32) int32 {
	return 32 * (x.words()*x.per + n*x.words() + word)
}

// elementsOfA writes the elements in vector 5 as .f32, in one or two vectors.
func (x *product) elementsOfA(t *floatFormat, place Mem) {
	switch {
	case t.single():
		x.vStore(vmovdqu, x.l, place, 5)
		return
	case t.wide:
		x.vShiftImm(vpslld, x.l, 6, 5, 16)
		x.v3M(vpand, x.l, 7, 5, x.constant(0xffff0000, 32))
	default:
		x.inOrder(5, 5)
		x.vStore(vmovdqu, x.l, place, 5)
		x.v2M(vcvtph2PS, x.l, 6, place)
		x.v2M(vcvtph2PS, x.l, 7, place.plus(x.bytes/2))
	}
	x.vStore(vmovdqu, x.l, place, 6)
	x.vStore(vmovdqu, x.l, place.plus(x.bytes), 7)
}

// inOrder sets d to the first 64 bits of all 128 of s, and then the others.
func (x *product) inOrder(d, s Vec) {
	if x.l == l512 {
		x.v3(vpermq, x.l, d, productOrder, s)
		return
	}
	x.v2I(vpermq, x.l, d, s, 0xd8)
}

// exponentsOfB writes the exponents in vector 6, negated: of the even and odd columns of one half of a word, then of
// the other half.
func (x *product) exponentsOfB(t *floatFormat, place Mem) {
	mask, shift := twice(0xff), vpsllw
	if t.single() {
		mask, shift = 0xff, vpslld
	}
	x.v3M(vpxor, x.l, 6, 6, x.constant(uint64(mask), 32))
	x.vShiftImm(shift, x.l, 7, 6, 8)
	if x.l == l512 {
		x.v3I(vshufi32X4, x.l, 7, 7, 7, 0xb1)
	} else {
		x.v3I(vperm2I128, x.l, 7, 7, 7, 0x01)
	}
	x.v3(vpor, x.l, 6, 6, 7)
	x.vStore(vmovdqu, x.l, place, 6)
}

// elementsOfB writes the elements in vector 5 as .f32, at the place of the first ones.
func (x *product) elementsOfB(a, b *floatFormat, place Mem) {
	switch {
	case b.single():
		x.vStore(vmovdqu, x.l, place, 5)
	case b.wide:
		x.vShiftImm(vpslld, x.l, 6, 5, 16)
		x.vStore(vmovdqu, x.l, place, 6)
		x.v3M(vpand, x.l, 6, 5, x.constant(0xffff0000, 32))
		x.vStore(vmovdqu, x.l, place.plus(32*x.words()), 6)
	default:
		x.v3M(vpshufb, x.l, 5, 5, x.halvesInOrder())
		x.vStore(vmovdqu, x.l, place, 5)
		x.v2M(vcvtph2PS, x.l, 6, place)
		x.v2M(vcvtph2PS, x.l, 7, place.plus(x.bytes/2))
		more := uint64(127 + 15 - a.bias + 15 - b.bias)
		for i := range Vec(2) {
			if more != 127 {
				x.v3M(vmulps, x.l, 6+i, 6+i, x.constant(more<<23, 32))
			}
			x.vStore(vmovdqu, x.l, place, 6+i)
			place = place.plus(x.bytes)
		}
	}
}

// halvesInOrder is a pattern for vpshufb: the lower halves of four words, then the upper ones.
func (x *product) halvesInOrder() Mem { return x.Emit.pair(0x0d0c090805040100, 0x0f0e0b0a07060302) }

// pair sets vector 5 to pair n of the elements of a word, of 16 bits each: to elements n and n plus the number of
// pairs. A single element is unchanged.
func (x *product) pair(t *floatFormat, of lanes.MatrixType, w Vec, n int32) {
	switch {
	case t.single():
		x.v3M(vpand, x.l, 5, w, x.constant(0xffffe000, 32))
	case x.per == 2:
		x.v2(vmovdqa, x.l, 5, w)
	default:
		if n == 0 {
			x.vShiftImm(vpslld, x.l, 5, w, 8)
			w = 5
		}
		x.v3M(vpand, x.l, 5, w, x.constant(0xff00ff00, 32))
		if of == lanes.MatrixE4M3 {
			x.vShiftImm(vpsraw, x.l, 5, 5, 1)
			x.v3M(vpand, x.l, 5, 5, x.constant(0xbf80bf80, 32))
		}
	}
}

// exponents sets vector 6 to the exponents of the elements in vector 5 plus a number, or to 0 for 0, and updates the
// largest and the smallest magnitudes. The smallest are kept minus 1, so that 0 counts as the largest.
func (x *product) exponents(t *floatFormat, plus int32, large, little Vec) {
	magnitude, shift, most, least, add, test, equal, sum := uint32(0x7fff7fff), vpsrlw, vpmaxuw, vpminuw, vpaddw, vptestmw, vpcmpeqw, twice(plus)
	if t.single() {
		magnitude, shift, most, least, add, test, equal, sum = 0x7fffffff, vpsrld, vpmaxud, vpminud, vpaddd, vptestmd, vpcmpeqd, uint32(plus)
	}
	x.v3M(vpand, x.l, 7, 5, x.constant(uint64(magnitude), 32))
	x.v3(most, x.l, large, large, 7)
	if t.wide {
		x.v3(vpcmpeqd, l256, 8, 8, 8)
		if x.l == l512 {
			x.v3I(vpternlogd, x.l, 8, 8, 8, 0xff)
		}
		x.v3(add, x.l, 8, 8, 7)
		x.v3(least, x.l, little, little, 8)
	}
	x.vShiftImm(shift, x.l, 6, 7, t.fraction)
	if !t.wide {
		x.v3M(vpmaxuw, x.l, 6, 6, x.constant(uint64(twice(1)), 32)) // of subnormal numbers
	}
	x.unlessZero(add, test, equal, 6, 7, sum)
}

// unlessZero sets d to op of d and a number, or to 0 where a is. It changes vector 8.
func (x *product) unlessZero(op, test, equal vOp, d, a Vec, number uint32) {
	if x.Level == AVX512 {
		x.vTestK(test, x.l, maskScratch, a, a, k0)
		x.v3MK(op, x.l, d, d, x.constant(uint64(number), 32), maskScratch, true)
		return
	}
	x.v3(vpxor, x.l, 8, 8, 8)
	x.v3(equal, x.l, 8, 8, a)
	x.v3M(op, x.l, d, d, x.constant(uint64(number), 32))
	x.v3(vpandn, x.l, d, 8, d)
}

// checkElements leaves bits in large if there are elements that the routine is not for.
func (x *product) checkElements(t *floatFormat, large, little Vec) {
	most, least, limit, smallest := vpmaxuw, vpminuw, twice(int32(t.limit-1)), twice(int32(t.little()-1))
	if t.single() {
		most, least, limit, smallest = vpmaxud, vpminud, t.limit-1, t.little()-1
	}
	x.constantTo(0, limit) // unsigned comparisons, by the largest and the smallest of two
	x.v3(most, x.l, large, large, 0)
	x.v3(vpxor, x.l, large, large, 0)
	if t.wide {
		x.constantTo(0, smallest)
		x.v3(least, x.l, little, little, 0)
		x.v3(vpxor, x.l, little, little, 0)
		x.v3(vpor, x.l, large, large, little)
	}
}
