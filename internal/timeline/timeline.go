// Package timeline records the activity of warps over time, in launches with a clock, and writes it in the JSON
// format of Chrome's tracing, which Perfetto and chrome://tracing show.
//
// A process is an SM. It has tracks for its resident blocks, for the issues of each warp scheduler, and for each slot
// of a scheduler: a slice for a warp from its start to its end, which contains contiguous slices for its states. One
// more process is the GPU, with its launches and with counters. A microsecond of the trace is a cycle.
package timeline

import (
	"math"
	"slices"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/internal/trace"
)

// Options configure the timeline. An empty Filter is no limit.
type Options struct {
	// Bytes limits the size of the JSON; 0 means defaultBytes.
	Bytes int64
	// SMs are the SMs whose warps are shown. Blocks are shown for all SMs. Empty means the first defaultSMs that get
	// blocks in Order.
	SMs    trace.Filter
	Order  sm.Order
	Cycles trace.Filter // of blocks and warps; those that overlap the cycles are shown in full
	Blocks trace.Filter // blocks whose warps are shown
	Warps  trace.Filter // by number in the block
	// Counters records only counters.
	Counters bool
}

const (
	// defaultBytes is the default limit of a timeline's size.
	defaultBytes = 50 << 20
	// defaultSMs is the default number of SMs whose warps are shown.
	defaultSMs = 4
)

// Recorder records the successive launches of a run for a timeline.
type Recorder struct {
	options   Options
	gpu       *gpu.Config
	launches  []launched
	first     int    // index of the first of the current launches
	file      string // of the first kernel
	sms       []recorded
	showing   int   // SMs that have had a shown warp by then: they share the size limit
	passed    int64 // the cycle up to which all SMs have run
	byDefault []int // SMs whose warps are shown unless SMs are named
}

// launched is a launch of the run.
type launched struct {
	kernel, stream string
	grid, block    isa.Dim
}

// recorded is the activity of one SM, and the SM's observer.
type recorded struct {
	*Recorder
	id       int
	detail   bool
	ctas     []stay
	open     map[resident]int // index in ctas
	slots    map[slot]int     // index in warps of the current warp
	warps    []warp
	shows    int64 // cycle of its first shown warp
	issues   []issue
	overflow int64 // cycle of the first issue that did not fit
	active   series
	issued   series
}

// stay is the residence of a CTA on an SM.
type stay struct {
	launch     int
	cta        int64
	warps      int
	start, end int64 // cycles; end is unknown if the CTA has not ended
}

type resident struct {
	launch int
	cta    int64
}

type slot struct{ scheduler, slot int }

// warp is the residence of a warp in a slot.
type warp struct {
	slot
	launch     int
	cta        int64
	id         int
	start, end int64
	shown      bool // passes the filters
}

// unknown is the end of a stay that has not ended.
const unknown = math.MaxInt64

// issue describes a warp up to and including the cycle in which it issued; with ends, up to the end of its stay,
// after it drained.
type issue struct {
	first, cycle                         int64 // first is the first cycle that this describes
	warp                                 int   // index in recorded.warps
	fn                                   *isa.Func
	pc                                   int
	held, waited, throttled, notSelected int64
	state, throttle                      sm.State
	barrier, paired, ends                bool
}

var (
	_ sm.Recorder = (*Recorder)(nil)
	_ sm.Observer = (*recorded)(nil)
)

// New returns an empty recorder.
func New(o Options) *Recorder {
	if o.Bytes == 0 {
		o.Bytes = defaultBytes
	}
	return &Recorder{options: o}
}

// Begin implements sm.Recorder.
func (r *Recorder) Begin(ls []sm.Launch, on *gpu.Config) {
	if r.sms == nil {
		r.start(on)
	}
	if fns, err := ls[0].Machine.Functions(ls[0].Kernel); err == nil && r.file == "" {
		r.file = source.File(fns[0])
	}
	r.first = len(r.launches)
	for i := range ls {
		l := &ls[i]
		r.launches = append(r.launches, launched{cxx.Short(l.Kernel), l.Stream, l.Grid, l.Block})
	}
}

func (r *Recorder) start(on *gpu.Config) {
	r.gpu = on
	r.sms, r.byDefault = make([]recorded, on.SMs), r.options.Order.First(on, defaultSMs)
	for id := range r.sms {
		s := &r.sms[id]
		*s = recorded{Recorder: r, id: id, detail: r.isDetailed(id), open: make(map[resident]int), slots: make(map[slot]int), shows: unknown, overflow: unknown}
	}
}

func (r *Recorder) isDetailed(id int) bool {
	if r.options.Counters {
		return false
	}
	if len(r.options.SMs) == 0 {
		return slices.Contains(r.byDefault, id)
	}
	return r.options.SMs.Has(int64(id))
}

