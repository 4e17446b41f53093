package profile

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// Metric is a figure of a launch or of a part of its code.
type Metric struct {
	Name string // in snake case
	Unit string // of the value; "ratio" for pure numbers
	Doc  string // its definition, one sentence
	// NCU is the metric of Nsight Compute with the same definition, or "".
	NCU string
	// Clock reports that the metric needs a clock.
	Clock bool
	value func(c *Counts) (v float64, ok bool)
}

// Of returns the metric's value for c; ok is false if it is undefined, for example a ratio of zero to zero.
func (m *Metric) Of(c *Counts) (v float64, ok bool) { return m.value(c) }

// Value is a metric with its value.
type Value struct {
	*Metric
	Number float64
}

// Values returns the metrics that are defined for c, in the order of the table.
func Values(c *Counts) []Value {
	var vs []Value
	for i := range table {
		if v, ok := table[i].value(c); ok {
			vs = append(vs, Value{&table[i], v})
		}
	}
	return vs
}

// Metrics returns the table of all metrics.
func Metrics() []Metric { return slices.Clone(table) }

// table is all metrics in display order.
var table = slices.Concat(
	executionMetrics,
	sectorMetrics("global_load", "loads from global memory", isa.Load, isa.Global, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
	sectorMetrics("global_store", "stores to global memory", isa.Store, isa.Global, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
	sectorMetrics("global_atomic", "atomics on global memory", isa.Atomic, isa.Global, "", ""),
	contentionMetrics("global_atomic", "atomics on global memory", isa.Global),
	sectorMetrics("local_load", "loads from local memory", isa.Load, isa.Local, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"),
	sectorMetrics("local_store", "stores to local memory", isa.Store, isa.Local, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"),
	bankMetrics("shared_load", "loads from own shared memory", isa.Load, isa.Shared, "smsp__inst_executed_op_shared_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
	bankMetrics("shared_store", "stores to own shared memory", isa.Store, isa.Shared, "smsp__inst_executed_op_shared_st.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
	bankMetrics("shared_atomic", "atomics on own shared memory", isa.Atomic, isa.Shared, "", ""),
	contentionMetrics("shared_atomic", "atomics on own shared memory", isa.Shared),
	bankMetrics("shared_cluster_load", "loads from shared memory of other CTAs", isa.Load, isa.SharedCluster, "", ""),
	bankMetrics("shared_cluster_store", "stores to shared memory of other CTAs", isa.Store, isa.SharedCluster, "", ""),
	bankMetrics("shared_cluster_atomic", "atomics on shared memory of other CTAs", isa.Atomic, isa.SharedCluster, "", ""),
	contentionMetrics("shared_cluster_atomic", "atomics on shared memory of other CTAs", isa.SharedCluster),
	[]Metric{
		count("constant_requests", "request", "Warp instructions that load from constant memory in at least one lane.", "",
			func(c *Counts) uint64 { return c.Of(isa.Load, isa.Const).Requests }),
		count("constant_words", "word", "Distinct 32-bit words at which the lanes' constant loads start; they are served one after the other.", "",
			func(c *Counts) uint64 { return c.Of(isa.Load, isa.Const).Words }),
		ratio("constant_words_per_request", "word/request", "Distinct words of a load from constant memory: 1 is a broadcast.", "",
			func(c *Counts) (uint64, uint64) {
				t := c.Of(isa.Load, isa.Const)
				return t.Words, t.Requests
			}),
	},
	clockMetrics,
	pipeMetrics(),
	stateMetrics(),
)

var executionMetrics = []Metric{
	count("warp_instructions", "instruction", "Instructions of PTX executed by warps.", "",
		func(c *Counts) uint64 { return c.Runs }),
	count("lane_instructions", "instruction", "Active lanes over the warp instructions, before guards.", "",
		func(c *Counts) uint64 { return c.Lanes }),
	ratio("active_lanes_per_instruction", "lane/instruction", "Active lanes of a warp instruction, 0 to 32.", "",
		func(c *Counts) (uint64, uint64) { return c.Lanes, c.Runs }),
	count("lost_lane_slots", "lane slot", "Lane slots of the warp instructions, 32 each, that no lane filled.", "",
		(*Counts).LostSlots),
	count("lost_to_divergence", "lane slot", "Lost lane slots of lanes that had diverged from the active ones; for an instruction: that diverged there.", "",
		func(c *Counts) uint64 { return c.LostDiverged }),
	count("lost_to_exit", "lane slot", "Lost lane slots of lanes that had exited; for an instruction: of lanes that exited there.", "",
		func(c *Counts) uint64 { return c.LostExited }),
	count("lost_to_block_size", "lane slot", "Lost lane slots without a thread, because the block size is not a multiple of 32.", "",
		func(c *Counts) uint64 { return c.LostBlock }),
	count("branches", "instruction", "Branches executed by warps, including unconditional ones.", "",
		func(c *Counts) uint64 { return c.Branches }),
	count("divergent_branches", "instruction", "Branches that sent lanes of one warp to different places.", "",
		func(c *Counts) uint64 { return c.DivergentBranches }),
	ratio("divergent_branch_fraction", "ratio", "Divergent branches over branches.", "",
		func(c *Counts) (uint64, uint64) { return c.DivergentBranches, c.Branches }),
	count("barriers", "arrival", "Arrivals of warps, or of diverged lanes of a warp, at barriers of the CTA.", "",
		func(c *Counts) uint64 { return c.Arrivals }),
	count("global_excess_sectors", "sector", "Sectors beyond the ideal over all accesses to global memory.", "derived__memory_l2_theoretical_sectors_global_excessive",
		func(c *Counts) uint64 { return excess(c, isa.Global, (*Traffic).excessSectors) }),
	count("shared_excess_wavefronts", "wavefront", "Wavefronts beyond the ideal over all accesses to shared memory, also of other CTAs.", "derived__memory_l1_wavefronts_shared_excessive",
		func(c *Counts) uint64 {
			return excess(c, isa.Shared, (*Traffic).excessWavefronts) + excess(c, isa.SharedCluster, (*Traffic).excessWavefronts)
		}),
}

func (t *Traffic) excessSectors() uint64    { return t.Sectors - t.IdealSectors }
func (t *Traffic) excessWavefronts() uint64 { return t.Wavefronts - t.IdealWavefronts }

// excess sums f over the requests to a space.
func excess(c *Counts, space isa.Space, f func(t *Traffic) uint64) (sum uint64) {
	for i := range c.Traffic {
		if t := &c.Traffic[i]; t.Space == space {
			sum += f(t)
		}
	}
	return sum
}

// sectorMetrics returns the metrics of requests to global or local memory.
func sectorMetrics(name, what string, kind isa.Kind, space isa.Space, requests, sectors string) []Metric {
	of := func(c *Counts) Traffic { return c.Of(kind, space) }
	return []Metric{
		count(name+"_requests", "request", "Warp instructions with at least one lane that are "+what+".", requests,
			func(c *Counts) uint64 { return of(c).Requests }),
		count(name+"_lanes", "lane", "Lanes over these requests, after guards.", "",
			func(c *Counts) uint64 { return of(c).Lanes }),
		count(name+"_sectors", "sector", "Distinct 32-byte sectors of each request, summed.", sectors,
			func(c *Counts) uint64 { return of(c).Sectors }),
		count(name+"_lines", "line", "Distinct 128-byte lines of each request, summed.", "",
			func(c *Counts) uint64 { return of(c).Lines }),
		count(name+"_ideal_sectors", "sector", "Sectors that would suffice if the lanes of each request accessed contiguous memory; at most those needed.", "",
			func(c *Counts) uint64 { return of(c).IdealSectors }),
		count(name+"_wavefronts", "wavefront", "Passes through the data stage of L1, which has the banks of shared memory; for local memory, lines.", "",
			func(c *Counts) uint64 { return of(c).L1Wavefronts }),
		ratio(name+"_sectors_per_request", "sector/request", "Distinct sectors of a request.", "",
			func(c *Counts) (uint64, uint64) { return of(c).Sectors, of(c).Requests }),
		ratio(name+"_lines_per_request", "line/request", "Distinct lines of a request.", "",
			func(c *Counts) (uint64, uint64) { return of(c).Lines, of(c).Requests }),
	}
}

// bankMetrics returns the metrics of requests to shared memory, of the CTA or of others in its cluster.
func bankMetrics(name, what string, kind isa.Kind, space isa.Space, requests, wavefronts string) []Metric {
	of := func(c *Counts) Traffic { return c.Of(kind, space) }
	return []Metric{
		count(name+"_requests", "request", "Warp instructions with at least one lane that are "+what+".", requests,
			func(c *Counts) uint64 { return of(c).Requests }),
		count(name+"_lanes", "lane", "Lanes over these requests, after guards.", "",
			func(c *Counts) uint64 { return of(c).Lanes }),
		count(name+"_wavefronts", "wavefront", "Passes through the banks that these requests take.", wavefronts,
			func(c *Counts) uint64 { return of(c).Wavefronts }),
		count(name+"_ideal_wavefronts", "wavefront", "Passes that would suffice without bank conflicts.", "",
			func(c *Counts) uint64 { return of(c).IdealWavefronts }),
		ratio(name+"_conflict_degree", "ratio", "Wavefronts over ideal wavefronts: n for an n-way bank conflict of any width, 1 for none.", "",
			func(c *Counts) (uint64, uint64) { return of(c).Wavefronts, of(c).IdealWavefronts }),
		worst(name+"_worst_conflict", "ratio", "The most words of one bank that one phase of a request, 128 bytes of its lanes, accesses.",
			func(c *Counts) uint64 { return of(c).WorstConflict }),
	}
}

// contentionMetrics returns the metrics of atomics.
func contentionMetrics(name, what string, space isa.Space) []Metric {
	of := func(c *Counts) Traffic { return c.Of(isa.Atomic, space) }
	return []Metric{
		ratio(name+"_contention", "lane", "The most lanes at one place, served in turn, on average over the "+what+".", "",
			func(c *Counts) (uint64, uint64) { return of(c).Contention, of(c).Requests }),
		worst(name+"_worst_contention", "lane", "The most lanes at one place in any of the "+what+".",
			func(c *Counts) uint64 { return of(c).WorstContention }),
	}
}

func count(name, unit, doc, ncu string, f func(c *Counts) uint64) Metric {
	return Metric{Name: name, Unit: unit, Doc: doc, NCU: ncu, value: func(c *Counts) (float64, bool) { return float64(f(c)), true }}
}

func ratio(name, unit, doc, ncu string, f func(c *Counts) (over, under uint64)) Metric {
	return Metric{Name: name, Unit: unit, Doc: doc, NCU: ncu, value: func(c *Counts) (float64, bool) {
		over, under := f(c)
		return float64(over) / float64(under), under != 0
	}}
}

// worst returns a maximum, which is undefined if there are no values.
func worst(name, unit, doc string, f func(c *Counts) uint64) Metric {
	return Metric{Name: name, Unit: unit, Doc: doc, value: func(c *Counts) (float64, bool) { return float64(f(c)), f(c) != 0 }}
}
