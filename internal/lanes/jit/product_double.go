package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Products of .f64: fused multiply-adds in the order of K, rounded to nearest. The routine fails at NaNs, because only
// lane functions have the bits of an H100's.

// doubles writes the routine of a product of .f64.
func (x *product) doubles() {
	x.eachWordOfA(func(at Mem, to int32) {
		x.v2M(vmovdqu, x.l, 4, at)
		x.vStore(vmovdqu, x.l, memAt(productScratch, to), 4)
	})
	x.columnsOfDoubles()
	x.v3(vpxor, x.l, productWraps, productWraps, productWraps)
	x.eachPart(x.doublePart)
	x.jumpUnlessZero(productWraps, x.fail)
	x.finish(func() {})
}

// columnsOfDoubles unpacks B: of each row of a tile first the even columns, then the odd ones.
func (x *product) columnsOfDoubles() {
	for r := range x.Registers(lanes.FragmentB) {
		word, col := x.WordOfB(r, 0)
		x.register(RAX, lanes.FragmentB, r)
		for odd := range int32(2) {
			for i := range Vec(4) { // four rows of four columns each
				x.v2M(vmovdqu, l256, i, memAt(RAX, 32*(2*int32(i)+odd)))
			}
			for i := range Vec(2) {
				x.v3(vunpcklpd, l256, 4+2*i, 2*i, 2*i+1)
				x.v3(vunpckhpd, l256, 5+2*i, 2*i, 2*i+1)
			}
			for i := range Vec(4) {
				half := uint8(0x20) // the lower halves of both
				if i >= 2 {
					half = 0x31
				}
				x.v3I(vperm2I128, l256, i, 4+i%2, 6+i%2, half)
				x.vStore(vmovdqu, l256, memAt(productScratch, x.b+int32(col/8)*x.tile+(int32(word)+int32(i))*x.word+32*odd), i)
			}
		}
	}
}

// doublePart computes a part of D: even columns in the vectors 0, odd ones in 1.
func (x *product) doublePart() {
	for i, at := range []Reg{productLeft, productRight} {
		x.v2M(vmovdqu, x.l, Vec(i), memAt(at, 0))
	}
	for k := range int32(x.K) {
		if k%4 == 0 {
			x.v2M(vmovdqu, x.l, 5, memAt(productA, k/4*x.bytes))
		}
		x.v2I(vpermpd, x.l, 6, 5, uint8(k%4)*0x55)
		for i := range Vec(2) {
			b := memAt(productB, k*x.word+32*int32(i))
			if x.l == l256 {
				x.v3M(vfmadd231PD, x.l, i, 6, b)
				continue
			}
			x.v2M(vbroadcasti64X4, x.l, 7+i, b)
			x.v3(vfmadd231PD, x.l, i, 6, 7+i)
		}
	}
	for i := range Vec(2) {
		x.notNumbers(7, i)
		x.v3(vpor, x.l, productWraps, productWraps, 7)
		x.vStore(vmovdqu, x.l, memAt(productD, 8*lanes.Width*int32(i)), i)
	}
}

// notNumbers sets d to ones where a is a NaN.
func (x *product) notNumbers(d, a Vec) { x.v3I(vcmppd, x.l, d, a, a, floatPredicates[lanes.Nan]) }
