package profile

import (
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
)

// clockMetrics are the metrics of launches with a clock. The formulas of those with a name of Nsight Compute are its.
// Others are like one of its counters, which counts something else: instructions of machine code in place of PTX, or
// accesses of L2's second partition, of instruction fetch and of constants, too.
var clockMetrics = []Metric{
	clockCount("elapsed_cycles", "cycle", "Cycles of the SMs' clock from the start of the first block to the end of the last.", "sm__cycles_elapsed.max",
		func(t *Time) uint64 { return t.Cycles }),
	{Name: "duration_us", Unit: "us", Doc: "Elapsed cycles at the GPU's clock.", NCU: "gpu__time_duration.sum", Clock: true,
		value: func(c *Counts) (float64, bool) {
			if c.Time == nil || c.Time.Cycles == 0 {
				return 0, false
			}
			return c.Time.Microseconds, true
		}},
	clockCount("sm_active_cycles", "cycle", "Cycles in which a warp resided on an SM, summed over all SMs.", "sm__cycles_active.sum",
		func(t *Time) uint64 { return t.ActiveCycles }),
	clockRatio("sm_active", "%", "Active cycles of SMs over the elapsed cycles of all SMs.", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", 100,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.ActiveCycles, t.SMCycles }),
	clockCount("issued_instructions", "instruction", "Machine instructions that warps issued.", "smsp__inst_issued.sum",
		func(t *Time) uint64 { return t.Issued }),
	clockRatio("issued_per_cycle", "instruction/cycle", "Machine instructions that an SM issued in an active cycle.", "sm__inst_issued.avg.per_cycle_active", 1,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.Issued, t.ActiveCycles }),
	clockRatio("executed_per_cycle", "instruction/cycle", "Warp instructions, of PTX, that an SM executed in an active cycle.", "", 1,
		func(c *Counts, t *Time) (uint64, uint64) { return c.Runs, t.ActiveCycles }),
	clockRatio("executed_per_scheduler_cycle", "instruction/cycle", "Warp instructions, of PTX, that a scheduler executed in an active cycle of its SM.", "", 1,
		func(c *Counts, t *Time) (uint64, uint64) { return c.Runs, t.IssueSlots }),
	clockRatio("warps_active", "warp", "Warps that resided on a scheduler in an active cycle of its SM.", "smsp__warps_active.avg.per_cycle_active", 1,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.States.Total(), t.IssueSlots }),
	clockRatio("warps_eligible", "warp", "Warps of a scheduler that could issue in an active cycle of its SM.", "smsp__warps_eligible.avg.per_cycle_active", 1,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.eligible(), t.IssueSlots }),
	clockRatio("issue_active", "ratio", "Cycles in which a scheduler issued, of the active cycles of its SM.", "smsp__issue_active.avg.per_cycle_active", 1,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.States[sm.Selected], t.IssueSlots }),
	clockRatio("achieved_occupancy", "%", "Warps that resided on an SM in an active cycle, over its warp slots.", "sm__warps_active.avg.pct_of_peak_sustained_active", 100,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.States.Total(), t.WarpSlots }),
	clockRatio("theoretical_occupancy", "%", "Warps of the blocks that an SM can hold, over its warp slots.", "sm__maximum_warps_per_active_cycle_pct", 100,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.Residents, t.WarpSlots }),
	clockRatio("warp_latency", "cycle/instruction", "Cycles of residence of a warp per machine instruction that it issues.", "smsp__average_warp_latency_per_inst_issued.ratio", 1,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.States.Total(), t.Issued }),
	clockRatio("waves", "ratio", "Blocks of the grid over those that the GPU holds at once.", "launch__waves_per_multiprocessor", 1,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.CTAs, t.WaveCTAs }),
	clockCount("l1_load_sectors", "sector", "Sectors that loads of global and local memory looked up in L1.", "",
		func(t *Time) uint64 { return t.L1.Sectors }),
	clockRatio("l1_load_hit_rate", "%", "Sectors that hit L1, of those that loads looked up in L1.", "", 100,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.L1.Hits, t.L1.Sectors }),
	clockRatio("l1_load_pending", "%", "Sectors that missed L1 but were already requested, of those that loads looked up in L1.", "", 100,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.L1.Pending, t.L1.Sectors }),
	clockCount("l2_sectors", "sector", "Sectors of loads, stores and atomics that SMs looked up in L2, each once.", "",
		func(t *Time) uint64 { _, all := t.L2Sectors(); return all }),
	clockRatio("l2_hit_rate", "%", "Sectors that hit L2, including all stores, of those that SMs looked up in L2.", "", 100,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.L2Sectors() }),
	clockCount("dram_read", "byte", "Bytes that were read from device memory.", "dram__bytes_read.sum",
		func(t *Time) uint64 { return uint64(t.Memory.Fetched) }),
	clockCount("dram_written", "byte", "Bytes that were written to device memory, without those that L2 still holds.", "dram__bytes_write.sum",
		func(t *Time) uint64 { return uint64(t.Memory.Written) }),
	clockRatio("l1_pipe", "%", "Cycles for which the pipe shared by L1 and shared memory was busy, of all cycles of the SMs.", "", 100,
		func(_ *Counts, t *Time) (uint64, uint64) { return t.MemoryPipe, t.SMCycles }),
	{Name: "dram_throughput", Unit: "%", Doc: "Bytes that were read from and written to device memory, of those that its clock and width allow.", NCU: "dram__throughput.avg.pct_of_peak_sustained_elapsed", Clock: true,
		value: func(c *Counts) (float64, bool) {
			if c.Time == nil || c.Time.DRAMBytes == 0 {
				return 0, false
			}
			return 100 * float64(c.Time.Memory.Fetched+c.Time.Memory.Written) / c.Time.DRAMBytes, true
		}},
	limitMetric("blocks", "launch__occupancy_limit_blocks", gpu.CTASlots),
	limitMetric("warps", "launch__occupancy_limit_warps", gpu.WarpSlots),
	limitMetric("registers", "launch__occupancy_limit_registers", gpu.RegisterFile),
	limitMetric("shared", "launch__occupancy_limit_shared_mem", gpu.SharedMemory),
	limitMetric("barriers", "launch__occupancy_limit_barriers", gpu.NamedBarriers),
}

