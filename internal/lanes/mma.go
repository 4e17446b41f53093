package lanes

import (
	"math"
	"unsafe"
)

// MatrixType is the type of the elements of a matrix that a warp holds.
type MatrixType uint8

// The types of elements. Those of less than 32 bits are packed into a register, the one of the lowest row or column
// lowest.
const (
	NoMatrix MatrixType = iota
	MatrixF16
	MatrixBF16
	MatrixTF32
	MatrixE4M3
	MatrixE5M2
	MatrixF32
	MatrixF64
	MatrixS8
	MatrixU8
	MatrixS4
	MatrixU4
	MatrixB1
	MatrixS32
	MatrixE2M1
	// Numbers of 6 and 4 bits in bytes: in the lower six bits, or in the middle.
	MatrixE2M3
	MatrixE3M2
	MatrixE2M1Byte
)

var matrixBits = [...]int{MatrixF16: 16, MatrixBF16: 16, MatrixTF32: 32, MatrixE4M3: 8, MatrixE5M2: 8, MatrixF32: 32, MatrixF64: 64,
	MatrixS8: 8, MatrixU8: 8, MatrixS4: 4, MatrixU4: 4, MatrixB1: 1, MatrixS32: 32, MatrixE2M1: 4,
	MatrixE2M3: 8, MatrixE3M2: 8, MatrixE2M1Byte: 8}

// Bits is the width of an element.
func (t MatrixType) Bits() int { return matrixBits[t] }

// perRegister is how many elements a register holds. A 64-bit element takes one register.
func (t MatrixType) perRegister() int { return max(32/t.Bits(), 1) }

// Fragments are the registers of an instruction's matrices: of the result, A, B and C.
type Fragments [4][MaxVec]uint32

// The matrices in Fragments.
const (
	FragmentD = iota
	FragmentA
	FragmentB
	FragmentC
)

// Vec is f in the type of Op.Vec.
func (f *Fragments) Vec() *[2 * MaxVec]uint32 { return (*[2 * MaxVec]uint32)(unsafe.Pointer(f)) }

// Fragments returns the registers of the Op's matrices, which it must have.
func (in *Op) Fragments() *Fragments { return (*Fragments)(unsafe.Pointer(in.Vec)) }

// Product is a product of matrices that a warp adds to another: D = A * B + C. A has M rows and K columns, B has K
// rows and N columns.
type Product struct {
	M, N, K    int
	D, A, B, C MatrixType
	// Quads says that there are four products, each of 8 lanes: mma.m8n8k4 on .f16. Its lanes hold columns of A if ColA,
	// and rows of B if RowB.
	Quads, ColA, RowB bool
	And               bool // bits of A and B are combined by and, not xor
	// Sparse says that the lanes hold only half of A, with metadata for the positions of its elements in their rows;
	// Ordered, that these are in ascending order.
	Sparse, Ordered bool
	// Coarse says that sums have only coarseBits bits, as those of wgmma on bytes on an H100.
	Coarse    bool
	Saturates bool // integer sums are clamped to 32 bits
	// divided is the power of 2 by which C is divided: for D of products in tensor memory.
	divided int
	Scaling
}

// Func returns the product as a lane function, for Ops that have Fragments. All lanes take part, independent of the
// mask.
func (p Product) Func() Func {
	switch {
	case p.C == MatrixF64:
		return func(f *File, in *Op, _ Mask) { p.doubles(f, in) }
	case p.C == MatrixS32 && p.Sparse:
		return func(f *File, in *Op, _ Mask) { p.sparseIntegers(f, in) }
	case p.A == MatrixB1:
		return func(f *File, in *Op, _ Mask) { p.bits(f, in) }
	case p.C == MatrixS32:
		return func(f *File, in *Op, _ Mask) { p.integers(f, in) }
	case p.Sparse && p.Blocks > 0:
		return func(f *File, in *Op, _ Mask) { p.sparseScaledFloats(f, in) }
	case p.Blocks > 0:
		return func(f *File, in *Op, _ Mask) { p.scaledFloats(f, in) }
	case p.Sparse:
		return func(f *File, in *Op, _ Mask) { p.sparseFloats(f, in) }
	}
	return func(f *File, in *Op, _ Mask) { p.floats(f, in) }
}

// The layout of fragments (PTX ISA 9.7.14, matrix fragments for mma) is the same for all types: groups of four lanes
// hold the words of a row of A, or of a column of B, and pairs of adjacent elements of a row of C. The next register
// holds elements 8 rows or columns, or four words, further on. A word has as many elements along K as fit a register.

