package lanes

import "unsafe"

// RowBytes is the size of a row of the matrices that ldmatrix and stmatrix move: eight
// elements of 16 bits.
const RowBytes = 16

// row is the row of RowBytes that a lane's access moves.
func (a *Access) row(lane int) *[RowBytes / 2]uint16 {
	return (*[RowBytes / 2]uint16)(unsafe.Pointer(&a.Mem[a.At(lane):][:RowBytes][0]))
}

// LdMatrix reads rows of matrices of 8 by 8 elements of 16 bits: lane i, if it is in m, has the address of row i%8 of
// matrix i/8. Register number k in FragmentD receives two elements of matrix k: lane i those from column i%4*2 on of
// row i/4.
func LdMatrix(f *File, in *Op, m Mask, a *Access) {
	regs := &in.Fragments()[FragmentD]
	for ; m != 0; m &= m - 1 {
		i := m.First()
		words := (*[RowBytes / 4]uint32)(unsafe.Pointer(a.row(i)))
		copy(Reg[uint32](f, regs[i/8])[i%8*4:], words[:])
	}
}

// LdMatrixTrans is LdMatrix of transposed matrices: lane i receives elements of column i/4, from row i%4*2 on.
func LdMatrixTrans(f *File, in *Op, m Mask, a *Access) {
	regs := &in.Fragments()[FragmentD]
	for ; m != 0; m &= m - 1 {
		i := m.First()
		r, shift := Reg[uint32](f, regs[i/8]), i%2*16
		for col, v := range a.row(i) {
			to := &r[col*4+i%8/2]
			*to = *to&^(lowHalf<<shift) | uint32(v)<<shift
		}
	}
}

// StMatrix writes the matrices that LdMatrix reads, from the registers in FragmentB. If rows overlap, that of the
// highest lane stays.
func StMatrix(f *File, in *Op, m Mask, a *Access) {
	regs := &in.Fragments()[FragmentB]
	for ; m != 0; m &= m - 1 {
		i := m.First()
		words := (*[RowBytes / 4]uint32)(unsafe.Pointer(a.row(i)))
		copy(words[:], Reg[uint32](f, regs[i/8])[i%8*4:])
	}
}

// StMatrixTrans writes the matrices that LdMatrixTrans reads.
func StMatrixTrans(f *File, in *Op, m Mask, a *Access) {
	regs := &in.Fragments()[FragmentB]
	for ; m != 0; m &= m - 1 {
		i := m.First()
		r, row := Reg[uint32](f, regs[i/8]), a.row(i)
		for col := range row {
			row[col] = uint16(r[col*4+i%8/2] >> (i % 2 * 16))
		}
	}
}

// MovMatrixTrans transposes a matrix of 8 by 8 elements of 16 bits; lane i holds two elements of row i/4 in A. All
// lanes take part.
func MovMatrixTrans(f *File, in *Op, _ Mask) {
	a, d := *Reg[uint32](f, in.A), Reg[uint32](f, in.D)
	for lane := range d {
		row, col := lane%4*2, lane/4
		at, shift := row*4+col/2, col%2*16
		d[lane] = a[at]>>shift&lowHalf | a[at+4]>>shift<<16
	}
}
