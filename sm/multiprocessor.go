package sm

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// multiprocessor is an SM. It runs by itself from one exchange to the next: what it
// has for others is in its outbox.
type multiprocessor struct {
	*machine
	id         int
	schedulers []scheduler
	first      int                // the scheduler that is first in a cycle
	pipes      [isa.NumUnits]pipe // those that its schedulers share
	room       room
	outbox     []message
	sent       uint64 // messages

	barrierFree int64 // from this cycle on the barrier unit takes an arrival
	sharedFree  int64 // from this cycle on shared memory takes a request

	// Of the time in which a warp resides.
	residents   int   // CTAs
	handed      int64 // CTAs, since the launch began
	activeSince int64 // the cycle since which, without a gap, or from which on warps reside
	active      int64 // cycles in which warps resided before

	inState States
	err     error // the first
	errAt   int64 // cycle
}

// slot is a place for a warp on a scheduler.
type slot struct {
	cta    *cta
	warp   *warp.State
	split  divergence.Split   // that issues
	frame  divergence.FrameID // of the split
	code   *code              // of the frame's function
	in     *instr             // that is issued next
	op     *op                // of it, that is issued next
	nextOp int                // index of op in in.ops; negative for those of before, the last of which is -1
	before []op               // machine instructions that are issued before those of in, and execute nothing
	board  []moment           // of the frame, by register: when it can be read
	boards [][]moment         // by divergence.FrameID

	start        int64  // cycle
	issuedAt     int64  // cycle of the latest issue
	wake         moment // when it was to be ready
	closedAtWake int64  // what closedBefore was then, of the pipe of op
	stored       int64  // cycle in which its latest store has left the SM
	passed       moment // when what calls and returns pass in memory is there
	blocked      bool   // no split can run until lanes of other warps arrive or end

	atBarrier lanes.Mask // that wait at a barrier, or have not gone on since
	released  moment     // when those go on that the latest barrier released

	turn turn
}

// run lets the SM run up to, but without, cycle end.
func (m *multiprocessor) run(end int64) {
	for {
		t := m.nextEvent()
		if t >= end {
			return
		}
		m.now = t
		for i, first := 0, m.first; i < len(m.schedulers); i++ {
			if c := &m.schedulers[(first+i)%len(m.schedulers)]; c.next == t {
				m.step(c, t)
			}
		}
		if m.err != nil {
			return
		}
	}
}

func (m *multiprocessor) nextEvent() int64 {
	next := int64(idle)
	for i := range m.schedulers {
		next = min(next, m.schedulers[i].next)
	}
	return next
}

// step is a cycle of a scheduler.
func (m *multiprocessor) step(c *scheduler, t int64) {
	m.steps++
	c.stepped = t
	c.wakeUp(t)
	if e := c.eligible(t); e != 0 {
		c.did.Eligible += uint64(bits.OnesCount64(e))
		m.issue(c, m.policy.pick(c, e, t), t)
	}
	c.setNext(t)
}
