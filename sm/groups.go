package sm

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/isa"
)

// groupOp is what an instruction does with groups of copies.
type groupOp uint8

const (
	noGroup      groupOp = iota
	commitsGroup         // the copies since the last of these are a group
	waitsForGroups
	waitsForCopies // also those of no group
)

// setGroups sets what an instruction does with groups of copies.
func (in *instr) setGroups(src *isa.Instr) {
	if src.Mods[isa.Bulk] != 0 { // what is stored leaves the SM, and nothing waits for it
		return
	}
	switch src.Mods[isa.GroupOp] {
	case isa.CommitGroup:
		in.groups = commitsGroup
	case isa.WaitGroup:
		in.groups, in.latest = waitsForGroups, int64(src.Args[0].Bits)
	case isa.WaitAll:
		in.groups = waitsForCopies
	}
}

// shared is what an instruction does to shared memory: a copy stores there what it loads.
func (in *instr) shared() memoryKind {
	if in.copies {
		return stores
	}
	return in.memory
}

// copied is the asynchronous copies of a warp. Lanes have groups of their own in PTX; here those of a
// warp count as one thread's.
type copied struct {
	group int64 // to which its copies belong from now on
	done  []groupDone
}

// groupDone is the cycle in which what has arrived of a group's copies is in shared memory.
type groupDone struct{ group, cycle int64 }

// land notes that a copy of a group is done in a cycle.
func (c *copied) land(group, cycle int64) {
	for i := range c.done {
		if c.done[i].group == group {
			c.done[i].cycle = max(c.done[i].cycle, cycle)
			return
		}
	}
	c.done = append(c.done, groupDone{group, cycle})
}

// bulkCopy is a bulk copy of which an mbarrier of the CTA is told. What memory holds is told at
// once; but who asks the mbarrier has no answer before the copy is done.
type bulkCopy struct {
	mbarrier uint64  // its address
	flight   int32   // or landed
	done     int64   // cycle, once it has landed
	waiters  []int32 // flights that ask
}

const landed = -1

// noMbarrier is an address that no mbarrier has.
const noMbarrier = ^uint64(0)

// mbarrier is the address of the mbarrier on which an instruction has worked: in the first lane, by
// its last access.
func (m *multiprocessor) mbarrier() uint64 {
	n := len(m.effect.Access)
	if n == 0 {
		return noMbarrier
	}
	a := &m.effect.Access[n-1]
	return a.At(bits.TrailingZeros32(uint32(a.Lanes)))
}

// startCopy makes a flight of the warp in x a copy: of its present group, or one of which an
// mbarrier is told.
func (m *multiprocessor) startCopy(x *slot, id int32) {
	f := &m.flights[id]
	f.copies, f.group = true, x.copied.group
	if !x.in.bulk {
		return
	}
	c := x.cta
	f.tells, f.number = c, c.number
	c.bulk = slices.DeleteFunc(c.bulk, func(b bulkCopy) bool { return b.flight == landed && b.done <= m.now })
	c.bulk = append(c.bulk, bulkCopy{mbarrier: m.mbarrier(), flight: id})
}

// awaitBulk makes a flight that asks an mbarrier wait for the copies of which that is told.
func (m *multiprocessor) awaitBulk(x *slot, id int32) {
	f := &m.flights[id]
	for i := range x.cta.bulk {
		b := &x.cta.bulk[i]
		if b.mbarrier != m.mbarrier() {
			continue
		}
		f.state = max(f.state, LongScoreboard)
		if b.flight == landed {
			f.done = max(f.done, b.done)
			continue
		}
		f.left++
		b.waiters = append(b.waiters, id)
	}
}

// told goes on with what waits for a flight of which an mbarrier of c was told.
func (m *multiprocessor) told(c *cta, id int32, now int64) {
	i := slices.IndexFunc(c.bulk, func(b bulkCopy) bool { return b.flight == id })
	if i < 0 {
		return
	}
	b := &c.bulk[i]
	b.flight, b.done = landed, m.flights[id].done
	waiters, done := b.waiters, b.done
	b.waiters = nil
	for _, w := range waiters {
		m.flights[w].done = max(m.flights[w].done, done)
		m.arrive(w, now)
	}
}

// groupsDone is when the groups are done for which the next instruction of the warp in x waits.
func (m *multiprocessor) groupsDone(x *slot) moment {
	end := x.copied.group - x.in.latest // the first group that it does not wait for
	if x.in.groups == waitsForCopies {
		end = x.copied.group + 1
	}
	for _, id := range x.flights {
		if f := &m.flights[id]; f.copies && f.tells == nil && f.group < end {
			return pending
		}
	}
	ready := moment(0)
	kept := x.copied.done[:0]
	for _, d := range x.copied.done {
		if d.group < end {
			ready = max(ready, at(d.cycle, LongScoreboard))
		}
		if d.group >= end || d.cycle > m.now {
			kept = append(kept, d)
		}
	}
	x.copied.done = kept
	return ready
}
