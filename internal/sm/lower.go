package sm

import (
	"slices"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/sass"
)

// codes returns the functions of a program in the form in which a GPU issues them, what machine code of Options.SASS
// replaced, and the number of sites.
func codes(p *program.Program, on *gpu.Config, o *Options, convergence bool) (all []*code, assembled []*cost.Assembled, sites int) {
	if o.Cost == cost.PTX { // without what the assembler does
		plain := *on
		plain.Settle = 0
		on = &plain
	}
	defers := slices.ContainsFunc(p.Funcs, defersLoads)
	for _, f := range p.Funcs {
		costs := cost.Lower(f.Src, f.Graph, o.Cost, convergence)
		if o.Cost == cost.Lowered {
			serve(f, costs)
		}
		var entry []cost.Slot
		if o.Cost == cost.Lowered && on.Constants.Loaded > 0 {
			entry = cost.LoadConstants(f.Src, f.Graph, costs, p.IsGlobal)
		}
		var machine *cost.Assembled
		if from := sass.Find(o.SASS, f.Src.Name); from != nil && o.Cost == cost.Lowered {
			machine = cost.Assemble(f.Src, f.Graph, costs, entry, latencies(on), from)
			entry = machine.Entry
			assembled = append(assembled, machine)
		}
		c := newCode(f, on, costs, machine, defers, o.Cost == cost.PTX || o.InOrder)
		for _, slot := range entry {
			c.entry.ops = append(c.entry.ops, newOp(on, slot))
		}
		if !o.DualIssue {
			c.chain()
		}
		c.firstSite = sites
		sites += len(c.instrs)
		all = append(all, c)
	}
	return all, assembled, sites
}

// untimed returns an error for the first instruction of a program that a GPU cannot execute with a clock; nil if there
// is none.
func untimed(p *program.Program, on *gpu.Config) error {
	if !p.Tensor || on.TensorMemory.Has() {
		return nil
	}
	for _, f := range p.Funcs {
		for pc := range f.Src.Code {
			if in := &f.Src.Code[pc]; in.Is(isa.TensorMemory) {
				return isa.Errorf(in.Pos, "%s: no time without tensor memory, which %s lacks; --gpu b200 has it, --functional needs none", in.Mnemonic(), on.Title)
			}
		}
	}
	return nil
}

// serve adds the costs of calls to functions that are executed at once.
func serve(f *program.Func, costs []cost.Instr) {
	for pc := range f.Info {
		if site := f.Info[pc].Call; site != nil && site.Served != nil {
			costs[pc].Serve(site.Served)
		}
	}
}

// defersLoads reports whether because of an instruction of f, an atomic on global memory or an acquire, loads after
// it must be deferred to an exchange.
func defersLoads(f *program.Func) bool {
	for pc := range f.Src.Code {
		if in := &f.Info[pc]; in.Acquires || f.Src.Code[pc].Spec.Kind == isa.Atomic && inGlobal(in.Space) {
			return true
		}
	}
	return false
}

// lowering makes the code of a function for a GPU.
type lowering struct {
	f    *program.Func
	on   *gpu.Config
	code *code

	inOrder bool // PTX instructions are issued in the order of the text

	scoreboard map[isa.RegID]uint16 // scoreboard registers
	// scoreboard registers of the temporaries of bodies
	temporaries []uint16
	released    map[cost.Value]uint16 // and of the reading of registers by the memory pipe
	late        map[isa.RegID]bool    // result of lateRegisters
	reads       bankReads
}

// newCode returns f as a GPU issues it. Defers is whether defersLoads holds for any function of the program.
func newCode(f *program.Func, on *gpu.Config, costs []cost.Instr, machine *cost.Assembled, defers, inOrder bool) *code {
	c := &code{fn: f, instrs: make([]instr, len(costs)), registers: passed + 1}
	l := lowering{f: f, on: on, code: c, inOrder: inOrder, scoreboard: make(map[isa.RegID]uint16), released: make(map[cost.Value]uint16), late: lateRegisters(f, defers), reads: bankReads{f: f, on: on, end: -1}}
	for pc := range costs {
		in := &c.instrs[pc]
		in.pc = pc
		l.setOps(in, pc, &costs[pc])
		l.setReturn(in, pc)
		if pc < len(f.Src.Code) {
			l.setRegisters(in, pc, costs[pc].Results)
			l.setKind(in, pc)
			in.counts = costs[pc].Counts
		}
	}
	for pc := range costs {
		if arm := costs[pc].Arm; arm.End > 0 {
			l.guardArm(arm, f.Src.Code[pc].Guard)
			c.setSkipped(pc, arm)
		}
	}
	c.regions = l.newRegions(costs, machine)
	c.pack()
	return c
}

