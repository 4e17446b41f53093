package lanes

// Elect sets D to the lowest lane of m, and D2 in that lane alone.
func Elect(f *File, in *Op, m Mask) {
	leader := m.First()
	d := Reg[uint32](f, in.D)
	p := Pred(f, in.D2)
	*p = *p&^m | 1<<leader
	for ; m != 0; m &= m - 1 {
		d[m.First()] = uint32(leader)
	}
}
