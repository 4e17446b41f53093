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

// bytes is the row of RowBytes that a lane's access moves.
func (a *Access) bytes(lane int) *[RowBytes]byte {
	return (*[RowBytes]byte)(a.Mem[a.At(lane):][:RowBytes])
}

// loadTransposed reads rows of matrices of 16 by 16 bytes that narrow makes of the rows in memory: lane i, if it is in
// m, has the address of row i%16 of matrix i/16. Two registers receive a matrix: lane i the bytes of column i/4, and of
// column i/4+8, from row i%4*4 on.
func loadTransposed(f *File, in *Op, m Mask, a *Access, bits int) {
	regs := &in.Fragments()[FragmentD]
	for ; m != 0; m &= m - 1 {
		i := m.First()
		row, bytes := i%16, expanded(a.bytes(i), bits)
		shift := row % 4 * 8
		for col, v := range bytes {
			to := &Reg[uint32](f, regs[i/16*2+col/8])[col%8*4+row/4]
			*to = *to&^(0xff<<shift) | uint32(v)<<shift
		}
	}
}

// loadExpanded reads rows of matrices of 8 by 16 elements, as bytes: lane i, if it is in m, has the address of row i%8
// of matrix i/8. A register receives a matrix: lane i the four bytes from column i%4*4 on of row i/4.
func loadExpanded(f *File, in *Op, m Mask, a *Access, bits int) {
	regs := &in.Fragments()[FragmentD]
	for ; m != 0; m &= m - 1 {
		i := m.First()
		bytes := expanded(a.bytes(i), bits)
		to := Reg[uint32](f, regs[i/8])[i%8*4:][:4]
		for word := range to {
			b := bytes[4*word:]
			to[word] = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		}
	}
}

// expanded returns a row of 16 elements as bytes.
func expanded(row *[RowBytes]byte, bits int) [RowBytes]byte {
	bytes := *row
	if bits < 8 {
		ExpandNarrow(bytes[:], bits, false)
	}
	return bytes
}

// LdMatrixTrans8 reads matrices of 16 by 16 bytes, transposed.
func LdMatrixTrans8(f *File, in *Op, m Mask, a *Access) { loadTransposed(f, in, m, a, 8) }

// LdMatrixTrans6 is LdMatrixTrans8 of rows of elements of 6 bits.
func LdMatrixTrans6(f *File, in *Op, m Mask, a *Access) { loadTransposed(f, in, m, a, 6) }

// LdMatrixTrans4 is LdMatrixTrans8 of rows of elements of 4 bits.
func LdMatrixTrans4(f *File, in *Op, m Mask, a *Access) { loadTransposed(f, in, m, a, 4) }

// LdMatrix6 reads matrices of 8 by 16 elements of 6 bits.
func LdMatrix6(f *File, in *Op, m Mask, a *Access) { loadExpanded(f, in, m, a, 6) }

// LdMatrix4 reads matrices of 8 by 16 elements of 4 bits.
func LdMatrix4(f *File, in *Op, m Mask, a *Access) { loadExpanded(f, in, m, a, 4) }

// StMatrixTrans8 writes 8 rows of 16 bytes: of the two bytes from column i/4 on, and those from column i/4+8 on, rows
// i%4*2 and i%4*2+1 are those of lane i, from the lowest byte of its register on.
func StMatrixTrans8(f *File, in *Op, m Mask, a *Access) {
	regs := &in.Fragments()[FragmentB]
	for ; m != 0; m &= m - 1 {
		i := m.First()
		r, row, bytes := Reg[uint32](f, regs[i/8]), i%8, a.bytes(i)
		for col := range bytes {
			bytes[col] = byte(r[col%8*4+row/2] >> (row%2*8 + col/8*16))
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
