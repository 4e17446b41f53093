package sm

import (
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
)

// Recorder is notified of what the warps of launches that run together do, and when. Cycles are absolute:
// Options.Since plus the cycle of the session.
type Recorder interface {
	// Begin is called before the launches do anything.
	Begin(ls []Launch, on *gpu.Config)
	// Observer is called after Begin. It returns the observer of an SM, or nil for none. Observers of different SMs are
	// called by several threads at once.
	Observer(sm int) Observer
	// Passed is called when all SMs have run up to, but not including, a cycle, while no observer is being called.
	// Notifications about later cycles are void if the launches now end with an error.
	Passed(cycle int64)
}

// Recorders are recorders that all get the same notifications.
type Recorders []Recorder

// Begin implements Recorder.
func (rs Recorders) Begin(ls []Launch, on *gpu.Config) {
	for _, r := range rs {
		r.Begin(ls, on)
	}
}

// Observer implements Recorder.
func (rs Recorders) Observer(sm int) Observer {
	var all observers
	for _, r := range rs {
		if o := r.Observer(sm); o != nil {
			all = append(all, o)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Passed implements Recorder.
func (rs Recorders) Passed(cycle int64) {
	for _, r := range rs {
		r.Passed(cycle)
	}
}

// observers are the observers of an SM.
type observers []Observer

func (all observers) Started(c *Residence) {
	for _, o := range all {
		o.Started(c)
	}
}

func (all observers) Issued(i *Issue) {
	for _, o := range all {
		o.Issued(i)
	}
}

func (all observers) Left(l *Leaving) {
	for _, o := range all {
		o.Left(l)
	}
}

// Observer is notified of what the warps of an SM do. Notifications and their order do not depend on the window or
// the number of host threads. An observer must not keep its arguments.
type Observer interface {
	// Started is called when a CTA has been handed to the SM.
	Started(c *Residence)
	// Issued is called when a warp issues a machine instruction. Calls are in the order of cycles.
	Issued(i *Issue)
	// Left is called when a warp frees its slot: it has ended and its stores have left the SM.
	Left(l *Leaving)
}

// Residence describes a CTA that has become resident on an SM.
type Residence struct {
	Launch int // index among the launches that run together, as they were given
	CTA    int64
	Start  int64 // cycle
	Warps  []Place
}

// Place is where a warp resides, and from which cycle on.
type Place struct {
	Scheduler, Slot int
	Start           int64 // cycle
}

// Issue is a machine instruction that a warp issues, and the cycles since its latest issue or its start. The warp
// spends these cycles first in AtBarrier, then in State, then in Throttled and NotSelected in an order that is not
// recorded, and issues in the last one. A Paired instruction is issued in the same cycle as the one before it and has
// no cycles.
type Issue struct {
	Cycle     int64
	Launch    int // index among the launches that run together, as they were given
	SM        int
	Scheduler int // of the SM
	Slot      int // of the scheduler
	CTA       int64
	Warp      int // in the CTA
	Func      *isa.Func
	PC        int // of the PTX instruction that it is part of
	Class     isa.CostClass
	// its index among the PTX instruction's Ops machine instructions; negative for one that is issued before them
	Op, Ops int

	Held        int64 // cycles at a barrier, before those in State; 0 if that is AtBarrier
	State       State // of the warp before it could issue, and for how many cycles
	Waited      int64
	Throttle    State // of the warp when it then waited for its pipe, and for how many cycles
	Throttled   int64
	NotSelected int64 // cycles in which another warp was selected
	Paired      bool
}

// First returns the first cycle that the Issue covers.
func (i *Issue) First() int64 {
	if i.Paired {
		return i.Cycle + 1
	}
	return i.Cycle - i.NotSelected - i.Throttled - i.Waited - i.Held
}

// Leaving is the end of a warp's residence.
type Leaving struct {
	Launch    int
	CTA       int64
	Warp      int // in the CTA
	Scheduler int
	Slot      int
	Func      *isa.Func
	PC        int   // at which its last cycles are counted
	End       int64 // the first cycle in which it does not reside
	Drained   int64 // cycles before End in state Drain
	EndsCTA   bool  // it is the last warp of its CTA
	// CTAEnd is, with EndsCTA, the first cycle in which no warp of the CTA resides: a warp that left before may have
	// waited longer for its stores.
	CTAEnd int64
}

// record attaches the recorder of the launches, if there is one, to the SMs.
func (s *Session) record(ls []Launch) {
	r := s.options.Recorder
	if r == nil {
		return
	}
	r.Begin(ls, s.gpu)
	for i := range s.sms {
		s.sms[i].observer = r.Observer(i)
	}
}

// recordPassed notifies the recorder that the SMs have run up to cycle end, or until one of them failed.
func (s *Session) recordPassed(end int64) {
	if s.options.Recorder == nil {
		return
	}
	if m := s.firstFailed(); m != nil {
		end = min(end, m.errAt+1)
	}
	s.options.Recorder.Passed(s.options.Since + end)
}

// notify notifies the observer that the warp in x issues an op at t.
func (m *multiprocessor) notify(x *slot, o *op, t int64, paired bool) {
	i := Issue{Cycle: m.options.Since + t, Launch: x.cta.launch.index, SM: m.id, Scheduler: x.place, Slot: x.index, CTA: x.cta.number, Warp: x.warp.ID,
		Func: x.code.fn.Src, PC: x.in.pc, Class: o.class, Op: x.nextOp, Ops: len(x.in.ops), State: x.wake.state(), Throttle: o.throttle, Paired: paired}
	if x.in == &x.code.entry {
		i.PC = x.split.PC
		i.Op, i.Ops = x.nextOp-len(x.in.ops), len(x.code.instrs[x.split.PC].ops)
	}
	if !paired {
		woke := x.wake.cycle()
		i.Waited, i.Throttled = woke-(x.issuedAt+1), x.scheduler.throttled(x, t)
		i.NotSelected = t - woke - i.Throttled
		if i.State != AtBarrier {
			i.Held = int64(x.held(woke))
			i.Waited -= i.Held
		}
	}
	m.event = i
	m.observer.Issued(&m.event)
}

// notifyStarted notifies the observer that a CTA has been handed to the SM.
func (m *multiprocessor) notifyStarted(r *cta) {
	since := m.options.Since
	stay := Residence{Launch: r.launch.index, CTA: r.number, Start: since + r.start}
	for _, at := range r.slots {
		stay.Warps = append(stay.Warps, Place{at.scheduler, at.slot, since + m.schedulers[at.scheduler].slots[at.slot].start})
	}
	m.observer.Started(&stay)
}

// notifyLeft notifies the observer that the warp in slot x stops residing at cycle end, after drained cycles in Drain.
// If it is the last live warp of its CTA, the CTA ends, too.
func (m *multiprocessor) notifyLeft(x *slot, end, drained int64) {
	m.observer.Left(&Leaving{Launch: x.cta.launch.index, CTA: x.cta.number, Warp: x.warp.ID, Scheduler: x.place, Slot: x.index, Func: x.code.fn.Src, PC: x.split.PC,
		End: m.options.Since + end, Drained: drained, EndsCTA: x.cta.live == 0, CTAEnd: m.options.Since + x.cta.end})
}
