package lanes

// In a row of a sparse matrix A half of the elements are 0 and are not stored (PTX ISA 9.7.14, sparse matrix
// storage). The row is divided into chunks of two elements of .tf32, eight of .s4 and .u4, and otherwise four. Each
// chunk has four bits of metadata: two numbers, the lower first, of the parts of the chunk that are stored. A part is
// one element; for .s4 and .u4 two elements, and for .tf32 half an element, where both halves are of the same
// element.

// chunk is the number of elements that four bits of metadata describe.
func (t MatrixType) chunk() int {
	switch t.Bits() {
	case 32:
		return 2
	case 4:
		return 8
	}
	return 4
}

// stored is the number of stored elements of a row of A.
func (p *Product) stored() int {
	if p.Sparse {
		return p.K / 2
	}
	return p.K
}

// Selectors is the number of values of the sparsity selector, which selects the lane, or the pair of lanes, with the
// metadata of a row among the four lanes that hold it.
func (p *Product) Selectors() int {
	return 16 / (p.K / p.A.chunk())
}

// metadata returns the four bits for a chunk of a row, one of the 16 rows of a warp, from the registers e.
func (p *Product) metadata(e *[Width]uint32, selector, row, chunk int) uint32 {
	lane, upper := row%8*4, row/8
	if p.A.Bits() <= 8 { // a register has 8 chunks of a row; the other rows are in the next lane
		return e[lane+upper+(selector+chunk/8)*2] >> (chunk % 8 * 4) & 0xf
	}
	lanes := p.K / p.A.chunk() / 4 // with 4 chunks of two rows each
	return e[lane+selector*lanes+chunk/4] >> (upper*16 + chunk%4*4) & 0xf
}

// The metadata of a chunk of .tf32: the first or the second element is stored.
const (
	tf32First  = 0b0100
	tf32Second = 0b1110
)

// isMetadata reports whether four bits are valid metadata of a chunk.
func (p *Product) isMetadata(bits uint32) bool {
	low, high := bits&3, bits>>2
	switch {
	case p.A == MatrixTF32:
		return bits == tf32First || bits == tf32Second
	case p.Ordered:
		return low < high
	}
	return low != high
}

// BadMetadata finds four invalid bits of metadata in the registers e of a warp, and their row and chunk.
func (p *Product) BadMetadata(e *[Width]uint32, selector int) (row, chunk int, bits uint32, found bool) {
	for row := range 16 {
		for chunk := range p.K / p.A.chunk() {
			if bits := p.metadata(e, selector, row, chunk); !p.isMetadata(bits) {
				return row, chunk, bits, true
			}
		}
	}
	return 0, 0, 0, false
}

// maxStored is the largest number of stored elements of a row of a sparse matrix.
const maxStored = 64

// places returns the positions in a row of its stored elements.
func (p *Product) places(to *[maxStored]uint8, e *[Width]uint32, selector, row int) {
	size := p.A.chunk()
	for chunk := range p.K / size {
		bits, at := p.metadata(e, selector, row, chunk), uint8(chunk*size)
		low, high := at+uint8(bits&3), at+uint8(bits>>2)
		switch stored := to[chunk*size/2:]; size {
		case 2:
			stored[0] = at + uint8(bits>>3)
		case 4:
			stored[0], stored[1] = low, high
		case 8:
			low, high = 2*low-at, 2*high-at
			stored[0], stored[1], stored[2], stored[3] = low, low+1, high, high+1
		}
	}
}

// choose selects the elements of b, which has cols columns of depth elements, at these positions: the factors of the
// stored elements of a row.
func (x *factors) choose(b *factors, places []uint8, cols, depth int) {
	x.special = 0
	for col := range cols {
		for i, k := range places {
			at := col*depth + int(k)
			x.set(col, col*len(places)+i, b.value[at], b.exponent[at])
		}
	}
}

// rowPlaces are the positions of the stored elements of 16 rows.
type rowPlaces [16][maxStored]uint8

// allPlaces returns the positions of the stored elements of the 16 rows of a warp.
func (p *Product) allPlaces(to *rowPlaces, e *[Width]uint32, selector int) {
	for row := range to {
		p.places(&to[row], e, selector, row)
	}
}

// sparseFloats is floats with a sparse A. Factors of elements that are not stored are ignored.
func (p *Product) sparseFloats(f *File, in *Op) {
	var a, b factors
	var c [maxElements]uint32
	var places rowPlaces
	frag := in.Fragments()
	for r := range p.Registers(FragmentA) {
		row, word := p.WordOfA(r, 0)
		a.gather(p.A, Reg[uint32](f, frag[FragmentA][r]), row, word, p.stored())
	}
	for r := range p.Registers(FragmentB) {
		word, col := p.WordOfB(r, 0)
		b.gather(p.B, Reg[uint32](f, frag[FragmentB][r]), col, word, p.K)
	}
	p.gatherC(f, &frag[FragmentC], &c)
	p.allPlaces(&places, Reg[uint32](f, in.E), int(in.Imm))
	p.addSparseFloats(&a, &b, &c, &places)
	p.scatterD(f, &frag[FragmentD], &c)
}

// addSparseFloats adds the products of A and B to c.
func (p *Product) addSparseFloats(a, b *factors, c *[maxElements]uint32, places *rowPlaces) {
	var chosen factors
	stored := p.stored()
	of := Product{K: stored, C: p.C, D: p.D, Coarse: p.Coarse}
	for row := range p.M {
		chosen.choose(b, places[row][:stored], p.N, p.K)
		for col := range p.N {
			special := (a.special>>row|chosen.special>>col)&1 != 0
			c[row*p.N+col] = of.dot(a, &chosen, row*stored, col*stored, c[row*p.N+col], special)
		}
	}
}

// sparseIntegers is integers with a sparse A.
func (p *Product) sparseIntegers(f *File, in *Op) {
	var a, b [1024]int32
	var c [maxElements]uint32
	var places rowPlaces
	frag := in.Fragments()
	p.gatherIntegers(f, frag, &a, &b)
	p.gatherC(f, &frag[FragmentC], &c)
	p.allPlaces(&places, Reg[uint32](f, in.E), int(in.Imm))
	p.addSparseIntegers(&a, &b, &c, &places)
	p.scatterD(f, &frag[FragmentD], &c)
}

// addSparseIntegers adds the products of A and B to c.
func (p *Product) addSparseIntegers(a, b *[1024]int32, c *[maxElements]uint32, places *rowPlaces) {
	stored := p.stored()
	for row := range p.M {
		at := &places[row]
		for col := range p.N {
			x, y, sum := a[row*stored:][:stored], b[col*p.K:][:p.K], int32(0)
			for i := range x {
				sum += x[i] * y[at[i]]
			}
			c[row*p.N+col] = p.accumulate(sum, c[row*p.N+col])
		}
	}
}
