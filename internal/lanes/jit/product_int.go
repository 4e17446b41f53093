package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Products of integers. VPDPBUSD, where the CPU has it, adds four products of bytes to a sum; otherwise elements become
// 16 bits, and VPMADDWD adds two products. A sum of products fits in 32 bits.
//
// VPDPBUSD multiplies unsigned bytes by signed ones. If both matrices are signed, or both unsigned, the sign bit of
// each byte of A is inverted, and the bytes are taken for the other kind: that adds or subtracts half of the range of a
// byte. What these add to the sums, one number for each column of B, is subtracted from them.

// integers writes the routine of a product of integers.
func (x *product) integers() {
	x.eachWordOfA(func(at Mem, to int32) {
		x.v2M(vmovdqu, x.l, 4, at)
		for n := range x.pairs() {
			x.integerPair(x.A, x.l, 5, 4, n)
			x.vStore(vmovdqu, x.l, memAt(productScratch, to+n*x.bytes), 5)
		}
	})
	x.eachWordOfB(func(w Vec, to int32) {
		for n := range x.pairs() {
			x.integerPair(x.B, l256, 5, w, n)
			x.vStore(vmovdqu, l256, memAt(productScratch, to+32*n), 5)
		}
	})
	x.eachPart(x.integerPart)
	x.finish(func() {})
}

// integerPair sets d to pair n of the elements of words, in 16 bits: elements n and n plus the number of pairs.
func (x *product) integerPair(t lanes.MatrixType, l length, d, w Vec, n int32) {
	unused := 16 - int32(t.Bits())
	if up := unused - int32(t.Bits())*n; up > 0 {
		x.vShiftImm(vpsllw, l, d, w, uint8(up))
		w = d
	}
	shift := vpsrlw
	if t == lanes.MatrixS8 || t == lanes.MatrixS4 {
		shift = vpsraw
	}
	x.vShiftImm(shift, l, d, w, uint8(unused))
}

// integerPart computes a part of D: even columns in the vectors 0, odd ones in 1.
func (x *product) integerPart() {
	for i := range Vec(2) {
		x.v3(vpxor, x.l, i, i, i)
	}
	for vector := range int32(x.K) / x.per / 4 * x.slots {
		word, n := vector/x.slots*4, vector%x.slots
		x.v2M(vmovdqu, x.l, 5, memAt(productA, vector*x.bytes))
		for lane := range int32(4) {
			x.v2I(vpshufd, x.l, 6, 5, uint8(lane)*0x55)
			for i := range Vec(2) {
				x.vBroadcast128(7+i, memAt(productB, (word+lane)*x.word+32*n+16*int32(i)))
				x.v3(vpmaddwd, x.l, 7+i, 7+i, 6)
				x.v3(vpaddd, x.l, i, i, 7+i)
			}
		}
	}
	x.integerResults()
}

// integerResults writes a part of D from the sums in the vectors 0 and 1, and from C.
func (x *product) integerResults() {
	for i, at := range []Reg{productLeft, productRight} {
		sum := Vec(i)
		x.v2M(vmovdqu, x.l, 5, memAt(at, 0))
		x.v3(vpaddd, x.l, 6, sum, 5)
		if x.Saturates {
			x.clamp(6, sum, 5)
		}
		x.vStore(vmovdqu, x.l, memAt(productD, 4*lanes.Width*int32(i)), 6)
	}
}

// clamp replaces wrapped sums d of a and b by the nearest integers. It changes the vectors 7 and 8.
func (x *product) clamp(d, a, b Vec) {
	x.v3(vpxor, x.l, 7, d, a)
	x.v3(vpxor, x.l, 8, d, b)
	x.v3(vpand, x.l, 7, 7, 8)
	x.vShiftImm(vpsrad, x.l, 7, 7, 31) // where both have the other sign
	x.vShiftImm(vpsrad, x.l, 8, b, 31)
	x.v3M(vpxor, x.l, 8, 8, x.constant(1<<31-1, 32))
	x.pick(x.l, d, d, 8, 7)
}

// hasSign reports whether a type of integers has negative numbers.
func hasSign(t lanes.MatrixType) bool { return t == lanes.MatrixS8 || t == lanes.MatrixS4 }

