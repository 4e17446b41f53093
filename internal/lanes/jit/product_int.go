package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Products of integers: elements become 16 bits, and VPMADDWD adds two products. A sum of products fits in 32 bits.

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
