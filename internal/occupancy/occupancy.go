// Package occupancy computes how many warps of a kernel are resident on the SMs of a GPU, which resource limits them,
// and which changes would raise their number, and writes the result as text, JSON, CSV and curves.
package occupancy

import (
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Question is a kernel on a GPU.
type Question struct {
	GPU    *gpu.Config
	Usage  gpu.Usage
	Kernel string // "" if there is none
	// RegistersFrom is the source of the register count per thread, RegisterCap the limit set by the kernel's
	// directives, and CapFrom the directive; 0 and "" without one.
	RegistersFrom string
	Spilled       int // estimated registers per thread that do not fit; 0 if all do
	RegisterCap   int
	CapFrom       string
	MaxThreads    int   // of a block, by the kernel's directives; 0 for the GPU's limit
	Grid          int64 // CTAs; 0 if there is no grid
	Cluster       int   // CTAs per cluster; 0 without clusters
}

// Of returns the question for a launch of a kernel on m. Errors are those of interp.Machine.Usage.
func Of(m *interp.Machine, fn *isa.Func, l interp.Launch) (Question, error) {
	on := m.Config().GPU
	u, r, err := m.Usage(l)
	if err != nil {
		return Question{}, err
	}
	q := Question{GPU: on, Usage: u, Kernel: l.Kernel, RegistersFrom: string(r.From), Spilled: r.Spilled, Grid: l.Grid.Count(), Cluster: int(l.Cluster.Count())}
	if most, by := interp.RegisterCap(on, fn); by != interp.RegistersLiveness {
		q.RegisterCap, q.CapFrom = most, string(by)
	}
	q.MaxThreads = int(max(fn.MaxNTID.Count(), fn.ReqNTID.Count()))
	return q, nil
}

// Answer is the answer to a Question.
type Answer struct {
	Question
	gpu.Occupancy
	// Steps are the possible numbers of resident CTAs, from 1, with the resources that a CTA may use for each.
	Steps []Step
	// Best is the block size with the most resident threads; 0 threads if no block fits.
	Best struct {
		Threads int
		gpu.Occupancy
	}
	Waves gpu.Waves // of the grid, if there is one and its CTAs fit
	// ActiveClusters is how many clusters the GPU holds at once; all CTAs of a cluster are in one GPC
	// (cudaOccupancyMaxActiveClusters).
	ActiveClusters int
}

// Step is the most resources that a CTA may use if a number of CTAs is to be resident.
type Step struct {
	CTAs, Warps int
	Registers   int   // per thread; 0: not even with one
	Shared      int64 // bytes, static and dynamic
}

// New answers a question.
func New(q Question) *Answer {
	a := &Answer{Question: q, Occupancy: q.GPU.Occupancy(q.Usage)}
	free := q.Usage // static shared memory can be made smaller, too
	free.Static = 0
	for n := 1; ; n++ {
		s := Step{CTAs: n, Warps: n * q.Usage.Warps(), Registers: q.GPU.MostRegisters(q.Usage, n), Shared: q.GPU.AvailableDynamic(free, n)}
		if n > min(a.Limits[gpu.WarpSlots], a.Limits[gpu.CTASlots], a.Limits[gpu.NamedBarriers]) || s.Registers == 0 || s.Shared < 0 {
			break
		}
		a.Steps = append(a.Steps, s)
	}
	most := int(q.GPU.Limits.BlockThreads)
	if q.MaxThreads > 0 {
		most = min(most, q.MaxThreads)
	}
	a.Best.Threads, a.Best.Occupancy = q.GPU.BestBlock(q.Usage, most)
	if atOnce := q.minimumGrid(a.CTAs); q.Grid > 0 && atOnce > 0 {
		a.Waves = gpu.WavesOf(q.Grid, atOnce)
	}
	if q.Cluster > 0 && q.Cluster <= q.GPU.Cluster.Size {
		a.ActiveClusters = q.GPU.MaxActiveClusters(q.Cluster, a.CTAs)
	}
	return a
}

// shared returns the bytes of shared memory that a CTA requests.
func (q *Question) shared() int64 { return q.Usage.Static + q.Usage.Dynamic }

// minimumGrid returns how many CTAs fill the GPU if ctas are resident per SM: 0 if the GPU does not support the
// cluster.
func (q *Question) minimumGrid(ctas int) int64 {
	if q.Cluster > q.GPU.Cluster.Size {
		return 0
	}
	return q.GPU.AtOnce(q.Cluster, ctas)
}

// Next returns the step above the resident number of CTAs, if there is one.
func (a *Answer) Next() *Step {
	if a.CTAs >= len(a.Steps) {
		return nil
	}
	return &a.Steps[a.CTAs]
}
