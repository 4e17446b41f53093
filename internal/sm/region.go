package sm

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// A warp executes all PTX instructions of a region (cost.Region) when it reaches the region, in the order of the text,
// and then issues the region's machine instructions in the order of the assembler. So this order decides when results
// are there, and never what they are. What the instructions did to memory is kept until their machine instructions
// are issued.
//
// A warp that reaches the region of a loop whose iterations the assembler has joined executes as many of them as all
// its lanes do.

// region is a cost.Region in the form in which an SM issues it.
type region struct {
	*cost.Region
	bodies   []*body // of 1, 2, 3, ... iterations, and of all of them
	accesses []int   // by PC from First: index of its access to memory among those of an iteration, or -1
	loads    []bool  // by PC from First: a load that Engine.Compute may execute
	perCopy  int     // accesses of an iteration

	entry, exit []op // see cost.Region
}

// body is a cost.Body in the form in which an SM issues it.
type body struct {
	copies int
	instrs []instr
}

// ahead is the region that a warp has executed and whose machine instructions it issues.
type ahead struct {
	body     *body // of the iterations that it issues now; nil outside of regions
	at       int   // index of the next instruction in body
	region   *region
	first    int  // index in kept.effects of the body's first
	left     int  // iterations after those of the body
	executes bool // the region is executed when its first machine instruction is issued
	// inOrder says that what loads read depends on accesses that take effect in the exchange: the warp executes and
	// issues its PTX instructions one by one.
	inOrder bool
	loop    *region // the loop that it has entered and not left; nil without joined iterations
}

// enterRegion makes the warp in x execute a region at cycle now and issue its machine instructions, if it can. The
// SM's state at now must not depend on the window if exact is true; otherwise the warp executes the region later,
// without further iterations.
func (m *multiprocessor) enterRegion(x *slot, r *region, now int64, exact bool) bool {
	if x.inOrder || r.Exchanges && x.split.Mask != x.warp.Live {
		return false
	}
	if x.loop != r {
		x.leaveLoop()
		x.precede(r.entry)
		x.loop = r
	}
	x.region, x.executes, x.first = r, !exact, 0
	copies := 1
	if exact {
		copies = m.runAhead(x, now)
	}
	x.issueBody(copies)
	return true
}

// leaveLoop makes the warp in x issue what follows the loop that it was in.
func (x *slot) leaveLoop() {
	if x.loop != nil {
		x.precede(x.loop.exit)
		x.loop = nil
	}
}

// precede makes the warp in x issue ops before its next instruction.
func (x *slot) precede(ops []op) {
	if len(ops) > 0 { // rarely
		x.prologue = append(x.prologue, ops...)
	}
}

// pc returns the PC of the instruction that the warp in x issues next.
func (x *slot) pc() int {
	if x.body != nil && x.at < len(x.body.instrs) {
		return x.body.instrs[x.at].pc
	}
	return x.split.PC
}

// issueBody makes the warp in x issue this many iterations of its region.
func (x *slot) issueBody(copies int) {
	x.body, x.at = x.region.bodyOf(copies), 0
	x.left = copies - x.body.copies
}

// bodyOf returns the body of this many iterations, or of as many as there is one of.
func (r *region) bodyOf(iterations int) *body {
	if iterations == r.Copies {
		return r.bodies[len(r.bodies)-1]
	}
	return r.bodies[min(iterations, joined)-1]
}

// joined is the largest number of iterations that an SM has a body of, other than all those of a loop.
const joined = 4

// isPart reports whether no machine instruction is issued for the PTX instruction at pc, which costs something by
// itself: in its region, another one does its work.
func (c *code) isPart(pc int) bool {
	for _, r := range c.regions {
		if r == nil || pc < r.First || pc >= r.End {
			continue
		}
		return !slices.ContainsFunc(r.bodies, func(b *body) bool {
			return slices.ContainsFunc(b.instrs, func(in instr) bool { return in.pc == pc && len(in.ops) > 0 })
		})
	}
	return false
}

// nextBody makes the warp in x issue the next iterations of its region, or leaves the region.
func (m *multiprocessor) nextBody(x *slot) {
	if x.left > 0 {
		x.first += x.body.copies * x.region.perCopy
		x.issueBody(x.left)
		return
	}
	x.kept, x.body, x.region = x.kept.reuse(), nil, nil
}

// runAhead executes the region of the warp in x at cycle now: one iteration, or as many as the assembler joins and all
// lanes of the split execute. It returns the number of iterations.
func (m *multiprocessor) runAhead(x *slot, now int64) (iterations int) {
	m.executedAhead = true
	x.journal.Position = now
	x.engine.Ahead = true
	iterations = m.iterate(x, x.region, now)
	x.engine.Ahead = false
	return iterations
}

