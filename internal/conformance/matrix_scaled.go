package conformance

import (
	"math/big"
	"math/rand/v2"
)

// smallForms are the forms of mma on numbers of 8, 6 and 4 bits with a kind: without scales and with them.
func smallForms() []product {
	small := []string{"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"}
	var all []product
	for i, a := range small {
		for j, b := range small {
			p := product{m: 16, n: 8, k: 32, rowA: true, d: "f32", a: a, b: b, c: "f32", kind: "f8f6f4"}
			if (i+j)%3 == 0 {
				p.d, p.c = "f16", "f16"
			}
			all = append(all, p)
			p.d, p.c, p.kind, p.blocks, p.scale = "f32", "f32", "mxf8f6f4", 1, "ue8m0"
			all = append(all, p)
		}
	}
	for _, p := range []product{{kind: "mxf4", blocks: 2, scale: "ue8m0"}, {kind: "mxf4nvf4", blocks: 2, scale: "ue8m0"}, {kind: "mxf4nvf4", blocks: 4, scale: "ue8m0"}, {kind: "mxf4nvf4", blocks: 4, scale: "ue4m3"}} {
		p.m, p.n, p.k, p.rowA, p.d, p.a, p.b, p.c = 16, 8, 64, true, "f32", nibble, nibble, "f32"
		all = append(all, p)
	}
	return all
}

// firstScale returns the byte of a register that is the first of a row's scales.
func (p *product) firstScale() int { return 4 - p.blocks }

// someScales returns a register of scales of A, and one of B, for each lane.
func (p *product) someScales(warp int, r *rand.Rand) [][]uint64 {
	all := make([][]uint64, 32)
	for lane := range all {
		for range 2 {
			word := uint64(r.Uint32())
			if warp%3 > 0 { // of one magnitude, so that sums keep bits of all products
				word = 0
				for range 4 {
					one := uint64(120 + r.IntN(14))
					if p.scale == "ue4m3" {
						one = uint64(0x30 + r.IntN(0x18))
					}
					word = word<<8 | one
				}
			}
			all[lane] = append(all[lane], word)
		}
	}
	return all
}

// scalesOf returns the scales of a row of A and a column of B. With thread-id-a 1 the third lane of four has those of
// the upper rows and the fourth those of the lower ones; with thread-id-b 2 the third has those of the column. That is
// SFALayout and SFBLayout of CUTLASS 4 (include/cute/atom/mma_traits_sm120.hpp); no GPU was asked.
func (p *product) scalesOf(lanes [][]uint64, row, col int) (scales [2][]uint64) {
	words := [2]uint64{lanes[row%8*4+2+row/8][0], lanes[col*4+2][1]}
	for i, word := range words {
		for block := range p.blocks {
			scales[i] = append(scales[i], word>>(8*(p.firstScale()+block))&0xff)
		}
	}
	return scales
}

// scaleNumber returns a scale as a number.
func (p *product) scaleNumber(v uint64) summand {
	switch {
	case p.scale == "ue4m3":
		return numberOf("e4m3", v&0x7f)
	case v == 0xff:
		return summand{nan: true}
	}
	return summand{value: exact{m: big.NewInt(1), e: int(v) - 127}, lead: int(v) - 127}
}

// scaledElement is element with scales of blocks of the row and of the column; ks are the places of the factors in
// them.
func (p *product) scaledElement(a, b []uint64, c uint64, ks []int, scales [2][]uint64) uint64 {
	summands := []summand{numberOf(p.c, c)}
	for k := range a {
		block := ks[k] * p.blocks / p.k
		x := numberOf(p.a, a[k]).times(p.scaleNumber(scales[0][block]))
		summands = append(summands, x.times(numberOf(p.b, b[k]).times(p.scaleNumber(scales[1][block]))))
	}
	return sumAtOnce(summands, 25).encode(p.d)
}

// isSmall reports whether a type has 6 or 4 bits in a byte.
func isSmall(typ string) bool { return typ == "e3m2" || typ == "e2m3" || typ == "e2m1" }
