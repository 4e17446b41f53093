package sm

import (
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/isa"
)

// guardArm makes instructions of an arm that are guarded in place of a branch wait until the predicate can guard.
func (l *lowering) guardArm(arm cost.Span, guard isa.RegID) {
	if guard == isa.NoReg { // the other arm, behind a jump: the branch over the first one has it
		return
	}
	n := l.numbers([]isa.RegID{guard})
	for pc := arm.First; pc < arm.End; pc++ {
		if in := &l.code.instrs[pc]; len(in.ops) > 0 {
			in.guards = append(in.guards, n...)
		}
	}
}

// setSkipped sets the ops of the arm that the branch at pc issues although all lanes jump over it. An op that reads
// what a load from shared memory would bring waits for it all the same: the load takes its way without lanes (on an
// H100, @!P LDS in internal/gpu/testdata, ncu_lines).
func (c *code) setSkipped(pc int, arm cost.Span) {
	in := &c.instrs[pc]
	in.target = int(c.fn.Info[pc].Target)
	loads := make(map[uint16]int) // by register: index in skipped of the load that brings it
	for i := arm.First; i < arm.End; i++ {
		other := &c.instrs[i]
		if len(other.ops) == 0 {
			continue
		}
		first := len(in.skipped)
		in.skipped = append(in.skipped, other.ops...)
		for _, r := range other.sources {
			if at, waits := loads[r]; waits {
				in.skipped[first-1].holdFor(&in.skipped[at], first-1-at)
			}
		}
		for _, r := range other.results {
			delete(loads, r)
			if last := len(in.skipped) - 1; in.skipped[last].class == isa.CostLoadShared {
				loads[r] = last
			}
		}
	}
}

// holdFor makes the op after o wait for the result of an op that was issued some ops before o.
func (o *op) holdFor(load *op, before int) {
	latency := load.latency - int64(before)
	if !o.holds || o.latency < latency {
		o.latency, o.pending = latency, load.pending
	}
	o.holds = true
}
