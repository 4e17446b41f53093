package lanes

// groupColumns is the largest number of columns of B in a product of a warpgroup.
const groupColumns = 256

// GroupMatrices are the factors of a warp in a product of a warpgroup: its 16 rows of A as they are stored, of 32
// bytes each, and all columns of B, of 32 bytes, or 64 if A is sparse.
type GroupMatrices struct {
	A                [16][16]uint32
	B                [groupColumns][16]uint32
	Metadata         *[Width]uint32 // of a sparse A
	Selector         int
	NegateA, NegateB bool // elements of A and B are negated
	Anew             bool // D is ignored, as if it were 0

	// Unpacked rows of A and a tile of B, for Group.
	places   rowPlaces
	floats   [2]factors
	integers [2][1024]int32
	bits     [2][128]uint32
}

// groupTile is how many columns are computed at a time.
const groupTile = 8

// GatherA sets the rows of A from the registers of a fragment.
func (p *Product) GatherA(f *File, registers []uint32, x *GroupMatrices) {
	for r, at := range registers {
		row, word := p.WordOfA(r, 0)
		for lane, w := range Reg[uint32](f, at) {
			x.A[row+lane/4][word+lane%4] = w
		}
	}
}

// Group adds the product of x to D in these registers, or replaces D by it, tile by tile as mma.m16n8.
func (p *Product) Group(f *File, d []uint32, x *GroupMatrices) {
	tile := *p
	tile.N = groupTile
	if p.Sparse {
		p.allPlaces(&x.places, x.Metadata, x.Selector)
	}
	x.unpack(0, p.A, x.NegateA, p.M, p.stored(), func(row int) []uint32 { return x.A[row][:] })
	each := tile.Registers(FragmentD)
	for col := 0; col < p.N; col += groupTile {
		x.unpack(1, p.B, x.NegateB, groupTile, p.K, func(n int) []uint32 { return x.B[col+n][:] })
		var c [maxElements]uint32
		var registers [MaxVec]uint32
		copy(registers[:], d[col/groupTile*each:][:each])
		if !x.Anew {
			tile.gatherC(f, &registers, &c)
		}
		tile.addTile(x, &c)
		tile.scatterD(f, &registers, &c)
	}
}

// unpack unpacks rows of A or columns of B: vectors of depth elements of type t.
func (x *GroupMatrices) unpack(matrix int, t MatrixType, negate bool, rows, depth int, row func(n int) []uint32) {
	per, floats := t.perRegister(), &x.floats[matrix]
	floats.special = 0
	for n := range rows {
		for i, w := range row(n)[:depth/per] {
			at := n*depth + i*per
			switch t {
			case MatrixB1:
				x.bits[matrix][at/per] = w
			case MatrixS8, MatrixU8:
				unpackInts(t, w, x.integers[matrix][at:])
			default:
				floats.unpack(t, n, at, w)
			}
		}
	}
	if negate {
		for i := range floats.value[:rows*depth] {
			floats.value[i] = -floats.value[i]
		}
	}
}

// addTile adds the products of A and of a tile of B to c.
func (p *Product) addTile(x *GroupMatrices, c *[maxElements]uint32) {
	switch {
	case p.A == MatrixB1:
		p.addBits(&x.bits[0], &x.bits[1], c)
	case p.C == MatrixS32 && p.Sparse:
		p.addSparseIntegers(&x.integers[0], &x.integers[1], c, &x.places)
	case p.C == MatrixS32:
		p.addIntegers(&x.integers[0], &x.integers[1], c)
	case p.Sparse:
		p.addSparseFloats(&x.floats[0], &x.floats[1], c, &x.places)
	default:
		p.addFloats(&x.floats[0], &x.floats[1], c)
	}
}
