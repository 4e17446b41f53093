package view

import (
	"slices"
	"sync/atomic"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sm"
)

// activity records the work of a GPU's SMs in the launches of a run with a clock. It implements sm.Recorder. Cycles are
// those of the run, over all its launches.
type activity struct {
	limit    int64 // spells that are kept
	kept     atomic.Int64
	sms      []smActivity
	first    int     // index of the first of the launches that run together
	perBlock []int64 // warps of a block, by launch
	passed   int64   // the cycle up to which all SMs have run
}

// smActivity records the work of one SM, as its observer.
type smActivity struct {
	of     *activity
	stays  []stay
	open   map[stayOf]int // indices in stays
	spells []spell        // in the order of their ends
	cut    bool           // further spells were not kept
}

// stay is the residence of a block; end is -1 until it is known.
type stay struct {
	launch     int
	block      int64
	start, end int64
	warps      []sm.Place
}

type stayOf struct {
	launch int
	block  int64
}

// spell is what a warp does up to and including a cycle, in which it issues a machine instruction or, with ends, is
// the last in which it resides.
type spell struct {
	cycle                                int64
	warp                                 int64 // number in the grid
	held, waited, throttled, notSelected int32
	launch                               int32
	scheduler, slot                      uint8
	state, throttle                      sm.State
	paired, ends                         bool
}

var (
	_ sm.Recorder = (*activity)(nil)
	_ sm.Observer = (*smActivity)(nil)
)

// Begin implements sm.Recorder.
func (a *activity) Begin(ls []sm.Launch, on *gpu.Config) {
	if a.sms == nil {
		a.sms = make([]smActivity, on.SMs)
		for i := range a.sms {
			a.sms[i] = smActivity{of: a, open: make(map[stayOf]int)}
		}
	}
	a.first = len(a.perBlock)
	for i := range ls {
		a.perBlock = append(a.perBlock, warpsOf(ls[i].Block))
	}
}

// Observer implements sm.Recorder.
func (a *activity) Observer(id int) sm.Observer { return &a.sms[id] }

// Passed implements sm.Recorder.
func (a *activity) Passed(cycle int64) { a.passed = cycle }

// Started implements sm.Observer.
func (s *smActivity) Started(c *sm.Residence) {
	who := stayOf{s.of.first + c.Launch, c.CTA}
	s.open[who] = len(s.stays)
	s.stays = append(s.stays, stay{who.launch, c.CTA, c.Start, -1, append([]sm.Place(nil), c.Warps...)})
}

// Issued implements sm.Observer.
func (s *smActivity) Issued(i *sm.Issue) {
	s.keep(i.Launch, i.CTA, i.Warp, spell{cycle: i.Cycle, held: int32(i.Held), waited: int32(i.Waited), throttled: int32(i.Throttled), notSelected: int32(i.NotSelected),
		scheduler: uint8(i.Scheduler), slot: uint8(i.Slot), state: i.State, throttle: i.Throttle, paired: i.Paired})
}

// Left implements sm.Observer.
func (s *smActivity) Left(l *sm.Leaving) {
	if l.Drained > 0 {
		s.keep(l.Launch, l.CTA, l.Warp, spell{cycle: l.End - 1, waited: int32(l.Drained), scheduler: uint8(l.Scheduler), slot: uint8(l.Slot), state: sm.Drain, ends: true})
	}
	if who := (stayOf{s.of.first + l.Launch, l.CTA}); l.EndsCTA {
		s.stays[s.open[who]].end = l.CTAEnd
		delete(s.open, who)
	}
}

// keep adds a spell of a warp of a block, unless there are too many.
func (s *smActivity) keep(launch int, block int64, warp int, one spell) {
	if s.cut = s.cut || s.of.kept.Add(1) > s.of.limit; s.cut {
		return
	}
	one.launch = int32(s.of.first + launch)
	one.warp = block*s.of.perBlock[one.launch] + int64(warp)
	s.spells = append(s.spells, one)
}

// end forgets what follows an error that has ended a run: how far SMs run beyond it depends on the windows.
func (a *activity) end() {
	if !slices.ContainsFunc(a.sms, func(s smActivity) bool { return len(s.open) > 0 }) {
		return
	}
	for i := range a.sms {
		s := &a.sms[i]
		for n := len(s.spells); n > 0 && s.spells[n-1].cycle >= a.passed; n-- {
			s.spells = s.spells[:n-1]
		}
		for j := range s.stays {
			if s.stays[j].end < 0 {
				s.stays[j].end = max(a.passed, s.stays[j].start)
			}
		}
	}
}

// cut reports whether something was not kept.
func (a *activity) cut() bool { return a.kept.Load() > a.limit }

// phases visits the states of a warp in a spell, and for which cycles, first to end-1.
func (p *spell) phases(visit func(state sm.State, first, end int64)) {
	if p.paired {
		return
	}
	end := p.cycle + 1
	if !p.ends {
		end--
	}
	at := end - int64(p.held) - int64(p.waited) - int64(p.throttled) - int64(p.notSelected)
	for _, one := range [...]struct {
		state sm.State
		n     int32
	}{{sm.AtBarrier, p.held}, {p.state, p.waited}, {p.throttle, p.throttled}, {sm.NotSelected, p.notSelected}} {
		if one.n > 0 {
			visit(one.state, at, at+int64(one.n))
			at += int64(one.n)
		}
	}
	if !p.ends {
		visit(sm.Selected, at, at+1)
	}
}

// smOf returns the SM on which a block of a launch resided, and its stay there; -1 if it did not start.
func (a *activity) smOf(launch int, block int64) (int, *stay) {
	for i := range a.sms {
		for j := range a.sms[i].stays {
			if s := &a.sms[i].stays[j]; s.launch == launch && s.block == block {
				return i, s
			}
		}
	}
	return -1, nil
}
