package lanes

// Local memory grows upwards: the stack pointer of each lane, E, is where memory begins
// that nothing uses yet.

// StackTop is where memory of a lane ends after an Alloca, given its stack pointer: of so many
// bytes, aligned as in.Imm says.
func (in *Op) StackTop(pointer, bytes uint64) (start, top uint64) {
	start = (pointer + in.Imm - 1) &^ (in.Imm - 1)
	return start, start + bytes
}

// Alloca is in D the address of A bytes of local memory, which is above the stack pointer
// and becomes part of what is below it.
func Alloca[S Bits](f *File, in *Op, m Mask) {
	d, a, pointer := Reg[S](f, in.D), Reg[S](f, in.A), Reg[uint64](f, in.E)
	for ; m != 0; m &= m - 1 {
		i := m.first()
		var start uint64
		start, pointer[i] = in.StackTop(pointer[i], uint64(a[i]))
		d[i] = S(start)
	}
}

// StackSave is the stack pointer.
func StackSave[S Bits](f *File, in *Op, m Mask) {
	d, pointer := Reg[S](f, in.D), Reg[uint64](f, in.E)
	for ; m != 0; m &= m - 1 {
		i := m.first()
		d[i] = S(pointer[i])
	}
}

// StackRestore sets the stack pointer to A.
func StackRestore[S Bits](f *File, in *Op, m Mask) {
	a, pointer := Reg[S](f, in.A), Reg[uint64](f, in.E)
	for ; m != 0; m &= m - 1 {
		i := m.first()
		pointer[i] = uint64(a[i])
	}
}
