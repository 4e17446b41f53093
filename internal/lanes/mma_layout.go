package lanes

// Registers is how many registers of a lane hold a matrix, given as one of FragmentD to FragmentC.
func (p *Product) Registers(matrix int) int {
	elements, t := p.M*p.N, p.C
	switch matrix {
	case FragmentD:
		t = p.D
	case FragmentA:
		elements, t = p.M*p.stored(), p.A
	case FragmentB:
		elements, t = p.K*p.N, p.B
	}
	if p.Quads {
		elements *= 4
	}
	return elements / Width / t.perRegister()
}

// WordOfA is the place of a register of a lane in A: its row, and the word of the row.
func (p *Product) WordOfA(r, lane int) (row, word int) {
	tall := min(p.M/8, 2) // blocks of 8 rows that alternate
	if p.M > 16 {         // two of 16 rows, one after the other
		each := p.Registers(FragmentA) / (p.M / 16)
		row, r = r/each*16, r%each
	}
	return row + r%tall*8 + lane/4, r/tall*4 + lane%4
}

// WordOfB is the place of a register of a lane in B: the word, and its column.
func (p *Product) WordOfB(r, lane int) (word, col int) {
	deep := p.K / p.B.perRegister() / 4 // blocks of 4 words
	return r%deep*4 + lane%4, r/deep*8 + lane/4
}

// pairOfC is the place of element pair n of a lane in C or D: the row, and the first of the two columns.
func (p *Product) pairOfC(n, lane int) (row, col int) {
	tall := p.M / 8
	return n%tall*8 + lane/4, n/tall*8 + lane%4*2
}

// quadOf is the one of the four products in which a lane takes part, and its number there.
func quadOf(lane int) (quad, at int) { return lane % 16 / 4, lane%4 + lane/16*4 }

// quadOfA and quadOfB are the place of element i of a lane in A and B of its product. A is stored by rows if lanes
// hold rows, else by columns; B the other way round.
func (p *Product) quadOfA(i, lane int) (row, col int) {
	_, at := quadOf(lane)
	if p.ColA {
		return i + at/4*4, at % 4
	}
	return at, i
}

func (p *Product) quadOfB(i, lane int) (row, col int) {
	_, at := quadOf(lane)
	if p.RowB {
		return at % 4, i + at/4*4
	}
	return i, at
}

// quadOfC is the place of element i of a lane in C and D of its product.
func (p *Product) quadOfC(t MatrixType, i, lane int) (row, col int) {
	_, at := quadOf(lane)
	if t == MatrixF16 {
		return at, i
	}
	return at&1 + i&2 + at&4, i&4 + at&2 + i&1
}

// elementOf is element i of a lane, of type .f16 or .f32.
func elementOf(f *File, regs *[MaxVec]uint32, t MatrixType, i, lane int) uint32 {
	if t == MatrixF16 {
		return Reg[uint32](f, regs[i/2])[lane] >> (i % 2 * 16) & lowHalf
	}
	return Reg[uint32](f, regs[i])[lane]
}

func setElement(f *File, regs *[MaxVec]uint32, t MatrixType, i, lane int, v uint32) {
	if t != MatrixF16 {
		Reg[uint32](f, regs[i])[lane] = v
		return
	}
	r, shift := &Reg[uint32](f, regs[i/2])[lane], i%2*16
	*r = *r&^(lowHalf<<shift) | v<<shift
}

// gatherC reads C, by rows; scatterD writes D.
func (p *Product) gatherC(f *File, regs *[MaxVec]uint32, c *[maxElements]uint32) {
	for n := range p.M * p.N / (2 * Width) {
		row, col := p.pairOfC(n, 0)
		if p.C == MatrixF16 {
			for lane, w := range Reg[uint32](f, regs[n]) {
				at := (row+lane/4)*p.N + col + lane%4*2
				c[at], c[at+1] = w&lowHalf, w>>16
			}
			continue
		}
		left, right := Reg[uint32](f, regs[2*n]), Reg[uint32](f, regs[2*n+1])
		for lane := range Width {
			at := (row+lane/4)*p.N + col + lane%4*2
			c[at], c[at+1] = left[lane], right[lane]
		}
	}
}

func (p *Product) scatterD(f *File, regs *[MaxVec]uint32, d *[maxElements]uint32) {
	for n := range p.M * p.N / (2 * Width) {
		row, col := p.pairOfC(n, 0)
		if p.D == MatrixF16 {
			half := Reg[uint32](f, regs[n])
			for lane := range half {
				at := (row+lane/4)*p.N + col + lane%4*2
				half[lane] = d[at] | d[at+1]<<16
			}
			continue
		}
		left, right := Reg[uint32](f, regs[2*n]), Reg[uint32](f, regs[2*n+1])
		for lane := range Width {
			at := (row+lane/4)*p.N + col + lane%4*2
			left[lane], right[lane] = d[at], d[at+1]
		}
	}
}