// maxElements is the largest number of elements of a matrix of floats.
const maxElements = 512

// factors are the elements of A by rows, or of B by columns, each with the exponent of its leading bit: for subnormal
// numbers that of the smallest normal number, and for 0 a very small one.
type factors struct {
	value    [maxElements]float64
	exponent [maxElements]int32
	special  uint32 // the rows, or columns, with infinities or NaNs
}

// noExponent is the exponent of 0, chosen so that a product with 0 is below all others.
const noExponent = -1 << 12

func (x *factors) set(vector, at int, v float64, e int32) {
	x.value[at], x.exponent[at] = v, e
	if e > math.MaxInt8 {
		x.special |= 1 << vector
	}
}

// setF16 sets an element of .f16.
func (x *factors) setF16(vector, at int, h uint32) {
	if e := h >> 10 & 0x1f; e-1 < 0x1e { // a normal number
		x.value[at], x.exponent[at] = math.Float64frombits(uint64(h&signF16)<<48|uint64(h&^signF16)<<42+(1023-15)<<52), int32(e)-15
		return
	}
	v, e := unpackF16(h)
	x.set(vector, at, v, e)
}

// specialExponent is the exponent of infinities and NaNs.
const specialExponent = 1 << 10

// unpackF16 is the value of a half, and its exponent for factors.
func unpackF16(h uint32) (v float64, e int32) {
	sign, exponent, fraction := uint64(h&signF16)<<48, h>>10&0x1f, uint64(h&(1<<10-1))
	switch {
	case exponent == 0 && fraction == 0:
		return math.Float64frombits(sign), noExponent
	case exponent == 0:
		return math.Float64frombits(sign | math.Float64bits(float64(fraction)*0x1p-24)), 1 - 15
	case exponent == 0x1f:
		return float64(expandF16(h)), specialExponent
	}
	return math.Float64frombits(sign | uint64(exponent+1023-15)<<52 | fraction<<42), int32(exponent) - 15
}

// unpackF32 is unpackF16 for a .f32, and for formats that are the upper part of one.
func unpackF32(x uint32) (v float64, e int32) {
	v, e = float64(math.Float32frombits(x)), int32(x>>23&0xff)
	switch {
	case e == 0xff:
		return v, specialExponent
	case e != 0:
		return v, e - 127
	case v == 0:
		return v, noExponent
	}
	return v, 1 - 127
}

func unpackE4M3(x uint32) (v float64, e int32) {
	v, e = float64(e4m3.value(x)), int32(x>>3&0xf)
	switch {
	case v != v:
		return v, specialExponent
	case e != 0:
		return v, e - 7
	case v == 0:
		return v, noExponent
	}
	return v, 1 - 7
}

// gather unpacks a register of all lanes, with elements of type t: lane 0 holds the given word of a row or column of
// k elements.
func (x *factors) gather(t MatrixType, r *[Width]uint32, vector, word, k int) {
	per := t.perRegister()
	for lane, w := range r {
		row := vector + lane/4
		at := row*k + (word+lane%4)*per
		if t != MatrixF16 {
			x.unpack(t, row, at, w)
			continue
		}
		x.setF16(row, at, w&lowHalf) // as in unpack, which is not inlined
		x.setF16(row, at+1, w>>16)
	}
}

// unpack unpacks a word of a row or column.
func (x *factors) unpack(t MatrixType, row, at int, w uint32) {
	switch t {
	case MatrixF16:
		x.setF16(row, at, w&lowHalf)
		x.setF16(row, at+1, w>>16)
	case MatrixBF16:
		v, e := unpackF32(w << 16)
		x.set(row, at, v, e)
		v, e = unpackF32(w &^ lowHalf)
		x.set(row, at+1, v, e)
	case MatrixTF32:
		v, e := unpackF32(w &^ tailTF32)
		x.set(row, at, v, e)
	case MatrixE4M3:
		for i := range 4 {
			v, e := unpackE4M3(w >> (8 * i) & 0xff)
			x.set(row, at+i, v, e)
		}
	case MatrixE5M2: // the upper half of a .f16
		for i := range 4 {
			v, e := unpackF16(w >> (8 * i) & 0xff << 8)
			x.set(row, at+i, v, e)
		}
	case MatrixE2M1:
		for i := range 8 {
			v, e := e2m1.unpack(w >> (4 * i))
			x.set(row, at+i, v, e)
		}
	case MatrixE2M3, MatrixE3M2, MatrixE2M1Byte:
		format, shift := e2m3, 0
		switch t {
		case MatrixE3M2:
			format = e3m2
		case MatrixE2M1Byte:
			format, shift = e2m1, 2
		}
		for i := range 4 {
			v, e := format.unpack(w >> (8*i + shift))
			x.set(row, at+i, v, e)
		}
	}
}