// carry stands for the carry flag among the registers of a scoreboard.
const carry = isa.NoReg

// number returns the scoreboard register for a register, or for the carry. Registers that share a slot of the register
// file have scoreboard registers of their own: an instruction that a fusion makes read a register later than its PTX
// does would otherwise wait for the slot's next value.
func (l *lowering) number(id isa.RegID) uint16 {
	n, known := l.scoreboard[id]
	if !known {
		n = uint16(l.code.registers)
		l.scoreboard[id] = n
		l.code.registers++
		l.code.names = append(l.code.names, l.nameOf(id))
	}
	return n
}

func (l *lowering) nameOf(id isa.RegID) string {
	if id == carry {
		return "carry"
	}
	return l.f.Src.Regs[id].Name
}

func (l *lowering) numbers(regs []isa.RegID) (ns []uint16) {
	for _, id := range regs {
		ns = append(ns, l.number(id))
	}
	return ns
}

// setOps sets the ops of an instruction, and the registers that it waits for or writes according to its cost.
func (l *lowering) setOps(in *instr, pc int, from *cost.Instr) {
	in.syncs = from.Syncs
	for range from.Syncs {
		in.ops = append(in.ops, newOp(l.on, cost.Slot{Class: isa.CostWarpSync}))
		in.ops[len(in.ops)-1].settles = l.on.Settle > 0
	}
	for i, s := range from.Slots {
		s.Waits = s.Waits || i == 0 && from.Syncs > 0
		in.ops = append(in.ops, newOp(l.on, s))
	}
	in.reads = firstRead(in.ops)
	if from.Guard != isa.NoReg && len(in.ops) > 0 {
		in.guards = l.numbers([]isa.RegID{from.Guard})
	}
	in.sources, in.results = l.numbers(from.Sources), l.numbers(from.Results)
	if n := len(in.ops); n > 0 {
		if pc < len(l.f.Src.Code) {
			if !l.f.Src.Code[pc].Is(isa.Warpgroup) { // wgmma reads its registers while it executes
				in.conflict = l.reads.conflict(pc, from.Sources)
			}
		}
		last := &in.ops[n-1]
		in.latency, in.pending = last.latency, last.pending
		last.interval = max(last.interval, 1+in.conflict)
	}
}

// setReturn makes a return from a function, and the end of its code, wait for the passed values.
func (l *lowering) setReturn(in *instr, pc int) {
	code := l.f.Src.Code
	if in.returns = !l.f.Src.Entry && (pc == len(code) || code[pc].Is(isa.Return)); !in.returns {
		return
	}
	in.sources = append(in.sources, passed)
	in.sources = append(in.sources, l.numbers(l.f.Src.RegsOf(l.f.Src.Returns))...)
}

// setRegisters adds registers that the instruction waits for or writes in addition to those of its cost: the carry,
// results that may be late or are written again, and values passed by calls.
func (l *lowering) setRegisters(in *instr, pc int, results []isa.RegID) {
	src := &l.f.Src.Code[pc]
	if src.Spec.CarryIn {
		in.sources = append(in.sources, l.number(carry))
	}
	if src.Mods[isa.CC] != 0 {
		in.results = append(in.results, l.number(carry))
	}
	in.sources = append(in.sources, l.numbers(results)...) // results arrive in the order of issue
	// Also if the instruction costs nothing because a neighbour does its work.
	for r := range src.Refs {
		if n := l.number(r.Reg); l.late[r.Reg] && !slices.Contains(in.sources, n) {
			in.sources = append(in.sources, n)
		}
	}
	if in.calls = src.Spec.Kind == isa.CallKind; in.calls {
		in.sources = append(in.sources, passed)
		in.served = l.f.Info[pc].Call != nil && l.f.Info[pc].Call.Served != nil
	}
	if src.Is(isa.Store) && len(in.ops) == 0 { // of values that a call or return passes
		in.sources, in.results = append(in.sources, passed), append(in.results, passed)
	}
	for _, r := range in.results {
		if !slices.Contains(in.sources, r) {
			in.fresh = append(in.fresh, r)
		}
	}
}

