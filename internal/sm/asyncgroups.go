package sm

import "github.com/simtrun/simtrun/internal/isa"

// groupOp is the operation of an instruction on groups of asynchronous copies.
type groupOp uint8

const (
	noGroup      groupOp = iota
	commitsGroup         // makes a group of the copies since the last commit
	waitsForGroups
	waitsForCopies // including copies without a group
)

// setGroups sets what an instruction does with groups of asynchronous copies.
func (in *instr) setGroups(src *isa.Instr) {
	in.bulkGroups, in.readsOnly = src.Mods[isa.Bulk] != 0, src.Mods[isa.ReadG] != 0
	switch src.Mods[isa.GroupOp] {
	case isa.CommitGroup:
		in.groups = commitsGroup
	case isa.WaitGroup:
		in.groups, in.latest = waitsForGroups, int64(src.Args[0].Bits)
	case isa.WaitAll:
		in.groups = waitsForCopies
	}
}

// setProducts sets what a warpgroup instruction does.
func (l *lowering) setProducts(in *instr, pc int) {
	src := &l.f.Src.Code[pc]
	in.products = true
	switch src.Mods[isa.WarpgroupG] {
	case isa.WarpgroupCommit:
		in.groups = commitsGroup
	case isa.WarpgroupWait:
		in.groups, in.latest = waitsForGroups, int64(src.Args[0].Bits)
	case isa.WarpgroupMMA:
		in.multiplies, in.tiles = true, int64(src.GroupProduct().N/8)
		last := &in.ops[len(in.ops)-1]
		in.latency += last.interval * (in.tiles - 1)
		last.interval *= in.tiles
	}
}

// groupsOf returns the copies or products that an instruction groups or waits for.
func (x *slot) groupsOf(in *instr) *asyncGroups {
	switch {
	case in.products:
		return &x.products
	case in.bulkGroups, in.leaves:
		return &x.stored
	}
	return &x.copies
}

// shared returns the kind of an instruction's access to shared memory: a copy stores there the data that it loads.
func (in *instr) shared() memoryKind {
	if in.copies {
		return stores
	}
	return in.memory
}

// readSource notes that a bulk copy to global memory, a flight of the warp in x, will have read its source by a
// cycle.
func (m *multiprocessor) readSource(x *slot, id int32, cycle, now int64) {
	f := &m.flights[id]
	f.read = true
	x.sourceRead.land(f.group, cycle)
	if x.parked {
		m.resume(x, now)
	}
}

// asyncGroups are the groups of asynchronous copies of a warp, or of the warp's part of its warpgroup's products. In
// PTX each lane has groups of its own; here a warp's groups count as those of one thread.
type asyncGroups struct {
	group int64 // group of copies from now on
	done  []groupDone
}

// groupDone is the cycle by which the copies of a group that have arrived are in shared memory.
type groupDone struct{ group, cycle int64 }

// land notes that a copy of a group is done at a cycle.
func (c *asyncGroups) land(group, cycle int64) {
	for i := range c.done {
		if c.done[i].group == group {
			c.done[i].cycle = max(c.done[i].cycle, cycle)
			return
		}
	}
	c.done = append(c.done, groupDone{group, cycle})
}

// groupsDone returns when the groups that the next instruction of the warp in x waits for are done.
func (m *multiprocessor) groupsDone(x *slot) moment {
	of, state := x.groupsOf(x.in), LongScoreboard
	end := of.group - x.in.latest // the first group that it does not wait for
	if x.in.groups == waitsForCopies {
		end = of.group + 1
	}
	if x.in.products {
		return of.readyBefore(end, m.now, pendingBy[isa.CostMatrixGroup])
	}
	if x.in.readsOnly {
		of = &x.sourceRead
	}
	for _, id := range x.flights {
		f := &m.flights[id]
		if under := f.copies && !x.in.bulkGroups || f.leaves && x.in.bulkGroups && !(x.in.readsOnly && f.read); under && f.group < end {
			return pending
		}
	}
	return of.readyBefore(end, m.now, state)
}

// allDone returns when everything that has landed is done.
func (c *asyncGroups) allDone() (ready moment) {
	for _, d := range c.done {
		ready = max(ready, at(d.cycle, pendingBy[isa.CostMatrixGroup]))
	}
	return ready
}

// readyBefore returns when the landed groups before group end are done, and forgets those that are done by now. State
// is the state of a warp that waits for them.
func (c *asyncGroups) readyBefore(end, now int64, state State) moment {
	ready := moment(0)
	kept := c.done[:0]
	for _, d := range c.done {
		if d.group < end {
			ready = max(ready, at(d.cycle, state))
		}
		if d.group >= end || d.cycle > now {
			kept = append(kept, d)
		}
	}
	c.done = kept
	return ready
}
