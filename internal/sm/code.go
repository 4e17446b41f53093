package sm

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// code is a function as an SM issues it.
type code struct {
	fn        *program.Func
	firstSite int      // the counters of the instruction at PC pc are at firstSite+pc
	instrs    []instr  // by PC, and one for the end
	registers int      // of a scoreboard
	offsets   []uint32 // of those behind the first, in the register file
}

// instr is an instruction of PTX as an SM issues it.
type instr struct {
	ops      []op     // machine instructions; none if it costs nothing
	syncs    int      // how many of them, at the start, wait at convergence barriers
	reads    int      // index in ops of the first that waits for the sources
	sources  []uint16 // registers of the scoreboard that it waits for: what it reads, and what it writes
	results  []uint16 // registers of the scoreboard that it writes
	fresh    []uint16 // those of them that are not among the sources
	latency  int64    // of the results, from the issue of the last op
	pending  State    // of a warp that waits for the results
	conflict int64    // cycles beyond the first in which its sources are read from the register banks
	skipped  []op     // of a branch: what is issued although all lanes jump over it
	target   int      // PC of such a branch
	memoryTraits
	asyncTraits
	clusterWait bool // it waits at the barrier of a cluster
	arrives     bool // at a barrier, without waiting
	waitsAt     bool // it tests an mbarrier
	follows     bool // it costs nothing, and its results can wait for its sources in its place
	calls       bool
	served      bool // a call of a function of libdevice that is executed at once
	returns     bool // from a function
}

// memoryTraits is what an instruction does to memory.
type memoryTraits struct {
	memory   memoryKind
	unit     int64 // cycles of the scheduler's address unit, of what goes through its memory queue; 0 for others
	constant bool  // it reads constants or parameters
	caches   bool  // L1 may have what it loads
	reduces  bool  // an atomic without a result
	polls    bool  // it reads memory that others may write
	acquires bool  // what others have written is seen after it, which L1 has no part in
}

// asyncTraits is what an instruction does that goes on after it: copies, products of a warpgroup, and groups of these.
type asyncTraits struct {
	copies bool // to shared memory, asynchronously
	bulk   bool // a copy, or an asynchronous store, that signals an mbarrier
	leaves bool // a bulk copy to global memory, of a bulk group
	engine bool // a bulk copy, which the SM's copy engine makes

	groups     groupOp
	latest     int64 // how many of the latest groups a wait does not wait for
	bulkGroups bool  // groups are bulk groups
	readsOnly  bool  // a wait waits until the sources were read

	products   bool  // groups are those of wgmma
	multiplies bool  // it is a product of wgmma
	tiles      int64 // of 8 columns, of which the product has so many
}

// op is a machine instruction.
type op struct {
	pipe     isa.Unit
	class    isa.CostClass
	interval int64
	latency  int64
	waits    bool  // for the result of the one before
	holds    bool  // the one behind waits for its result
	pending  State // of a warp that waits for its result
	throttle State // of a warp that waits for its pipe
}

// memoryKind is what an instruction does to memory.
type memoryKind uint8

const (
	noMemory memoryKind = iota
	loads
	stores
	changes // atomics
)

// passed is a register of every scoreboard that can be read when what the next call or return
// passes in memory is there.
const passed = 0

// pendingBy and throttleBy are the states of warps that wait for a result, or for the
// pipe, of a class of instructions.
var pendingBy = func() (s [isa.NumCostClasses]State) {
	for c := range s {
		s[c] = Wait
	}
	for _, c := range []isa.CostClass{isa.CostSpecialFunction, isa.CostConversion, isa.CostDoubleConversion, isa.CostBitCount, isa.CostMatch, isa.CostReduction, isa.CostShuffle,
		isa.CostReadSpecial, isa.CostLoadShared, isa.CostAtomicShared} {
		s[c] = ShortScoreboard
	}
	for _, c := range []isa.CostClass{isa.CostLoadGlobal, isa.CostAtomicGlobal, isa.CostLoadLocal} {
		s[c] = LongScoreboard
	}
	for _, c := range []isa.CostClass{isa.CostFenceCTA, isa.CostFenceGPU, isa.CostFenceSystem} {
		s[c] = Membar
	}
	s[isa.CostLoadConstant] = IMCMiss
	s[isa.CostBranch], s[isa.CostCall] = BranchResolving, BranchResolving
	s[isa.CostSleep] = Sleeping
	return s
}()

func throttleBy(pipe isa.Unit, class isa.CostClass) State {
	switch class {
	case isa.CostLoadGlobal, isa.CostStoreGlobal, isa.CostAtomicGlobal, isa.CostReductionGlobal, isa.CostLoadLocal, isa.CostStoreLocal:
		return LGThrottle
	}
	if pipe == isa.LSU || pipe == isa.XU || pipe == isa.ADU {
		return MIOThrottle
	}
	return MathPipeThrottle
}
