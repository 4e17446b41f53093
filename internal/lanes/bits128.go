package lanes

// Long is a register of 128 bits: the low and the high halves.
func Long(f *File, off uint32) (low, high *[Width]uint64) {
	return Reg[uint64](f, off), Reg[uint64](f, off+Slot64)
}

// Mov128 copies A, of 128 bits, to D.
func Mov128(f *File, in *Op, m Mask) {
	low, high := Long(f, in.D)
	fromLow, fromHigh := Long(f, in.A)
	Select(low, fromLow, m)
	Select(high, fromHigh, m)
}

// Pack128 sets D, of 128 bits, to the two elements of in.Vec, the first lowest.
func Pack128(f *File, in *Op, m Mask) {
	low, high := Long(f, in.D)
	Select(low, Reg[uint64](f, in.Vec[0]), m)
	Select(high, Reg[uint64](f, in.Vec[1]), m)
}

// Unpack128 is the reverse of Pack128.
func Unpack128(f *File, in *Op, m Mask) {
	low, high := Long(f, in.A)
	Select(Reg[uint64](f, in.Vec[0]), low, m)
	Select(Reg[uint64](f, in.Vec[1]), high, m)
}

// Load128 reads 16 bytes into D.
func Load128(f *File, in *Op, m Mask, a *Access) {
	low, high := Long(f, in.D)
	a.expand()
	gather[uint64, uint64](low, m, a, 0)
	gather[uint64, uint64](high, m, a, 8)
}

// Store128 writes B to memory.
func Store128(f *File, in *Op, m Mask, a *Access) {
	low, high := Long(f, in.B)
	a.expand()
	scatter[uint64](low, m, a, 0)
	scatter[uint64](high, m, a, 8)
}

// AtomExch128 is AtomExch of 128 bits.
func AtomExch128(f *File, in *Op, m Mask, a *Access) {
	atom128(f, in, m, a, func(old, b, _ [2]uint64) [2]uint64 { return b })
}

// AtomCas128 is AtomCas of 128 bits.
func AtomCas128(f *File, in *Op, m Mask, a *Access) {
	atom128(f, in, m, a, func(old, b, c [2]uint64) [2]uint64 {
		if old == b {
			return c
		}
		return old
	})
}

// atom128 replaces the memory of each lane of m by op of the old value, b and c, one lane after the other, and keeps
// the old values in d.
func atom128(f *File, in *Op, m Mask, a *Access, op func(old, b, c [2]uint64) [2]uint64) {
	at := func(off uint32, lane int) [2]uint64 {
		low, high := Long(f, off)
		return [2]uint64{low[lane], high[lane]}
	}
	low, high := Long(f, in.D)
	a.expand()
	for ; m != 0; m &= m - 1 {
		i := m.First()
		first, second := place[uint64](a, i, 0), place[uint64](a, i, 8)
		old := [2]uint64{*first, *second}
		now := op(old, at(in.B, i), at(in.C, i))
		*first, *second = now[0], now[1]
		low[i], high[i] = old[0], old[1]
	}
}