// inverted are the bits of a byte of A that are inverted, so that one matrix is unsigned, and the other one signed.
// Bytes of four bits are both, unless they have a sign.
func (x *product) inverted() uint32 {
	switch {
	case hasSign(x.A) != hasSign(x.B) || x.A == lanes.MatrixU4:
		return 0
	case x.A == lanes.MatrixS4:
		return 0x08080808
	}
	return 0x80808080
}

// dots writes the routine of a product of integers with VPDPBUSD.
func (x *product) dots() {
	words := int32(x.K) / x.per
	inverted, sums := x.inverted(), x.tile-32
	x.eachWordOfA(func(at Mem, to int32) {
		if x.per == 4 && inverted != 0 {
			x.constantTo(4, inverted)
			x.v3M(vpxor, x.l, 4, 4, at)
			x.vStore(vmovdqu, x.l, memAt(productScratch, to), 4)
			return
		}
		x.v2M(vmovdqu, x.l, 4, at)
		for n := range x.slots {
			x.bytesOf(x.A, 5, 4, n, inverted)
			x.vStore(vmovdqu, x.l, memAt(productScratch, to+n*x.bytes), 5)
		}
	})
	if inverted != 0 {
		x.constantTo(9, inverted)
	}
	x.columns(func(w Vec, tile, word int32) {
		if inverted != 0 && word == 0 {
			x.v3(vpxor, x.l, 8, 8, 8)
		}
		for n := range x.slots {
			x.bytesOf(x.B, 10, w, n, 0)
			x.vStore(vmovdqu, x.l, memAt(productScratch, x.b+tile*x.tile+32*(n*words+word)), 10)
			if inverted != 0 {
				x.dot(8, 9, 10)
			}
		}
		if last := word + x.bytes/32; inverted != 0 && last == words {
			x.negatedSums(memAt(productScratch, x.b+tile*x.tile+sums))
		}
	})
	x.eachPart(func() { x.dotPart(words, inverted != 0) })
	x.finish(func() {})
}

// dot adds the products of the bytes of a, of A, and b, of B, to d.
func (x *product) dot(d, a, b Vec) {
	if hasSign(x.B) {
		x.v3(vpdpbusd, x.l, d, a, b)
	} else {
		x.v3(vpdpbusd, x.l, d, b, a)
	}
}

// bytesOf sets d to the elements of words as bytes: for types of 4 bits, to the lower or the upper half of each byte.
// If bits are inverted, the result is not a signed number.
func (x *product) bytesOf(t lanes.MatrixType, d, w Vec, n int32, inverted uint32) {
	if x.per == 4 {
		x.v2(vmovdqa, x.l, d, w)
		return
	}
	if n > 0 {
		x.vShiftImm(vpsrld, x.l, d, w, 4)
		w = d
	}
	x.v3M(vpand, x.l, d, w, x.constant(0x0f0f0f0f, 32))
	if hasSign(t) {
		sign := x.constant(0x08080808, 32)
		x.v3M(vpxor, x.l, d, d, sign)
		if inverted == 0 {
			x.v3M(vpsubb, x.l, d, d, sign)
		}
	}
}

// negatedSums writes the negated sums of vector 8, by columns. It changes vector 10.
func (x *product) negatedSums(to Mem) {
	if x.l == l512 { // words with even numbers, and those with odd numbers
		x.v2I(vextracti64X4, l512, 10, 8, 1)
		x.v3(vpaddd, l256, 8, 8, 10)
	}
	x.v3(vpxor, l256, 10, 10, 10)
	x.v3(vpsubd, l256, 10, 10, 8)
	x.vStore(vmovdqu, l256, to, 10)
}

// dotPart computes a part of D from the given number of words in a row of A, with sums of columns if there are any.
func (x *product) dotPart(words int32, corrected bool) {
	for i := range Vec(2) {
		if corrected {
			x.vBroadcast128(i, memAt(productB, x.tile-32+16*int32(i)))
		} else {
			x.v3(vpxor, x.l, i, i, i)
		}
	}
	for vector := range words / 4 * x.slots {
		word, n := vector/x.slots*4, vector%x.slots
		x.v2M(vmovdqu, x.l, 5, memAt(productA, vector*x.bytes))
		for lane := range int32(4) {
			x.v2I(vpshufd, x.l, 6, 5, uint8(lane)*0x55)
			for i := range Vec(2) {
				x.vBroadcast128(7+i, memAt(productB, 32*(n*words+word+lane)+16*int32(i)))
				x.dot(i, 6, 7+i)
			}
		}
	}
	x.integerResults()
}
