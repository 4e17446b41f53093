package sm

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/warp"
)

// cta is a CTA that resides on an SM.
type cta struct {
	*interp.CTA
	launch  *launch
	number  int64 // in the grid
	slots   []place
	live    int   // warps that have not ended
	start   int64 // cycle
	end     int64 // cycle in which the latest of its warps to end so far has ended
	left    int64 // cycle in which all of these had issued their last instruction, and had sent their stores
	arrived int64 // cycle in which the barrier unit took the latest arrival
	// signals are the signals to its mbarriers that have not landed, and some that have.
	signals []signal

	sm    *multiprocessor
	peers []*cta // of its cluster, by rank, including itself
	// from this cycle on its threads may continue after the latest barrier of the cluster
	clusterFree int64
	// in the first CTA of a cluster: number of its CTAs that have ended, with all accesses in effect
	gone int
}

// place is a slot of a scheduler.
type place struct{ scheduler, slot int }

// place assigns slots to a CTA. The CTA's first warp is to start at cycle start.
func (m *multiprocessor) place(r *cta, start int64) {
	of := &m.of[r.launch.index]
	if capacity := r.launch.capacity(); of.handed == 0 || m.residents == 0 && m.shared != capacity {
		m.begins = append(m.begins, start)
		if m.residents == 0 {
			m.shared, m.free.shared = capacity, capacity
		}
	}
	m.free.take(&r.launch.demand, 1)
	if of.handed == 0 {
		of.first = start
		of.turn = r.launch.reached[m.plan.Group[m.id]]
		r.launch.reached[m.plan.Group[m.id]]++
	}
	m.residents++
	of.handed++
	if of.residents++; of.residents == 1 {
		of.activeSince = start
	}
	m.forgetTakes()
	warps := r.launch.demand.warps
	r.start, r.end, r.left, r.arrived, r.clusterFree, r.live, r.signals = start, start, start, 0, 0, warps, r.signals[:0]
	m.placeWarps(r, warps)
}

// startCTA puts the warps of a CTA into the slots assigned to it. Now is a cycle up to which the SM has run.
func (m *multiprocessor) startCTA(r *cta, now int64) {
	r.launch.grid.Furnish(r.CTA)
	for _, at := range r.slots {
		m.makeSlots(&m.schedulers[at.scheduler])
	}
	for id, at := range r.slots {
		r.Warps[id].Place(m.id, at.slot*len(m.schedulers)+at.scheduler)
	}
	r.launch.engines[m.id].Start(r.CTA, r.launch.grid.Shape.At(r.number))
	for id, at := range r.slots {
		c := &m.schedulers[at.scheduler]
		m.startWarp(&c.slots[at.slot], r, r.Warps[id], r.start+int64(id*m.gpu.CTAs.PerWarp), now)
	}
	if m.observer != nil {
		m.notifyStarted(r)
	}
}

// empty empties the SM's caches if a CTA that needs empty ones starts before cycle end: the first CTA of a launch,
// because L1 is not coherent and may hold out-of-date lines, or one for which the SM's shared memory is reconfigured.
func (m *multiprocessor) empty(end int64) {
	n := 0
	for n < len(m.begins) && m.begins[n] < end {
		n++
	}
	if n == 0 {
		return
	}
	m.begins = slices.Delete(m.begins, 0, n)
	if m.gpu.Memory.Flat > 0 {
		return
	}
	m.l1 = cache.NewL1(m.gpu.Residency.L1AndShared - m.shared)
	m.constants = [2]*cache.L1{}
}

// placeWarps finds a slot for each warp of a CTA, on the scheduler with the fewest warps among those with enough
// registers left; the first of equals. So on an SM without other CTAs, warp i is on scheduler i modulo the number of
// schedulers.
func (m *multiprocessor) placeWarps(r *cta, warps int) {
	r.slots = slices.Grow(r.slots[:0], warps)
	registers := r.launch.demand.registers
	for range warps {
		best, fewest := 0, m.slots+1
		for i := range m.schedulers {
			if n := bits.OnesCount64(m.schedulers[i].resident); n < fewest && m.free.registers[i] >= registers {
				best, fewest = i, n
			}
		}
		m.free.registers[best] -= registers
		c := &m.schedulers[best]
		s := bits.TrailingZeros64(^c.resident)
		c.resident |= 1 << s
		r.slots = append(r.slots, place{best, s})
	}
}

// makeSlots makes slots for all warps that have a place on a scheduler, including those of CTAs that have not started
// yet.
func (m *multiprocessor) makeSlots(c *scheduler) {
	n := bits.Len64(c.resident)
	if n <= len(c.slots) {
		return
	}
	more := make([]slot, min(max(n, 2*len(c.slots), 4), m.slots))
	copy(more, c.slots)
	for i := len(c.slots); i < len(more); i++ {
		more[i].seat = seat{c, c.id % len(m.schedulers), i, 1 << i}
		more[i].number = i*len(m.schedulers) + more[i].place
	}
	c.slots = more
}

