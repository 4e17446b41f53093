package interp_test

// wait emits code that waits for other lanes, if the class has any.
func (g *flowGrower) wait(depth int) bool {
	switch {
	case g.locks && g.IntN(2) == 0:
		g.lock(depth)
	case g.barriers && g.IntN(2) == 0:
		g.ctaBarrier()
	case g.full && (!g.groups || g.IntN(2) == 0):
		g.compute("mov.u32", rMembers, noReg, 0xffffffff)
		g.collective()
	case g.groups:
		g.someLanes()
		g.collective()
	default:
		return false
	}
	return true
}

// someLanes makes a mask that includes the lane, and that the other lanes in it have, too.
func (g *flowGrower) someLanes() {
	shift := func(lanes, by uint32) {
		g.compute("and.b32", rScratch, rLane, by)
		g.compute("mov.u32", rMembers, noReg, lanes)
		g.f.emit(doCompute, "shl.b32", rMembers, rMembers, rScratch, 0)
	}
	switch g.IntN(5) {
	case 0:
		shift(0xffff, 16)
	case 1:
		shift(0xff, 24)
	case 2:
		shift(3, 30)
	case 3:
		shift(0x55555555, 1)
	default:
		g.f.emit(doCompute, "mov.u32", rMembers, noReg, rGroup, 0)
	}
}

// collective emits a collective of the lanes in rMembers.
func (g *flowGrower) collective() {
	op, d, a, imm := g.ops[g.IntN(len(g.ops))], rScratch, rPath, uint32(0)
	guard := noReg
	if g.IntN(8) == 0 {
		guard = g.decide()
	}
	switch op {
	case "vote.sync.ballot.b32":
		a = g.decide()
	case "match.any.sync.b32":
		d = rGroup
		a = rScratch
		g.compute("shr.u32", a, rPath, 29+g.Uint32N(3))
	case "shfl.sync.bfly.b32":
		imm = g.Uint32N(32)
	case "bar.warp.sync":
		d, a = noReg, noReg
	}
	g.f.emit(doCollective, op, d, a, noReg, imm).when(guard, true)
	if d != noReg {
		g.take(d)
	}
}

// ctaBarrier emits a barrier.
func (g *flowGrower) ctaBarrier() {
	id := g.barrier
	if g.IntN(16) == 0 {
		id = g.Uint32N(16)
	}
	if g.IntN(3) > 0 {
		g.f.emit(doBarrier, "bar.sync", noReg, noReg, noReg, id)
		return
	}
	p := g.decide()
	g.f.emit(doBarrier, "bar.red.popc.u32", rScratch, p, noReg, id)
	g.take(rScratch)
}

// Words of a lock.
const (
	lockTaken uint32 = iota
	lockCount
	lockNext   // ticket to be given
	lockServed // ticket
	lockWords
)

// lock emits a critical section. In it no lane waits for others, except at locks with higher numbers.
func (g *flowGrower) lock(depth int) {
	flag := rDone + flowReg(g.locked) // or the ticket
	again := g.f.label()
	g.f.emit(doAddress, "mov.u64 %at, locks", noReg, noReg, noReg, 0)
	switch kind := g.IntN(2); {
	case g.tickets[g.locked]: // the first to come is served first
		g.access("atom.global.add.u32", lockNext, flag, noReg)
		g.f.place(again)
		g.access("ld.volatile.global.u32", lockServed, rScratch, noReg).spins = true
		g.f.emit(doCompute, "setp.ne.u32", rPred, rScratch, flag, 0).spins = true
		g.jumpIf(rPred, true, again).spins = true
		g.section(depth)
		g.compute("add.u32", flag, flag, 1)
		g.access("st.volatile.global.u32", lockServed, noReg, flag)
	case kind == 0: // the winner leaves the loop
		g.tryLock(again, again)
		g.section(depth)
		g.access("atom.global.exch.b32", lockTaken, rScratch, noReg)
	default: // the winner stays in the loop with the others
		end := g.f.label()
		g.compute("mov.u32", flag, noReg, 0)
		g.tryLock(again, end)
		g.section(depth)
		g.access("atom.global.exch.b32", lockTaken, rScratch, noReg)
		g.compute("mov.u32", flag, noReg, 1)
		g.f.place(end)
		g.compute("setp.eq.u32", rPred, flag, 0).spins = true
		g.jumpIf(rPred, true, again).spins = true
	}
	// A ticket, or the old value of the lock, depends on the order of lanes, and no path may depend on it.
	g.compute("mov.u32", rScratch, noReg, 0)
}

// tryLock emits an attempt, after which lanes that fail jump to failed.
func (g *flowGrower) tryLock(here, failed int) {
	g.f.place(here)
	g.access("atom.global.cas.b32", lockTaken, rScratch, noReg).spins = true
	g.compute("setp.ne.u32", rPred, rScratch, 0).spins = true
	g.jumpIf(rPred, true, failed).spins = true
}

// section emits the code that one lane at a time executes: it counts.
func (g *flowGrower) section(depth int) {
	count := rCount + flowReg(g.locked)
	g.access("ld.volatile.global.u32", lockCount, count, noReg)
	if g.IntN(2) == 0 {
		loops := g.loops
		g.loops = nil
		g.locked++
		g.list(depth + 1)
		g.locked--
		g.loops = loops
	}
	g.compute("add.u32", count, count, 1)
	g.access("st.volatile.global.u32", lockCount, noReg, count)
}
