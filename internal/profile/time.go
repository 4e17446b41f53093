package profile

import (
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sm/cache"
)

// Time is what the clock says of launches, or of a part of their code.
type Time struct {
	// States is what warps did in how many cycles: those of all instructions sum to
	// the cycles in which warps resided.
	States sm.States

	// What follows is of whole launches, and 0 for instructions.

	Cycles       uint64  // that the launches took, one after the other
	Microseconds float64 // that is at the GPU's clock
	SMCycles     uint64  // Cycles of all SMs of the GPU
	ActiveCycles uint64  // of them, those in which a warp resided on the SM
	IssueSlots   uint64  // one for each scheduler of an SM and each of its active cycles
	WarpSlots    uint64  // places for warps on an SM, for each of its active cycles
	Residents    uint64  // of them, those that warps can have by the theoretical occupancy
	Issued       uint64  // machine instructions
	Paired       uint64  // of them, those that were issued in the cycle of another, of the same warp
	Pipes        [isa.NumUnits]Pipe
	MemoryPipe   uint64     // cycles for which the pipe that L1 and shared memory have in common was busy, over all SMs
	DRAMBytes    float64    // that device memory could have moved meanwhile, by clock and width
	Memory       sm.Traffic // beyond the SMs
	L1           sm.L1Traffic
	CTAs         uint64
	WaveCTAs     uint64                // that the GPU holds at once
	Limits       [gpu.NumResources]int // CTAs of an SM, by the resource that limits them: the least of the launches, or gpu.Unlimited
}

// Pipe is what an execution pipe of SMs did, over all of its kind.
type Pipe struct {
	Issued uint64 // machine instructions that went to it
	Busy   uint64 // cycles for which they keep it busy, by the intervals of their classes
	Active uint64 // cycles of all of them in which a warp resided on the SM
	Cycles uint64 // all of their cycles
}

// pipesOf is the pipes of a launch. A class of instructions that goes through a memory queue keeps the
// scheduler's address unit busy for its interval.
func pipesOf(t *sm.Timing, active int64, issued *sm.SchedulerTiming) (pipes [isa.NumUnits]Pipe) {
	for class, n := range issued.Classes {
		c := &t.GPU.Classes[class]
		pipes[c.Pipe].Issued += n
		pipes[c.Pipe].Busy += n * uint64(c.Interval)
	}
	group := &t.GPU.Classes[isa.CostMatrixGroup]
	pipes[group.Pipe].Busy += issued.Tiles * uint64(group.Interval)
	for u := range pipes {
		perSM := uint64(t.GPU.Schedulers)
		if t.GPU.SMWide[u] {
			perSM = 1
		}
		pipes[u].Active, pipes[u].Cycles = perSM*uint64(active), perSM*uint64(t.Cycles)*uint64(len(t.SMs))
	}
	return pipes
}

// TimeOf is the time of a launch.
func TimeOf(t *sm.Timing) *Time {
	sum := t.Total()
	active, issued := uint64(sum.Active), &sum.Schedulers[0]
	microseconds := float64(t.Cycles) / t.GPU.ClockMHz
	return &Time{Pipes: pipesOf(t, sum.Active, issued), MemoryPipe: uint64(sum.MemoryPipe), DRAMBytes: t.GPU.Memory.DRAMPeak * 1000 * microseconds,
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

// eligible is the cycles of warps in which they could issue.
func (t *Time) eligible() uint64 { return t.States[sm.Selected] + t.States[sm.NotSelected] }

// Occupancy is the achieved occupancy: warps that reside, of those for which active
// SMs have places, 0 to 1.
func (t *Time) Occupancy() float64 { return float64(t.States.Total()) / float64(t.WarpSlots) }

// WarpsActive is warps that reside on a scheduler in an active cycle of its SM.
func (t *Time) WarpsActive() float64 { return float64(t.States.Total()) / float64(t.IssueSlots) }

// WarpsEligible is warps of a scheduler that can issue in an active cycle of its SM.
func (t *Time) WarpsEligible() float64 { return float64(t.eligible()) / float64(t.IssueSlots) }

// IPC is machine instructions that an SM issues in an active cycle.
func (t *Time) IPC() float64 { return float64(t.Issued) / float64(t.ActiveCycles) }

// SlotsUsed is the issue slots in which a scheduler issued, 0 to 1.
func (t *Time) SlotsUsed() float64 { return float64(t.Issued-t.Paired) / float64(t.IssueSlots) }

// MainStall is the state, but for Selected, in which warps spent most cycles, and its
// share of all of them, 0 to 1. If warps waited for nothing, it is NotSelected, and 0.
func (t *Time) MainStall() (main sm.State, share float64) {
	main = sm.NotSelected
	for s := main; s < sm.NumStates; s++ {
		if t.States[s] > t.States[main] {
			main = s
		}
	}
	return main, float64(t.States[main]) / float64(t.States.Total())
}

// L2Sectors is sectors that were looked up in L2, and those of them that it had. A store of a sector needs
// nothing that L2 might not have.
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