// floats is a product of floats with sums in .f32 or .f16.
func (p *Product) floats(f *File, in *Op) {
	var a, b factors
	var c [maxElements]uint32
	frag := in.Fragments()
	if p.Quads {
		p.quads(f, frag)
		return
	}
	for r := range p.Registers(FragmentA) {
		row, word := p.WordOfA(r, 0)
		a.gather(p.A, Reg[uint32](f, frag[FragmentA][r]), row, word, p.K)
	}
	for r := range p.Registers(FragmentB) {
		word, col := p.WordOfB(r, 0)
		b.gather(p.B, Reg[uint32](f, frag[FragmentB][r]), col, word, p.K)
	}
	p.gatherC(f, &frag[FragmentC], &c)
	p.addFloats(&a, &b, &c)
	p.scatterD(f, &frag[FragmentD], &c)
}

// addFloats adds the products of A and B to c.
func (p *Product) addFloats(a, b *factors, c *[maxElements]uint32) {
	for row := range p.M {
		for col := range p.N {
			special := (a.special>>row|b.special>>col)&1 != 0
			c[row*p.N+col] = p.dot(a, b, row*p.K, col*p.K, c[row*p.N+col], special)
		}
	}
}

// quads is the four products of mma.m8n8k4, where each lane holds four elements of A and of B.
func (p *Product) quads(f *File, frag *Fragments) {
	var a, b [4]factors
	var c, d [Width][8]uint32
	for r := range 2 {
		wa, wb := Reg[uint32](f, frag[FragmentA][r]), Reg[uint32](f, frag[FragmentB][r])
		for lane := range Width {
			quad, _ := quadOf(lane)
			for i := range 2 {
				row, col := p.quadOfA(2*r+i, lane)
				v, e := unpackF16(wa[lane] >> (16 * i) & lowHalf)
				a[quad].set(row, row*4+col, v, e)
				row, col = p.quadOfB(2*r+i, lane)
				v, e = unpackF16(wb[lane] >> (16 * i) & lowHalf)
				b[quad].set(col, col*4+row, v, e)
			}
		}
	}
	var sums [4][64]uint32
	for lane := range c {
		quad, _ := quadOf(lane)
		for i := range c[lane] {
			c[lane][i] = elementOf(f, &frag[FragmentC], p.C, i, lane)
			row, col := p.quadOfC(p.C, i, lane)
			sums[quad][row*8+col] = c[lane][i]
		}
	}
	for quad := range sums {
		for i := range sums[quad] {
			row, col := i/8, i%8
			special := (a[quad].special>>row|b[quad].special>>col)&1 != 0
			sums[quad][i] = p.dot(&a[quad], &b[quad], row*4, col*4, sums[quad][i], special)
		}
	}
	for lane := range d {
		quad, _ := quadOf(lane)
		for i := range d[lane] {
			row, col := p.quadOfC(p.D, i, lane)
			d[lane][i] = sums[quad][row*8+col]
		}
	}
	for lane := range d {
		for i, v := range d[lane] {
			setElement(f, &frag[FragmentD], p.D, i, lane, v)
		}
	}
}

// alignedBits is how many bits below the leading one of the largest summand take part in a sum on an H100; coarseBits
// for a coarse sum.
const (
	alignedBits = 25
	coarseBits  = 13
)

// Aligned is how many bits below the leading one of the largest summand take part in a sum.
func (p *Product) Aligned() int32 {
	if p.Coarse {
		return coarseBits
	}
	return alignedBits
}

