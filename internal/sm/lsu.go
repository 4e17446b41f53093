package sm

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm/cache"
)

// Memory instructions go from each scheduler through a queue to the single memory pipe of the SM, which L1 and shared
// memory share. A scheduler's queue holds gpu.LSU.Queue instructions; while it is full, the scheduler issues none.
// The scheduler's address unit hands an instruction to the pipe once per issue interval of its class, and at the
// earliest gpu.LSU.Depth cycles after its issue. The pipe serves the queues in round-robin order.

// memoryQueue holds the memory instructions of a scheduler that the SM's memory pipe has not taken.
type memoryQueue struct {
	ring  []queued
	first int
	n     int
	free  int64 // from this cycle on the address unit can hand out another one
}

// queued is a memory instruction in a queue.
type queued struct {
	flight  int32 // noFlight if no lane executes it, and nothing waits for it: it only takes its turn
	launch  int32
	sectors int32 // sent to L2, for a store
	unit    int32 // cycles of the scheduler's address unit
	ready   int64 // cycle from which on the pipe can take it
}

const noFlight = -1

func (q *memoryQueue) head() *queued { return &q.ring[q.first] }

func (q *memoryQueue) push(e queued) {
	at := q.first + q.n
	if at >= len(q.ring) {
		at -= len(q.ring)
	}
	q.ring[at] = e
	q.n++
}

func (q *memoryQueue) pop() {
	if q.first++; q.first == len(q.ring) {
		q.first = 0
	}
	q.n--
}

// due returns the cycle, now or later, from which on the SM's pipe can take the next instruction of a queue, if the
// pipe is not busy. Now is a cycle up to which the SM has run.
func (m *multiprocessor) due(q *memoryQueue, now int64) int64 {
	if q.n == 0 {
		return idle
	}
	e := q.head()
	due := max(e.ready, q.free, now) // it may have waited for free space until now
	if limit := int32(m.gpu.LSU.Stores); e.sectors > 0 && m.storesOut.sectors+e.sectors > limit {
		due = max(due, m.storesOut.fits(e.sectors, limit, now))
	}
	return due
}

// enqueue appends an instruction of a scheduler, issued at t, to the scheduler's queue.
func (m *multiprocessor) enqueue(c *scheduler, e queued, t int64) {
	q := &c.queue
	q.push(e)
	if q.n == len(q.ring) {
		c.close(isa.LSU)
	}
	m.nextTake = min(m.nextTake, max(m.due(q, t), m.pipeFree))
}

// setNextTake sets when the pipe takes its next instruction. Now is a cycle up to which the SM has run.
func (m *multiprocessor) setNextTake(now int64) {
	m.nextTake = idle
	for i := range m.schedulers {
		m.nextTake = min(m.nextTake, m.due(&m.schedulers[i].queue, now))
	}
	if m.nextTake != idle {
		m.nextTake = max(m.nextTake, m.pipeFree, now) // stores that it has waited for are taken by now
	}
}

// takeMemory makes the memory pipe take an instruction at t, from the next scheduler in round-robin order that has
// one.
func (m *multiprocessor) takeMemory(t int64) {
	for i := range m.schedulers {
		c := &m.schedulers[(m.firstQueue+i)%len(m.schedulers)]
		q := &c.queue
		if m.due(q, t) > t {
			continue
		}
		e := *q.head()
		if q.n == len(q.ring) {
			c.open(isa.LSU, t)
		}
		q.pop()
		q.free = t + int64(e.unit)
		m.firstQueue = (m.firstQueue + i + 1) % len(m.schedulers)
		busy := int64(m.gpu.LSU.Interval)
		if e.flight != noFlight {
			busy = max(busy, m.flights[e.flight].cost)
		}
		m.pipeFree = t + busy
		m.of[e.launch].memoryPipe += busy
		if e.flight != noFlight {
			m.serve(e.flight, t)
		}
		break
	}
	m.setNextTake(t)
}

