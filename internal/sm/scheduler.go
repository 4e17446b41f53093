package sm

import (
	"math"
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
)

// wheelSpan is the number of buckets of a scheduler's wheel: how many cycles ahead it reaches.
const wheelSpan = 64

// scheduler is a warp scheduler with its sub-partition of an SM. Masks have a bit for each slot. A warp that is to
// issue is in one of three places: in ready, if it waits only for its pipe; in the wheel, if it becomes ready in less
// than wheelSpan cycles; otherwise in far. A warp that waits for other warps is in none. So the scheduler does not
// examine a warp in a cycle in which nothing changes for it.
type scheduler struct {
	id        int                  // unique on the GPU
	slots     []slot               // up to machine.slots: those that have had a warp, and perhaps more
	younger   []uint64             // by slot: slots with warps that started later
	resident  uint64               // slots that have a warp
	ready     uint64               // slots whose warp waits for nothing but its pipe
	uses      [isa.NumUnits]uint64 // by pipe: slots of ready with a warp that issues to it next
	conflicts uint64               // slots with a next instruction that has a register bank conflict, for Policy
	last      int                  // slot that issued last

	pipes [isa.NumUnits]*pipe
	// by pipe: cycles in which it took an instruction, and could have taken one of this scheduler's
	own    [isa.NumUnits]int64
	closed uint // bit set of pipes that may not take an instruction

	tensorPort tensorPort // between registers and tensor memory

	wheel    [wheelSpan]uint64 // by wake-up cycle modulo wheelSpan
	occupied uint64            // buckets of wheel that are not empty
	far      uint64
	stepped  int64  // cycle of the latest step
	farMin   int64  // first wake-up cycle in far
	next     *int64 // cycle of the next event, in multiprocessor.events

	did    []SchedulerTiming // by launch
	stable []uint64          // by launch: lines that its instruction cache has for good; see stableLines
}

// idle is the next event of a scheduler that has none.
const idle = math.MaxInt64

// pipe is an execution pipe.
type pipe struct {
	free   int64 // from this cycle on it takes an instruction
	closed int64 // cycles before free in which it took an instruction, or none
}

// bitOf returns the bit of a pipe in scheduler.closed.
func bitOf(u isa.Unit) uint { return 1 << (u & 63) }

// closedBefore returns in how many of the cycles before t a pipe could not take an instruction of the scheduler. T
// must not be before the latest instruction that the pipe took.
func (c *scheduler) closedBefore(u isa.Unit, t int64) int64 {
	p := c.pipes[u]
	return p.closed - max(0, p.free-t) - c.own[u]
}

// take makes a pipe take an instruction at t. If schedulers of the SM share the pipe, it is closed for the others in
// that cycle.
func (c *scheduler) take(u isa.Unit, t, interval int64) {
	p := c.pipes[u]
	p.free = t + interval
	p.closed += interval
	c.own[u]++
	if interval > 1 {
		c.closed |= bitOf(u)
	}
}

// keepBusy keeps a pipe that has just taken an instruction busy for more cycles.
func (c *scheduler) keepBusy(u isa.Unit, cycles int64) {
	if cycles > 0 {
		c.pipes[u].free += cycles
		c.pipes[u].closed += cycles
		c.closed |= bitOf(u)
	}
}

// close closes a pipe of the scheduler until open is called.
func (c *scheduler) close(u isa.Unit) {
	p := c.pipes[u]
	p.closed += idle - p.free
	p.free = idle
	c.closed |= bitOf(u)
}

// open opens a closed pipe at t.
func (c *scheduler) open(u isa.Unit, t int64) {
	p := c.pipes[u]
	p.closed -= idle - t
	p.free = t
	if c.ready&c.uses[u] != 0 {
		c.eventAt(t)
	}
}

// eventAt notes that the scheduler has an event at t.
func (c *scheduler) eventAt(t int64) { *c.next = min(*c.next, t) }

// place puts the warp in x, which is to issue at w, in the wheel or, if w is too late for it, in far. Now is a cycle
// not after the scheduler's next step. Outside of a step, eventAt must follow.
func (c *scheduler) place(x *slot, w moment, now int64) {
	x.wake = w
	t := w.cycle()
	if uint64(t-now) >= wheelSpan {
		c.placeFar(x, t, now)
		return
	}
	c.wheel[t&(wheelSpan-1)] |= x.bit
	c.occupied |= 1 << (t & (wheelSpan - 1))
}

// placeFar is place for a cycle t that is too late for the wheel.
func (c *scheduler) placeFar(x *slot, t, now int64) {
	if t < now {
		panic("simtrun bug: a warp is to issue in a past cycle")
	}
	if c.far == 0 || t < c.farMin {
		c.farMin = t
	}
	c.far |= x.bit
}

