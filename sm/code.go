package sm

import (
	"slices"

	"github.com/simtrun/simtrun/cost"
	"github.com/simtrun/simtrun/gpu"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/program"
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
	memory   memoryKind
	unit     int64 // cycles of the scheduler's address unit, of what goes through its memory queue; 0 for others
	constant bool  // it reads constants or parameters
	caches   bool  // L1 may have what it loads
	reduces  bool  // an atomic without a result
	follows  bool  // it costs nothing, and its results can wait for its sources in its place
	polls    bool  // it reads memory that others may write
	arrives  bool  // at a barrier, without waiting
	calls    bool
	returns  bool // from a function
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

// codes are the functions of a program on a GPU, and how many sites they have.
func codes(p *program.Program, on *gpu.Config, mode cost.Mode, convergence bool) (all []*code, sites int) {
	defers := slices.ContainsFunc(p.Funcs, defersLoads)
	for _, f := range p.Funcs {
		c := newCode(f, on, cost.Lower(f.Src, f.Graph, mode, convergence), defers)
		c.firstSite = sites
		sites += len(c.instrs)
		all = append(all, c)
	}
	return all, sites
}

// defersLoads reports whether an instruction of f may be why loads after it are made in an
// exchange only: an atomic on global memory, or an acquire.
func defersLoads(f *program.Func) bool {
	for pc := range f.Src.Code {
		if in := &f.Info[pc]; in.Acquires || f.Src.Code[pc].Spec.Kind == isa.Atomic && inGlobal(in.Space) {
			return true
		}
	}
	return false
}

// newCode is f on a GPU. Defers says that defersLoads holds for some function of the program.
func newCode(f *program.Func, on *gpu.Config, costs []cost.Instr, defers bool) *code {
	c := &code{fn: f, instrs: make([]instr, len(costs)), registers: passed + 1}
	board := make(map[uint32]uint16) // by slot of the register file
	number := func(off uint32) uint16 {
		n, known := board[off]
		if !known {
			n = uint16(c.registers)
			board[off] = n
			c.registers++
			c.offsets = append(c.offsets, off)
		}
		return n
	}
	numbers := func(regs []isa.RegID) (ns []uint16) {
		for _, id := range regs {
			ns = append(ns, number(f.Layout.Reg(id)))
		}
		return ns
	}
	late := lateRegisters(f, defers)
	overwritten, reads := newOverwrites(f), bankReads{f: f, on: on, end: -1}
	for pc := range costs {
		from, in := &costs[pc], &c.instrs[pc]
		in.syncs = from.Syncs
		for range from.Syncs {
			in.ops = append(in.ops, newOp(on, cost.Slot{Class: isa.CostWarpSync}))
		}
		for i, s := range from.Slots {
			s.Waits = s.Waits || i == 0 && from.Syncs > 0
			in.ops = append(in.ops, newOp(on, s))
		}
		in.reads = firstRead(in.ops)
		in.sources, in.results = numbers(from.Sources), numbers(from.Results)
		if n := len(in.ops); n > 0 {
			if pc < len(f.Src.Code) {
				in.conflict = reads.conflict(pc, from.Sources)
			}
			last := &in.ops[n-1]
			in.latency, in.pending = last.latency, last.pending
			last.interval = max(last.interval, 1+in.conflict)
		}
		if in.returns = !f.Src.Entry && (pc == len(f.Src.Code) || f.Src.Code[pc].Is(isa.Return)); in.returns {
			in.sources = append(in.sources, passed)
			for i := range f.Results {
				if r := &f.Results[i]; r.InReg {
					in.sources = append(in.sources, number(r.Slot))
				}
			}
		}
		if pc == len(f.Src.Code) {
			continue
		}
		src := &f.Src.Code[pc]
		if src.Spec.CarryIn {
			in.sources = append(in.sources, number(f.Layout.Carry))
		}
		if src.Mods[isa.CC] != 0 {
			in.results = append(in.results, number(f.Layout.Carry))
		}
		in.sources = append(in.sources, numbers(overwritten.of(pc, from.Results))...) // results come in the order of issue
		for r := range src.Refs {                                                     // also where that costs nothing, as it is a neighbour's
			if n := number(f.Layout.Reg(r.Reg)); late[r.Reg] && !slices.Contains(in.sources, n) {
				in.sources = append(in.sources, n)
			}
		}
		if in.calls = src.Spec.Kind == isa.CallKind; in.calls {
			in.sources = append(in.sources, passed)
		}
		if src.Is(isa.Store) && len(in.ops) == 0 { // of what a call or return passes
			in.sources, in.results = append(in.sources, passed), append(in.results, passed)
		}
		for _, r := range in.results {
			if !slices.Contains(in.sources, r) {
				in.fresh = append(in.fresh, r)
			}
		}
		in.polls = f.Info[pc].Polls
		in.arrives = f.Info[pc].BarOp == isa.BarArrive && src.Spec.Kind == isa.Barrier
		switch src.Spec.Kind {
		case isa.Load:
			in.memory = loads
		case isa.Store:
			in.memory = stores
		case isa.Atomic:
			in.memory = changes
		}
		if len(in.ops) == 0 {
			in.follows = src.Spec.Kind != isa.Branch
			continue
		}
		in.goesToMemory(f, pc, on)
	}
	for pc := range costs {
		if arm := costs[pc].Arm; arm.End > 0 {
			in := &c.instrs[pc]
			in.target = int(f.Info[pc].Target)
			for _, other := range c.instrs[arm.First:arm.End] {
				in.skipped = append(in.skipped, other.ops...)
			}
		}
	}
	return c
}

// lateRegisters are those whose value may come in an exchange only, as what an instruction loads
// or changes in global memory does not take effect before (interp.Engine.Defer). What reads or
// writes them must wait for it, even where that costs nothing. Defers is as for newCode.
func lateRegisters(f *program.Func, defers bool) map[isa.RegID]bool {
	late := make(map[isa.RegID]bool)
	for pc := range f.Src.Code {
		in := &f.Src.Code[pc]
		if !inGlobal(f.Info[pc].Space) || !f.Info[pc].Polls && !(defers && in.Spec.Kind == isa.Load) {
			continue
		}
		for r := range in.Refs {
			if r.Role.Writes() {
				late[r.Reg] = true
			}
		}
	}
	return late
}

// inGlobal reports whether addresses in a space may be in global memory.
func inGlobal(s isa.Space) bool { return s == isa.Global || s == isa.Generic }

// goesToMemory sets how an instruction goes to memory.
func (in *instr) goesToMemory(f *program.Func, pc int, on *gpu.Config) {
	if in.memory == noMemory {
		return
	}
	src, last := &f.Src.Code[pc], &in.ops[len(in.ops)-1]
	in.reduces = last.class == isa.CostReductionGlobal
	if in.constant = last.class == isa.CostLoadConstant; on.Memory.Flat > 0 || !slices.Contains(gpu.MemoryClasses, last.class) {
		return
	}
	cache := src.Mods[isa.Cache]
	in.caches = !in.polls && cache != isa.CacheCG && cache != isa.CacheCV
	in.unit, last.interval = last.interval, 1
}

// firstRead is the index of the first op that waits for the sources: convergence barriers
// need none.
func firstRead(ops []op) int {
	for i := range ops {
		if ops[i].class != isa.CostWarpSync {
			return i
		}
	}
	return 0
}

// overwrites tells which results of an instruction may have been written before. Where
// registers share a slot of the register file, as they do not outlive a block of
// code, the slot alone does not tell.
type overwrites struct {
	f      *program.Func
	shares map[uint32]int     // by slot: registers
	block  map[isa.RegID]bool // written in the block so far
	end    int                // of the block
}

func newOverwrites(f *program.Func) *overwrites {
	o := &overwrites{f: f, shares: make(map[uint32]int), block: make(map[isa.RegID]bool), end: -1}
	for id := range f.Src.Regs {
		o.shares[f.Layout.Reg(isa.RegID(id))]++
	}
	return o
}

// of is asked for each PC in turn.
func (o *overwrites) of(pc int, results []isa.RegID) (again []isa.RegID) {
	if pc > o.end {
		clear(o.block)
		o.end = o.f.Graph.LastOf(pc)
	}
	for _, id := range results {
		if o.block[id] || o.shares[o.f.Layout.Reg(id)] == 1 {
			again = append(again, id)
		}
		o.block[id] = true
	}
	return again
}

func newOp(on *gpu.Config, s cost.Slot) op {
	c := &on.Classes[s.Class]
	return op{pipe: c.Pipe, class: s.Class, interval: int64(c.Interval), latency: int64(c.Latency), waits: s.Waits,
		pending: pendingBy[s.Class], throttle: throttleBy(c.Pipe, s.Class)}
}

// bankReads finds out how long instructions read their sources. In which register bank
// an assembler puts a register is not known; it is taken to spread those of an
// instruction over the banks, and to keep what the instruction before has read too in
// the operand reuse cache.
type bankReads struct {
	f        *program.Func
	on       *gpu.Config
	end      int         // of the block
	previous []isa.RegID // sources of the instruction before, in the block
}

// conflict is in how many cycles beyond the first an instruction reads its sources. It
// is asked for each one in turn that costs something.
func (b *bankReads) conflict(pc int, sources []isa.RegID) int64 {
	if b.on.Banks == 0 {
		return 0
	}
	if pc > b.end {
		b.previous, b.end = nil, b.f.Graph.LastOf(pc)
	}
	reads := 0
	for _, id := range sources {
		t := b.f.Src.Regs[id].Type
		if t == isa.Pred || slices.Contains(b.previous, id) {
			continue
		}
		reads++
		if t.Bits() > 32 {
			reads++
		}
	}
	b.previous = sources
	perCycle := b.on.Banks * b.on.BankPorts
	return int64(max(0, (reads+perCycle-1)/perCycle-1))
}
