package profile

import (
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sm/cache"
)

// Time is the timing of launches, or of a part of their code.
type Time struct {
	// States is the cycles of warps in each state. Summed over all instructions they are the cycles in which warps
	// were resident.
	States sm.States

	// The following fields are for whole launches, and 0 for instructions.

	Cycles       uint64  // of the launches, which run one after the other
	Microseconds float64 // Cycles at the GPU's clock rate
	SMCycles     uint64  // Cycles times the SMs of the GPU
	ActiveCycles uint64  // SM cycles with a resident warp
	IssueSlots   uint64  // active cycles times the schedulers of an SM
	WarpSlots    uint64  // active cycles times the warps that an SM can hold
	Residents    uint64  // active cycles times the warps of the theoretical occupancy
	Issued       uint64  // machine instructions
	Paired       uint64  // issued in the same cycle as another one of the same warp
	Pipes        [isa.NumUnits]Pipe
	MemoryPipe   uint64     // cycles in which the pipe shared by L1 and shared memory was busy, summed over SMs
	DRAMBytes    float64    // that device memory could have transferred, by clock and width
	Memory       sm.Traffic // beyond the SMs
	L1           sm.L1Traffic
	CTAs         uint64
	WaveCTAs     uint64 // CTAs that the GPU holds at once
	// CTAs per SM by limiting resource: the least over the launches, or gpu.Unlimited
	Limits [gpu.NumResources]int
}

// Pipe is the activity of all execution pipes of one kind.
type Pipe struct {
	Issued uint64 // machine instructions that used it
	Busy   uint64 // cycles in which they keep it busy, by the intervals of their classes
	Active uint64 // cycles with a resident warp on the SM
	Cycles uint64 // cycles of all pipes of this kind
}

// pipesOf returns the pipes of a launch. Instructions in a memory queue keep the scheduler's address unit busy for
// the interval of their class.
func pipesOf(t *sm.Timing, active, textures int64, issued *sm.SchedulerTiming) (pipes [isa.NumUnits]Pipe) {
	for class, n := range issued.Classes {
		c := &t.GPU.Classes[class]
		pipes[c.Pipe].Issued += n
		pipes[c.Pipe].Busy += n * uint64(c.Interval)
	}
	group := &t.GPU.Classes[isa.CostMatrixGroup]
	pipes[isa.TEX].Busy = uint64(textures) * uint64(t.GPU.Schedulers) // and not how long schedulers hand them out
	pipes[group.Pipe].Busy += issued.Tiles*uint64(group.Interval) + issued.TensorCycles*uint64(t.GPU.Schedulers)
	for u := range pipes {
		perSM := uint64(t.GPU.Schedulers)
		if t.GPU.SMWide[u] {
			perSM = 1
		}
		pipes[u].Active, pipes[u].Cycles = perSM*uint64(active), perSM*uint64(t.Cycles)*uint64(len(t.SMs))
	}
	return pipes
}

// TimeOf returns the time of a launch.
func TimeOf(t *sm.Timing) *Time {
	sum := t.Total()
	active, issued := uint64(sum.Active), &sum.Schedulers[0]
	microseconds := float64(t.Cycles) / t.GPU.ClockMHz
	return &Time{Pipes: pipesOf(t, sum.Active, sum.TexturePipe, issued), MemoryPipe: uint64(sum.MemoryPipe), DRAMBytes: t.GPU.Memory.DRAMPeak * 1000 * microseconds,
		States: sum.States, Cycles: uint64(t.Cycles), Microseconds: microseconds,
		SMCycles: uint64(t.Cycles) * uint64(len(t.SMs)), ActiveCycles: active,
		IssueSlots: active * uint64(t.GPU.Schedulers), WarpSlots: active * uint64(t.GPU.Residency.Warps), Residents: active * uint64(t.Occupancy.Warps),
		Issued: issued.Issued, Paired: issued.Paired, Memory: t.Memory, L1: sum.L1, CTAs: uint64(sum.CTAs), WaveCTAs: uint64(t.AtOnce()),
		Limits: t.Occupancy.Limits}
}

