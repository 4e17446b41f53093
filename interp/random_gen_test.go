package interp_test

import (
	"fmt"
	"math/rand/v2"
)

// flowClass is the features of a class of programs.
type flowClass struct {
	name                          string
	calls, gotos                  bool
	full, groups, barriers, locks bool // collectives of all lanes, and of some
}

var flowClasses = []flowClass{
	{name: "structured"},
	{name: "goto", gotos: true},
	{name: "calls", calls: true},
	{name: "full", calls: true, full: true},
	{name: "groups", gotos: true, groups: true},
	{name: "barriers", calls: true, barriers: true},
	{name: "locks", gotos: true, locks: true},
	{name: "all", calls: true, gotos: true, full: true, groups: true, barriers: true, locks: true},
}

// flowGrower makes random programs.
type flowGrower struct {
	flowClass
	*rand.Rand
	p         *flowProgram
	f         *flowFunc // that is being made
	number    int       // of it
	functions int
	room      int            // number of further statements
	loops     []flowLoop     // that the statement is in
	locked    int            // locks that it holds
	tickets   [maxLocks]bool // by lock: it serves by tickets
	ops       []string       // collectives that the program has
	barrier   uint32         // number of the barrier that most bar instructions have
}

// flowLoop has the targets of continue and break.
type flowLoop struct{ next, end int }

func growFlow(seed uint64, class flowClass) *flowProgram {
	g := &flowGrower{flowClass: class, Rand: rand.New(rand.NewPCG(seed, 7)), functions: 1}
	g.p = &flowProgram{seed: seed, ctas: 1, threads: 32, waits: class.full || class.groups || class.barriers || class.locks, locks: class.locks}
	switch warps := uint32(g.IntN(3)); {
	case class.barriers:
		g.p.threads += int(32 * warps)
	case class.locks && g.IntN(2) == 0:
		g.p.threads += 32
	}
	if g.IntN(4) == 0 {
		g.p.threads -= g.IntN(31)
	}
	if g.IntN(8) == 0 {
		g.p.ctas = 2 + g.IntN(2)
	}
	if class.calls {
		g.functions = 2 + g.IntN(3)
	}
	all := []string{"vote.sync.ballot.b32", "redux.sync.add.u32", "match.any.sync.b32", "shfl.sync.bfly.b32", "bar.warp.sync"}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	g.ops = all[:1+g.IntN(2)]
	for n := range g.tickets {
		g.tickets[n] = g.IntN(3) == 0
	}
	g.barrier = g.Uint32N(16)
	for n := range g.functions {
		g.function(n)
	}
	return g.p
}

func (g *flowGrower) function(n int) {
	g.f, g.number, g.room = &flowFunc{name: fmt.Sprint("f", n)}, n, 16
	g.p.funcs = append(g.p.funcs, g.f)
	if n == 0 {
		g.f.name, g.room = "k", 32
	}
	g.start()
	if g.gotos && (!g.calls || g.IntN(2) == 0) {
		g.blocks()
	} else {
		for range 2 + g.IntN(3) {
			g.list(0)
		}
	}
	switch {
	case n == 0:
		g.leave(noReg, false, g.IntN(2) == 0)
	case g.IntN(4) > 0:
		g.f.emit(doReturn, "ret", noReg, noReg, noReg, 0)
	}
	if g.IntN(3) > 0 {
		g.f.shuffle(g.Rand)
	}
}

// compute emits d = a op imm.
func (g *flowGrower) compute(op string, d, a flowReg, imm uint32) *flowInstr {
	return g.f.emit(doCompute, op, d, a, noReg, imm)
}

// start sets the registers that every function has.
func (g *flowGrower) start() {
	mov := func(d, b flowReg) { g.f.emit(doCompute, "mov.u32", d, noReg, b, 0) }
	if g.number == 0 {
		mov(rThread, rCTA)
		g.compute("mul.lo.u32", rThread, rThread, flowStride)
		g.f.emit(doCompute, "add.u32", rThread, rThread, rTID, 0)
		g.compute("shr.u32", rPath, rThread, []uint32{0, 0, 0, 0, 1, 2, 4}[g.IntN(7)]) // lanes of one group go alike
		g.mark()
		g.compute("mov.u32", rFuel, noReg, 4+g.Uint32N(12))
	} else {
		mov(rPath, rArg0)
		mov(rFuel, rArg1)
	}
	g.compute("and.b32", rLane, rThread, 31)
	g.compute("mov.u32", rGroup, noReg, 1)
	g.f.emit(doCompute, "shl.b32", rGroup, rGroup, rLane, 0)
}

