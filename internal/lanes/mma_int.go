package lanes

import (
	"math"
	"math/bits"
)

// unpackInts unpacks a register with integers of type t.
func unpackInts(t MatrixType, w uint32, to []int32) {
	switch t {
	case MatrixS8:
		to = to[:4]
		for i := range to {
			to[i] = int32(int8(w >> (8 * i)))
		}
	case MatrixU8:
		to = to[:4]
		for i := range to {
			to[i] = int32(uint8(w >> (8 * i)))
		}
	case MatrixS4:
		to = to[:8]
		for i := range to {
			to[i] = int32(w<<(28-4*i)) >> 28
		}
	case MatrixU4:
		to = to[:8]
		for i := range to {
			to[i] = int32(w >> (4 * i) & 0xf)
		}
	}
}

// integers is a product of integers. Sums wrap, or the exact sum is clamped.
func (p *Product) integers(f *File, in *Op) {
	var a, b [1024]int32
	var c [maxElements]uint32
	frag := in.Fragments()
	p.gatherIntegers(f, frag, &a, &b)
	p.gatherC(f, &frag[FragmentC], &c)
	p.addIntegers(&a, &b, &c)
	p.scatterD(f, &frag[FragmentD], &c)
}

// addIntegers adds the products of A and B to c.
func (p *Product) addIntegers(a, b *[1024]int32, c *[maxElements]uint32) {
	for at := range p.M * p.N {
		x, y := a[at/p.N*p.K:][:p.K], b[at%p.N*p.K:][:p.K]
		sum := int32(0)
		for k := range x {
			sum += x[k] * y[k]
		}
		c[at] = p.accumulate(sum, c[at])
	}
}

// gatherIntegers unpacks A, by rows, and B, by columns.
func (p *Product) gatherIntegers(f *File, frag *Fragments, a, b *[1024]int32) {
	per, stored := p.A.perRegister(), p.stored()
	for r := range p.Registers(FragmentA) {
		row, word := p.WordOfA(r, 0)
		for lane, w := range Reg[uint32](f, frag[FragmentA][r]) {
			unpackInts(p.A, w, a[(row+lane/4)*stored+(word+lane%4)*per:])
		}
	}
	for r := range p.Registers(FragmentB) {
		word, col := p.WordOfB(r, 0)
		for lane, w := range Reg[uint32](f, frag[FragmentB][r]) {
			unpackInts(p.B, w, b[(col+lane/4)*p.K+(word+lane%4)*per:])
		}
	}
}

// accumulate adds the products of a row and a column to an element of C.
func (p *Product) accumulate(sum int32, c uint32) uint32 {
	exact := int64(sum) + int64(int32(c))
	if p.Saturates {
		exact = min(max(exact, math.MinInt32), math.MaxInt32)
	}
	return uint32(exact)
}

// bits is a product of single bits: it counts the bits that are set in one of row and column, or in both.
func (p *Product) bits(f *File, in *Op) {
	var a, b [128]uint32
	var c [maxElements]uint32
	frag, words := in.Fragments(), p.K/32
	for r := range p.Registers(FragmentA) {
		row, word := p.WordOfA(r, 0)
		for lane, w := range Reg[uint32](f, frag[FragmentA][r]) {
			a[(row+lane/4)*words+word+lane%4] = w
		}
	}
	for r := range p.Registers(FragmentB) {
		word, col := p.WordOfB(r, 0)
		for lane, w := range Reg[uint32](f, frag[FragmentB][r]) {
			b[(col+lane/4)*words+word+lane%4] = w
		}
	}
	p.gatherC(f, &frag[FragmentC], &c)
	p.addBits(&a, &b, &c)
	p.scatterD(f, &frag[FragmentD], &c)
}

// addBits adds the counts of bits of A and B to c.
func (p *Product) addBits(a, b *[128]uint32, c *[maxElements]uint32) {
	words := p.K / 32
	for at := range p.M * p.N {
		x, y := a[at/p.N*words:][:words], b[at%p.N*words:][:words]
		for k := range x {
			if p.And {
				c[at] += uint32(bits.OnesCount32(x[k] & y[k]))
			} else {
				c[at] += uint32(bits.OnesCount32(x[k] ^ y[k]))
			}
		}
	}
}
