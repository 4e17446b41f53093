package lanes

// Place returns the place of element i of a lane's fragment in a matrix of the product.
func (p *Product) Place(matrix, i, lane int) (row, col int) {
	if !p.Quads {
		per := [...]MatrixType{p.D, p.A, p.B, p.C}[matrix].perRegister()
		return p.place(matrix, i/per, i%per, lane)
	}
	switch matrix {
	case FragmentA:
		return p.quadOfA(i, lane)
	case FragmentB:
		return p.quadOfB(i, lane)
	case FragmentC:
		return p.quadOfC(p.C, i, lane)
	}
	return p.quadOfC(p.D, i, lane)
}