// mark makes the lane's path hash depend on its having been here.
func (g *flowGrower) mark() {
	g.compute("xor.b32", rPath, rPath, g.Uint32())
	g.compute("mul.lo.u32", rPath, rPath, g.Uint32()|1)
	g.compute("shr.u32", rScratch, rPath, 15)
	g.f.emit(doCompute, "xor.b32", rPath, rPath, rScratch, 0)
}

// take makes the lane's path hash depend on a register.
func (g *flowGrower) take(r flowReg) {
	g.f.emit(doCompute, "add.u32", rPath, rPath, r, 0)
	g.mark()
}

// decide sets a predicate in which lanes differ.
func (g *flowGrower) decide() flowReg {
	p := rPred + flowReg(1+g.IntN(3))
	switch g.IntN(6) {
	case 0:
		g.compute("setp.lt.u32", p, rLane, g.Uint32N(33))
	case 1:
		g.compute("and.b32", rScratch, rLane, 1<<g.IntN(5))
		g.compute("setp.eq.u32", p, rScratch, 0)
	case 2:
		g.compute("shr.u32", rScratch, rThread, 5)
		g.compute("and.b32", rScratch, rScratch, 3)
		g.compute("setp.lt.u32", p, rScratch, g.Uint32N(3))
	default:
		g.compute("shr.u32", rScratch, rPath, g.Uint32N(29))
		g.compute("and.b32", rScratch, rScratch, 7)
		g.compute("setp.lt.u32", p, rScratch, 1+g.Uint32N(7))
	}
	return p
}

// spent sets a predicate to whether the lane is out of fuel.
func (g *flowGrower) spent() flowReg {
	g.compute("setp.eq.u32", rPred, rFuel, 0)
	return rPred
}

func (g *flowGrower) burn() *flowInstr { return g.compute("sub.u32", rFuel, rFuel, 1) }

func (g *flowGrower) jump(label int) { g.jumpIf(noReg, false, label) }

// jumpIf emits a branch of the lanes in which p holds, or does not.
func (g *flowGrower) jumpIf(p flowReg, holds bool, label int) *flowInstr {
	return g.f.emit(doBranch, "bra", noReg, noReg, noReg, 0, label).when(p, holds)
}

func (g *flowGrower) list(depth int) {
	for range 1 + g.IntN(4) {
		g.statement(depth)
	}
}

func (g *flowGrower) statement(depth int) {
	if g.room--; g.room < 0 {
		g.mark()
		return
	}
	if g.locked == 0 && g.IntN(4) == 0 && g.wait(depth) {
		return
	}
	nested := depth < 4
	switch r := g.IntN(20); {
	case r < 3:
		g.mark()
	case r < 4:
		p := g.decide()
		g.compute("xor.b32", rPath, rPath, g.Uint32()).when(p, g.IntN(2) == 0)
	case r < 6 && len(g.loops) > 0:
		g.jumpOut()
	case r < 7 && g.locked == 0 && g.IntN(3) == 0:
		g.leave(g.decide(), g.IntN(2) == 0, g.IntN(2) == 0)
	case r < 9 && g.functions > 1 && g.locked == 0:
		g.call()
	case r < 10 && g.functions > 1 && g.locked == 0:
		g.callAny()
	case r < 14 && nested:
		g.branch(depth)
	case r < 16 && nested:
		g.choose(depth)
	case r < 19 && nested:
		g.loop(depth)
	case g.locks && g.locked < maxLocks && nested:
		g.lock(depth)
	default:
		g.mark()
	}
}

// branch emits an if, with an else or without one.
func (g *flowGrower) branch(depth int) {
	alt, end := g.f.label(), g.f.label()
	g.jumpIf(g.decide(), false, alt)
	g.list(depth + 1)
	if len(g.loops) > 0 && g.IntN(6) == 0 {
		g.jumpOut()
	} else if g.locked == 0 && g.IntN(16) == 0 {
		g.leave(noReg, false, g.IntN(2) == 0)
	}
	if g.IntN(2) == 0 {
		g.jump(end)
		g.f.place(alt)
		g.list(depth + 1)
	} else {
		g.f.place(alt)
	}
	g.f.place(end)
}

// choose emits a switch: cases may fall through to the next, and share code.
func (g *flowGrower) choose(depth int) {
	end := g.f.label()
	var cases []int
	for range 1 + g.IntN(3) {
		cases = append(cases, g.f.label())
	}
	g.table(append(cases, end))
	if g.IntN(2) == 0 {
		g.jump(end)
	}
	for _, label := range cases {
		g.f.place(label)
		g.list(depth + 1)
		if g.IntN(2) == 0 {
			g.jump(end)
		}
	}
	g.f.place(end)
}

