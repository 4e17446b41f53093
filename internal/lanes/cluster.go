package lanes

// Addresses in the shared memory of a cluster: those below sharedOwn belong to the executing CTA; from sharedOwn on
// each CTA of the cluster has peerBytes, by rank.
const (
	sharedOwn = 1 << 24
	peerBytes = 1 << 20
	maxPeers  = sharedOwn / peerBytes
)

// MapShared maps an address a in the shared memory of a CTA to the same place in the CTA of rank b. Both addresses
// are in.Imm higher than in shared memory. A rank outside the cluster gives an address at which no CTA has memory.
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

// SharedRank is the rank of the CTA with the shared memory that contains address a, which is in.Imm higher than
// there; slot E has the rank of the executing CTA.
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

// WithinOwn is Within, and also true for the addresses in the cluster's shared memory that belong to the executing
// CTA, which has its rank in slot E.
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

// The answer of clusterlaunchcontrol.try_cancel has 128 bits in a format that PTX leaves open: here coordinate x in
// the lowest 31 bits, the next bit set if a cluster was taken out of the launch, y in the next 32 bits, and z in the
// upper half.
const canceled = 1 << 31

// AnswerBytes is the size of such an answer, and its alignment.
const AnswerBytes = 16

// CancelAnswer is the answer that the cluster with its first CTA at these coordinates was taken out of the launch.
func CancelAnswer(x, y, z uint32) (low, high uint64) {
	return uint64(x|canceled) | uint64(y)<<32, uint64(z)
}

// IsCanceled is true if a cluster was taken out of the launch, by the answer in A.
func IsCanceled(f *File, in *Op, m Mask) {
	low, _ := Long(f, in.A)
	yes := Mask(0)
	for lane, v := range low {
		yes |= Mask(v/canceled&1) << lane
	}
	d := Pred(f, in.D)
	*d = *d&^m | yes&m
}

// canceledAt sets a register to a part of the answer in A.
func canceledAt(f *File, in *Op, m Mask, to uint32, part func(low, high uint64) uint32) {
	var d [Width]uint32
	low, high := Long(f, in.A)
	for lane := range d {
		d[lane] = part(low[lane], high[lane])
	}
	Select(Reg[uint32](f, to), &d, m)
}

func canceledX(low, _ uint64) uint32  { return uint32(low) &^ canceled }
func canceledY(low, _ uint64) uint32  { return uint32(low >> 32) }
func canceledZ(_, high uint64) uint32 { return uint32(high) }

// CanceledX is coordinate x of the first CTA that was taken out of the launch, by the answer in A.
func CanceledX(f *File, in *Op, m Mask) { canceledAt(f, in, m, in.D, canceledX) }

// CanceledY is CanceledX for y.
func CanceledY(f *File, in *Op, m Mask) { canceledAt(f, in, m, in.D, canceledY) }

// CanceledZ is CanceledX for z.
func CanceledZ(f *File, in *Op, m Mask) { canceledAt(f, in, m, in.D, canceledZ) }

// CanceledCTA is all three coordinates, then 0, in the four registers of in.Vec.
func CanceledCTA(f *File, in *Op, m Mask) {
	for i, part := range [...]func(low, high uint64) uint32{canceledX, canceledY, canceledZ, func(_, _ uint64) uint32 { return 0 }} {
		canceledAt(f, in, m, in.Vec[i], part)
	}
}
