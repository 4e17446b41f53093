package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/warp"
)

// Issue executes exactly one instruction of split s, and describes its effect in out.
func (e *Engine) Issue(c *CTA, w *warp.State, s *divergence.Split, out *Effect) (Stop, error) {
	e.enter(c, w, s)
	live, op := w.Live, &e.fn.Ops[s.PC]
	out.reset(s.PC, op.Active(e.path.File, s.Mask))
	if op.Kind <= lanes.Nop && len(e.observers.each) == 0 {
		return e.issueCompute(op, s, out), nil
	}
	if op.Mem != nil && e.conflicts == nil && len(e.observers.each) == 0 {
		return e.issueAccess(s, out)
	}
	if op.Kind == lanes.Jump && (out.Active == 0 || out.Active == s.Mask) && len(e.observers.each) == 0 {
		e.issueJump(op, s, out)
		return Branched, nil
	}
	memory, native := e.path.Memory, e.native.possible
	e.effect, e.path.Memory, e.native.possible = out, nil, false
	why, err := e.follow(s, s.PC+1, 0)
	e.count()
	e.effect, e.path.Memory, e.native.possible = nil, memory, native
	if why == Executed || why == Branched || why == Yielded {
		out.Next = s.PC
	}
	out.Ended = live &^ w.Live
	return why, err
}

// issueCompute is Issue for an instruction that computes or does nothing. Most instructions do; this skips follow's
// setup, which costs as much as they do.
func (e *Engine) issueCompute(op *lanes.Op, s *divergence.Split, out *Effect) Stop {
	if op.Kind != lanes.Nop && out.Active != 0 {
		op.Fn(e.path.File, op, out.Active)
	}
	return e.executed(s, out)
}

// issueAccess is Issue for an access to memory, without the steps that follow takes for other instructions.
func (e *Engine) issueAccess(s *divergence.Split, out *Effect) (Stop, error) {
	e.begin(s, s.PC+1, 0)
	if out.Active != 0 {
		memory := e.path.Memory
		e.effect, e.path.Memory = out, nil
		err := e.access(s.PC, out.Active)
		e.effect, e.path.Memory = nil, memory
		if err != nil {
			return Changed, err
		}
	}
	return e.executed(s, out), nil
}

// Jump executes the branch at the PC of split s of a warp as Issue does, if all its lanes take it the same way and no
// observer must be notified. Otherwise it does nothing and returns false.
func (e *Engine) Jump(w *warp.State, s *divergence.Split) bool {
	window := w.Windows[s.Frame]
	op := &window.Func.Ops[s.PC]
	active := op.Active(window.File, s.Mask)
	if op.Kind != lanes.Jump || active != 0 && active != s.Mask || len(e.observers.each) > 0 {
		return false
	}
	w.Steps++
	e.Stats.WarpInstrs++
	e.Stats.LaneInstrs += uint64(s.Mask.Count())
	if s.PC++; active != 0 {
		s.PC = int(op.Imm)
	}
	return true
}

// issueJump is Issue for a branch that all lanes take the same way.
func (e *Engine) issueJump(op *lanes.Op, s *divergence.Split, out *Effect) {
	e.countOne(s)
	e.path.Branch, e.path.Limit, e.limit = s.PC, 0, 0
	if s.PC++; out.Active != 0 {
		s.PC = int(op.Imm)
	}
	out.Next = s.PC
}

// countOne counts an instruction that split s has executed.
func (e *Engine) countOne(s *divergence.Split) {
	e.warp.Steps++
	e.Stats.WarpInstrs++
	e.Stats.LaneInstrs += uint64(s.Mask.Count())
}

// executed counts the instruction at the PC of split s, which Issue has executed, and goes to the next one.
func (e *Engine) executed(s *divergence.Split, out *Effect) Stop {
	e.countOne(s)
	if s.PC++; s.PC == s.Stop {
		e.warp.Control.Advance(s.ID, s.PC)
		return Changed
	}
	out.Next = s.PC
	return Executed
}
