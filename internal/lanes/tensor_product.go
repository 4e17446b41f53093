package lanes

import (
	"fmt"
	"math"
	"slices"
)

// TensorDepth is the size in bytes of a row of A and a column of B in tcgen05.mma.
const TensorDepth = 32

// TensorVector is a row of A, or a column of B, with the element of the lowest k lowest.
type TensorVector [TensorDepth]byte

// TensorKind is the kind of elements of a tcgen05.mma.
type TensorKind uint8

// The kinds, with PTX's names.
const (
	KindF16 TensorKind = iota
	KindTF32
	KindF8F6F4
	KindI8
	KindMXF8F6F4 // the kinds from here on have scales
	KindMXF4
	KindMXF4NVF4
)

// isScaled reports whether blocks of A and B have scales.
func (k TensorKind) isScaled() bool { return k >= KindMXF8F6F4 }

// TensorProduct is the product of a tcgen05.mma: D = A * B + D. A has M rows, and B has N columns.
type TensorProduct struct {
	M, N    int
	A, B, D MatrixType
	// TransposedA and TransposedB say that A is M-major in shared memory, and B N-major.
	TransposedA, TransposedB bool
	NegativeA, NegativeB     bool // elements of A, or B, are negated
	Saturates                bool // integer sums are clamped
	// Spread says that D is distributed over all lanes of tensor memory: in tcgen05.mma.ws, and for a pair of CTAs.
	Spread bool
	// Pair says that a pair of CTAs makes the product; each has M rows, and N/2 columns of B.
	Pair bool
	// Blocks is the number of scales of a row of A and a column of B, 0 for none. They are in bytes of tensor memory
	// from ScaleA and ScaleB on, of type .ue4m3 if FineScales, and .ue8m0 otherwise.
	Blocks         int
	ScaleA, ScaleB int
	FineScales     bool
	// maxShift is how far the columns of B may be shifted by ZeroColumns.
	maxShift int
}

// instructionDescriptor is the 32 bits that describe a product (PTX ISA 9.7.16, instruction descriptor).
type instructionDescriptor uint32

// bits returns the field of n bits from bit first on.
func (d instructionDescriptor) bits(first, n int) int { return int(d) >> first & (1<<n - 1) }

// is reports whether a bit is set.
func (d instructionDescriptor) is(bit int) bool { return d>>bit&1 != 0 }

// tensorFactors are the types of A and B by their number in a descriptor.
var tensorFactors = map[TensorKind][]MatrixType{
	KindF16: {MatrixF16, MatrixBF16}, KindTF32: {2: MatrixTF32}, KindI8: {MatrixU8, MatrixS8},
	KindF8F6F4: {MatrixE4M3, MatrixE5M2, 3: MatrixE2M3, MatrixE3M2, MatrixE2M1Byte}, KindMXF8F6F4: {MatrixE4M3, MatrixE5M2, 3: MatrixE2M3, MatrixE3M2, MatrixE2M1Byte},
	KindMXF4: {1: MatrixE2M1}, KindMXF4NVF4: {1: MatrixE2M1},
}

// tensorSums are the types of D by their number in a descriptor.
var tensorSums = map[TensorKind][]MatrixType{KindF16: {MatrixF16, MatrixF32}, KindTF32: {1: MatrixF32}, KindF8F6F4: {MatrixF16, MatrixF32}, KindI8: {2: MatrixS32}}

// tensorType returns the type with a number, or NoMatrix.
func tensorType(types []MatrixType, number int) MatrixType {
	if number < len(types) {
		return types[number]
	}
	return NoMatrix
}