// serve makes the memory pipe take a flight at t, and starts what the flight requests.
func (m *multiprocessor) serve(id int32, t int64) {
	f := &m.flights[id]
	issued := t - int64(m.gpu.LSU.Depth)
	if f.moves > 0 { // after the earlier work of the copy engine
		start := max(t, m.copyFree)
		m.copyFree = start + f.moves
		issued += m.copyFree - 1 - t
	}
	if f.shared > 0 {
		f.done = max(f.done, issued+f.shared)
	}
	if len(f.remote) > 0 {
		f.done += m.sendToPeers(f, t)
	}
	if f.hit > 0 {
		f.done = max(f.done, issued+f.hit+max(f.cost, 1)-1)
	}
	switch {
	case f.kind == stores || f.reduces:
		m.send(id, t)
		return
	case f.kind == changes:
		for i := range f.lines {
			m.sendRequest(id, cache.Atomic, i, f.lines[i].Sectors, t)
		}
	default:
		m.load(id, t)
	}
	m.arrive(id, t)
}

// acquired notes that an acquire is done in a cycle, which is not before the SM's present one.
func (m *multiprocessor) acquired(cycle int64) {
	for len(m.acquires) > 1 && m.acquires[1] <= m.now { // the next load needs only the latest one
		m.acquires = slices.Delete(m.acquires, 0, 1)
	}
	i, _ := slices.BinarySearch(m.acquires, cycle)
	m.acquires = slices.Insert(m.acquires, i, cycle)
}

// invalidate notifies L1 of the latest acquire that is done by t.
func (m *multiprocessor) invalidate(t int64) {
	n := 0
	for n < len(m.acquires) && m.acquires[n] <= t {
		n++
	}
	if n > 0 {
		m.l1.Invalidate(m.acquires[n-1])
		m.acquires = slices.Delete(m.acquires, 0, n)
	}
}

// load looks up the lines of a load in L1, and requests missing sectors from L2.
func (m *multiprocessor) load(id int32, t int64) {
	if len(m.acquires) > 0 {
		m.invalidate(t)
	}
	f := &m.flights[id]
	traffic := &m.of[f.launch].traffic
	for i := range f.lines {
		line, sectors := f.lines[i].Line, f.lines[i].Sectors
		traffic.Sectors += uint64(bits.OnesCount8(sectors))
		if !f.caches {
			m.l1.Drop(line, t)
			traffic.Misses += uint64(bits.OnesCount8(sectors))
			m.sendRequest(id, cache.Load, i, sectors, t)
			continue
		}
		at := m.l1.Load(line, sectors, t)
		traffic.Hits += uint64(bits.OnesCount8(at.Hit))
		traffic.Pending += uint64(bits.OnesCount8(at.Pending))
		traffic.Misses += uint64(bits.OnesCount8(at.Miss))
		if at.Pending != 0 {
			if f.done = max(f.done, at.Ready+max(f.cost, 1)-1); at.Unknown != 0 {
				m.merge(id, at.Way, at.Unknown)
			}
		}
		if at.Miss != 0 {
			request := m.sendRequest(id, cache.Load, i, at.Miss, t)
			if at.Way != cache.None {
				m.l1.Asked(at.Way, at.Miss, request)
				m.origins[request].way = at.Way
			}
		}
	}
}

// send sends the data of a store, or of an atomic without a result, to L2. Only the end of the warp waits for it: the
// warp keeps its slot until the data have left the SM.
func (m *multiprocessor) send(id int32, t int64) {
	f := &m.flights[id]
	kind := cache.Store
	if f.reduces {
		kind = cache.Reduction
	}
	for i := range f.lines {
		line := &f.lines[i]
		n := int32(bits.OnesCount8(line.Sectors))
		if kind == cache.Store {
			m.of[f.launch].traffic.Stored += uint64(n)
			if line.Line >= localLines {
				m.l1.Write(line.Line, line.Sectors, t)
			} else {
				m.l1.Store(line.Line, line.Sectors)
			}
		}
		m.storesOut.push(m.sendRequest(id, kind, i, line.Sectors, t), n)
	}
	c := &m.schedulers[f.scheduler]
	x := &c.slots[f.slot]
	left := t + max(f.cost, 1)
	if f.moves > 0 {
		left = m.copyFree
	}
	x.sent = max(x.sent, left)
	x.unsent--
	if f.leaves {
		m.readSource(x, id, left, t)
		m.arrive(id, t)
	} else {
		m.spareFlights = append(m.spareFlights, id)
	}
	if x.unsent == 0 && x.ends {
		m.leave(c, f.slot)
	}
}
