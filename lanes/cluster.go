package lanes

// Addresses in the shared memory of a cluster: below sharedOwn they are those of the
// executing CTA, from there on each CTA of the cluster has peerBytes, by rank.
const (
	sharedOwn = 1 << 24
	peerBytes = 1 << 20
	maxPeers  = sharedOwn / peerBytes
)

// MapShared is the address in the shared memory of the CTA of rank b that address a is in that of
// another. Both are in.Imm higher than in shared memory. A rank that no cluster has
// gives an address at which no CTA has memory.
func MapShared[S Bits](f *File, in *Op, m Mask) {
	d, a := unary[S](f, in, m)
	b, imm := Reg[uint32](f, in.B), S(in.Imm)
	for lane := range d {
		to := S(sharedOwn*2 - 1)
		if b[lane] < maxPeers {
			to = sharedOwn + S(b[lane])*peerBytes + (a[lane]-imm)%peerBytes
		}
		d[lane] = to + imm
	}
	Merge[S](f, in.D, m)
}

// SharedRank is the rank of the CTA in whose shared memory address a is, which is in.Imm
// higher than there; that of the executing CTA is in slot E.
func SharedRank[S Bits](f *File, in *Op, m Mask) {
	a, own, imm := Reg[S](f, in.A), Reg[uint32](f, in.E), S(in.Imm)
	var d [Width]uint32
	for lane := range d {
		if d[lane] = own[lane]; a[lane]-imm >= sharedOwn {
			d[lane] = uint32((a[lane]-imm-sharedOwn)/peerBytes) % maxPeers
		}
	}
	Select(Reg[uint32](f, in.D), &d, m)
}

// WithinOwn is Within, and true for addresses that the executing CTA, whose rank is in slot E, has
// in the shared memory of its cluster.
func WithinOwn[S Bits](f *File, in *Op, m Mask) {
	a, own, first := Reg[S](f, in.A), Reg[uint32](f, in.E), S(uint32(in.Imm))
	mine := within[S](f, in)
	for lane := range a {
		if (a[lane]-first-sharedOwn)/peerBytes == S(own[lane]) {
			mine |= 1 << lane
		}
	}
	setPred(f, in.D, m, mine)
}