// Product returns the product of the kind that a descriptor describes, or an error text. Rows of A and columns of B
// have the given number of scales. With pair it is the product of each CTA of a pair.
func (k TensorKind) Product(descriptor uint32, ws, pair bool, blocks int) (p TensorProduct, wrong string) {
	d := instructionDescriptor(descriptor)
	p = TensorProduct{N: d.bits(17, 6) << 3, NegativeA: d.is(13), NegativeB: d.is(14), TransposedA: d.is(15), TransposedB: d.is(16), Spread: ws, Pair: pair, Blocks: blocks}
	if d.is(2) {
		return p, "bit 2 is set, but the product is not sparse"
	}
	a, b := d.bits(7, 3), d.bits(10, 3)
	if k.isScaled() {
		wrong = p.scaled(k, d)
		if k != KindMXF8F6F4 {
			b = d.bits(10, 2)
		}
	} else {
		wrong = p.plain(k, d)
	}
	p.A, p.B = tensorType(tensorFactors[k], a), tensorType(tensorFactors[k], b)
	switch {
	case wrong != "":
	case p.A == NoMatrix:
		wrong = fmt.Sprintf("there is no type %d of A (bits 7 to 9)", a)
	case p.B == NoMatrix:
		wrong = fmt.Sprintf("there is no type %d of B (bits 10 to 12)", b)
	case k == KindI8 && (p.NegativeA || p.NegativeB):
		wrong = "integers are not negated (bits 13 and 14)"
	case p.TransposedA && p.A.isNarrow() || p.TransposedB && p.B.isNarrow():
		wrong = "elements of 4 and 6 bits are not transposed (bits 15 and 16)"
	default:
		wrong = p.wrongShape(k)
	}
	if pair {
		p.M, p.Spread = p.M/2, true
	}
	return p, wrong
}

// plain sets the fields of a product without scales from its descriptor, and returns an error text for invalid ones.
func (p *TensorProduct) plain(k TensorKind, d instructionDescriptor) (wrong string) {
	p.M, p.D, p.Saturates = d.bits(24, 5)<<4, tensorType(tensorSums[k], d.bits(4, 2)), d.is(3)
	p.maxShift = []int{0, 8, 16, 32}[d.bits(30, 2)]
	switch {
	case p.D == NoMatrix:
		return fmt.Sprintf("there is no type %d of D (bits 4 and 5)", d.bits(4, 2))
	case d.bits(0, 2) != 0 || d.is(6) || d.is(23) || d.is(29):
		return "reserved bits are not 0"
	case p.Saturates && k != KindI8:
		return "bit 3 is for integers"
	case p.D == MatrixF16 && k == KindF16 && (d.bits(7, 3) != 0 || d.bits(10, 3) != 0):
		return "a sum of .f16 is one of products of .f16"
	case d.bits(30, 2) != 0 && !p.Spread:
		return "bits 30 and 31 are for .ws"
	}
	return ""
}

// scaled is plain for a product with scales.
func (p *TensorProduct) scaled(k TensorKind, d instructionDescriptor) (wrong string) {
	p.M, p.D, p.ScaleB, p.ScaleA, p.FineScales = d.bits(27, 2)<<7, MatrixF32, d.bits(4, 2), d.bits(29, 2), !d.is(23)
	switch {
	case d.bits(0, 2) != 0 || d.is(3) || d.is(6) || d.bits(24, 3) != 0 || k != KindMXF8F6F4 && d.is(12):
		return "reserved bits are not 0"
	case d.is(31):
		return "bit 31 says that K is 96, which sm_103a alone has"
	case p.FineScales && (k != KindMXF4NVF4 || p.Blocks != 4):
		return "bit 23 says that scales are .ue4m3, which four of .kind::mxf4nvf4 are"
	case p.ScaleA%p.Blocks != 0 || p.ScaleB%p.Blocks != 0:
		return fmt.Sprintf("%d scales from byte %d of A, and %d of B, on: they begin at multiples of their number", p.Blocks, p.ScaleA, p.ScaleB)
	}
	return ""
}

// wrongShape says that PTX does not have the shape of the product (PTX ISA 9.7.16, table of shapes).
func (p *TensorProduct) wrongShape(k TensorKind) string {
	rows, step, least := []int{64, 128}, 8, 8
	switch {
	case p.Spread:
		rows = []int{32, 64, 128}
		if p.N != 64 && p.N != 128 && p.N != 256 {
			return fmt.Sprintf("N is %d (bits 17 to 22); with .ws it is 64, 128 or 256", p.N)
		}
	case k.isScaled() && !p.Pair:
		rows = []int{128}
	case p.Pair:
		rows, step, least = []int{128, 256}, 16, 16
		if k.isScaled() && p.M == 128 {
			return "an M of 128 with scales and .cta_group::2 is not supported yet"
		}
		if k == KindI8 || p.TransposedB && p.B.Bits() == 8 {
			step, least = 32, 32
		}
	case k == KindI8 && p.N > 32:
		step = 16
	}
	if !p.Pair && p.TransposedB && p.B.Bits() == 8 {
		step, least = 16, 16
	}
	switch {
	case !slices.Contains(rows, p.M):
		return fmt.Sprintf("M is %d; it is one of %d", p.M, rows)
	case p.N < least || p.N > 256 || p.N%step != 0:
		return fmt.Sprintf("N is %d (bits 17 to 22); it is a multiple of %d from %d to 256", p.N, step, least)
	}
	return ""
}