// startWarp puts a warp that is to start at a cycle into x.
func (m *multiprocessor) startWarp(x *slot, r *cta, w *warp.State, start, now int64) {
	if x.scoreboardsOf != r.launch {
		x.scoreboards, x.scoreboardsOf = nil, r.launch
	}
	for _, b := range x.scoreboards {
		if b != nil {
			b.clear()
		}
	}
	l, c := r.launch.index, x.scheduler
	*x = slot{
		seat:           x.seat,
		nextIssue:      nextIssue{issuedAt: start - 1},
		launchShare:    launchShare{engine: r.launch.engines[m.id], journal: r.launch.journals[m.id], share: &m.of[l], did: &c.did[l], stable: &c.stable[l]},
		cta:            r,
		warp:           w,
		number:         x.number,
		starts:         x.starts + 1,
		start:          start,
		prologue:       x.prologue[:0],
		pendingResults: pendingResults{scoreboards: x.scoreboards, scoreboardsOf: x.scoreboardsOf, flights: x.flights[:0]},
		asyncWork:      x.asyncWork.reuse(),
		slice:          timeSlice{results: x.slice.results[:0]},
		kept:           x.kept.reuse(),
	}
	c.younger[x.index] = 0
	for others := c.resident &^ x.bit; others != 0; others &= others - 1 {
		c.younger[bits.TrailingZeros64(others)] |= x.bit
	}
	if x.blocked = !x.chooseSplit(); x.blocked {
		return
	}
	m.enterFrame(x)
	if len(x.code.entry.ops) == 0 {
		m.proceedFrom(x, at(start, Wait), now, false)
		return
	}
	x.in = &x.code.entry
	x.setOp(0)
	m.wait(x, at(start, Wait), 0, now)
}

// endCTA removes a CTA that has ended from its slots.
func (m *multiprocessor) endCTA(r *cta) {
	for _, at := range r.slots {
		c := &m.schedulers[at.scheduler]
		c.resident &^= 1 << at.slot
		m.free.registers[at.scheduler] += r.launch.demand.registers
		x := &c.slots[at.slot]
		x.cta, x.warp = nil, nil
	}
	m.free.take(&r.launch.demand, -1)
	m.forgetTakes()
	m.residents--
	of := &m.of[r.launch.index]
	of.residents--
	of.last = max(of.last, r.end)
	if next := m.firstStart(r.launch); next > r.end { // no warp resides until then
		of.active += r.end - of.activeSince
		of.activeSince = next
	}
	r.launch.engines[m.id].End(r.CTA)
}

// firstStart returns the earliest start cycle of the launch's CTAs on the SM; idle if there are none.
func (m *multiprocessor) firstStart(l *launch) int64 {
	first := int64(idle)
	for i := range m.schedulers {
		c := &m.schedulers[i]
		for rest := c.resident; rest != 0; rest &= rest - 1 {
			if r := c.slots[bits.TrailingZeros64(rest)].cta; r.launch == l {
				first = min(first, r.start)
			}
		}
	}
	return first
}

// endWarp ends the warp in x, in which all lanes have ended at t. The warp stays in its slot until its stores
// have left the SM.
func (m *multiprocessor) endWarp(x *slot, t int64) {
	x.ends, x.issuedAt = true, t
	if x.unsent == 0 {
		m.leave(x)
	}
}

// endOf returns the end of the warp in x, which has issued its last instruction and sent its stores: the exit is done,
// and the stores have left.
func (m *multiprocessor) endOf(x *slot) int64 {
	end := x.issuedAt + int64(max(m.gpu.Classes[isa.CostExit].Latency, 1))
	if x.sent > 0 {
		end = max(end, x.sent+int64(m.gpu.LSU.Drain))
	}
	return end
}

// leave removes the warp in x, which has ended and has sent all its stores.
func (m *multiprocessor) leave(x *slot) {
	r, end := x.cta, m.endOf(x)
	drained := uint64(end - (x.issuedAt + 1))
	x.sites[x.split.PC][Drain] += drained
	x.share.states[Drain] += drained
	x.did.WarpCycles += end - x.start
	r.end, r.left = max(r.end, end), max(r.left, x.issuedAt+1, x.sent)
	r.live--
	if m.observer != nil {
		m.notifyLeft(x, end, int64(drained))
	}
	if r.live == 0 {
		m.messages = append(m.messages, message{cycle: r.left, sm: m.id, seq: m.sent, ended: r})
		m.sent++
	}
}