// iterate executes iterations for runAhead.
func (m *multiprocessor) iterate(x *slot, r *region, now int64) (iterations int) {
	for {
		iterations++
		x.kept.reserve(r)
		for x.split.PC < r.End {
			if at := x.split.PC - r.First; r.accesses[at] < 0 || r.loads[at] && x.engine.LoadsInCode() {
				x.engine.Compute(x.cta.CTA, x.warp, &x.split, r.End, &m.loaded)
				for i := range m.loaded.Access {
					x.kept.keepLoad(&m.loaded.Access[i])
				}
			}
			if pc := x.split.PC; pc < r.End && !m.executeAhead(x, r.accesses[pc-r.First] >= 0, now) {
				return iterations
			}
		}
		if iterations == r.Copies {
			if r.Whole && x.leaves(r) {
				m.executeAhead(x, false, now)
			}
			return iterations
		}
		if !x.repeats(r) || !m.executeAhead(x, false, now) {
			return iterations
		}
		if x.warp.Steps >= x.cta.launch.maxSteps {
			m.fail(x, m.stepLimit(x), now)
			return iterations
		}
	}
}

// executeAhead executes the next PTX instruction of the warp in x at cycle now, and keeps its effect if it accesses
// memory. It returns false if the warp cannot continue.
func (m *multiprocessor) executeAhead(x *slot, keep bool, now int64) bool {
	why, err := x.engine.Issue(x.cta.CTA, x.warp, &x.split, &m.aheadEffect)
	if err != nil {
		m.fail(x, err, now)
		return false
	}
	e := &m.aheadEffect
	if keep {
		x.kept.keep(e)
	}
	if why != interp.Executed && why != interp.Branched {
		panic(fmt.Sprintf("simtrun bug: a region stops for reason %d after PC %d of %s (%s)", why, e.PC, x.code.fn.Src.Name, x.code.fn.Src.Text(e.PC)))
	}
	return true
}

// repeats reports whether all lanes of the split in x execute another iteration of the loop of a region.
func (x *slot) repeats(r *region) bool {
	if x.split.Stop == r.First || x.cta.launch.strict {
		return false
	}
	op := &x.code.fn.Ops[r.End]
	return op.Active(x.warp.Windows[x.frame].File, x.split.Mask) == x.split.Mask
}

// leaves reports whether no lane of the split in x executes another iteration of the loop of
// a region.
func (x *slot) leaves(r *region) bool {
	if x.split.Stop == r.End+1 || x.cta.launch.strict {
		return false
	}
	op := &x.code.fn.Ops[r.End]
	return op.Active(x.warp.Windows[x.frame].File, x.split.Mask) == 0
}

// newRegions returns the regions of a function by their first PC, in the form in which an SM issues them.
func (l *lowering) newRegions(costs []cost.Instr, machine *cost.Assembled) []*region {
	regions := make([]*region, len(l.code.instrs))
	if l.inOrder {
		return regions
	}
	for _, from := range machine.Regions(l.f.Src, l.f.Graph, costs, latencies(l.on)) {
		r := &region{Region: from, accesses: make([]int, from.End-from.First), loads: make([]bool, from.End-from.First)}
		for i := range r.accesses {
			if r.accesses[i] = -1; l.code.instrs[from.First+i].memory != noMemory && len(l.code.instrs[from.First+i].ops) > 0 {
				r.accesses[i] = r.perCopy
				r.perCopy++
				r.loads[i] = l.f.LoadsPlainly(from.First + i)
			}
		}
		r.entry, r.exit = l.ops(from.Entry), l.ops(from.Exit)
		for n := range min(from.Copies, joined) {
			r.bodies = append(r.bodies, l.newBody(r, costs, n+1))
		}
		if from.Copies > joined {
			r.bodies = append(r.bodies, l.newBody(r, costs, from.Copies))
		}
		regions[from.First] = r
	}
	return regions
}

// ops returns the ops of slots.
func (l *lowering) ops(slots []cost.Slot) (ops []op) {
	for i, s := range slots {
		ops = append(ops, newOp(l.on, s))
		if s.Waits && i > 0 {
			ops[i-1].holds = true
		}
	}
	return ops
}

// newBody returns a body of a region.
func (l *lowering) newBody(r *region, costs []cost.Instr, copies int) *body {
	b := &body{copies: copies}
	l.reads.end = -1
	steps := r.Body(copies).Steps
	for i := range steps {
		b.instrs = append(b.instrs, l.newStep(r, costs, &steps[i]))
	}
	l.setReleases(b, steps)
	return b
}

