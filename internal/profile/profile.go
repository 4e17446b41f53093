// Package profile counts what the warps of a launch executed, which lane slots they lost and why, the memory traffic
// of their requests and, with a clock, the cycles they spent.
package profile

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Profile is the counts of a launch, in total and per instruction.
type Profile struct {
	Total Counts
	// Funcs are the kernel and the functions that it can reach, in the order of
	// interp.Machine.Functions.
	Funcs []Func
	// Arrays are the variables in shared memory with requests, in the order of their offsets.
	Arrays []Array
	// Buffers are the buffers and variables in global memory with requests, in the order of their addresses.
	Buffers []Buffer
}

// Func is the counts of one function, by PC, over all of its callers.
type Func struct {
	*isa.Func
	Instrs []Counts
}

// Counts are the counters of an instruction, or their sums over several.
type Counts struct {
	// Runs is how many times warps executed the instruction, and Lanes the sum of active lanes, before guards.
	Runs  uint64 `json:"runs"`
	Lanes uint64 `json:"lanes"`
	// Branches is the Runs that are branches, and DivergentBranches those that diverged.
	Branches          uint64 `json:"branches,omitempty"`
	DivergentBranches uint64 `json:"divergent_branches,omitempty"`
	// Divergences is how many times lanes diverged here: at a branch, or because only some of them called, returned,
	// waited or exited. LargerSides is the sum of the lanes of the largest sides, OtherSides that of the rest.
	Divergences uint64 `json:"divergences,omitempty"`
	LargerSides uint64 `json:"larger_sides,omitempty"`
	OtherSides  uint64 `json:"other_sides,omitempty"`
	// Lane slots lost anywhere because lanes diverged here, exited here, or, for a whole launch, because the block
	// size is not a multiple of the warp size.
	LostDiverged uint64 `json:"lost_diverged,omitempty"`
	LostExited   uint64 `json:"lost_exited,omitempty"`
	LostBlock    uint64 `json:"lost_block,omitempty"`
	// Arrivals is how many times warps, or splits of them, arrived at a barrier of the CTA here; ArrivedLanes is the
	// sum of their lanes.
	Arrivals     uint64 `json:"arrivals,omitempty"`
	ArrivedLanes uint64 `json:"arrived_lanes,omitempty"`
	// Traffic is the nonzero requests to memory, by kind and space. Those of an instruction are in the order of
	// spaces.
	Traffic []Traffic `json:"traffic,omitempty"`
	// Time is nil without a clock, and for an instruction at which no warp spent a cycle.
	Time *Time `json:"-"`
}

// Traffic is the requests of one kind to one space. A request is the accesses of a warp's lanes by one instruction,
// if there are any. Counters that have no meaning in the space are 0.
type Traffic struct {
	Kind     isa.Kind  `json:"kind"`  // Load, Store or Atomic
	Space    isa.Space `json:"space"` // shared::cluster is the shared memory of other blocks of the cluster
	Requests uint64    `json:"requests"`
	Lanes    uint64    `json:"lanes"`
	// For global and local memory: distinct sectors and lines, summed over requests, and the sectors that contiguous
	// lanes would need.
	Sectors      uint64 `json:"sectors,omitempty"`
	Lines        uint64 `json:"lines,omitempty"`
	IdealSectors uint64 `json:"ideal_sectors,omitempty"`
	// For global and local memory: passes through the data stage of L1, which is shared with shared memory and has
	// its banks. A line of local memory is one pass.
	L1Wavefronts uint64 `json:"l1_wavefronts,omitempty"`
	// For shared memory: passes through the banks, and the passes needed without conflicts. WorstConflict is the most
	// words in one bank for one phase of a request.
	Wavefronts      uint64 `json:"wavefronts,omitempty"`
	IdealWavefronts uint64 `json:"ideal_wavefronts,omitempty"`
	WorstConflict   uint64 `json:"worst_conflict,omitempty"`
	// Words is, for constant memory, distinct words summed over requests.
	Words uint64 `json:"words,omitempty"`
	// For atomics: the most lanes at one address, summed over requests, and the maximum.
	Contention      uint64 `json:"contention,omitempty"`
	WorstContention uint64 `json:"worst_contention,omitempty"`
}

// LostSlots returns the lane slots that were lost while the instructions executed: a warp instruction has 32.
func (c *Counts) LostSlots() uint64 { return c.Runs*lanes.Width - c.Lanes }

// CausedSlots returns the lane slots that were lost because of these instructions. For a whole launch it equals
// LostSlots.
func (c *Counts) CausedSlots() uint64 { return c.LostDiverged + c.LostExited + c.LostBlock }

// Of returns the requests of that kind to that space, zero if there were none.
func (c *Counts) Of(kind isa.Kind, space isa.Space) Traffic {
	for i := range c.Traffic {
		if t := &c.Traffic[i]; t.Kind == kind && t.Space == space {
			return *t
		}
	}
	return Traffic{Kind: kind, Space: space}
}

// Add adds the counters of d to c.
func (c *Counts) Add(d *Counts) {
	c.Runs += d.Runs
	c.Lanes += d.Lanes
	c.Branches += d.Branches
	c.DivergentBranches += d.DivergentBranches
	c.Divergences += d.Divergences
	c.LargerSides += d.LargerSides
	c.OtherSides += d.OtherSides
	c.LostDiverged += d.LostDiverged
	c.LostExited += d.LostExited
	c.LostBlock += d.LostBlock
	c.Arrivals += d.Arrivals
	c.ArrivedLanes += d.ArrivedLanes
	for i := range d.Traffic {
		c.addTraffic(&d.Traffic[i])
	}
	if d.Time != nil {
		if c.Time == nil {
			c.Time = &Time{}
		}
		c.Time.add(d.Time)
	}
}

func (c *Counts) addTraffic(t *Traffic) {
	i := slices.IndexFunc(c.Traffic, func(s Traffic) bool { return s.Kind == t.Kind && s.Space == t.Space })
	if i < 0 {
		c.Traffic = append(c.Traffic, *t)
		return
	}
	s := &c.Traffic[i]
	s.Requests += t.Requests
	s.Lanes += t.Lanes
	s.Sectors += t.Sectors
	s.Lines += t.Lines
	s.IdealSectors += t.IdealSectors
	s.L1Wavefronts += t.L1Wavefronts
	s.Wavefronts += t.Wavefronts
	s.IdealWavefronts += t.IdealWavefronts
	s.WorstConflict = max(s.WorstConflict, t.WorstConflict)
	s.Words += t.Words
	s.Contention += t.Contention
	s.WorstContention = max(s.WorstContention, t.WorstContention)
}
