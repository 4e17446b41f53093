package lanes

import "math"

// A Scaling is how mma scales blocks of A and B: each row of A, and each column of B, has Blocks scales.
type Scaling struct {
	Blocks int  // 0 for none
	Fine   bool // scales are .ue4m3, otherwise .ue8m0
}

// Places of the operands of block scales among the registers of A and of B in Fragments: the scales, the number of the
// first byte, and that of the lanes that have them.
const (
	scalesAt = 4 + iota
	byteAt
	threadAt
)

// ScaleOperand is the first place of an operand of block scales among the registers of a matrix: scales or selector.
func ScaleOperand(selector bool) int {
	if selector {
		return byteAt
	}
	return scalesAt
}

// scaledFloats is floats with block scales. Rows of A are multiplied in halves, because a whole A may have more than
// maxElements.
func (p *Product) scaledFloats(f *File, in *Op) {
	var b factors
	var c, half [maxElements]uint32
	frag := in.Fragments()
	for r := range p.Registers(FragmentB) {
		word, col := p.WordOfB(r, 0)
		b.gather(p.B, Reg[uint32](f, frag[FragmentB][r]), col, word, p.K)
	}
	for col := range p.N {
		b.scale(p.Scaling, p.scales(f, frag, FragmentB, col), col, p.K)
	}
	p.gatherC(f, &frag[FragmentC], &c)
	upper := *p
	upper.M = p.M / 2
	for first := 0; first < p.M; first += upper.M {
		var a factors
		for r := range p.Registers(FragmentA) {
			if row, word := p.WordOfA(r, 0); row == first {
				a.gather(p.A, Reg[uint32](f, frag[FragmentA][r]), 0, word, p.K)
			}
		}
		for row := range upper.M {
			a.scale(p.Scaling, p.scales(f, frag, FragmentA, first+row), row, p.K)
		}
		copy(half[:], c[first*p.N:][:upper.M*p.N])
		upper.addFloats(&a, &b, &half)
		copy(c[first*p.N:], half[:upper.M*p.N])
	}
	p.scatterD(f, &frag[FragmentD], &c)
}

// sparseScaledFloats is scaledFloats with a sparse A. Columns of B are in halves, because a whole B may have more than
// maxElements.
func (p *Product) sparseScaledFloats(f *File, in *Op) {
	var b [2]factors
	var c [maxElements]uint32
	var places rowPlaces
	frag, stored, each := in.Fragments(), p.stored(), p.N/len(b)
	for r := range p.Registers(FragmentB) {
		word, first := p.WordOfB(r, 0)
		for lane, w := range Reg[uint32](f, frag[FragmentB][r]) {
			col := first + lane/4
			b[col/each].unpack(p.B, col%each, col%each*p.K+(word+lane%4)*p.B.perRegister(), w)
		}
	}
	for col := range p.N {
		b[col/each].scale(p.Scaling, p.scales(f, frag, FragmentB, col), col%each, p.K)
	}
	p.gatherC(f, &frag[FragmentC], &c)
	p.allPlaces(&places, Reg[uint32](f, in.E), int(in.Imm))
	of := Product{K: stored, C: p.C, D: p.D, Coarse: p.Coarse}
	for first := 0; first < p.M; first += p.M / 2 {
		var a, chosen factors
		for r := range p.Registers(FragmentA) {
			if row, word := p.WordOfA(r, 0); row == first {
				a.gather(p.A, Reg[uint32](f, frag[FragmentA][r]), 0, word, stored)
			}
		}
		for row := range p.M / 2 {
			a.scale(p.Scaling, p.scales(f, frag, FragmentA, first+row), row, stored)
			for col := range p.N {
				from, to := &b[col/each], &c[(first+row)*p.N+col]
				for i, k := range places[first+row][:stored] {
					at := col%each*p.K + int(k)
					chosen.value[col*stored+i], chosen.exponent[col*stored+i] = from.value[at], from.exponent[at]
				}
				special := (a.special>>row|from.special>>(col%each))&1 != 0
				*to = of.dot(&a, &chosen, row*stored, col*stored, *to, special)
			}
		}
	}
	p.scatterD(f, &frag[FragmentD], &c)
}

// scales returns the scales of a row of A or a column of B, the first in the lowest byte: those of one of the four
// lanes that hold it, or, of A, of one of two for the upper rows, and of its neighbour for the lower ones (PTX ISA
// 9.7.14, block scaling for mma.sync). Selectors of lane 0 are used.
func (p *Product) scales(f *File, frag *Fragments, matrix, vector int) uint32 {
	at := func(place int) *[Width]uint32 { return Reg[uint32](f, frag[matrix][place]) }
	lane := vector%8*4 + int(at(threadAt)[0]&3)
	if matrix == FragmentA {
		lane = vector%8*4 + int(at(threadAt)[0]&1)*2 + vector/8
	}
	return at(scalesAt)[lane] >> (8 * (at(byteAt)[0] & 3))
}

// scale multiplies the k elements of a row or column by its scales.
func (x *factors) scale(s Scaling, scales uint32, vector, k int) {
	for i := range s.Blocks {
		v, e := s.unpack(scales >> (8 * i) & 0xff)
		if e == specialExponent {
			x.special |= 1 << vector
		}
		for j := range k / s.Blocks {
			j += vector*k + i*k/s.Blocks
			x.value[j] *= v
			if x.exponent[j] != noExponent && x.exponent[j] != specialExponent {
				x.exponent[j] += e
			}
			if v == 0 {
				x.exponent[j] = noExponent
			}
		}
	}
}

// unpack is the value of a scale, and its exponent for factors.
func (s Scaling) unpack(x uint32) (v float64, e int32) {
	if s.Fine {
		return unpackE4M3(x &^ signByte)
	}
	if x == 0xff { // the NaN
		return math.NaN(), specialExponent
	}
	return math.Ldexp(1, int(x)-127), int32(x) - 127
}

// unpack is unpackF16 for a number of a format of 4 or 6 bits.
func (t tinyFormat) unpack(x uint32) (v float64, e int32) {
	magnitude := x & (1<<(t.bits-1) - 1)
	v, e = float64(t.value(magnitude)), int32(magnitude)>>t.fraction
	if x>>(t.bits-1)&1 != 0 {
		v = -v
	}
	switch {
	case e != 0:
		return v, e - int32(t.bias)
	case v == 0:
		return v, noExponent
	}
	return v, 1 - int32(t.bias)
}