// moveFar puts the warps of far that are due soon after t into the wheel.
func (c *scheduler) moveFar(t int64) {
	far := c.far
	c.far = 0
	for ; far != 0; far &= far - 1 {
		x := &c.slots[bits.TrailingZeros64(far)]
		c.place(x, x.wake, t)
	}
}

// wakeUp makes ready the warps of a scheduler that are due at t and have their next instruction, and returns their
// slots.
func (m *multiprocessor) wakeUp(c *scheduler, t int64) (woken uint64) {
	bucket := t & (wheelSpan - 1)
	due := c.wheel[bucket]
	c.wheel[bucket] = 0
	c.occupied &^= 1 << bucket
	for ; due != 0; due &= due - 1 {
		x := &c.slots[bits.TrailingZeros64(due)]
		o := x.op
		if !x.hasOp() && !m.isSupplied(x, t) {
			continue
		}
		woken |= x.bit
		c.uses[o.pipe] |= x.bit
		if m.policy.kind == bankAware {
			c.noteConflict(x)
		}
	}
	c.ready |= woken
	return woken
}

// hasOp reports whether the warp in x has its next op without a fetch: the op's line is that of the latest one, or
// stays in the instruction cache. If so, that line is now the latest one.
func (x *slot) hasOp() bool {
	o := x.op
	if o.constant != noConstant {
		return false
	}
	if o.line == x.line {
		return true
	}
	if o.line >= stableLines || *x.stable>>(o.line&(stableLines-1))&1 == 0 {
		return false
	}
	x.line = o.line
	return true
}

// issuesAtOnce reports whether the warp in x, the only one that can issue at t, has its next op and a pipe for it.
func (c *scheduler) issuesAtOnce(x *slot, t int64) bool {
	return c.pipes[x.op.pipe].free <= t && x.hasOp()
}

// noteClosed notes for warps that have become ready at t, and do not issue at t, how long their pipes were closed
// before.
func (c *scheduler) noteClosed(woken uint64, t int64) {
	for ; woken != 0; woken &= woken - 1 {
		x := &c.slots[bits.TrailingZeros64(woken)]
		x.closedAtWake = c.closedBefore(x.op.pipe, t)
	}
}

// throttled returns for how many cycles the warp in x, which is ready, has waited for its pipe by cycle t.
func (c *scheduler) throttled(x *slot, t int64) int64 {
	if x.wake.cycle() == t {
		return 0
	}
	return c.closedBefore(x.op.pipe, t) - x.closedAtWake
}

// noteConflict notes whether the next instruction of the warp in x has a register bank conflict.
func (c *scheduler) noteConflict(x *slot) {
	c.conflicts &^= x.bit
	if x.in.conflict > 0 {
		c.conflicts |= x.bit
	}
}

// eligible returns the slots with warps that can issue at t.
func (c *scheduler) eligible(t int64) uint64 {
	e := c.ready
	for closed := c.closed; closed != 0; closed &= closed - 1 {
		p := bits.TrailingZeros(closed)
		if c.pipes[p].free > t {
			e &^= c.uses[p]
		} else {
			c.closed &^= 1 << p
		}
	}
	return e
}

// countEligible counts the warps of some slots that can issue in a cycle.
func (c *scheduler) countEligible(e uint64) {
	if len(c.did) == 1 {
		c.did[0].Eligible += uint64(bits.OnesCount64(e))
		return
	}
	for ; e != 0; e &= e - 1 {
		c.slots[bits.TrailingZeros64(e)].did.Eligible++
	}
}

// setNext sets the cycle of the next event, after t.
func (c *scheduler) setNext(t int64) {
	next := int64(idle)
	if c.occupied != 0 {
		ahead := bits.RotateLeft64(c.occupied, -int((t+1)&(wheelSpan-1)))
		next = t + 1 + int64(bits.TrailingZeros64(ahead))
	}
	if c.far != 0 {
		next = min(next, c.farMin)
	}
	if c.ready != 0 && next > t+1 {
		next = min(next, c.nextOpen(t+1))
	}
	*c.next = next
}

// nextOpen returns the first cycle, from t on, in which the pipe of a warp of ready can take an instruction.
func (c *scheduler) nextOpen(t int64) int64 {
	open, next := c.ready, int64(idle)
	for closed := c.closed; closed != 0; closed &= closed - 1 {
		p := bits.TrailingZeros(closed)
		if waiting := c.uses[p] & c.ready; waiting != 0 && c.pipes[p].free > t {
			open &^= waiting
			next = min(next, c.pipes[p].free)
		}
	}
	if open != 0 {
		return t
	}
	return next
}

// remove takes the warp in x, which was just put into the wheel, out of it.
func (c *scheduler) remove(x *slot) {
	bucket := x.wake.cycle() & (wheelSpan - 1)
	if c.wheel[bucket] &^= x.bit; c.wheel[bucket] == 0 {
		c.occupied &^= 1 << bucket
	}
}
