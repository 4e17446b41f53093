package sm

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// resources are the free resources of an SM. An SM admits a CTA if it has enough of each; the CTA takes them before
// it starts and returns them when it has ended.
type resources struct {
	ctas      int
	threads   int
	registers []int // by scheduler
	shared    int64 // bytes
}

// demand is the amount of each resource of an SM that a CTA needs.
type demand struct {
	warps     int
	threads   int
	registers int   // per warp
	shared    int64 // bytes
	most      int   // CTAs of the launch that can reside on an SM
}

// newDemand returns the demand of a CTA of a grid.
func newDemand(g *interp.Grid, on *gpu.Config) demand {
	shape, r := &g.Shape, &on.Residency
	d := demand{warps: shape.WarpsPerCTA, threads: shape.WarpsPerCTA * lanes.Width, most: g.Occupancy.CTAs}
	if !g.Machine().Config().Idealised { // an idealised SM has no allocation units
		d.registers = int(roundUp(int64(g.Resources.Registers*lanes.Width), int64(r.RegisterUnit)))
		d.shared = roundUp(int64(shape.TotalShared)+r.SharedReserved, r.SharedUnit)
	}
	return d
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// capacity returns the bytes of shared memory that an SM is configured to have for the launch.
func (l *launch) capacity() int64 { return l.grid.Occupancy.Capacity }

// newResources returns the free resources of an SM that has no CTAs and is not configured yet.
func newResources(on *gpu.Config) resources {
	r := &on.Residency
	free := resources{ctas: r.CTAs, threads: r.Threads}
	for range on.Schedulers {
		free.registers = append(free.registers, r.Registers/on.Schedulers)
	}
	return free
}

// takes returns how many more CTAs of a launch the SM can take. An SM without CTAs is configured for the launch;
// while CTAs reside, its shared memory keeps the size that the first of them required.
func (m *multiprocessor) takes(l *launch) int {
	of := &m.of[l.index]
	if of.takesKnown {
		return of.takes
	}
	of.takes, of.takesKnown = m.fits(l), true
	return of.takes
}

// forgetTakes makes takes count again, because the free resources have changed.
func (m *multiprocessor) forgetTakes() {
	for i := range m.of {
		m.of[i].takesKnown = false
	}
}

// fits counts the CTAs for takes.
func (m *multiprocessor) fits(l *launch) int {
	d, r := &l.demand, &m.free
	n := min(r.ctas, d.most-m.of[l.index].residents, r.threads/d.threads)
	if d.shared > 0 {
		shared := r.shared
		if m.residents == 0 {
			shared = l.capacity()
		}
		n = min(n, int(shared/d.shared))
	}
	warps := 0
	for i := range m.schedulers {
		free := m.slots - bits.OnesCount64(m.schedulers[i].resident)
		if d.registers > 0 {
			free = min(free, r.registers[i]/d.registers)
		}
		warps += free
	}
	return min(n, warps/d.warps)
}

// take takes n times what a CTA demands; n is -1 to return it. Registers are not included: each warp takes those of
// its scheduler.
func (r *resources) take(d *demand, n int) {
	r.ctas -= n
	r.threads -= n * d.threads
	r.shared -= int64(n) * d.shared
}
