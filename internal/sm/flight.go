package sm

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/memory"
)

// flight is a memory instruction from its issue until the time of its result is known.
type flight struct {
	flightStatus
	pipeRequest
	refs    []register // registers that wait for it
	lines   []memory.LineSectors
	remote  []remote       // its parts in shared memory of other CTAs
	targets []signalTarget // CTAs with mbarriers that it signals
}

// flightStatus has the warp and launch of a flight, its kind, and the events that it waits for.
type flightStatus struct {
	scheduler, slot int32
	launch          int32
	start           uint32 // slot.starts when it was issued: the slot may have another warp since
	state           State  // of a warp that waits for it
	deferred        bool   // its access takes effect in an exchange
	absent          bool   // it is deferred and has results, which registers get in that exchange
	changed         bool   // an atomic that has changed memory
	acquires        bool   // see instr.acquires
	copies          bool   // an asynchronous copy, in a group
	leaves          bool   // a bulk copy to global memory, in a bulk group
	read            bool   // its source has been read
	// events that it waits for: the pipe takes it, L2 replies, its access takes effect
	missing int32
	group   int64 // of the warp's copies, for a copy
	done    int64 // cycle in which everything that has arrived so far can be used
}

// pipeRequest is a flight's request to the SM's memory pipe.
type pipeRequest struct {
	kind    memoryKind
	reduces bool  // an atomic without a result
	floats  bool  // an atomic that adds floating-point numbers
	caches  bool  // L1 may hold its lines
	cost    int64 // cycles of the pipe
	moves   int64 // cycles of the copy engine; 0 if not a bulk copy
	shared  int64 // latency of its part in shared memory; 0 if none
	filters int64 // cycles from its data to its result
	hit     int64 // latency of its other parts if all lines hit in L1; 0 if none
	sectors int32 // sent to L2, for a store
	perLane int   // bytes that a lane of a store writes in a line
}

// newFlight makes a flight of the warp in x, and returns the flight's index in m.flights.
func (m *multiprocessor) newFlight(x *slot) int32 {
	var id int32
	if n := len(m.spareFlights); n > 0 {
		id = m.spareFlights[n-1]
		m.spareFlights = m.spareFlights[:n-1]
	} else {
		if m.flights == nil {
			m.flights = make([]flight, 0, 16)
		}
		id = int32(len(m.flights))
		m.flights = append(m.flights, flight{})
	}
	f := &m.flights[id]
	f.flightStatus = flightStatus{
		scheduler: int32(x.place), slot: int32(x.index), launch: int32(x.cta.launch.index), start: x.starts,
		copies: x.in.copies && !x.in.bulk, leaves: x.in.leaves, missing: 1,
	}
	if f.copies || f.leaves {
		f.group = x.groupsOf(x.in).group
	}
	f.pipeRequest = pipeRequest{}
	f.refs, f.targets, f.remote, f.lines = f.refs[:0], f.targets[:0], f.remote[:0], f.lines[:0]
	return id
}

// slotOf returns the slot of the warp that a flight is of, or of a later one.
func (m *multiprocessor) slotOf(f *flight) *slot { return &m.schedulers[f.scheduler].slots[f.slot] }

// partial reports whether a store leaves some bytes of its sectors of a line unwritten. It assumes that no two lanes
// write the same byte.
func (f *flight) partial(line *memory.LineSectors) bool {
	return int(line.Lanes)*f.perLane != cache.SectorBytes*bits.OnesCount8(line.Sectors)
}

// await makes registers of the warp in x, the results of the instruction just executed, wait for flight id.
func (m *multiprocessor) await(x *slot, id int32, results []uint16) {
	f := &m.flights[id]
	flag := pending
	if f.absent = f.deferred && len(results) > 0; f.absent {
		flag |= absent
		x.absent++
	}
	b := &x.scoreboard
	for _, r := range results {
		if b.flights[r] != 0 {
			m.unawait(x, r)
		}
		b.ready[r], b.flights[r] = flag, 1
		f.refs = append(f.refs, register{x.frame, r})
	}
	x.flights = append(x.flights, id)
}

// follow makes the results of a free instruction of the warp in x wait for the same flights as its sources.
func (m *multiprocessor) follow(x *slot) {
	b := x.scoreboard
	ready := moment(0)
	for _, r := range x.in.sources {
		ready = max(ready, b.ready[r].known())
	}
	for _, r := range x.in.fresh {
		m.unawait(x, r)
	}
	for _, r := range x.in.results {
		b.ready[r] = ready | pending
	}
	for _, id := range x.flights {
		f := &m.flights[id]
		awaited := func(r uint16) bool { return slices.Contains(f.refs, register{x.frame, r}) }
		if !slices.ContainsFunc(x.in.sources, awaited) {
			continue
		}
		for _, r := range x.in.results {
			if to := (register{x.frame, r}); !slices.Contains(f.refs, to) {
				f.refs = append(f.refs, to)
				b.flights[r]++
			}
		}
	}
}

