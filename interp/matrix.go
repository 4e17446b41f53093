package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/program"
)

// wholeWarp executes an instruction that all 32 lanes of a warp execute together (.sync.aligned),
// for the lanes m of the path: as a rule that is all of them. If they are not, m waits for
// the others to come to the same instruction; PTX leaves open what happens then. wholeWarp
// reports whether m waits now: then the split is no longer what it was.
func (e *Engine) wholeWarp(pc int, m lanes.Mask) (waits bool, err error) {
	if m == lanes.AllLanes {
		return false, e.together(pc)
	}
	if ended := lanes.AllLanes &^ e.warp.Live; ended != 0 {
		return false, e.fault(pc, m, e.incomplete(ended))
	}
	r := e.cta.wholeAt(e.arrival(pc, m))
	if r != nil && r.arrived|m == lanes.AllLanes { // m is the last: it goes on, with the others behind it
		others := r.arrived
		if err := e.together(pc); err != nil {
			return false, err
		}
		e.forget(r)
		e.warp.Control.Wake(others)
		return false, nil
	}
	e.waiting = append(e.waiting[:0], m)
	if !e.warp.Control.Park(e.split.ID, e.waiting, pc+1) {
		e.warp.Control.Advance(e.split.ID, pc)
		return false, e.hangDiverged(pc, m, lanes.AllLanes&^m, RuleMaskMissing, "not all lanes of the warp can get here, which execute this together")
	}
	a := e.arrival(pc, m)
	if r == nil {
		all := &e.cta.rendezvous[e.warp.ID]
		*all = append(*all, rendezvous{mnemonic: a.instr(e.grid).Mnemonic(), whole: true, members: lanes.AllLanes, arrived: m, arrivals: []arrival{a}})
	} else {
		r.arrived |= m
		r.arrivals = append(r.arrivals, a)
	}
	return true, nil
}

// incomplete is that lanes are missing from a warp which executes something together.
func (e *Engine) incomplete(ended lanes.Mask) error {
	what := fmt.Sprintf("lanes %s have ended", ended.Ranges())
	if never := lanes.AllLanes &^ e.warp.Threads; never != 0 {
		what = fmt.Sprintf("the block has no threads for lanes %s of this one", never.Ranges())
	}
	return violated(RuleMaskMissing, "all 32 lanes of a warp execute this together, and %s", what)
}

// wholeAt is the rendezvous of a whole warp at the instruction of an arrival, in the same
// activation; nil if no lane waits there.
func (c *CTA) wholeAt(a arrival) *rendezvous {
	all := c.rendezvous[a.warp]
	for i := range all {
		if first := &all[i].arrivals[0]; all[i].whole && first.frame == a.frame && first.fn == a.fn && first.pc == a.pc {
			return &all[i]
		}
	}
	return nil
}

// forget removes a rendezvous of the warp.
func (e *Engine) forget(r *rendezvous) {
	all := e.cta.rendezvous[e.warp.ID]
	for i := range all {
		if &all[i] == r {
			e.cta.rendezvous[e.warp.ID] = append(all[:i], all[i+1:]...)
			return
		}
	}
}

// abandoned is the fault of lanes that wait for the whole warp, of which lanes have ended;
// nil if there are none.
func (e *Engine) abandoned() error {
	for _, r := range e.cta.rendezvous[e.warp.ID] {
		if !r.whole {
			continue
		}
		a := &r.arrivals[0]
		in, err := a.instr(e.grid), e.incomplete(lanes.AllLanes&^e.warp.Live)
		return &Fault{Pos: in.Pos, Loc: in.Loc, Text: e.p.Funcs[a.fn].Src.Text(a.pc), Where: e.where(r.arrived), Rule: ruleOf(err), Err: err}
	}
	return nil
}

// together executes the instruction at pc for the whole warp.
func (e *Engine) together(pc int) error {
	x := e.fn.Matrices[pc]
	if x == nil {
		op := &e.fn.Ops[pc]
		op.Fn(e.path.File, op, lanes.AllLanes)
		return nil
	}
	if (*locator)(e).Locate(pc, x.Lanes) == nil || isa.Space(e.acc.Space) != isa.Shared {
		return e.accessByLane(pc, x.Lanes)
	}
	if e.path.Memory == nil {
		e.moveObserved(pc, x.Lanes, false)
	} else {
		x.Op.Mem(e.path.File, &x.Op, x.Lanes, &e.acc)
	}
	return nil
}

// accessOp is the Op that makes the access at pc.
func (e *Engine) accessOp(pc int) *lanes.Op {
	op := &e.fn.Ops[pc]
	if op.Mem == nil {
		op = &e.matrix(pc).Op
	}
	return op
}

// matrix is the access of a whole warp at pc.
func (e *Engine) matrix(pc int) *program.MatrixAccess { return e.fn.Matrices[pc] }
