package sm

import (
	"slices"

	"github.com/simtrun/simtrun/interp"
)

// An mbarrier in memory changes at once, when a copy or an arrival from another CTA is executed. Its signal takes
// time: an instruction that tests a phase has its answer only after all signals of the phase have landed.

// signal is the signal of a copy or of a remote arrival to an mbarrier of a CTA, under way or landed.
type signal struct {
	mbarrier uint64 // its address
	parity   uint32 // of the phase
	from     *multiprocessor
	flight   int32 // of that SM, or landed
	done     int64 // cycle, once it has landed
	waiters  []signalWaiter
}

// signalWaiter is a flight of an SM that tests an mbarrier and waits for its signals.
type signalWaiter struct {
	sm     *multiprocessor
	flight int32
}

// signalTarget is a CTA that a flight signals, with its number: another CTA may have its memory by then.
type signalTarget struct {
	cta    *cta
	number int64
}

const landed = -1

// owner returns the CTA that owns a region of shared memory: the warp's own or one of its cluster.
func (x *slot) owner(region int32) *cta {
	if region != x.cta.Shared.Number {
		for _, r := range x.cta.peers {
			if r.Shared.Number == region {
				return r
			}
		}
	}
	return x.cta
}

// signalsLater reports whether the signal of the warp's instruction reaches an mbarrier of r only after the
// instruction is issued.
func (x *slot) signalsLater(r *cta) bool {
	return !x.in.waitsAt && (x.in.bulk || r != x.cta || x.in.tensor == signalsProducts)
}

// startSignals adds the signals of a flight of the warp in x, for the instruction that was just executed, to their
// mbarriers.
func (m *multiprocessor) startSignals(x *slot, id int32) {
	f := &m.flights[id]
	for i := range m.effect.Mbarriers {
		if b := &m.effect.Mbarriers[i]; x.signalsLater(x.owner(b.Region)) {
			r := x.owner(b.Region)
			r.addSignal(signal{mbarrier: b.Addr, parity: b.Parity, from: m, flight: id}, m.now)
			f.targets = append(f.targets, signalTarget{r, r.number})
		}
	}
}

// signalAt is startSignals for an instruction that is known to be done in a given cycle.
func (m *multiprocessor) signalAt(x *slot, done int64) {
	for i := range m.effect.Mbarriers {
		if b := &m.effect.Mbarriers[i]; x.signalsLater(x.owner(b.Region)) {
			x.owner(b.Region).addSignal(signal{mbarrier: b.Addr, parity: b.Parity, flight: landed, done: done}, m.now)
		}
	}
}

// addSignal adds a signal to an mbarrier of the CTA, and removes those that have landed by now.
func (r *cta) addSignal(t signal, now int64) {
	r.signals = slices.DeleteFunc(r.signals, func(t signal) bool { return t.flight == landed && t.done <= now })
	r.signals = append(r.signals, t)
}

// of reports whether an instruction that has tested an mbarrier waits for the signal.
func (t *signal) of(b *interp.AtMbarrier) bool {
	return b.Passed && t.mbarrier == b.Addr && t.parity == b.Parity
}

// awaitSignals makes a flight that tests mbarriers wait for the signals of their complete phases.
func (m *multiprocessor) awaitSignals(x *slot, id int32) {
	f := &m.flights[id]
	for i := range m.effect.Mbarriers {
		b := &m.effect.Mbarriers[i]
		all := x.owner(b.Region).signals
		for j := range all {
			t := &all[j]
			if !t.of(b) {
				continue
			}
			f.state = max(f.state, LongScoreboard)
			if t.flight == landed {
				f.done = max(f.done, t.done)
				continue
			}
			f.missing++
			t.waiters = append(t.waiters, signalWaiter{m, id})
		}
	}
}

// signalsDone returns when the last landed signal of the mbarriers that the warp in x has tested arrived.
func (m *multiprocessor) signalsDone(x *slot) (done moment) {
	for i := range m.effect.Mbarriers {
		b := &m.effect.Mbarriers[i]
		all := x.owner(b.Region).signals
		for j := range all {
			if t := &all[j]; t.of(b) && t.flight == landed {
				done = max(done, at(t.done, LongScoreboard))
			}
		}
	}
	return done
}

// signalsLanded lands the signal of a flight to mbarriers of r, and wakes the flights that wait for it.
func (m *multiprocessor) signalsLanded(r *cta, id int32, now int64) {
	for i := range r.signals {
		t := &r.signals[i]
		if t.from != m || t.flight != id {
			continue
		}
		t.flight, t.done = landed, m.flights[id].done
		waiters, done := t.waiters, t.done
		t.waiters = nil
		for _, w := range waiters {
			w.sm.flights[w.flight].done = max(w.sm.flights[w.flight].done, done)
			w.sm.now = max(w.sm.now, now)
			w.sm.arrive(w.flight, now)
		}
	}
}
