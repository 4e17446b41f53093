package sm

import (
	"github.com/simtrun/simtrun/gpu"
	"github.com/simtrun/simtrun/isa"
)

// Timing is how long a launch took, and what its warps did meanwhile.
type Timing struct {
	GPU     *gpu.Config
	Options Options
	// CTAsPerSM is how many CTAs of the launch an SM takes.
	CTAsPerSM int
	Cycles    int64  // from the start of the first CTA until all have ended
	Steps     uint64 // of schedulers: what the launch cost the host
	SMs       []SMTiming
	Funcs     []FuncTiming
}

// SMTiming is what one SM did.
type SMTiming struct {
	CTAs       int64  // that ran on it
	Active     int64  // cycles in which a warp resided
	WarpCycles int64  // the sum of the warps that resided over those cycles
	Eligible   uint64 // cycles of warps in which they could issue
	Issued     uint64 // machine instructions
	Paired     uint64 // of them, those that were issued in the cycle of another, of the same warp
}

// FuncTiming is what warps did at the instructions of a function.
type FuncTiming struct {
	Func   *isa.Func
	States []States // by PC, and for the end of the code
}

// States is cycles of warps by State.
type States [NumStates]uint64

// Add adds the cycles of another.
func (s *States) Add(other *States) {
	for i, n := range other {
		s[i] += n
	}
}

// Total is the cycles in all states.
func (s *States) Total() (sum uint64) {
	for _, n := range s {
		sum += n
	}
	return sum
}

// Total is the sum over the SMs.
func (t *Timing) Total() (sum SMTiming) {
	for i := range t.SMs {
		m := &t.SMs[i]
		sum.CTAs += m.CTAs
		sum.Active += m.Active
		sum.WarpCycles += m.WarpCycles
		sum.Eligible += m.Eligible
		sum.Issued += m.Issued
		sum.Paired += m.Paired
	}
	return sum
}

// States are those of all instructions.
func (t *Timing) States() (sum States) {
	for i := range t.Funcs {
		for pc := range t.Funcs[i].States {
			sum.Add(&t.Funcs[i].States[pc])
		}
	}
	return sum
}

// Timing is how the launch, which has ended, was timed.
func (s *Session) Timing() *Timing {
	t := &Timing{GPU: s.gpu, Options: s.options, CTAsPerSM: s.most, Cycles: s.cycles, Steps: s.steps}
	for i := range s.sms {
		m := &s.sms[i]
		t.SMs = append(t.SMs, SMTiming{m.handed, m.active, m.warpCycles, m.eligible, m.issued, m.paired})
	}
	for _, c := range s.codes {
		t.Funcs = append(t.Funcs, FuncTiming{c.fn.Src, s.states[c.firstSite:][:len(c.instrs)]})
	}
	return t
}