// Packed is the number of bits of elements that are bytes in tensor memory and in registers, and packed in units of
// shared memory; 0 for elements that are the same in both.
func (t MatrixType) Packed() int {
	switch t {
	case MatrixE2M3, MatrixE3M2:
		return 6
	case MatrixE2M1Byte:
		return 4
	}
	return 0
}

// isNarrow reports whether elements have fewer than 8 bits.
func (t MatrixType) isNarrow() bool { return t.Packed() > 0 || t == MatrixE2M1 }

// k is the depth of the product.
func (p *TensorProduct) k() int { return TensorDepth * 8 / p.A.Bits() }

// place is the place of an element of D, relative to the address of D (PTX ISA 9.7.16, data path layout
// organization). Layouts A and D are row by row; F distributes 16 rows over the lanes of each warp; E and G, with
// .ws, and B, of a pair, place parts of the columns of D in different lanes.
func (p *TensorProduct) place(row, col int) (lane, column int) {
	if p.M == TensorLanes {
		return row, col
	}
	if !p.Spread {
		return p.laneOf(row), col
	}
	each := p.N * p.M / TensorLanes // columns of a part
	return row + col/each*p.M, col % each
}

// laneOf is the lane of a row of A, and without .ws of D.
func (p *TensorProduct) laneOf(row int) int {
	if p.M == 64 && !p.Spread {
		return row/16*32 + row%16
	}
	return row
}

// Columns is how many columns of tensor memory D has.
func (p *TensorProduct) Columns() int {
	if p.Spread {
		return p.N * p.M / TensorLanes
	}
	return p.N
}

// RowsOfA reads A from tensor memory at an address: words of a row are in adjacent columns.
func (p *TensorProduct) RowsOfA(to []TensorVector, t *TensorMemory, at TensorAddress) {
	for row := range p.M {
		for i, word := range t[at.Lane()+p.laneOf(row)][at.Column():][:TensorDepth/4] {
			for b := range 4 {
				to[row][4*i+b] = byte(word >> (8 * b))
			}
		}
	}
}

// TensorOperands are the operands of a product.
type TensorOperands struct {
	A, B []TensorVector // M rows, N columns
	// Scales of rows of A and columns of B, if there are any, and D are in tensor memory.
	Memory         *TensorMemory
	ScaleA, ScaleB TensorAddress
	D              TensorAddress
	Accumulates    bool                   // D is added to the product
	ScaleD         int                    // D is first divided by 2 to this power
	Disabled       [TensorLanes / 32]Mask // lanes that keep their values
}

// Multiply computes the product. Sums are those of mma, of all K products and D together; without D they begin with
// 0.
func (p *TensorProduct) Multiply(x *TensorOperands) {
	if p.D == MatrixS32 {
		p.integers(x)
		return
	}
	var b []factors
	k := p.k()
	each := min(32, maxElements/k) // columns of B in factors
	b = make([]factors, (p.N+each-1)/each)
	for col := range p.N {
		f := &b[col/each]
		f.vector(p.B, &x.B[col], col%each, k, p.NegativeB)
		p.scale(f, x.Memory, x.ScaleB, p.ScaleB, col, col%each)
	}
	dot := Product{K: k, C: p.D, D: p.D, divided: x.ScaleD}
	mask := ^uint32(0) // of an element in its cell
	if p.D == MatrixF16 {
		mask = lowHalf
	}
	for row := range p.M {
		var a factors
		a.vector(p.A, &x.A[row], 0, k, p.NegativeA)
		p.scale(&a, x.Memory, x.ScaleA, p.ScaleA, row, 0)
		for col := range p.N {
			cell := p.cell(x, row, col)
			if cell == nil {
				continue
			}
			f := &b[col/each]
			c := uint32(0)
			if x.Accumulates {
				c = *cell & mask
			}
			*cell = dot.dot(&a, f, 0, col%each*k, c, a.special&1 != 0 || f.special>>(col%each)&1 != 0)
		}
	}
}

