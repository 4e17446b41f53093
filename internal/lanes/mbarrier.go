package lanes

import "errors"

// Mbarrier is the 8 bytes of an mbarrier object in shared memory, and the state that mbarrier.arrive returns. PTX
// leaves their format open (PTX ISA, mbarrier). Neither 0 nor the initial contents of shared memory, bytes of 0xab, are
// an mbarrier.
type Mbarrier uint64

// The fields of an Mbarrier, from the lowest bit: pending arrivals, the arrivals that a phase expects, the signed
// tx-count, the parity of the phase, and two bits that mark an Mbarrier.
const (
	mbarrierCountBits = 20
	mbarrierTxBits    = 21
	expectedShift     = mbarrierCountBits
	txShift           = 2 * mbarrierCountBits
	parityShift       = txShift + mbarrierTxBits
	markShift         = parityShift + 1
	mbarrierMark      = 1

	// MaxMbarrier is the largest number of arrivals, and of bytes, that an mbarrier counts.
	MaxMbarrier = 1<<mbarrierCountBits - 1
	// MbarrierBytes is the size of an mbarrier, and its alignment.
	MbarrierBytes = 8
)

// Errors of operations on an Mbarrier.
var (
	errMbarrierCount   = errors.New("the count is not 1 to 1048575")
	ErrMbarrierPending = errors.New("more arrivals than are pending")
	errMbarrierTx      = errors.New("the tx-count leaves the range from -1048575 to 1048575")
)

// NewMbarrier returns an mbarrier in its first phase; each phase expects count arrivals.
func NewMbarrier(count uint32) (Mbarrier, error) {
	if count == 0 || count > MaxMbarrier {
		return 0, errMbarrierCount
	}
	return mbarrierMark<<markShift | Mbarrier(count)<<expectedShift | Mbarrier(count), nil
}

// IsValid reports whether b is an mbarrier.
func (b Mbarrier) IsValid() bool { return b>>markShift == mbarrierMark }

// Pending is the number of arrivals for which the present phase waits.
func (b Mbarrier) Pending() uint32 { return uint32(b & MaxMbarrier) }

// Expected is the number of arrivals that the next phase expects.
func (b Mbarrier) Expected() uint32 { return uint32(b >> expectedShift & MaxMbarrier) }

// Tx is the tx-count of the present phase: the bytes that it expects to be copied, minus those that were copied.
func (b Mbarrier) Tx() int32 { return int32(b>>txShift<<(32-mbarrierTxBits)) >> (32 - mbarrierTxBits) }

// Parity is the parity of the present phase: 0 for the first.
func (b Mbarrier) Parity() uint32 { return uint32(b >> parityShift & 1) }

// Completed reports whether the phase with a parity, either the present one or the one before, is complete.
func (b Mbarrier) Completed(parity uint32) bool { return b.Parity() != parity&1 }

func (b Mbarrier) withPending(n uint32) Mbarrier { return b&^MaxMbarrier | Mbarrier(n) }

// Arrive is b after n arrivals.
func (b Mbarrier) Arrive(n uint32) (Mbarrier, error) {
	switch {
	case n == 0 || n > MaxMbarrier:
		return b, errMbarrierCount
	case n > b.Pending():
		return b, ErrMbarrierPending
	}
	return b.withPending(b.Pending() - n).settle(), nil
}

// Drop is b after n arrivals of threads that do not take part in later phases.
func (b Mbarrier) Drop(n uint32) (Mbarrier, error) {
	switch {
	case n == 0 || n > MaxMbarrier:
		return b, errMbarrierCount
	case n > b.Pending() || n > b.Expected():
		return b, ErrMbarrierPending
	}
	b -= Mbarrier(n) << expectedShift
	return b.withPending(b.Pending() - n).settle(), nil
}

// Expect is b with its tx-count raised by n, or lowered by -n.
func (b Mbarrier) Expect(n int64) (Mbarrier, error) {
	tx := int64(b.Tx()) + n
	if tx > MaxMbarrier || tx < -MaxMbarrier {
		return b, errMbarrierTx
	}
	const mask = 1<<mbarrierTxBits - 1
	return (b&^(mask<<txShift) | Mbarrier(tx&mask)<<txShift).settle(), nil
}

// settle begins the next phase if the present one is complete.
func (b Mbarrier) settle() Mbarrier {
	if b.Pending() == 0 && b.Tx() == 0 {
		return (b ^ 1<<parityShift).withPending(b.Expected())
	}
	return b
}

// MbarrierPending is the number of pending arrivals in the state A.
func MbarrierPending(f *File, in *Op, m Mask) {
	d, a := Reg[uint32](f, in.D), Reg[uint64](f, in.A)
	for ; m != 0; m &= m - 1 {
		i := m.First()
		d[i] = Mbarrier(a[i]).Pending()
	}
}