// setReleases makes an instruction that writes a register wait until the memory pipe has read the register for accesses
// before it in the body.
func (l *lowering) setReleases(b *body, steps []cost.Step) {
	readers := make(map[cost.Value][]int)
	for i := range steps {
		in := &b.instrs[i]
		for _, v := range steps[i].Results {
			for _, reader := range readers[v] {
				n := l.release(v)
				b.instrs[reader].releases = append(b.instrs[reader].releases, n)
				if !slices.Contains(in.sources, n) {
					in.sources = append(in.sources, n)
				}
			}
			delete(readers, v)
		}
		if in.memory == noMemory || in.constant {
			continue
		}
		for _, v := range steps[i].Sources {
			if v < cost.Carry(l.f.Src) {
				readers[v] = append(readers[v], i)
			}
		}
	}
}

// release returns the scoreboard register that is ready when the memory pipe has read a register.
func (l *lowering) release(v cost.Value) uint16 {
	n, known := l.released[v]
	if !known {
		n = uint16(l.code.registers)
		l.released[v] = n
		l.code.names = append(l.code.names, "reading of "+l.f.Src.Regs[v].Name)
		l.code.registers++
	}
	return n
}

// newStep returns a step of a body.
func (l *lowering) newStep(r *region, costs []cost.Instr, st *cost.Step) instr {
	in := instr{pc: st.PC, follows: true}
	if len(st.Slots) > 0 {
		plain := &l.code.instrs[st.PC]
		in = *plain
		in.results, in.fresh = nil, nil
		if in.memory != noMemory {
			of := cost.Access{PC: st.PC, Copy: st.Copy}
			if in.joins = st.Joined; in.joins > 0 {
				of = st.Lowest
			}
			in.access = of.Copy*r.perCopy + r.accesses[of.PC-r.First]
		}
		in.ops = l.stepOps(st.Slots)
		last := &in.ops[len(in.ops)-1]
		in.reads = firstRead(in.ops)
		if in.unit > 0 {
			last.interval = plain.ops[len(plain.ops)-1].interval
		}
		in.conflict = l.reads.conflict(st.PC, costs[st.PC].Sources)
		last.interval = max(last.interval, 1+in.conflict)
	}
	in.sources, in.guards = nil, nil
	if st.Guarded {
		in.guards = []uint16{l.value(st.Guard)}
	}
	for _, v := range st.Sources {
		in.sources = append(in.sources, l.value(v))
	}
	for _, v := range st.Results {
		in.results = append(in.results, l.value(v))
	}
	if src := &l.f.Src.Code[st.PC]; len(st.Slots) > 0 {
		if src.Spec.CarryIn {
			in.sources = append(in.sources, l.number(carry))
		}
		if src.Mods[isa.CC] != 0 {
			in.results = append(in.results, l.number(carry))
		}
	}
	in.sources = append(in.sources, in.results...) // results arrive in the order of issue
	return in
}

// stepOps returns the ops of a step's slots.
func (l *lowering) stepOps(slots []cost.Slot) (ops []op) {
	for _, s := range slots {
		ops = append(ops, newOp(l.on, s))
	}
	return ops
}

// value returns the scoreboard register for a value of a body.
func (l *lowering) value(v cost.Value) uint16 {
	first := cost.Carry(l.f.Src)
	switch {
	case v < first:
		return l.number(isa.RegID(v))
	case v == first:
		return l.number(carry)
	}
	n := int(v - first - 1)
	for len(l.temporaries) <= n {
		l.temporaries = append(l.temporaries, uint16(l.code.registers))
		l.code.names = append(l.code.names, "a temporary")
		l.code.registers++
	}
	return l.temporaries[n]
}

// computing returns the instructions that warps may execute ahead by Engine.Compute: those of regions that only
// compute, and loads, except the last one of a block, after which the warp must stop.
func computing(codes []*code) (at, loads [][]bool) {
	at, loads = make([][]bool, len(codes)), make([][]bool, len(codes))
	for i, c := range codes {
		at[i], loads[i] = make([]bool, len(c.fn.Ops)), make([]bool, len(c.fn.Ops))
		for _, r := range c.regions {
			for pc := 0; r != nil && pc < r.End-r.First; pc++ {
				at[i][r.First+pc] = r.accesses[pc] < 0 && c.fn.Ops[r.First+pc].Kind <= lanes.Nop
				loads[i][r.First+pc] = r.loads[pc]
			}
			if r != nil && c.fn.Graph.Blocks()[c.fn.Graph.BlockOf(r.First)].End == r.End {
				at[i][r.End-1], loads[i][r.End-1] = false, false
			}
		}
	}
	return at, loads
}

// latencies are those of a GPU, as far as they are fixed.
func latencies(on *gpu.Config) *cost.Latencies {
	var l cost.Latencies
	for class := range l {
		l[class] = on.Classes[class].Latency
	}
	return &l
}
