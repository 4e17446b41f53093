package sm

import "github.com/simtrun/simtrun/isa"

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

// groupsDone is when the groups are done for which the next instruction of the warp in x waits.
func (m *multiprocessor) groupsDone(x *slot) moment {
	end := x.copied.group - x.in.latest // the first group that it does not wait for
	if x.in.groups == waitsForCopies {
		end = x.copied.group + 1
	}
	for _, id := range x.flights {
		if f := &m.flights[id]; f.copies && f.group < end {
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
