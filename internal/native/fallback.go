package native

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// Left returns, by PC, why compiled code leaves an instruction to the engine; "" if code executes it. The error is a
// *Refusal if the function cannot be compiled.
func (c *Compiler) Left(s Subject) (why []string, err error) {
	var none *Func
	defer c.recovered(s, &none, &err)
	why = make([]string, len(s.Func.Src.Code))
	parts := PartsOf(s.Func, s.Shape)
	if parts == nil {
		parts = []Part{{}}
	}
	for _, s.Part = range parts {
		c.plan.make(s)
		for pc := range why {
			if s.Part.has(pc) {
				why[pc] = c.whyLeft(c.expanded(pc))
			}
		}
	}
	return why, nil
}

// whyLeft returns why code leaves the instruction at pc to the engine, or "".
func (p *plan) whyLeft(pc int) string {
	st, in := &p.steps[pc], &p.f.Src.Code[pc]
	switch {
	case st.kind != stepLeave:
		return ""
	case p.isCall(pc):
		return "the function that it calls has an instruction that compiled code leaves"
	}
	if marked := p.marked(p.subject.Leave, p.subject.Leave.Trail); marked != nil && marked[pc] && !p.subject.Leave.Timed {
		return "an observer watches it"
	}
	if marked := p.leftTo(p.subject.Leave); marked != nil && marked[pc] {
		if p.subject.Leave.Timed {
			return "with a clock, code only computes and loads"
		}
		if p.subject.Leave.IsWatched() {
			return "an observer watches it"
		}
		return "it may conflict with an access of another warp of the CTA"
	}
	switch kind := isa.Kind(st.op.Kind); kind {
	case isa.Branch:
		return "lanes may leave the region at the end of which they reconverge"
	case isa.Barrier:
		return "code waits only at an unguarded bar.sync of all threads"
	case isa.Exit:
		return "only some lanes end"
	case isa.Shuffle, isa.Vote, program.WarpBarrier:
		return p.whyExchangeLeft(st, in)
	case isa.Load, isa.Store, isa.Atomic:
		return whyAccessLeft(st, in)
	case lanes.Compute, lanes.Guarded, program.Slow:
		if st.info.Clock {
			return "it reads a clock"
		}
		return fmt.Sprintf("there is no machine code for %s", in.Mnemonic())
	case isa.CallKind, isa.Return:
		return "calls and returns change the frames of a warp"
	default:
		return fmt.Sprintf("the engine executes %s instructions", kind)
	}
}

// whyExchangeLeft is whyLeft for an exchange between lanes.
func (p *plan) whyExchangeLeft(st *step, in *isa.Instr) string {
	if st.guarded {
		return "exchanges with a guard are left"
	}
	return fmt.Sprintf("there is no machine code for %s", in.Mnemonic())
}

// whyAccessLeft is whyLeft for an access to memory.
func whyAccessLeft(st *step, in *isa.Instr) string {
	switch info := st.info; {
	case info.Image != nil:
		return "it accesses a texture or surface"
	case info.Copy != nil:
		return "it is an asynchronous copy"
	case info.Mbarrier != nil:
		return "it uses an mbarrier"
	case in.Spec.WholeWarp:
		return "it moves elements of less than 8 bits, or has a guard"
	case isa.Kind(st.op.Kind) == isa.Atomic && atomicOf(in) == jit.NoAtomic:
		return fmt.Sprintf("there is no machine code for %s", in.Mnemonic())
	}
	return fmt.Sprintf("code makes no accesses of the form %s", in.Mnemonic())
}