// HasBegun reports whether a launch has begun. Otherwise there is nothing to write.
func (r *Recorder) HasBegun() bool { return len(r.launches) > 0 }

// Observer implements sm.Recorder.
func (r *Recorder) Observer(id int) sm.Observer { return &r.sms[id] }

// Passed implements sm.Recorder. An SM with its first warp takes space from the others, which drop their latest
// issues. The result does not depend on how often Passed is called.
func (r *Recorder) Passed(cycle int64) {
	r.passed = cycle
	showing := 0
	for id := range r.sms {
		if r.sms[id].shows < cycle {
			showing++
		}
	}
	if showing == r.showing {
		return
	}
	r.showing = showing
	for id := range r.sms {
		r.sms[id].trim()
	}
}

// mostIssues returns how many issues an SM may keep.
func (r *Recorder) mostIssues() int {
	return int(r.detailBytes() / int64(max(1, r.showing)) / leastIssueBytes)
}

// trim drops the issues that no longer fit.
func (s *recorded) trim() {
	most := s.mostIssues()
	if len(s.issues) <= most {
		return
	}
	for _, i := range s.issues[most:] {
		s.overflow = min(s.overflow, i.cycle)
	}
	s.issues = slices.Clone(s.issues[:most])
}

// Started implements sm.Observer.
func (s *recorded) Started(c *sm.Residence) {
	if s.options.Counters {
		return
	}
	launch := s.first + c.Launch
	s.open[resident{launch, c.CTA}] = len(s.ctas)
	s.ctas = append(s.ctas, stay{launch, c.CTA, len(c.Warps), c.Start, unknown})
	if !s.detail {
		return
	}
	for id, at := range c.Warps {
		where := slot{at.Scheduler, at.Slot}
		s.slots[where] = len(s.warps)
		shown := s.options.Blocks.Has(c.CTA) && s.options.Warps.Has(int64(id))
		if shown {
			s.shows = min(s.shows, c.Start)
		}
		s.warps = append(s.warps, warp{where, launch, c.CTA, id, at.Start, unknown, shown})
	}
}

// Issued implements sm.Observer.
func (s *recorded) Issued(i *sm.Issue) {
	s.issued.add(i.Cycle, 1)
	s.active.addSpan(i.First(), i.Cycle+1)
	if s.detail {
		s.record(issue{first: i.First(), cycle: i.Cycle, warp: s.slots[slot{i.Scheduler, i.Slot}], fn: i.Func, pc: i.PC, held: i.Held, waited: i.Waited, throttled: i.Throttled,
			notSelected: i.NotSelected, state: i.State, throttle: i.Throttle, barrier: i.Class == isa.CostCTABarrier && i.Op == i.Ops-1, paired: i.Paired})
	}
}

// Left implements sm.Observer.
func (s *recorded) Left(l *sm.Leaving) {
	s.active.addSpan(l.End-l.Drained, l.End)
	if s.options.Counters {
		return
	}
	if l.EndsCTA {
		who := resident{s.first + l.Launch, l.CTA}
		s.ctas[s.open[who]].end = l.CTAEnd
		delete(s.open, who)
	}
	if !s.detail {
		return
	}
	where := slot{l.Scheduler, l.Slot}
	n := s.slots[where]
	delete(s.slots, where)
	s.warps[n].end = l.End
	if l.Drained > 0 {
		s.record(issue{first: l.End - l.Drained, cycle: l.End - 1, warp: n, fn: l.Func, pc: l.PC, waited: l.Drained, state: sm.Drain, ends: true})
	}
}

// record keeps an issue if it is shown and fits.
func (s *recorded) record(i issue) {
	switch {
	case !s.warps[i.warp].shown || !s.options.Cycles.HasAny(i.first, i.cycle):
	case len(s.issues) == s.mostIssues():
		s.overflow = min(s.overflow, i.cycle)
	default:
		s.issues = append(s.issues, i)
	}
}

// failed reports whether resident warps have not ended: an error ended a launch.
func (r *Recorder) failed() bool {
	return slices.ContainsFunc(r.sms, func(s recorded) bool { return len(s.open) > 0 })
}

// void drops the events of failed launches after the cycle of the error, because how far SMs run beyond it depends on
// the windows. It ends unfinished stays.
func (r *Recorder) void() {
	for id := range r.sms {
		s := &r.sms[id]
		s.issues = slices.DeleteFunc(s.issues, func(i issue) bool { return i.cycle >= r.passed })
		s.ctas = slices.DeleteFunc(s.ctas, func(c stay) bool { return c.start >= r.passed })
		if s.overflow >= r.passed {
			s.overflow = unknown
		}
		for i := range s.ctas {
			s.ctas[i].end = min(s.ctas[i].end, r.passed)
		}
		for i := range s.warps {
			s.warps[i].end = min(s.warps[i].end, r.passed)
		}
	}
}
