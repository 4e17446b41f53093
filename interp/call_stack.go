package interp

import "github.com/simtrun/simtrun/memory"

// FitStacks reports whether the calls of n resident CTAs would fit if one engine executed them all, with as much memory
// for each as a CTA that e has executed.
func (e *Engine) FitStacks(resident int64) bool {
	if e.stack.taken == 0 {
		return true
	}
	b := e.m.budget
	left := b.Left() + e.m.launched // without the launch
	return e.stack.taken <= min(b.Limit()/stackShare, left-resident*e.grid.ctaBytes)/resident
}

// callStacks is the host memory that call frames take.
type callStacks struct {
	taken, most int64 // bytes
	sharing     int64 // number of equal shares in which the budget is divided; 0 if most is not taken from it
}

// stackShare is the divisor that gives the part of the budget which the calls of all resident warps may take, so that
// unbounded recursion is found before it has taken all memory, however many warps recurse at once.
const stackShare = 4

// takeStack takes n bytes of the budget for a call of a lane that has calls open.
func (e *Engine) takeStack(calls int, n int64) error {
	s := e.stack
	if n > s.most-s.taken {
		return e.stackOverflow(calls, n)
	}
	if s.sharing == 0 {
		if err := e.m.takeForLaunch("call stacks", n); err != nil {
			return err
		}
	}
	s.taken += n
	return nil
}

// stackOverflow returns the error for n more bytes of call frames than the limit allows.
func (e *Engine) stackOverflow(calls int, n int64) error {
	s, limit := e.stack, e.m.budget.Limit()
	switch {
	case s.sharing == 0:
		return violated(RuleCallDepth, "call stack overflow: %d calls are open, and those of all resident warps take %d bytes of host memory; they may take %d, a quarter of --memory", calls, s.taken, s.most)
	case s.most < limit/stackShare/s.sharing: // buffers and resident CTAs leave less than a quarter
		return &memory.BudgetError{What: "call stacks", Bytes: n, Left: s.most - s.taken, Limit: limit}
	}
	return violated(RuleCallDepth, "call stack overflow: %d calls are open, and those of the SM's resident warps take %d bytes of host memory; they may take %d, a quarter of --memory for %d SMs", calls, s.taken, s.most, s.sharing)
}