// AddTime adds the time of the launch.
func (p *Profile) AddTime(t *sm.Timing) {
	p.Total.Time = TimeOf(t)
	for i := range t.Funcs {
		instrs := p.Funcs[i].Instrs
		for pc, states := range t.Funcs[i].States[:len(instrs)] {
			if states.Total() > 0 {
				instrs[pc].Time = &Time{States: states}
			}
		}
	}
}

// add adds the time of other launches, or of other code.
func (t *Time) add(other *Time) {
	t.States.Add(&other.States)
	t.Cycles += other.Cycles
	t.Microseconds += other.Microseconds
	t.SMCycles += other.SMCycles
	t.ActiveCycles += other.ActiveCycles
	t.IssueSlots += other.IssueSlots
	t.WarpSlots += other.WarpSlots
	t.Residents += other.Residents
	t.Issued += other.Issued
	t.Paired += other.Paired
	for u := range t.Pipes {
		t.Pipes[u].Issued += other.Pipes[u].Issued
		t.Pipes[u].Busy += other.Pipes[u].Busy
		t.Pipes[u].Active += other.Pipes[u].Active
		t.Pipes[u].Cycles += other.Pipes[u].Cycles
	}
	t.MemoryPipe += other.MemoryPipe
	t.DRAMBytes += other.DRAMBytes
	t.Memory.Add(&other.Memory)
	t.L1.Add(&other.L1)
	t.CTAs += other.CTAs
	t.WaveCTAs += other.WaveCTAs
	for r, limit := range other.Limits {
		if limit != 0 && (t.Limits[r] == 0 || limit < t.Limits[r]) {
			t.Limits[r] = limit
		}
	}
}

// eligible returns the warp cycles in which the warp could issue.
func (t *Time) eligible() uint64 { return t.States[sm.Selected] + t.States[sm.NotSelected] }

// Occupancy returns the achieved occupancy: resident warps over the warps that active SMs can hold, 0 to 1.
func (t *Time) Occupancy() float64 { return float64(t.States.Total()) / float64(t.WarpSlots) }

// WarpsActive returns the mean number of resident warps per scheduler in active cycles.
func (t *Time) WarpsActive() float64 { return float64(t.States.Total()) / float64(t.IssueSlots) }

// WarpsEligible returns the mean number of warps per scheduler that can issue in active cycles.
func (t *Time) WarpsEligible() float64 { return float64(t.eligible()) / float64(t.IssueSlots) }

// IPC returns the machine instructions per SM and active cycle.
func (t *Time) IPC() float64 { return float64(t.Issued) / float64(t.ActiveCycles) }

// SlotsUsed returns the fraction of issue slots in which a scheduler issued, 0 to 1.
func (t *Time) SlotsUsed() float64 { return float64(t.Issued-t.Paired) / float64(t.IssueSlots) }

// MainStall returns the state other than Selected with most warp cycles, and its share of all of them, 0 to 1. If
// warps never waited, it returns NotSelected and 0.
func (t *Time) MainStall() (main sm.State, share float64) {
	main = sm.NotSelected
	for s := main; s < sm.NumStates; s++ {
		if t.States[s] > t.States[main] {
			main = s
		}
	}
	return main, float64(t.States[main]) / float64(t.States.Total())
}

// L2Sectors returns the sectors that hit in L2 and all sectors that were looked up. A store of a full sector always
// hits.
func (t *Time) L2Sectors() (hits, all uint64) {
	m := &t.Memory
	for kind, n := range m.Sectors {
		all += uint64(n)
		if cache.Kind(kind) == cache.Store {
			hits += uint64(n)
		} else {
			hits += uint64(m.Hits[kind] + m.Far[kind])
		}
	}
	return hits, all
}
