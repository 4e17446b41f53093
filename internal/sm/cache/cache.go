// Package cache is how long memory takes beyond the load/store unit of an SM: L1, the
// ports between SMs and L2, the slices of L2 and the channels of device memory. It has
// neither data nor instructions: sectors and lines go in, cycles come out.
package cache

// Kind is what a request is for.
type Kind uint8

// The kinds of requests.
const (
	Load      Kind = iota
	Store          // has no reply but that L2 has taken it
	Atomic         // has a reply, as a load
	Reduction      // an atomic whose result nobody uses: as a store
	NumKinds       // how many there are
)

func (k Kind) String() string {
	return [...]string{"load", "store", "atomic", "reduction"}[k]
}

// Of memory: a line has four sectors.
const (
	LineBytes   = 128
	SectorBytes = 32
	lineSectors = LineBytes / SectorBytes
	allSectors  = 1<<lineSectors - 1
)

// Request is what an SM asks of L2: sectors of one line.
type Request struct {
	Cycle int64 // in which it leaves the SM
	// Reply is the cycle in which the SM can use the answer, or, of a Store or Reduction,
	// knows that L2 has taken it. System.Serve sets it.
	Reply int64
	// Line is the address / LineBytes. Lines are told apart by 40 bits: the low 32, and the
	// sum of the two bytes above them. Local memory, which has addresses of its own, has to
	// lie apart from global memory by these.
	Line    uint64
	SM      int16
	Launch  int16 // of those side by side, whose Traffic it is
	Sectors uint8 // a mask of four, not 0
	Partial bool  // of a Store: it does not write all bytes of its sectors
	Kind    Kind
	Lanes   uint8 // of an Atomic or Reduction
	Words   uint8 // of an Atomic or Reduction: different places that its lanes change
}