// pipeMetrics returns the metrics of the execution pipes.
func pipeMetrics() (all []Metric) {
	for u := isa.NoUnit + 1; u < isa.NumUnits; u++ {
		all = append(all,
			clockCount("pipe_"+u.String()+"_instructions", "instruction", "Machine instructions that went to the pipe.", "sm__inst_executed_pipe_"+u.String()+".sum",
				func(t *Time) uint64 { return t.Pipes[u].Issued }),
			clockRatio("pipe_"+u.String(), "%", "Cycles for which machine instructions keep the pipe busy, of all of its cycles on all SMs.", "sm__inst_executed_pipe_"+u.String()+".avg.pct_of_peak_sustained_elapsed", 100,
				func(_ *Counts, t *Time) (uint64, uint64) { return t.Pipes[u].Busy, t.Pipes[u].Cycles }))
	}
	return all
}

// stateMetrics returns the metrics of warp states: cycles, also for parts of the code, and cycles per issue slot with
// an issue.
func stateMetrics() []Metric {
	var cycles, perIssue []Metric
	for s := range sm.NumStates {
		cycles = append(cycles, Metric{Name: "cycles_" + s.String(), Unit: "cycle", Doc: "Cycles in which a warp " + stateDocs[s] + ".", Clock: true,
			value: func(c *Counts) (float64, bool) {
				if c.Time == nil {
					return 0, false
				}
				return float64(c.Time.States[s]), true
			}})
		perIssue = append(perIssue, clockRatio("stalled_"+s.String(), "cycle/issue", "Cycles of warps in state "+s.String()+" per cycle in which a scheduler issues.",
			"smsp__average_warps_issue_stalled_"+s.String()+"_per_issue_active.ratio", 1,
			func(_ *Counts, t *Time) (uint64, uint64) {
				if t.IssueSlots == 0 { // an instruction
					return 0, 0
				}
				return t.States[s], t.States[sm.Selected]
			}))
	}
	return append(cycles, perIssue...)
}

// stateDocs describes each state of a warp.
var stateDocs = [sm.NumStates]string{
	sm.Selected: "issued", sm.NotSelected: "could issue, but another one did", sm.Wait: "waited for a result of fixed latency",
	sm.ShortScoreboard:  "waited for shared memory, a special function or an exchange between lanes",
	sm.LongScoreboard:   "waited for global or local memory",
	sm.MathPipeThrottle: "waited for a pipe of arithmetic", sm.MIOThrottle: "waited for the pipe of shared memory or special functions",
	sm.LGThrottle: "waited for the pipe of global and local memory", sm.TexThrottle: "waited for the pipe of textures",
	sm.AtBarrier: "waited for other warps of its block", sm.Membar: "waited for a fence", sm.BranchResolving: "waited for the target of a branch",
	sm.NoInstruction: "waited for instructions to be fetched", sm.DispatchStall: "waited for the dispatcher",
	sm.Drain: "had ended, and its stores had not left the SM", sm.IMCMiss: "waited for a constant", sm.Sleeping: "slept", sm.Misc: "waited for something else",
}

// clockCount returns a counter of whole launches.
func clockCount(name, unit, doc, ncu string, f func(t *Time) uint64) Metric {
	return Metric{Name: name, Unit: unit, Doc: doc, NCU: ncu, Clock: true, value: func(c *Counts) (float64, bool) {
		if c.Time == nil || c.Time.Cycles == 0 {
			return 0, false
		}
		return float64(f(c.Time)), true
	}}
}

// clockRatio returns a ratio in units of 1/scale.
func clockRatio(name, unit, doc, ncu string, scale float64, f func(c *Counts, t *Time) (over, under uint64)) Metric {
	return Metric{Name: name, Unit: unit, Doc: doc, NCU: ncu, Clock: true, value: func(c *Counts) (float64, bool) {
		if c.Time == nil {
			return 0, false
		}
		over, under := f(c, c.Time)
		return scale * float64(over) / float64(under), under != 0
	}}
}

// limitMetric returns how many blocks per SM a resource allows, if it limits them.
func limitMetric(name, ncu string, r gpu.Resource) Metric {
	return Metric{Name: "occupancy_limit_" + name, Unit: "block", Doc: "Blocks that can reside on an SM as far as its " + resourceNames[r] + " go.", NCU: ncu, Clock: true,
		value: func(c *Counts) (float64, bool) {
			if c.Time == nil || c.Time.Limits[r] == 0 || c.Time.Limits[r] == gpu.Unlimited {
				return 0, false
			}
			return float64(c.Time.Limits[r]), true
		}}
}

var resourceNames = [gpu.NumResources]string{gpu.CTASlots: "slots for blocks", gpu.WarpSlots: "slots for warps", gpu.RegisterFile: "registers",
	gpu.SharedMemory: "bytes of shared memory", gpu.NamedBarriers: "named barriers"}
