package sm

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Local memory and constants have cache lines of their own, above those of global memory. Each process has
// processLines of them. Caches fold 48 bits of a line's number to a tag of 40; multiples of these constants give tags
// with different upper bytes.
const (
	localLines    = 1 << 42
	constantLines = 1 << 41
	processLines  = 5 << 32
)

// sharedClass and localClass are the cost classes of accesses through generic addresses, by memoryKind.
var (
	sharedClass = [...]isa.CostClass{loads: isa.CostLoadShared, stores: isa.CostStoreShared, changes: isa.CostAtomicShared}
	localClass  = [...]isa.CostClass{loads: isa.CostLoadLocal, stores: isa.CostStoreLocal, changes: isa.CostLoadLocal}
)

// access starts the memory access that the warp in x has executed at t. It returns when the result can be used;
// pending if the access goes through the memory queue, because its time is not known yet.
func (m *multiprocessor) access(x *slot, t int64) moment {
	in := x.in
	m.noteAccess(x, in)
	switch {
	case in.unit > 0:
		id := m.newAccess(x)
		switch {
		case in.waitsAt:
			m.awaitSignals(x, id)
		case len(m.effect.Mbarriers) > 0:
			m.startSignals(x, id)
		}
		if in.tensor == signalsProducts {
			m.flights[id].done = max(m.flights[id].done, x.tensor.multiplied)
		}
		switch {
		case in.leaves:
			m.discard(x)
			m.await(x, id, nil)
		case in.reduces:
			m.discard(x)
		case in.memory != stores:
			m.takesEffect(x, id)
			m.await(x, id, in.results)
		}
		f := &m.flights[id]
		m.enqueue(x, x.op.pipe, queued{id, f.launch, f.sectors, int32(in.unit), t + int64(m.gpu.LSU.Depth)}, t)
		return pending
	case in.constant && m.gpu.Memory.Flat == 0:
		return m.constant(x, t)
	}
	done := m.flat(x, t)
	if in.tensor == signalsProducts {
		done = max(done, at(x.tensor.multiplied, done.state()))
	}
	if in.leaves {
		x.sourceRead.land(x.stored.group, done.cycle())
		x.stored.land(x.stored.group, done.cycle())
	}
	if in.reduces {
		m.discard(x)
		return done
	}
	if m.effect.Deferred < 0 {
		switch {
		case in.waitsAt:
			done = max(done, m.signalsDone(x))
		case in.bulk || len(m.effect.Mbarriers) > 0:
			m.signalAt(x, done.cycle())
		case in.copies:
			x.copies.land(x.copies.group, done.cycle())
		}
		return done
	}
	id := m.newFlight(x)
	if len(m.effect.Mbarriers) > 0 {
		m.startSignals(x, id)
	}
	m.flights[id].done, m.flights[id].state, m.flights[id].missing = done.cycle(), done.state(), 0
	m.takesEffect(x, id)
	m.await(x, id, in.results)
	return pending
}

// discard drops the result of the atomic that the warp in x has just executed: nothing reads it, so nothing waits for
// it.
func (m *multiprocessor) discard(x *slot) {
	if n := m.effect.Deferred; n >= 0 {
		x.engine.Discard(n)
	}
}

// takesEffect makes a flight wait for the exchange in which the deferred access of the warp in x takes effect. It
// does nothing if the access is not deferred.
func (m *multiprocessor) takesEffect(x *slot, id int32) {
	if n := m.effect.Deferred; n >= 0 {
		f := &m.flights[id]
		f.deferred = true
		f.missing++
		f.done = max(f.done, m.epochEnd)
		x.engine.Tag(n, tag(flightTag, id))
	}
}

// newAccess makes a flight of the access that the warp in x has executed, and returns the flight's index.
func (m *multiprocessor) newAccess(x *slot) int32 {
	id := m.newFlight(x)
	f, e := &m.flights[id], &m.effect
	in := x.in
	f.kind, f.reduces, f.floats, f.caches, f.state = in.memory, in.reduces, in.floats, in.caches, in.pending
	if len(e.Access) == 0 { // no lane executes it
		f.hit = max(in.latency, int64(m.gpu.LSU.Depth))
	}
	for i := range e.Access {
		m.addAccess(x, f, &e.Access[i])
	}
	if in.textured && len(e.Access) > 0 {
		f.cost, f.filters = m.textureCycles(), in.latency-int64(m.gpu.Memory.L1)
	}
	f.acquires = in.acquires && len(f.lines) > 0
	if in.engine && len(e.Access) > 0 {
		f.cost, f.moves = 0, m.moves(f)
	} else if n := int64(memory.TagWavefronts(f.lines, m.gpu.LSU.TagMasks)); n > f.cost {
		f.cost = n
	}
	if in.memory == stores || in.reduces {
		for i := range f.lines {
			f.sectors += int32(bits.OnesCount8(f.lines[i].Sectors))
		}
		x.unsent++
	}
	return id
}

