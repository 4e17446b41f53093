package sm

import (
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
)

// Recorder is told what the warps of launches that run side by side do, and when. Cycles
// are times as Options.Since is one.
type Recorder interface {
	// Begin is called before the launches do anything.
	Begin(ls []Launch, on *gpu.Config)
	// Observer is asked, after Begin, who observes an SM; nil for nobody. Observers of
	// different SMs are called by several threads at once.
	Observer(sm int) Observer
	// Passed: all SMs have run up to, but without, a cycle. No observer is under way. What
	// observers have been told of later cycles is void if the launches end now by an error.
	Passed(cycle int64)
}

// Recorders are told the same.
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

// observers are those of an SM.
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

// Observer is told what the warps of an SM do. What it is told is the same whatever the
// window and the threads of the host, and in the same order. What it is given it must not
// keep.
type Observer interface {
	// Started: a CTA has been handed to the SM.
	Started(c *Residence)
	// Issued: a warp issues a machine instruction. Calls are in the order of cycles.
	Issued(i *Issue)
	// Left: a warp gives its slot free, as it has ended and its stores have left the SM.
	Left(l *Leaving)
}

// Residence is the stay of a CTA on an SM.
type Residence struct {
	Launch int // of those side by side, as they were given
	CTA    int64
	Start  int64 // cycle
	Warps  []Place
}

// Place is where a warp resides, and from when on.
type Place struct {
	Scheduler, Slot int
	Start           int64 // cycle
}

// Issue is a machine instruction that a warp issues, and the cycles since its latest issue
// or its start: in State first, then either Throttled or NotSelected, of which only the
// sums are known, and then the one in which it issues. If it is Paired it issues in the same cycle
// as the one before, and there is none of these.
type Issue struct {
	Cycle     int64
	Launch    int // of those side by side, as they were given
	SM        int
	Scheduler int // of the SM
	Slot      int // of the scheduler
	CTA       int64
	Warp      int // in the CTA
	Func      *isa.Func
	PC        int // of the instruction of PTX that it is part of
	Class     isa.CostClass
	Op, Ops   int // its number among the machine instructions of that, and how many those are; Op is negative for one that comes before them

	State       State // of the warp before it could issue, and for how many cycles
	Waited      int64
	Throttle    State // in which it then waited for its pipe, and for how many cycles
	Throttled   int64
	NotSelected int64 // cycles in which another warp was selected
	Paired      bool
}

// First is the first of the cycles that the Issue says something of.
func (i *Issue) First() int64 {
	if i.Paired {
		return i.Cycle + 1
	}
	return i.Cycle - i.NotSelected - i.Throttled - i.Waited
}

// Leaving is the end of a warp's stay.
type Leaving struct {
	Launch    int
	CTA       int64
	Warp      int // in the CTA
	Scheduler int
	Slot      int
	Func      *isa.Func
	PC        int   // that its last cycles are counted at
	End       int64 // the first cycle in which it is not there
	Drained   int64 // cycles before that in Drain
	EndsCTA   bool  // it is the last of its CTA
}

// record makes the recorder of the launches, if there is one, observe the SMs.
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

// recordPassed tells the recorder that the SMs have run up to cycle end, or until one of them
// failed.
func (s *Session) recordPassed(end int64) {
	if s.options.Recorder == nil {
		return
	}
	if m := s.firstFailed(); m != nil {
		end = min(end, m.errAt+1)
	}
	s.options.Recorder.Passed(s.options.Since + end)
}

// notify says that the warp in a slot issues an op at t.
func (m *multiprocessor) notify(c *scheduler, s int, o *op, t int64, paired bool) {
	x := &c.slots[s]
	i := Issue{Cycle: m.options.Since + t, Launch: x.cta.launch.index, SM: m.id, Scheduler: c.id % len(m.schedulers), Slot: s, CTA: x.cta.number, Warp: x.warp.ID,
		Func: x.code.fn.Src, PC: x.split.PC, Class: o.class, Op: x.nextOp, Ops: len(x.in.ops), State: x.wake.state(), Throttle: o.throttle, Paired: paired}
	if !paired {
		woke := x.wake.cycle()
		i.Waited, i.Throttled = woke-(x.issuedAt+1), c.closedBefore(o.pipe, t)-x.closedAtWake
		i.NotSelected = t - woke - i.Throttled
	}
	m.event = i
	m.observer.Issued(&m.event)
}

// notifyStarted says that a CTA has been handed to the SM.
func (m *multiprocessor) notifyStarted(r *cta) {
	since := m.options.Since
	stay := Residence{Launch: r.launch.index, CTA: r.number, Start: since + r.start}
	for _, at := range r.slots {
		stay.Warps = append(stay.Warps, Place{at.scheduler, at.slot, since + m.schedulers[at.scheduler].slots[at.slot].start})
	}
	m.observer.Started(&stay)
}

// notifyLeft says that the warp in a slot, the last of its CTA if none of that is left, is
// not there from a cycle on, and was in Drain before.
func (m *multiprocessor) notifyLeft(c *scheduler, s int, end, drained int64) {
	x := &c.slots[s]
	m.observer.Left(&Leaving{Launch: x.cta.launch.index, CTA: x.cta.number, Warp: x.warp.ID, Scheduler: c.id % len(m.schedulers), Slot: s, Func: x.code.fn.Src, PC: x.split.PC,
		End: m.options.Since + end, Drained: drained, EndsCTA: x.cta.live == 0})
}
