// Package cache models the timing of memory beyond the load/store unit of an SM: L1, the ports between SMs and L2,
// the slices of L2 and the channels of device memory. It handles neither data nor instructions, only sectors, lines
// and cycles.
package cache

// Kind is the purpose of a request.
type Kind uint8

// The kinds of requests.
const (
	Load      Kind = iota
	Store          // its only reply is that L2 has taken it
	Atomic         // has a reply, like a load
	Reduction      // an atomic without a result, handled like a store
	NumKinds       // number of kinds
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

// Request is a request of an SM to L2 for sectors of one line.
type Request struct {
	Cycle int64 // in which it leaves the SM
	// Reply is the cycle in which the SM can use the answer or, for a Store or Reduction, in which it knows that L2 has
	// taken it. System.Serve sets it.
	Reply int64
	// Line is the address / LineBytes. Caches distinguish lines by 40 bits: the low 32, and the sum of the two bytes
	// above them. Local memory, which has addresses of its own, must differ from global memory in these.
	Line    uint64
	SM      int16
	Launch  int16 // index of the launch; its Traffic counts the request
	Sectors uint8 // a mask of four, not 0
	Partial bool  // of a Store: it does not write all bytes of its sectors
	Kind    Kind
	Lanes   uint8 // of an Atomic or Reduction
	Words   uint8 // of an Atomic or Reduction: distinct words that its lanes change
	Float   bool  // of an Atomic or Reduction: it adds floating-point numbers
}
