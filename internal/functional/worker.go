package functional

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// worker runs CTAs on a thread of its own.
type worker struct {
	t       *team
	s       *Session // with the part of a Session that runs CTAs
	peers   []*resident
	number  int64 // of the running CTA, or of the first of its cluster; -1 if none runs
	claimed int64 // number of the CTA to start next; the worker owns those up to, but without, end
	end     int64
	began   uint64 // the worker's instruction count at its start, or at the start of the CTAs that it followed in code
	// upper bound of the instructions of a CTA, or cluster, that has ended; CTAs that code executes without a return to
	// Go count as one
	longest uint64

	// Accesses of the CTAs: while each has ended in its first time slice, all are in now; after that the running CTA is
	// in now, and those before it are in before.
	now, before *memory.Footprint
	turns       bool       // a CTA has not ended in its first time slice
	partials    []*partial // a few
	stands      bool       // the results are final, and footprints do not matter any more
	failed      bool       // the launch must run in order
	bug         string     // text of a panic; "" if there was none
}

// settle allocates the CTAs that the worker runs. It fails if the host's memory does not suffice.
func (w *worker) settle() bool {
	w.peers = w.s.addCluster()
	return w.peers != nil
}

// runFor is runUntil for a number of further instructions. It records a panic.
func (w *worker) runFor(instrs uint64) {
	defer w.catch()
	w.runUntil(w.s.engine.Stats.WarpInstrs + instrs)
}

// runUntil runs CTAs until the worker has executed the given number of instructions, another worker has, or no CTA is
// left.
func (w *worker) runUntil(instrs uint64) {
	t, e := w.t, w.s.engine
	if w.stands {
		w.stands = false
		w.now.Clear()
	}
	for (!t.halt.Load() || w.inRow()) && t.ctx.Err() == nil && w.start() {
		w.s.progress = false
		done, err := w.runCluster()
		switch {
		case err != nil || !done && !w.s.progress || e.ClockReads > 0:
			w.failed = true
		case done:
			w.ended()
		default:
			w.turns = true
		}
		if w.failed || w.now.Mixed >= 0 || w.before.Mixed >= 0 || t.backup.Short() || e.Stats.WarpInstrs >= instrs {
			t.halt.Store(true)
		}
	}
}

// runCluster gives each CTA of the running cluster a time slice, as Session.round does, and reports whether all of
// them have ended.
func (w *worker) runCluster() (done bool, err error) {
	for _, r := range w.peers {
		if r.Live == 0 && !r.slice.begun { // it did not end where it was started
			continue
		}
		ended, err := w.s.runCTA(r, math.MaxUint64) // see withinLimits
		if err != nil {
			return false, err
		}
		if ended {
			w.s.engine.End(r.CTA)
		}
	}
	return w.peers[0].Cluster.Live() == 0, nil
}

// catch records the text and the stack of a panic.
func (w *worker) catch() {
	if p := recover(); p != nil {
		w.bug = fmt.Sprintf("%v\n%s", p, debug.Stack())
	}
}

// start starts the next CTA unless one runs. It returns false if there is none.
func (w *worker) start() bool {
	if w.number >= 0 {
		return true
	}
	if w.claimed == w.end && !w.claim() {
		return false
	}
	w.number, w.began = w.claimed, w.s.engine.Stats.WarpInstrs
	ctas := w.end - w.number
	if w.turns {
		ctas = 1 // each CTA has its own footprint
	}
	w.number += w.s.startAt(w.peers, w.number, ctas, math.MaxUint64)
	w.claimed = w.number + int64(len(w.peers))
	return true
}

// claim claims CTAs that have not started, several consecutive ones: these usually access adjacent memory. It returns
// false if there are none.
func (w *worker) claim() bool {
	const most = 16
	next, total, size := &w.t.next, w.t.s.total, int64(len(w.peers))
	n := max(1, min(most, (total-next.Load())/int64(8*len(w.t.workers)))/size) * size
	if w.t.alone {
		n = size
	}
	end := next.Add(n)
	w.claimed, w.end = min(end-n, total), min(end, total)
	return w.claimed < w.end
}

// inRow reports whether the worker must continue with the CTAs that it has claimed although others halt: a launch can
// be resumed in order only after a CTA up to which all have ended.
func (w *worker) inRow() bool { return w.claimed < w.end && !w.turns && !w.failed }

// busy reports whether the worker has CTAs that have not ended.
func (w *worker) busy() bool { return w.number >= 0 || w.claimed < w.end }

// ended ends the running CTA.
func (w *worker) ended() {
	w.longest = max(w.longest, w.s.engine.Stats.WarpInstrs-w.began)
	w.number = -1
	if w.turns {
		w.failed = w.failed || w.before.Meets(w.now) == memory.Common
		w.before.Add(w.now)
		w.now.Clear()
	}
}

// Access implements interp.Watcher.
func (w *worker) Access(kind isa.Kind, in *program.Info, a *lanes.Access, m lanes.Mask) {
	switch {
	case kind == isa.Load:
		w.now.Read(a, m)
	case kind == isa.Store:
		w.now.Write(a, m)
	case in.Reduction != nil && w.reduce(in.Reduction, a):
	default:
		w.failed = true
		w.now.Write(a, m) // saves the old contents
	}
}

// Notes implements interp.Watcher.
func (w *worker) Notes(kind isa.Kind, in *program.Info, r *memory.Region) (data []byte, pages []*memory.Page, ok bool) {
	if kind != isa.Atomic {
		return r.Data, w.now.Notes(r.Number, kind == isa.Store), true
	}
	if in.Reduction == nil {
		return nil, nil, false
	}
	p := w.partialFor(in.Reduction, r.Number)
	if p == nil {
		return nil, nil, false
	}
	return p.data, nil, true
}

// NeedsPage implements interp.Watcher.
func (w *worker) NeedsPage(kind isa.Kind, r *memory.Region, off uint64) {
	w.now.NeedsPage(r.Number, kind == isa.Store, off)
}
