package lanes

// Piece is a part of a matrix that each lane moves between one of its registers and memory.
type Piece struct {
	Register int // of the fragment
	Shift    int // where the part begins in the register, in bits
	Bits     int // of the part; it is consecutive in memory
	// Its place for each lane: the row, or column, of those that are Stride apart in memory, and the element in it.
	Major, Minor [Width]int
}

// FragmentRegisters is how many registers of a lane wmma has for a matrix. For .f16 factors there are always 8, some
// of which hold the same elements as others.
func (p *Product) FragmentRegisters(matrix int) int {
	if t := [...]MatrixType{p.D, p.A, p.B, p.C}[matrix]; t == MatrixF16 && (matrix == FragmentA || matrix == FragmentB) {
		return 8
	}
	return p.Registers(matrix)
}

// Pieces are the parts of the matrix, which is stored by rows or by columns. PTX does not specify which lane holds
// which elements of a matrix for wmma: here the layout is that of mma, with more blocks of rows and columns.
func (p *Product) Pieces(matrix int, byRows bool) []Piece {
	t := [...]MatrixType{p.D, p.A, p.B, p.C}[matrix]
	n, per := p.Registers(matrix), t.perRegister()
	var pieces []Piece
	for r := range p.FragmentRegisters(matrix) {
		var along bool // elements of a register are consecutive in memory
		switch matrix {
		case FragmentA, FragmentD, FragmentC:
			along = byRows
		case FragmentB:
			along = !byRows
		}
		parts, bits := per, t.Bits()
		if along || per == 1 {
			parts, bits = 1, per*t.Bits()
		}
		for e := range parts {
			piece := Piece{Register: r, Shift: e * bits, Bits: bits}
			for lane := range Width {
				row, col := p.place(matrix, r%n, e, lane)
				if !byRows {
					row, col = col, row
				}
				piece.Major[lane], piece.Minor[lane] = row, col
			}
			pieces = append(pieces, piece)
		}
	}
	return pieces
}

// place is the place of element e of a register of a lane in a matrix.
func (p *Product) place(matrix, r, e, lane int) (row, col int) {
	switch matrix {
	case FragmentA:
		row, word := p.WordOfA(r, lane)
		return row, word*p.A.perRegister() + e
	case FragmentB:
		word, col := p.WordOfB(r, lane)
		return word*p.B.perRegister() + e, col
	}
	t := p.Type(matrix)
	if t == MatrixF16 {
		row, col = p.pairOfC(r, lane)
		return row, col + e
	}
	row, col = p.pairOfC(r/2, lane)
	return row, col + r%2
}

// LoadPart reads an E from memory into the bits of D from in.Imm on, and leaves the rest of D
// as it is.
func LoadPart[E uint8 | uint16 | uint32](f *File, in *Op, m Mask, a *Access) {
	d, shift := Reg[uint32](f, in.D), in.Imm
	a.expand()
	for ; m != 0; m &= m - 1 {
		i := m.First()
		d[i] = d[i]&^(uint32(^E(0))<<shift) | uint32(*place[E](a, i, 0))<<shift
	}
}

// StorePart writes an E to memory, the bits of B from in.Imm on.
func StorePart[E uint8 | uint16 | uint32](f *File, in *Op, m Mask, a *Access) {
	b, shift := Reg[uint32](f, in.B), in.Imm
	a.expand()
	for ; m != 0; m &= m - 1 {
		i := m.First()
		*place[E](a, i, 0) = E(b[i] >> shift)
	}
}