// setKind sets the instruction's effects other than computing.
func (l *lowering) setKind(in *instr, pc int) {
	info, kind := &l.f.Info[pc], l.f.Src.Code[pc].Spec.Kind
	in.polls = info.Polls
	in.acquires = info.Acquires && l.on.Memory.Flat == 0
	in.clusterWait = kind == isa.ClusterBarrier && info.BarOp == isa.BarWait
	in.waitsAt = info.Mbarrier != nil && kind == isa.Load
	in.arrives = info.BarOp == isa.BarArrive && kind == isa.Barrier
	in.branchTo = -1
	switch kind {
	case isa.Branch:
		if l.f.Src.Code[pc].Args[0].Kind == isa.LabelOperand {
			in.branchTo = int(info.Target)
		}
	case isa.Load:
		if n := len(in.ops); n == 0 || in.ops[n-1].constant == noConstant {
			in.memory = loads
		}
	case isa.Store:
		in.memory = stores
	case isa.Atomic:
		in.memory = changes
	case isa.Copy:
		in.memory, in.copies, in.bulk = loads, true, info.Copy.Mbarrier != nil
		in.engine = info.Copy.Bulk || info.Copy.Box != nil
		if in.engine && !in.bulk {
			in.memory, in.copies, in.leaves = stores, false, true
		}
	case isa.CopyGroup:
		in.setGroups(&l.f.Src.Code[pc])
	case isa.Warpgroup:
		l.setProducts(in, pc)
	}
	l.setTensor(in, pc)
	if len(in.ops) == 0 {
		in.follows = kind != isa.Branch
		return
	}
	in.goesToMemory(l.f, pc, l.on)
}

// lateRegisters returns the registers that may get their values only in an exchange, because a load or change of
// global memory is deferred until then (interp.Engine.Defer). Instructions that read or write them must wait for it,
// even those that cost nothing. Defers is as for newCode.
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

// goesToMemory sets how an instruction accesses memory.
func (in *instr) goesToMemory(f *program.Func, pc int, on *gpu.Config) {
	if in.memory == noMemory {
		return
	}
	src, last := &f.Src.Code[pc], &in.ops[len(in.ops)-1]
	in.textured = slices.Contains(gpu.TextureClasses, last.class)
	in.reduces = last.class == isa.CostReductionGlobal || in.textured && in.memory == changes
	in.floats = (in.reduces || in.memory == changes) && src.Types[0].Class() == isa.Float
	if in.constant = last.class == isa.CostLoadConstant; on.Memory.Flat > 0 || !in.textured && !slices.Contains(gpu.MemoryClasses, last.class) {
		return
	}
	cache := src.Mods[isa.Cache]
	in.caches = !in.polls && !in.engine && cache != isa.CacheCG && cache != isa.CacheCV && src.Mods[isa.CopyCache] != isa.CopyCG
	in.unit, last.interval = last.interval, 1
}

// firstRead returns the index of the first op that waits for the sources: ops of convergence barriers need none, nor
// do those that an assembler added.
func firstRead(ops []op) int {
	for i := range ops {
		if ops[i].class != isa.CostWarpSync && !ops[i].early {
			return i
		}
	}
	return 0
}

func newOp(on *gpu.Config, s cost.Slot) op {
	c := &on.Classes[s.Class]
	leaves := s.Class == isa.CostBranch || s.Class == isa.CostIndirectBranch || s.Class == isa.CostCall
	return op{settles: leaves && on.Settle > 0, smWide: on.SMWide[c.Pipe], constant: s.Constant, pipe: c.Pipe, class: s.Class, interval: int64(c.Interval), latency: int64(c.Latency + s.More), waits: s.Waits, early: s.Early, stall: max(int64(s.Stall), 1),
		pending: pendingBy[s.Class], throttle: throttleBy(c.Pipe, s.Class)}
}

// bankReads computes how long instructions read their sources. The register bank that an assembler chooses for a
// register is not known: the model distributes the registers of an instruction over the banks, and keeps those that
// the previous instruction has also read in the operand reuse cache.
type bankReads struct {
	f        *program.Func
	on       *gpu.Config
	end      int         // of the block
	previous []isa.RegID // sources of the previous instruction in the block
}

// conflict returns in how many cycles after the first an instruction reads its sources. It must be called in order
// for each instruction that costs something.
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
