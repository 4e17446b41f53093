package sm

import (
	"context"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Unknown is a cycle that is not known yet.
const Unknown = -1

// Cycle returns the next cycle to run: nothing has been done in it.
func (s *Session) Cycle() int64 { return s.options.Since + max(s.time, s.shown) }

// Advance runs the launches up to, but not including, a cycle, or to their end. Options.Window must be 1. What SMs
// write to global memory takes effect at the end of an epoch, up to some cycles later. Errors are those of Continue.
//
// What is to be seen then depends on the next cycle only, and not on where earlier calls stopped or were interrupted.
func (s *Session) Advance(ctx context.Context, cycle int64) error {
	if s.options.Window != 1 {
		panic("simtrun bug: Advance needs windows of one cycle")
	}
	cycle -= s.options.Since
	s.pool.begin()
	defer s.pool.stop()
	for began := false; !s.done; began = true {
		next := s.nextTurn()
		if next >= cycle && next != idle {
			break
		}
		// Two turns take no cycle: the one in which what CTAs did at their start takes effect, and the one that finds
		// the end. Nothing may be seen between them and their neighbours.
		if !began || s.time > 0 && next != idle {
			if err := ctx.Err(); err != nil {
				return interp.Interrupt(s.Warps(), err)
			}
		}
		if err := s.turn(); err != nil {
			return err
		}
	}
	if !s.done {
		s.shown = max(s.shown, cycle)
		for i := range s.sms {
			s.sms[i].now = max(s.sms[i].now, cycle)
		}
	}
	return s.failed
}

// nextTurn returns the cycle in which the session has something to do next: an event, or the exchange in the last cycle
// of an epoch, which may cause more events. It is idle at the end of the launches.
func (s *Session) nextTurn() int64 {
	next := s.nextEvent()
	if !s.applied {
		next = min(next, s.epochEnd-1)
	}
	return next
}

// TookEffect reports whether everything that SMs have done to global memory so far has taken effect.
func (s *Session) TookEffect() bool { return s.applied || s.done }

// NextCycle returns the first cycle, from Cycle on, in which something may happen.
func (s *Session) NextCycle() int64 {
	next := s.nextTurn()
	if next == idle {
		return s.Cycle()
	}
	return max(s.Cycle(), s.options.Since+next)
}

// SMView is the state of an SM between two cycles, as known then.
type SMView struct {
	ID         int
	CTAs       int // resident CTAs
	Schedulers []SchedulerView
	L1Bytes    int64
	L1         L1Traffic // of all launches so far
}

// SchedulerView is the state of a warp scheduler between two cycles.
type SchedulerView struct {
	Issued uint64 // machine instructions so far
	Slots  int    // number of slots for warps
	Queued int    // memory instructions waiting for the SM's memory pipe
	Warps  []Resident
	Busy   []BusyPipe
}

// BusyPipe is a pipe that takes no instruction before cycle Until, which is Unknown if it depends on others.
type BusyPipe struct {
	Unit isa.Unit
	Free int64
}

// Resident is a warp in its slot.
type Resident struct {
	Warp   interp.Warp
	Launch int // index among the launches that run together
	Slot   int // of the scheduler
	Start  int64

	// The warp issues op Op of Ops of a PTX instruction next. Op is negative for ops issued before the instruction's
	// own.
	Func    *isa.Func
	PC      int
	Op, Ops int
	Class   isa.CostClass
	Pipe    isa.Unit

	// State is the warp's state in the next cycle; Selected means that it can issue. Until is the first cycle in which
	// the warp leaves the state, if neither a busy pipe nor another warp delays it; Unknown if that depends on others.
	State State
	Until int64
	Waits []PendingWrite // registers that cannot be read yet
}

// PendingWrite is a register of the warp's frame that a pending instruction is to write.
type PendingWrite struct {
	Register string
	State    State // of a warp that waits for it
	Until    int64 // first cycle in which it can be read; Unknown if that depends on memory
	Needed   bool  // the next instruction needs it
}

// Inspect returns the present state of an SM.
func (s *Session) Inspect(id int) *SMView {
	m := &s.sms[id]
	v := &SMView{ID: id, CTAs: m.residents}
	if m.residents > 0 {
		v.L1Bytes = m.gpu.Residency.L1AndShared - m.shared
	}
	for i := range m.of {
		v.L1.Add(&m.of[i].traffic)
	}
	for i := range m.schedulers {
		v.Schedulers = append(v.Schedulers, m.viewScheduler(&m.schedulers[i], s.Cycle()-s.options.Since))
	}
	return v
}

// Issuing visits the resident warps that can run, each with its number in the program of the function and the PC of the
// PTX instruction to which its next machine instruction belongs. The warp may have executed that one before: see
// region.
func (s *Session) Issuing(visit func(w interp.Warp, fn, pc int)) {
	for _, r := range s.resident() {
		for id, at := range r.slots {
			if x := &r.sm.schedulers[at.scheduler].slots[at.slot]; x.warp == r.Warps[id] && x.warp.Live != 0 && x.code != nil && !x.blocked {
				x.syncControl()
				visit(x.engine.Inspect(r.CTA, x.warp), x.code.fn.Number, x.pc())
			}
		}
	}
}

// IsFree reports whether an instruction of the first launch costs nothing, and so is executed in the same cycle as
// the one before it.
func (s *Session) IsFree(fn *isa.Func, pc int) bool {
	for _, c := range s.launches[0].codes {
		if c.fn.Src == fn {
			return len(c.instrs[pc].ops) == 0 || c.isPart(pc)
		}
	}
	return false
}

// SMs returns the number of SMs.
func (s *Session) SMs() int { return len(s.sms) }

// L2Traffic returns the launches' traffic of L2 and device memory so far; nil if the GPU has no caches.
func (s *Session) L2Traffic() *Traffic {
	if s.memory == nil {
		return nil
	}
	sum := new(Traffic)
	for _, l := range s.launches {
		t := s.traffic(l)
		sum.Add(&t)
	}
	return sum
}

func (m *multiprocessor) viewScheduler(c *scheduler, now int64) SchedulerView {
	v := SchedulerView{Slots: m.slots, Queued: m.queued(c.id - m.id*len(m.schedulers))}
	for i := range c.did {
		for _, n := range c.did[i].Classes {
			v.Issued += n
		}
	}
	for u, p := range c.pipes {
		if p.free > now {
			v.Busy = append(v.Busy, BusyPipe{isa.Unit(u), m.shown(p.free)})
		}
	}
	for i := range c.slots {
		if x := &c.slots[i]; x.warp != nil && (!x.ends || x.unsent > 0 || m.endOf(x) > now) {
			v.Warps = append(v.Warps, m.viewSlot(x, now))
		}
	}
	return v
}

// shown converts a cycle to one as seen from outside the session.
func (m *multiprocessor) shown(cycle int64) int64 {
	if cycle == idle {
		return Unknown
	}
	return m.options.Since + cycle
}

func (m *multiprocessor) viewSlot(x *slot, now int64) Resident {
	x.syncControl()
	r := Resident{Warp: x.engine.Inspect(x.cta.CTA, x.warp), Launch: x.cta.launch.index, Slot: x.index, Start: m.options.Since + x.start, Until: Unknown}
	if x.code != nil {
		r.Func, r.PC = x.code.fn.Src, min(x.pc(), len(x.code.fn.Src.Code))
	}
	if x.op != nil {
		r.Op, r.Ops, r.Class, r.Pipe = x.nextOp, len(x.in.ops), x.op.class, x.op.pipe
	}
	c := x.scheduler
	switch {
	case x.ends:
		r.State = Drain
		if x.unsent == 0 {
			r.Until = m.shown(m.endOf(x))
		}
		return r
	case x.blocked:
		r.State = AtBarrier
		return r
	case c.ready&x.bit != 0 || x.waitsInWheel() && x.wake.cycle() <= now:
		r.State, r.Until = Selected, m.shown(now)
		if free := c.pipes[x.op.pipe].free; free > now {
			r.State, r.Until = x.op.throttle, m.shown(free)
		}
	case x.waitsInWheel():
		r.State, r.Until = x.wake.state(), m.shown(x.wake.cycle())
	default: // parked, or its system call is under way
		r.State = LongScoreboard
	}
	r.Waits = m.waits(x, now)
	if x.freed > now {
		r.State, r.Until = AtBarrier, m.shown(x.freed)
		return r
	}
	if x.parked {
		for _, w := range r.Waits {
			if w.Needed && w.Until == Unknown {
				r.State = w.State
			}
		}
	}
	return r
}

// waitsInWheel reports whether the time at which the warp in x is to issue is known.
func (x *slot) waitsInWheel() bool {
	c := x.scheduler
	return c.far&x.bit != 0 || x.wake.cycle() >= 0 && c.wheel[x.wake.cycle()&(wheelSpan-1)]&x.bit != 0
}

// waits returns the registers of the warp's frame that cannot be read yet.
func (m *multiprocessor) waits(x *slot, now int64) (all []PendingWrite) {
	if x.scoreboard.ready == nil || x.in == nil {
		return nil
	}
	reads := x.nextOp <= x.in.reads
	for n, ready := range x.scoreboard.ready {
		w := PendingWrite{State: ready.known().state(), Until: Unknown, Needed: reads && slices.Contains(x.in.sources, uint16(n))}
		switch {
		case !ready.isKnown():
			if f := m.flightOf(x, uint16(n)); f != nil {
				w.State = f.state
			}
		case ready.cycle() > now:
			w.Until = m.shown(ready.cycle())
		default:
			continue
		}
		w.Register = x.code.registerName(n)
		all = append(all, w)
	}
	return all
}

// flightOf returns a flight that a register of the warp in x waits for; nil if there is none.
func (m *multiprocessor) flightOf(x *slot, reg uint16) *flight {
	for _, id := range x.flights {
		if f := &m.flights[id]; slices.Contains(f.refs, register{x.frame, reg}) {
			return f
		}
	}
	return nil
}

// registerName returns the name of the scoreboard register with a number.
func (c *code) registerName(n int) string {
	if n == passed {
		return "what is passed"
	}
	return c.names[n-passed-1]
}
