package sm

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/memory"
)

// constant returns when the constants that the warp in x has loaded at t can be used. Words are served one after
// the other; a line that is in no constant cache comes from L2.
func (m *multiprocessor) constant(x *slot, t int64) moment {
	e, caches := &m.effect, &m.gpu.Constants
	if len(e.Access) == 0 {
		return at(t+x.in.latency, x.in.pending)
	}
	id := m.newFlight(x)
	f := &m.flights[id]
	f.state = x.in.pending
	words := 0
	for i := range e.Access {
		a := &e.Access[i]
		words += memory.DistinctWords(&a.Access, a.Lanes)
		f.lines = memory.AppendLines(f.lines, &a.Access, a.Lanes, int(a.Size))
	}
	f.cost = int64((words-1)*caches.PerWord) + 1
	x.scheduler.keepBusy(x.in.ops[len(x.in.ops)-1].pipe, int64(words-1)*x.in.ops[len(x.in.ops)-1].interval)
	latency := x.in.latency
	for i := range f.lines {
		line := &f.lines[i]
		line.Line += constantLines + x.cta.launch.processLines
		if m.holdsConstant(0, line, t) {
			continue
		}
		latency = max(latency, int64(caches.L15Latency))
		if !m.holdsConstant(1, line, t) {
			m.sendRequest(id, cache.Load, i, line.Sectors, t)
			m.of[f.launch].traffic.Constants += uint64(bits.OnesCount8(line.Sectors))
		}
	}
	f = &m.flights[id]
	f.missing-- // not to be taken: it does not go through the memory queue
	if f.done = t + latency + f.cost - 1; f.missing > 0 {
		f.cost += int64(m.gpu.LSU.Depth) // latencies count from the issue
		m.await(x, id, x.in.results)
		return pending
	}
	m.spareFlights = append(m.spareFlights, id)
	return at(f.done, f.state)
}

// holdsConstant reports whether a constant cache holds a line, and puts the line there.
func (m *multiprocessor) holdsConstant(level int, line *memory.LineSectors, t int64) bool {
	if m.constants[level] == nil {
		m.constants[level] = cache.NewL1([...]int64{m.gpu.Constants.L1, m.gpu.Constants.L15}[level])
	}
	l := m.constants[level].Load(line.Line, line.Sectors, t)
	if l.Miss == 0 {
		return true
	}
	m.constants[level].Asked(l.Way, l.Miss, 0)
	m.constants[level].Fill(l.Way, 0, t)
	return false
}

// noConstant is the constant of an op that loads none of the launch's constants.
const noConstant = 0

// launchConstants has, for each line of a launch's constants, the cycle from which on the SM's constant caches have it;
// 0 for a line that was not requested. One cache is for loads to uniform registers, the other for loads to registers.
// The module's own constants are loaded to uniform registers.
type launchConstants struct{ uniform, indexed, module []int64 }

// launchConstant returns from which cycle on an op that is ready at t can load its constant. The launch has left its
// constants in the second cache, which both first caches read. The SMs of a GPC get a line one after the other, in the
// order in which they got their first CTAs. Constants of the module come from device memory.
func (m *multiprocessor) launchConstant(of *share, o *op, t int64) int64 {
	if m.gpu.Memory.Flat > 0 || m.options.WarmCode {
		return t
	}
	lines := &of.constants.indexed
	if o.class == isa.CostUniformConstant {
		lines = &of.constants.uniform
	}
	line, elsewhere := int(o.constant), 0
	if line >= cost.ModuleConstants {
		lines, line, elsewhere = &of.constants.module, line-cost.ModuleConstants+1, max(m.gpu.Memory.DRAM, m.gpu.Memory.L2)
	}
	for len(*lines) < line {
		*lines = append(*lines, 0)
	}
	there := &(*lines)[line-1]
	if *there == 0 {
		*there = t + int64(elsewhere+m.gpu.Constants.L15Latency+of.turn*m.gpu.Constants.GPCInterval)
	}
	return max(t, *there)
}
