package sm

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// code is a function in the form in which an SM issues it.
type code struct {
	fn        *program.Func
	firstSite int       // the counters of the instruction at PC pc are at firstSite+pc
	entry     instr     // what a warp issues before the first instruction of a kernel; without ops if that is nothing
	instrs    []instr   // by PC, and one for the end
	registers int       // number of registers on a scoreboard
	names     []string  // of the registers after passed
	regions   []*region // by their first PC
}

// instr is a PTX instruction in the form in which an SM issues it. Fields that each issue needs come first.
type instr struct {
	ops     []op     // machine instructions; none if it costs nothing
	sources []uint16 // scoreboard registers that it waits for: those it reads and those it writes
	results []uint16 // scoreboard registers that it writes
	guards  []uint16 // scoreboard registers, among the sources, with predicates that guard it
	latency int64    // of the results, in cycles from the issue of the last op
	reads   int      // index in ops of the first one that waits for the sources
	pc      int      // of the PTX instruction
	pending State    // of a warp that waits for the results
	// it may wait for something else than registers, or for values that it overwrites
	waitsForMore bool
	// its first op waits for the sources, and for nothing else than its place in the order of issue
	plain bool
	next  *instr // the next one of its body, if that is plain; otherwise nil
	lead  int64  // cycles from the issue of the last op until that of next, at least
	memoryTraits
	bodyTraits
	fresh    []uint16 // results that are not among the sources
	syncs    int      // how many of ops, at the start, are waits at convergence barriers
	conflict int64    // cycles after the first in which it reads sources, because of register bank conflicts
	skipped  []op     // of a branch: ops that are issued although all lanes jump over them
	target   int      // PC that such a branch jumps to
	branchTo int      // PC that a direct branch goes to; -1 for other instructions
	asyncTraits
	tensorTraits
	clusterWait bool // it waits at a cluster's barrier
	arrives     bool // it arrives at a barrier without waiting
	waitsAt     bool // it tests an mbarrier
	follows     bool // it costs nothing; its results can wait for flights of its sources, so that it need not
	calls       bool
	served      bool // a call of a libdevice function that is executed at once
	returns     bool // it returns from a function
}

// bodyTraits describe the part of an instruction of a loop body in the accesses of its region.
type bodyTraits struct {
	access   int      // index of its access to memory among those of the body
	joins    int      // how many loads it does, if it is several
	releases []uint16 // scoreboard registers that are ready when the memory pipe has read its sources
}

// memoryTraits describe the memory accesses of an instruction.
type memoryTraits struct {
	memory memoryKind
	// cycles of the scheduler's address unit; 0 if the instruction does not go through the memory queue
	unit     int64
	constant bool // it reads constants or parameters
	caches   bool // L1 may hold what it loads
	reduces  bool // an atomic without a result
	textured bool // it goes through the texture pipe
	floats   bool // an atomic that adds floating-point numbers
	counts   bool // it adds 1 to words of shared memory and has no result
	polls    bool // it reads memory that other threads may write
	// loads after it must see what other threads have released, so lines in L1 become invalid
	acquires bool
}

// asyncTraits describe the effects of an asynchronous instruction after its issue: copies, products of a warpgroup, and
// groups of these.
type asyncTraits struct {
	copies bool // it copies to shared memory asynchronously
	bulk   bool // a copy or an asynchronous store that signals an mbarrier
	leaves bool // a bulk copy to global memory, in a bulk group
	engine bool // a bulk copy, carried out by the SM's copy engine

	groups     groupOp
	latest     int64 // a wait does not wait for this many of the latest groups
	bulkGroups bool  // groups are bulk groups
	readsOnly  bool  // a wait waits only until the sources have been read

	products   bool  // groups are those of wgmma
	multiplies bool  // it is a wgmma product
	tiles      int64 // of 8 columns, in the product
}

// op is a machine instruction.
type op struct {
	line int32 // of the launch's machine code, from 1; noLine
	// line of the launch's constants that it loads, from 1; noConstant
	constant uint16
	pipe     isa.Unit
	class    isa.CostClass
	interval int64
	latency  int64
	unit     int64 // of an arm that a warp skips, see memoryTraits.unit
	stall    int64 // cycles until the warp can issue its next op, at least 1
	early    bool  // it does not wait for the sources of its instruction
	waits    bool  // for the result of the previous op
	holds    bool  // the next op waits for its result
	// with it a warp has issued an instruction of a body that only computes
	completes bool
	smWide    bool  // the schedulers of the SM share its pipe
	settles   bool  // it waits for results of fixed latency that are on their way
	pending   State // of a warp that waits for its result
	throttle  State // of a warp that waits for its pipe
}

// memoryKind is the kind of an instruction's memory access.
type memoryKind uint8

const (
	noMemory memoryKind = iota
	loads
	stores
	changes // atomics
)

// passed is a register of every scoreboard. It is ready when everything that the next call or return passes in memory
// is ready.
const passed = 0

// pendingBy and throttleBy are the states of warps that wait for a result, or for the pipe, of a class of
// instructions.
var pendingBy = func() (s [isa.NumCostClasses]State) {
	for c := range s {
		s[c] = Wait
	}
	for _, c := range []isa.CostClass{isa.CostSpecialFunction, isa.CostConversion, isa.CostDoubleConversion, isa.CostBitCount, isa.CostMatch, isa.CostReduction, isa.CostShuffle,
		isa.CostReadSpecial, isa.CostLoadConstant, isa.CostLoadShared, isa.CostAtomicShared} {
		s[c] = ShortScoreboard
	}
	for _, c := range []isa.CostClass{isa.CostLoadGlobal, isa.CostAtomicGlobal, isa.CostLoadLocal, isa.CostTexture} {
		s[c] = LongScoreboard
	}
	for _, c := range []isa.CostClass{isa.CostFenceCTA, isa.CostFenceGPU, isa.CostFenceSystem} {
		s[c] = Membar
	}
	for _, c := range []isa.CostClass{isa.CostBranch, isa.CostIndirectBranch, isa.CostCall, isa.CostWarpSync} {
		s[c] = BranchResolving
	}
	s[isa.CostSleep] = Sleeping
	return s
}()

func throttleBy(pipe isa.Unit, class isa.CostClass) State {
	switch class {
	case isa.CostLoadGlobal, isa.CostStoreGlobal, isa.CostAtomicGlobal, isa.CostReductionGlobal, isa.CostLoadLocal, isa.CostStoreLocal:
		return LGThrottle
	case isa.CostTexture, isa.CostStoreSurface:
		return TexThrottle
	}
	if pipe == isa.LSU || pipe == isa.XU || pipe == isa.ADU {
		return MIOThrottle
	}
	return MathPipeThrottle
}
