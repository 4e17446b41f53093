package lanes

// ElementAt is the place of element e of register r of a lane in a matrix, given as one of FragmentD to FragmentC: the
// row and the column. With Quads, the four matrices follow each other: the second one begins at row 8 and column 8.
func (p *Product) ElementAt(matrix, r, e, lane int) (row, col int) {
	if !p.Quads {
		return p.place(matrix, r%p.Registers(matrix), e, lane)
	}
	quad, _ := quadOf(lane)
	switch matrix {
	case FragmentA:
		row, col = p.quadOfA(r*p.A.perRegister()+e, lane)
	case FragmentB:
		row, col = p.quadOfB(r*p.B.perRegister()+e, lane)
	default:
		t := p.Type(matrix)
		row, col = p.quadOfC(t, r*t.perRegister()+e, lane)
	}
	return row + 8*quad, col + 8*quad
}

// Type is the type of the elements of a matrix, given as one of FragmentD to FragmentC.
func (p *Product) Type(matrix int) MatrixType {
	return [...]MatrixType{FragmentD: p.D, FragmentA: p.A, FragmentB: p.B, FragmentC: p.C}[matrix]
}

// Elements is how many elements of the type a register holds.
func (t MatrixType) Elements() int { return t.perRegister() }