// moves returns how many cycles the copy engine takes for a flight: one for each line of global memory, or one for
// each 128 bytes that it reads and writes in shared memory.
func (m *multiprocessor) moves(f *flight) int64 {
	if len(f.lines) > 0 {
		return int64(len(f.lines))
	}
	bytes := 0
	for i := range m.effect.Access {
		if a := &m.effect.Access[i]; isa.Space(a.Space) == isa.Shared {
			bytes += int(a.Size) * a.Lanes.Count()
		}
	}
	return int64(max(bytes/2/memory.LineBytes, 1))
}

// addAccess adds an access to one memory region to a flight.
func (m *multiprocessor) addAccess(x *slot, f *flight, a *interp.Moved) {
	size := int(a.Size)
	switch isa.Space(a.Space) {
	case isa.Shared:
		kind := x.in.shared()
		class, n := sharedClass[kind], x.in.sharedWavefronts(kind, a)
		latency := m.gpu.Classes[class].Latency
		if r := x.peer(a); r != nil {
			latency = m.gpu.Cluster.Latency
			m.addRemote(f, r, a)
		}
		f.shared = max(f.shared, int64(latency+(n-1)*m.gpu.Memory.SharedPerWavefront))
		f.cost += int64(n)
		f.state = max(f.state, pendingBy[class])
	case isa.Local:
		class := localClass[f.kind]
		base := localLines + x.cta.launch.localLines + uint64(m.id*m.gpu.Residency.Warps+x.number)*uint64(len(a.Mem)/lanesPerLine)
		before := len(f.lines)
		f.perLane = min(size, 4) // each word of a lane is in a line of its own
		f.lines = memory.AppendLocalLines(f.lines, &a.Access, a.Lanes, size, base)
		f.hit = max(f.hit, int64(m.gpu.Classes[class].Latency))
		f.cost += int64(len(f.lines) - before)
		f.state = max(f.state, pendingBy[class])
	default:
		before := len(f.lines)
		if f.kind == changes || f.reduces {
			f.lines = memory.AppendAtomicLines(f.lines, &a.Access, a.Lanes, size)
		} else {
			f.lines = memory.AppendLines(f.lines, &a.Access, a.Lanes, size)
		}
		if of := x.cta.launch.processLines; of != 0 {
			for i := range f.lines[before:] {
				f.lines[before+i].Line += of
			}
		}
		f.perLane = size
		f.hit = max(f.hit, int64(m.gpu.Memory.L1))
		if x.in.textured {
			f.lines = joinLines(f.lines, before)
			return
		}
		f.cost += int64(memory.Banks(&a.Access, a.Lanes, size).Wavefronts)
	}
}

// lanesPerLine is how many bytes of a warp's local memory a line holds: a word of each lane.
const lanesPerLine = memory.LineBytes

// flat is access on a GPU without caches and queues: latencies are fixed, except that requests to shared memory take
// turns, one for each wavefront.
func (m *multiprocessor) flat(x *slot, t int64) moment {
	in, e := x.in, &m.effect
	if len(e.Access) == 0 {
		return at(t+in.latency, in.pending)
	}
	done := moment(0)
	for i := range e.Access {
		switch a := &e.Access[i]; isa.Space(a.Space) {
		case isa.Shared:
			class, n := sharedClass[in.shared()], in.sharedWavefronts(in.shared(), a)
			taken := max(t, m.accesses.free)
			m.accesses.free = taken + int64(n)
			latency := m.gpu.Classes[class].Latency
			if x.peer(a) != nil {
				latency = m.gpu.Cluster.Latency
			}
			done = max(done, at(taken+int64(latency+(n-1)*m.gpu.Memory.SharedPerWavefront), pendingBy[class]))
		case isa.Local:
			class := localClass[in.memory]
			done = max(done, at(t+int64(m.gpu.Classes[class].Latency), pendingBy[class]))
		default:
			done = max(done, at(t+in.latency, in.pending))
		}
	}
	if in.memory == stores {
		x.sent = max(x.sent, done.cycle())
	}
	return done
}

// sharedWavefronts returns how many wavefronts of shared memory an access takes.
func (in *instr) sharedWavefronts(kind memoryKind, a *interp.Moved) int {
	switch kind {
	case changes:
		if in.counts {
			return memory.CountWavefronts(&a.Access, a.Lanes)
		}
		return memory.AtomicWavefronts(&a.Access, a.Lanes, int(a.Size))
	case loads:
		return memory.LoadBanks(&a.Access, a.Lanes, int(a.Size)).Wavefronts
	}
	return memory.Banks(&a.Access, a.Lanes, int(a.Size)).Wavefronts
}
