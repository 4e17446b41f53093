package sm

import (
	"slices"

	"github.com/simtrun/simtrun/interp"
)

// What memory holds an mbarrier is told at once, be it of a copy or of an arrival from another CTA. But who
// asks whether a phase is complete has no answer before that has come of which the mbarrier was told in the
// phase.

// telling is something under way of which an mbarrier of a CTA was told.
type telling struct {
	mbarrier uint64 // its address
	parity   uint32 // of the phase
	from     *multiprocessor
	flight   int32 // of that SM; or landed
	done     int64 // cycle, once it has landed
	waiters  []asker
}

// asker is a flight of an SM that asks an mbarrier.
type asker struct {
	sm     *multiprocessor
	flight int32
}

// teller is a CTA that a flight tells, which has had the number: another may have its place since.
type teller struct {
	cta    *cta
	number int64
}

const landed = -1

// owner is the CTA whose shared memory has the number of a region: that of the warp in x, or one of its cluster.
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

// tells reports whether the mbarrier of r is told of what the instruction of the warp in x does later than it is
// issued.
func (x *slot) tells(r *cta) bool { return !x.in.waitsAt && (x.in.bulk || r != x.cta) }

// startTelling makes a flight of the warp in x, that of its instruction which was just executed, one of which
// mbarriers are told.
func (m *multiprocessor) startTelling(x *slot, id int32) {
	f := &m.flights[id]
	for i := range m.effect.Mbarriers {
		if b := &m.effect.Mbarriers[i]; x.tells(x.owner(b.Region)) {
			r := x.owner(b.Region)
			r.addTelling(telling{mbarrier: b.Addr, parity: b.Parity, from: m, flight: id}, m.now)
			f.tells = append(f.tells, teller{r, r.number})
		}
	}
}

// toldAt is startTelling where it is known that all is done in a cycle.
func (m *multiprocessor) toldAt(x *slot, done int64) {
	for i := range m.effect.Mbarriers {
		if b := &m.effect.Mbarriers[i]; x.tells(x.owner(b.Region)) {
			x.owner(b.Region).addTelling(telling{mbarrier: b.Addr, parity: b.Parity, flight: landed, done: done}, m.now)
		}
	}
}

// addTelling adds something of which an mbarrier of the CTA is told, and forgets what is done by now.
func (r *cta) addTelling(t telling, now int64) {
	r.tellings = slices.DeleteFunc(r.tellings, func(t telling) bool { return t.flight == landed && t.done <= now })
	r.tellings = append(r.tellings, t)
}

// of reports whether an instruction that has asked an mbarrier waits for what it was told of.
func (t *telling) of(b *interp.AtMbarrier) bool {
	return b.Passed && t.mbarrier == b.Addr && t.parity == b.Parity
}

// awaitTellings makes a flight that asks mbarriers wait for that of which those were told in phases that are complete.
func (m *multiprocessor) awaitTellings(x *slot, id int32) {
	f := &m.flights[id]
	for i := range m.effect.Mbarriers {
		b := &m.effect.Mbarriers[i]
		all := x.owner(b.Region).tellings
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
			t.waiters = append(t.waiters, asker{m, id})
		}
	}
}

// tellingsDone is when all has come of which mbarriers, which the warp in x has asked, were told, where that is known.
func (m *multiprocessor) tellingsDone(x *slot) (done moment) {
	for i := range m.effect.Mbarriers {
		b := &m.effect.Mbarriers[i]
		all := x.owner(b.Region).tellings
		for j := range all {
			if t := &all[j]; t.of(b) && t.flight == landed {
				done = max(done, at(t.done, LongScoreboard))
			}
		}
	}
	return done
}

// told goes on with what waits for a flight of which mbarriers of r were told, that has landed.
func (m *multiprocessor) told(r *cta, id int32, now int64) {
	for i := range r.tellings {
		t := &r.tellings[i]
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