// cell is the cell of an element of D; nil if it keeps its value.
func (p *TensorProduct) cell(x *TensorOperands, row, col int) *uint32 {
	lane, column := p.place(row, col)
	if lane += x.D.Lane(); x.Disabled[lane/32]>>(lane%32)&1 != 0 {
		return nil
	}
	return &x.Memory[lane][x.D.Column()+column]
}

// halved divides a number, given with its exponent for factors, by a power of 2.
func halved(v float64, e int32, power int) (float64, int32) {
	if e == specialExponent || e == noExponent {
		return v, e
	}
	return math.Ldexp(v, -power), e - int32(power)
}

// vector sets a row, or column, of k elements from its bytes.
func (x *factors) vector(t MatrixType, v *TensorVector, number, k int, negative bool) {
	x.special &^= 1 << number
	for i := range k {
		value, e := t.unpack(v, i)
		if negative {
			value = -value
		}
		x.set(number, number*k+i, value, e)
	}
}

// unpack is element i of a vector of type t, with its exponent for factors.
func (t MatrixType) unpack(v *TensorVector, i int) (value float64, e int32) {
	switch t {
	case MatrixF16:
		return unpackF16(uint32(v[2*i]) | uint32(v[2*i+1])<<8)
	case MatrixBF16:
		return unpackF32(uint32(v[2*i])<<16 | uint32(v[2*i+1])<<24)
	case MatrixTF32:
		return unpackF32((uint32(v[4*i]) | uint32(v[4*i+1])<<8 | uint32(v[4*i+2])<<16 | uint32(v[4*i+3])<<24) &^ tailTF32)
	case MatrixE4M3:
		return unpackE4M3(uint32(v[i]))
	case MatrixE5M2: // the upper half of a .f16
		return unpackF16(uint32(v[i]) << 8)
	case MatrixE2M3:
		return e2m3.unpack(uint32(v[i]))
	case MatrixE3M2:
		return e3m2.unpack(uint32(v[i]))
	case MatrixE2M1Byte:
		return e2m1.unpack(uint32(v[i]) >> 2)
	}
	return e2m1.unpack(uint32(v[i/2]) >> (i % 2 * 4) & 0xf)
}

// scale multiplies the elements of vector number at, which is row or column n, by its scales. The scales of 32
// vectors are in the lanes of each warp, those of the next 32 one column further on (PTX ISA 9.7.16, scale factors).
func (p *TensorProduct) scale(x *factors, t *TensorMemory, from TensorAddress, first, n, at int) {
	if p.Blocks == 0 {
		return
	}
	x.scale(Scaling{p.Blocks, p.FineScales}, t[n%32][from.Column()+n/32]>>(8*first), at, p.k())
}

// integers is Multiply for integers. Sums wrap, or the exact sum is clamped.
func (p *TensorProduct) integers(x *TensorOperands) {
	b := make([][TensorDepth]int32, p.N)
	for col := range b {
		p.B.integers(&x.B[col], &b[col])
	}
	for row := range p.M {
		var a [TensorDepth]int32
		p.A.integers(&x.A[row], &a)
		for col := range b {
			cell := p.cell(x, row, col)
			if cell == nil {
				continue
			}
			sum := int64(0)
			if x.Accumulates {
				sum = int64(int32(*cell))
			}
			for i := range a {
				sum += int64(a[i] * b[col][i])
			}
			if p.Saturates {
				sum = min(max(sum, math.MinInt32), math.MaxInt32)
			}
			*cell = uint32(sum)
		}
	}
}

// integers unpacks a vector of 8-bit integers.
func (t MatrixType) integers(v *TensorVector, to *[TensorDepth]int32) {
	for i, x := range v {
		if to[i] = int32(x); t == MatrixS8 {
			to[i] = int32(int8(x))
		}
	}
}
