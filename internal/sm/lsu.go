package sm

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Memory instructions go from each scheduler through a queue to the single memory pipe of the SM, which L1 and shared
// memory share. A scheduler's queue holds gpu.LSU.Queue instructions; while it is full, the scheduler issues none.
// The scheduler's address unit hands an instruction to the pipe once per issue interval of its class, and at the
// earliest gpu.LSU.Depth cycles after its issue. The pipe serves the queues in round-robin order. Those for textures
// have other queues and another pipe (texture.go), which work in the same way.

// intake is a pipe of the SM that takes instructions from a queue of each scheduler.
type intake struct {
	unit  isa.Unit
	free  int64 // from this cycle on it takes an instruction
	next  int64 // cycle in which it takes one
	first int   // the scheduler whose queue is the next in turn
	n     int   // instructions in the queues

	queues []memoryQueue // by scheduler
}

// newIntake returns a pipe for a unit with a queue of this length for each scheduler.
func newIntake(u isa.Unit, schedulers, length int) intake {
	p := intake{unit: u, next: idle, queues: make([]memoryQueue, schedulers)}
	for i := range p.queues {
		p.queues[i] = memoryQueue{ring: make([]queued, length), due: idle}
	}
	return p
}

// queued returns how many instructions of a scheduler wait for the SM's pipes.
func (m *multiprocessor) queued(scheduler int) int {
	return m.accesses.queues[scheduler].n + m.textures.queues[scheduler].n
}

// intakeOf returns the pipe of the SM that takes instructions for a unit.
func (m *multiprocessor) intakeOf(u isa.Unit) *intake {
	if u == isa.TEX {
		return &m.textures
	}
	return &m.accesses
}

// memoryQueue holds the instructions of a scheduler that a pipe of the SM has not taken.
type memoryQueue struct {
	ring  []queued
	first int
	n     int
	// from this cycle on the pipe can take the first one, if the stores of the SM leave room for its sectors; idle for
	// none
	due     int64
	sectors int32
	free    int64 // from this cycle on the address unit can hand out another one
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
	if q.n++; q.n == 1 {
		q.setDue()
	}
}

// pop removes the first instruction, after which the address unit is not free before a cycle.
func (q *memoryQueue) pop(free int64) {
	if q.first++; q.first == len(q.ring) {
		q.first = 0
	}
	q.n--
	q.free = free
	q.setDue()
}

// setDue sets when the pipe can take the first instruction.
func (q *memoryQueue) setDue() {
	if q.due, q.sectors = idle, 0; q.n > 0 {
		e := q.head()
		q.due, q.sectors = max(e.ready, q.free), e.sectors
	}
}

// due returns the cycle, now or later, from which on the SM's pipe can take the next instruction of a queue, if the
// pipe is not busy. Now is a cycle up to which the SM has run.
func (m *multiprocessor) due(q *memoryQueue, now int64) int64 {
	if q.sectors > 0 {
		return m.storeDue(q, now)
	}
	return max(q.due, now) // it may have waited for free space until now
}

// storeDue is due for a queue that has a store first.
func (m *multiprocessor) storeDue(q *memoryQueue, now int64) int64 {
	if limit := int32(m.gpu.LSU.Stores); m.storesOut.sectors+q.sectors > limit {
		now = max(now, m.storesOut.fits(q.sectors, limit, now))
	}
	return max(q.due, now)
}

// enqueue appends an instruction for a unit, which the warp in x has issued at t, to the queue of its scheduler.
func (m *multiprocessor) enqueue(x *slot, u isa.Unit, e queued, t int64) {
	p := m.intakeOf(u)
	q := &p.queues[x.place]
	q.push(e)
	p.n++
	if q.n == len(q.ring) {
		x.scheduler.close(p.unit)
	}
	p.next = min(p.next, max(m.due(q, t), p.free))
}

// setNextTake sets when a pipe takes its next instruction. Now is a cycle up to which the SM has run.
func (m *multiprocessor) setNextTake(p *intake, now int64) {
	p.next = idle
	if p.n == 0 {
		return
	}
	earliest := max(p.free, now) // stores that it has waited for are taken by now
	next := int64(idle)
	for i := range p.queues {
		if next = min(next, m.due(&p.queues[i], now)); next <= earliest {
			break
		}
	}
	if next != idle {
		p.next = max(next, earliest)
	}
}

// takeMemory makes a pipe take an instruction at t, from the next scheduler in round-robin order that has one.
func (m *multiprocessor) takeMemory(p *intake, t int64) {
	for i, turn := 0, p.first; i < len(p.queues); i++ {
		q, c := &p.queues[turn], turn
		if turn++; turn == len(p.queues) {
			turn = 0
		}
		if m.due(q, t) > t {
			continue
		}
		e := *q.head()
		if q.n == len(q.ring) {
			m.schedulers[c].open(p.unit, t)
		}
		q.pop(t + int64(e.unit))
		p.n--
		p.first = turn
		busy := int64(m.gpu.LSU.Interval)
		if e.flight != noFlight {
			busy = max(busy, m.flights[e.flight].cost)
		}
		p.free = t + busy
		if of := &m.of[e.launch]; p.unit == isa.TEX {
			of.texturePipe += busy
		} else {
			of.memoryPipe += busy
		}
		if e.flight != noFlight {
			m.serve(e.flight, t)
		}
		break
	}
	m.setNextTake(p, t)
}

// serve makes a pipe take a flight at t, and starts what the flight requests.
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
	m.acquires = sorted.Insert(m.acquires, i, cycle)
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
	x := m.slotOf(f)
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
		m.leave(x)
	}
}
