package lanes

// Local memory grows upwards: slot E has the stack pointer of each lane, the lowest unused address.

// StackTop returns the start and the end of an Alloca of the given bytes at a stack pointer, aligned by in.Imm.
func (in *Op) StackTop(pointer, bytes uint64) (start, top uint64) {
	start = (pointer + in.Imm - 1) &^ (in.Imm - 1)
	return start, start + bytes
}

// Alloca sets D to the address of A bytes of local memory above the stack pointer, and moves the stack pointer past
// them.
func Alloca[S Bits](f *File, in *Op, m Mask) {
	d, a, pointer := Reg[S](f, in.D), Reg[S](f, in.A), Reg[uint64](f, in.E)
	for ; m != 0; m &= m - 1 {
		i := m.First()
		var start uint64
		start, pointer[i] = in.StackTop(pointer[i], uint64(a[i]))
		d[i] = S(start)
	}
}

// StackSave is the stack pointer.
func StackSave[S Bits](f *File, in *Op, m Mask) {
	d, pointer := Reg[S](f, in.D), Reg[uint64](f, in.E)
	for ; m != 0; m &= m - 1 {
		i := m.First()
		d[i] = S(pointer[i])
	}
}

// StackRestore sets the stack pointer to A.
func StackRestore[S Bits](f *File, in *Op, m Mask) {
	a, pointer := Reg[S](f, in.A), Reg[uint64](f, in.E)
	for ; m != 0; m &= m - 1 {
		i := m.First()
		pointer[i] = uint64(a[i])
	}
}