// table emits a branch to some of the labels.
func (g *flowGrower) table(labels []int) {
	var targets []int
	for range 4 {
		targets = append(targets, labels[g.IntN(len(labels))])
	}
	p := noReg
	if g.IntN(3) == 0 {
		p = g.decide()
	}
	g.compute("shr.u32", rScratch, rPath, g.Uint32N(30))
	g.compute("and.b32", rScratch, rScratch, 3)
	g.f.emit(doTable, "brx.idx", noReg, rScratch, noReg, 0, targets...).when(p, true)
}

// loop emits a loop that continues at most as long as there is fuel.
func (g *flowGrower) loop(depth int) {
	head, l := g.f.label(), flowLoop{g.f.label(), g.f.label()}
	g.f.place(head)
	goOn := func() {
		g.jumpIf(g.spent(), true, l.end)
		g.burn()
	}
	testsFirst := g.IntN(2) == 0
	if testsFirst {
		g.f.place(l.next)
		goOn()
		if g.IntN(3) > 0 {
			g.jumpIf(g.decide(), false, l.end)
		}
	}
	g.loops = append(g.loops, l)
	g.list(depth + 1)
	g.loops = g.loops[:len(g.loops)-1]
	if testsFirst {
		g.jump(head)
	} else {
		g.f.place(l.next)
		goOn()
		p := noReg
		if g.IntN(3) > 0 {
			p = g.decide()
		}
		g.jumpIf(p, true, head)
	}
	g.f.place(l.end)
}

// jumpOut emits a break or a continue, usually of the innermost loop.
func (g *flowGrower) jumpOut() {
	l := g.loops[len(g.loops)-1]
	if g.IntN(4) == 0 {
		l = g.loops[g.IntN(len(g.loops))]
	}
	to := l.end
	if g.IntN(2) == 0 {
		to = l.next
	}
	p := noReg
	if g.IntN(4) > 0 {
		p = g.decide()
	}
	g.jumpIf(p, true, to)
}

// leave emits a return from the function, or an exit from the kernel, before which the thread stores its registers.
func (g *flowGrower) leave(p flowReg, holds, exit bool) {
	ret := func() *flowInstr { return g.f.emit(doReturn, "ret", noReg, noReg, noReg, 0) }
	if g.number > 0 && !exit {
		ret().when(p, holds)
		return
	}
	g.f.emit(doAddress, "mov.u64 %at, words", noReg, noReg, noReg, 0)
	g.f.emit(doAddress, fmt.Sprintf("mad.wide.u32 %%at, %v, %d, %%at", rThread, 4*keptWords), noReg, noReg, noReg, 0)
	for r := range flowReg(keptWords) {
		g.f.emit(doKeep, "st.global.u32", noReg, r, noReg, uint32(r)).when(p, holds)
	}
	if exit {
		g.f.emit(doExit, "exit", noReg, noReg, noReg, 0).when(p, holds)
	} else {
		ret().when(p, holds)
	}
}

// call emits a call of a known function. One that may lead back here takes fuel.
func (g *flowGrower) call() {
	callee := 1 + g.IntN(g.functions-1)
	p, holds := noReg, false
	if callee <= g.number {
		p = g.spent()
		g.burn().when(p, holds)
	} else if g.IntN(3) == 0 {
		p = g.decide()
	}
	g.f.emit(doCall, "call", noReg, noReg, noReg, 0, callee).when(p, holds)
	g.mark()
}

// callAny emits a call of functions that each lane chooses.
func (g *flowGrower) callAny() {
	aim := func() *flowInstr {
		return g.f.emit(doAim, "mov.u64", noReg, noReg, noReg, 0, 1+g.IntN(g.functions-1))
	}
	aim()
	for range 1 + g.IntN(2) {
		p := g.decide()
		aim().when(p, true)
	}
	p := g.spent()
	g.burn().when(p, false)
	g.f.emit(doCall, "call", noReg, noReg, noReg, 0).when(p, false)
	g.mark()
}

func (g *flowGrower) access(op string, word uint32, d, a flowReg) *flowInstr {
	return g.f.emit(doLock, op, d, a, noReg, uint32(g.locked)*lockWords+word)
}

// blocks emits code of blocks that branch anywhere.
func (g *flowGrower) blocks() {
	n := 2 + g.IntN(8)
	var labels []int
	for range n + 1 {
		labels = append(labels, g.f.label())
	}
	for i := range n {
		g.f.place(labels[i])
		for range g.IntN(3) {
			g.statement(3)
		}
		g.leave(g.spent(), true, g.IntN(4) == 0) // any branch may go back
		g.burn()
		switch to := labels[g.IntN(n+1)]; g.IntN(10) {
		case 0:
			g.leave(noReg, false, g.IntN(2) == 0)
		case 1, 2:
			g.jump(to)
		case 3, 4:
			g.table(labels)
		case 5:
		default:
			g.jumpIf(g.decide(), g.IntN(2) == 0, to)
		}
	}
	g.f.place(labels[n])
}