// arrive counts one of the events that a flight waits for.
func (m *multiprocessor) arrive(id int32, now int64) {
	f := &m.flights[id]
	if f.missing--; f.missing == 0 {
		f.done += f.filters
		m.land(id, now)
	}
}

// takenEffect is called after the deferred access of a flight was made. Registers then have their results, unless the
// warp has ended, but cannot be read yet.
func (m *multiprocessor) takenEffect(id int32, changed bool, now int64) {
	f := &m.flights[id]
	f.changed = changed
	m.wrote = m.wrote || changed
	if x := m.slotOf(f); f.absent && x.starts == f.start {
		x.absent--
		x.late = at(m.epochEnd, f.state)
		for _, r := range f.refs {
			x.scoreboards[r.frame].ready[r.reg] = x.late | pending
		}
		if x.parked {
			m.resume(x, now)
		}
	}
	m.arrive(id, now)
}

// tagKind says what a deferred access or call with this tag is; the rest of the tag is its number.
type tagKind uint64

const (
	noTag     tagKind = iota
	flightTag         // number of a flight
	callTag           // number of the SM's slot whose warp waits for a system call

	tagBits = 32
)

func tag(kind tagKind, id int32) uint64 { return uint64(kind)<<tagBits | uint64(id) }

// land ends a flight whose result can be used at f.done. Now is a cycle up to which the scheduler has run.
func (m *multiprocessor) land(id int32, now int64) {
	f := &m.flights[id]
	x := m.slotOf(f)
	m.spareFlights = append(m.spareFlights, id)
	if f.acquires {
		m.acquired(f.done)
	}
	if len(f.targets) > 0 {
		m.signalTargets(id, now)
		f = &m.flights[id]
	}
	if x.starts != f.start {
		return
	}
	x.landed(id)
	if f.changed {
		x.slice.expect(f.done, now)
	}
	if f.leaves {
		x.stored.land(f.group, f.done)
	}
	if f.copies {
		x.copies.land(f.group, f.done)
	}
	done := at(f.done, f.state)
	for _, r := range f.refs {
		b := x.scoreboards[r.frame]
		ready := max(b.ready[r.reg].known(), done)
		if b.flights[r.reg]--; b.flights[r.reg] > 0 {
			ready |= pending
		}
		b.ready[r.reg] = ready
	}
	if x.parked {
		m.resume(x, now)
	}
}

// landed removes a flight from those of the warp in x. It is one of the first of a few.
func (x *slot) landed(id int32) {
	all, last, i := x.flights, len(x.flights)-1, 0
	for all[i] != id {
		i++
	}
	for ; i < last; i++ {
		all[i] = all[i+1]
	}
	x.flights = all[:last]
}

// signalTargets makes a flight that has ended signal mbarriers of CTAs.
func (m *multiprocessor) signalTargets(id int32, now int64) {
	for _, r := range m.flights[id].targets {
		if r.cta.number == r.number {
			m.signalsLanded(r.cta, id, now)
		}
	}
}

// wait schedules the next op of the warp in x, at next or later and when its sources are ready. If that time is
// not known yet, the warp is parked. An op for the pipe of the one before waits until that pipe takes it, as the
// assembler's stall counts say; products of matrices wait where they are issued.
func (m *multiprocessor) wait(x *slot, next, sources moment, now int64) {
	if x.op.pipe == x.pipe && x.pipe != isa.Tensor && x.pipeFree > next.cycle() {
		next = at(x.pipeFree, Wait)
	}
	if !sources.isKnown() {
		x.parked, x.earliest = true, next
		return
	}
	at := max(next, sources)
	x.scheduler.place(x, at, now)
	x.scheduler.eventAt(at.cycle())
}

// resume schedules the warp in x, which is parked, if the time at which its sources are ready is known by now.
func (m *multiprocessor) resume(x *slot, now int64) {
	if len(x.in.ops) == 0 {
		x.parked = false
		m.proceedFrom(x, x.earliest, now, false)
		return
	}
	if sources := x.sourcesReady(m); sources.isKnown() {
		x.parked = false
		at := max(x.earliest, sources)
		x.scheduler.place(x, at, now)
		x.scheduler.eventAt(at.cycle())
	}
}
