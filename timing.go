package simtrun

import (
	"cmp"
	"slices"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Timing is the timing of a launch with a clock. Means are over the cycles in which warps resided on their SM.
type Timing struct {
	Cycles       int64   // from the start of the first CTA to the end of the last
	Microseconds float64 // Cycles at the GPU's clock rate
	Start        int64   // cycle, from the start of the machine's first launch

	CTAsPerSM   int      // most CTAs that reside on an SM at once
	Limits      []string // the resources that limit it: warps, registers, shared, blocks, barriers
	Theoretical float64  // theoretical occupancy: warps of CTAsPerSM over the most that an SM holds, 0 to 1
	Occupancy   float64  // achieved occupancy, 0 to 1

	Waves          float64 // CTAs of the grid over those that the GPU holds at once
	WaveEfficiency float64 // Waves over the next whole number, 0 to 1

	Issued        uint64  // machine instructions that warps issued
	IPC           float64 // per SM
	SlotsUsed     float64 // fraction of issue slots in which a scheduler issued, 0 to 1
	ActiveWarps   float64 // resident warps per scheduler
	EligibleWarps float64 // warps per scheduler that could issue

	SMs   []SMTiming   // by SM number
	Lines []LineTiming // lines on which warps spent cycles, in source order

	states sm.States
}

// SMTiming has the figures of one SM.
type SMTiming struct {
	CTAs   int64  // that ran on it
	Active int64  // cycles in which a warp resided
	Issued uint64 // machine instructions
}

// LineTiming is the timing of the instructions on one source line. A waiting warp counts at the instruction that it
// will issue next.
type LineTiming struct {
	File string
	Line int

	states sm.States
}

// StateNames returns the states of a warp in a cycle, with Nsight Compute's names: "selected" if it issues,
// "long_scoreboard" if it waits for device memory, and so on (docs/clock.md).
func StateNames() []string {
	names := make([]string, sm.NumStates)
	for s := range names {
		names[s] = sm.State(s).String()
	}
	return names
}

// State returns the cycles that warps spent in a state; 0 if there is no such state. The sum over all StateNames is
// the number of cycles for which warps resided.
func (t *Timing) State(name string) uint64 { return stateOf(&t.states, name) }

// State returns the cycles that warps spent in a state at the line's instructions; 0 if there is no such state. The
// sum over all lines is that of Timing.
func (l *LineTiming) State(name string) uint64 { return stateOf(&l.states, name) }

// Cycles returns the sum over all states.
func (l *LineTiming) Cycles() uint64 { return l.states.Total() }

func stateOf(states *sm.States, name string) uint64 {
	if i := slices.Index(StateNames(), name); i >= 0 {
		return states[i]
	}
	return 0
}

// timingOf converts a timing to the public type.
func timingOf(t *sm.Timing) *Timing {
	sum := profile.TimeOf(t)
	waves := gpu.WavesOf(int64(sum.CTAs), t.AtOnce())
	public := &Timing{Cycles: t.Cycles, Microseconds: sum.Microseconds, Start: t.Start,
		CTAsPerSM: t.CTAsPerSM, Theoretical: t.Occupancy.Fraction(), Occupancy: sum.Occupancy(),
		Waves: float64(sum.CTAs) / float64(waves.PerWave), WaveEfficiency: waves.Efficiency,
		Issued: sum.Issued, IPC: sum.IPC(), SlotsUsed: sum.SlotsUsed(), ActiveWarps: sum.WarpsActive(), EligibleWarps: sum.WarpsEligible(),
		Lines: linesOf(t), states: sum.States}
	for _, r := range t.Occupancy.Limiters() {
		public.Limits = append(public.Limits, r.String())
	}
	for i := range t.SMs {
		m := &t.SMs[i]
		public.SMs = append(public.SMs, SMTiming{m.CTAs, m.Active, m.Sum().Issued})
	}
	return public
}

// linesOf returns the states of a launch by line. The end of a function's code, which lanes may run into, counts as
// the line of the last instruction.
func linesOf(t *sm.Timing) (lines []LineTiming) {
	type place struct {
		file string
		line int
	}
	index := make(map[place]int)
	for i := range t.Funcs {
		f := &t.Funcs[i]
		for pc := range f.States {
			if f.States[pc].Total() == 0 {
				continue
			}
			pos := posOf(f.Func.Code[min(pc, len(f.Func.Code)-1)].Pos)
			at, known := index[place{pos.File, pos.Line}]
			if !known {
				at = len(lines)
				index[place{pos.File, pos.Line}] = at
				lines = append(lines, LineTiming{File: pos.File, Line: pos.Line})
			}
			lines[at].states.Add(&f.States[pc])
		}
	}
	sorted.Stable(lines, func(a, b LineTiming) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return lines
}
