// Package occupancy is how full the SMs of a GPU are with a kernel, what limits
// that, and what would change it: as text, JSON, CSV and curves.
package occupancy

import (
	"github.com/simtrun/simtrun/internal/gpu"
)

// Question is a kernel on a GPU.
type Question struct {
	GPU    *gpu.Config
	Usage  gpu.Usage
	Kernel string // its name, "" if there is none
	// RegistersFrom says from where the registers of a thread are known, RegisterCap how
	// many the kernel's directives allow, and CapFrom which; 0 if none does.
	RegistersFrom string
	Spilled       int // estimated registers of a thread that do not fit; 0 if all do
	RegisterCap   int
	CapFrom       string
	MaxThreads    int   // of a block, as far as the kernel's directives say; 0 for what the GPU allows
	Grid          int64 // CTAs; 0 if there is no grid
	Cluster       int   // CTAs of a cluster; 0 without clusters
}

// Answer is what a Question comes to.
type Answer struct {
	Question
	gpu.Occupancy
	// Steps are the numbers of CTAs that could reside if each took little enough, from 1.
	Steps []Step
	// Best is the size of blocks with which the most threads reside; 0 threads if no
	// block fits.
	Best struct {
		Threads int
		gpu.Occupancy
	}
	Waves gpu.Waves // of the grid, if there is one and its CTAs fit
	// ActiveClusters is how many clusters the GPU holds at once, all CTAs of one in one GPC
	// (cudaOccupancyMaxActiveClusters).
	ActiveClusters int
}

// Step is what CTAs may take at most so that as many reside.
type Step struct {
	CTAs, Warps int
	Registers   int   // of a thread; 0: not even with one
	Shared      int64 // bytes, static and dynamic
}

// New answers a question.
func New(q Question) *Answer {
	a := &Answer{Question: q, Occupancy: q.GPU.Occupancy(q.Usage)}
	for n := 1; ; n++ {
		s := Step{CTAs: n, Warps: n * q.Usage.Warps(), Registers: q.GPU.MostRegisters(q.Usage, n), Shared: q.GPU.AvailableDynamic(q.Usage, n) + q.Usage.Static}
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

// shared is the bytes of shared memory that a CTA asks for.
func (q *Question) shared() int64 { return q.Usage.Static + q.Usage.Dynamic }

// minimumGrid is how many CTAs fill the GPU if so many reside on an SM: 0 of clusters that the GPU does not have.
func (q *Question) minimumGrid(ctas int) int64 {
	if q.Cluster > q.GPU.Cluster.Size {
		return 0
	}
	return q.GPU.AtOnce(q.Cluster, ctas)
}

// Next is the step up from what resides, if there is one.
func (a *Answer) Next() *Step {
	if a.CTAs >= len(a.Steps) {
		return nil
	}
	return &a.Steps[a.CTAs]
}
