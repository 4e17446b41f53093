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
	writers := make(map[uint16]int) // by register: index in skipped of the op that writes it
	for i := arm.First; i < arm.End; i++ {
		other := &c.instrs[i]
		if len(other.ops) == 0 {
			continue
		}
		first := len(in.skipped)
		in.skipped = append(in.skipped, other.ops...)
		for _, r := range other.sources {
			if at, waits := writers[r]; waits {
				in.skipped[first-1].holdFor(&in.skipped[at], first-1-at)
			}
		}
		last := len(in.skipped) - 1
		in.skipped[last].unit = other.unit
		for _, r := range other.results {
			delete(writers, r)
			if o := &in.skipped[last]; o.unit == 0 || o.class == isa.CostLoadShared {
				writers[r] = last
			}
		}
	}
}

// takesTurn puts a memory instruction of a skipped arm, which the warp in x has issued at t, into the memory
// queue: it takes its turn without lanes. What reads the result of a load is that much later as the pipe has work
// ahead.
func (m *multiprocessor) takesTurn(x *slot, o *op, t int64) {
	due := t + int64(m.gpu.LSU.Depth)
	if o.class == isa.CostLoadShared {
		x.behind = max(x.behind, m.taken(o.pipe, t)-due)
	}
	m.enqueue(x, o.pipe, queued{flight: noFlight, launch: int32(x.cta.launch.index), unit: int32(o.unit), ready: due}, t)
	x.memoryNext = t + m.memoryGap
}

// taken returns when the SM's pipe for a unit takes an instruction that is issued at t, after those that are in its
// queues.
func (m *multiprocessor) taken(u isa.Unit, t int64) int64 {
	p := m.intakeOf(u)
	return max(t+int64(m.gpu.LSU.Depth), p.free+int64(p.n*m.gpu.LSU.Interval))
}

// holdFor makes the op after o wait for the result of an op that was issued some ops before o.
func (o *op) holdFor(load *op, before int) {
	latency := load.latency - int64(before)
	if !o.holds || o.latency < latency {
		o.latency, o.pending = latency, load.pending
	}
	o.holds = true
}