// dot is an element of D: the sum of c and of the products of K factors, from the numbers atA and atB on. Products
// are exact. All summands are truncated, towards zero, alignedBits below the largest exponent; the exponent of a
// product is the sum of its factors' exponents. Their sum is exact, and is truncated to a .f32, with coarseBits if it
// is coarse, or rounded to the nearest .f16.
func (p *Product) dot(a, b *factors, atA, atB int, c uint32, special bool) uint32 {
	var z float64
	var ez int32
	if p.C == MatrixF16 {
		z, ez = unpackF16(c)
	} else {
		z, ez = unpackF32(c)
	}
	if p.divided != 0 {
		z, ez = halved(z, ez, p.divided)
	}
	if special || ez == specialExponent {
		x, y := a.value[atA:][:p.K], b.value[atB:][:p.K]
		for i := range x {
			z += x[i] * y[i]
		}
		return p.result(z)
	}
	x, y := a.value[atA:][:p.K], b.value[atB:][:p.K]
	ea, eb := a.exponent[atA:][:p.K], b.exponent[atB:][:p.K]
	top, odd := ez, int32(2*noExponent)
	for i := 0; i+1 < len(ea) && i+1 < len(eb); i += 2 {
		top, odd = max(top, ea[i]+eb[i]), max(odd, ea[i+1]+eb[i+1])
	}
	if top = max(top, odd); top < noExponent/2 { // all summands are 0
		return 0
	}
	aligned := p.Aligned()
	unit := math.Float64frombits(uint64(1023+aligned-top) << 52)
	sum, more := int64(z*unit), int64(0) // the conversion truncates
	for i := 0; i+3 < len(x) && i+3 < len(y); i += 4 {
		sum += int64(x[i]*y[i]*unit) + int64(x[i+1]*y[i+1]*unit)
		more += int64(x[i+2]*y[i+2]*unit) + int64(x[i+3]*y[i+3]*unit)
	}
	return p.result(float64(sum+more) * math.Float64frombits(uint64(1023-aligned+top)<<52))
}

// result is a sum as an element of D. Sums that are too large become infinite.
func (p *Product) result(x float64) uint32 {
	switch {
	case p.D == MatrixF16:
		return roundF16(x)
	case p.Coarse && math.Abs(x) <= math.MaxFloat64:
		return cutF32(x) &^ (1<<(23-coarseBits) - 1)
	}
	return cutF32(x)
}

// cutF32 is x truncated to a .f32; infinite if its exponent is too large.
func cutF32(x float64) uint32 {
	const normal = 0x1p-126
	switch {
	case x != x:
		return nanF32
	case math.Abs(x) < normal:
		return uint32(math.Float64bits(x)>>32)&signF32 | uint32(math.Abs(x)*0x1p149)
	}
	const drop = 52 - 23
	return math.Float32bits(float32(math.Float64frombits(math.Float64bits(x) &^ (1<<drop - 1))))
}

// doubles is a product of .f64: fused multiply-adds in the order of K, rounded by the mode.
func (p *Product) doubles(f *File, in *Op) {
	var a, b, c [256]float64
	frag := in.Fragments()
	for r := range p.Registers(FragmentA) {
		row, k := p.WordOfA(r, 0)
		for lane, v := range Reg[float64](f, frag[FragmentA][r]) {
			a[(row+lane/4)*p.K+k+lane%4] = v
		}
	}
	for r := range p.Registers(FragmentB) {
		k, col := p.WordOfB(r, 0)
		for lane, v := range Reg[float64](f, frag[FragmentB][r]) {
			b[(col+lane/4)*p.K+k+lane%4] = v
		}
	}
	pairs := p.M * p.N / (2 * Width)
	for n := range pairs {
		row, col := p.pairOfC(n, 0)
		left, right := Reg[float64](f, frag[FragmentC][2*n]), Reg[float64](f, frag[FragmentC][2*n+1])
		for lane := range Width {
			at := (row+lane/4)*p.N + col + lane%4*2
			c[at], c[at+1] = left[lane], right[lane]
		}
	}
	for at := range p.M * p.N {
		x, y, sum := a[at/p.N*p.K:][:p.K], b[at%p.N*p.K:][:p.K], c[at]
		for k := range x {
			if in.Mode&roundMask == RoundNearest {
				sum = ternaryResultF64(math.FMA(x[k], y[k], sum), x[k], y[k], sum)
			} else {
				sum = ternaryResultF64(in.Mode.fmaF64(x[k], y[k], sum), x[k], y[k], sum)
			}
		}
		c[at] = sum
	}
	for n := range pairs {
		row, col := p.pairOfC(n, 0)
		left, right := Reg[float64](f, frag[FragmentD][2*n]), Reg[float64](f, frag[FragmentD][2*n+1])
		for lane := range Width {
			at := (row+lane/4)*p.N + col + lane%4*2
			left[lane], right[lane] = c[at], c[at+1]
		}
	}
}
