package debugger

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// floatForms are the ways to write the bits of floating-point numbers.
var floatForms = [...]struct {
	prefix string
	typ    isa.Type
}{{"0f", isa.F32}, {"0d", isa.F64}}

// literalType is the type of an integer as typed.
func literalType(n uint64) isa.Type {
	if n > math.MaxInt64 {
		return isa.U64
	}
	return isa.S64
}

// scope is where an expression is evaluated: an activation of a function by
// lanes of a warp.
type scope struct {
	d      *Debugger
	w      interp.Warp
	frame  *divergence.Frame // nil when no launch is under way
	active lanes.Mask        // on the path that the expression is about
	only   lanes.Mask        // to be shown, or 0 for all
}

// scopeAt is the scope of a split.
func (d *Debugger) scopeAt(w interp.Warp, s *divergence.Split) *scope {
	return &scope{d: d, w: w, frame: s.Frame, active: s.Mask}
}

// scopeHere is the scope of the lane in focus, or that of the kernel if it has
// ended. When no launch is under way it has memory, but no activation.
func (d *Debugger) scopeHere() (*scope, error) {
	if d.session == nil {
		return &scope{d: d}, nil
	}
	w, err := d.warp()
	if err != nil {
		return nil, err
	}
	if s, ok := splitOf(w, d.focus.lane); ok {
		here := d.scopeAt(w, &s)
		here.frame = d.selected(d.callChain(&s)).frame
		if d.only != 0 {
			here.active &= d.only
			here.only = d.only
		}
		return here, nil
	}
	return &scope{d: d, w: w, frame: w.Control().Root()}, nil
}

// has is the lanes of the warp that are in the activation, or were.
func (s *scope) has() lanes.Mask {
	switch {
	case s.frame == nil:
		return 0
	case s.only != 0:
		return s.only
	case s.frame.Parent == nil:
		return s.w.Threads()
	}
	return s.frame.Lanes
}

func (s *scope) fn() *isa.Func { return s.d.fns[s.frame.Func] }

// reg is the register of that name, with % or without.
func (s *scope) reg(name string) (isa.RegID, bool) {
	if s.frame == nil {
		return isa.NoReg, false
	}
	i := slices.IndexFunc(s.fn().Regs, func(r isa.Reg) bool { return r.Name == name || r.Name == "%"+name })
	return isa.RegID(i), i >= 0
}

func (e *literalExpr) eval(*scope) (value, error) { return e.v, nil }

// eval looks a name up: a register, a special one, a parameter of the kernel, or
// a buffer or variable, which is its address.
func (e *nameExpr) eval(s *scope) (value, error) {
	if id, ok := s.reg(e.name); ok {
		return value{typ: shownAs(s.fn().Regs[id].Type), bits: s.w.Reg(s.frame, id)}, nil
	}
	if special, ok := isa.SpecialByName("%" + strings.TrimPrefix(e.name, "%")); ok && s.frame != nil {
		return value{typ: special.Type(), bits: s.w.Special(special)}, nil
	}
	if v, ok := s.d.param(e.name); ok {
		return v, nil
	}
	for _, r := range s.d.program.Buffers {
		if r.Name == e.name {
			return uniform(isa.U64, r.Base), nil
		}
	}
	if near := isa.Nearest(e.name, s.d.valueNames()); near != "" {
		return value{}, fmt.Errorf("no register, parameter or buffer %s; did you mean %s?", e.name, near)
	}
	if s.frame == nil {
		return value{}, fmt.Errorf("no parameter or buffer %s, and no launch is under way; restart begins anew", e.name)
	}
	return value{}, fmt.Errorf("no register, parameter or buffer %s", e.name)
}

func (e *unaryExpr) eval(s *scope) (value, error) {
	v, err := e.x.eval(s)
	if err != nil || e.op == "+" {
		return v, err
	}
	float := v.typ.Class() == isa.Float
	if e.op == "~" && float {
		return v, fmt.Errorf("~ takes integers")
	}
	if e.op == "!" {
		return v.truth(^v.holds()), nil
	}
	if !float && v.typ != isa.U64 {
		v = v.widened()
	}
	for lane, bits := range v.bits {
		switch {
		case e.op == "~":
			v.bits[lane] = ^bits
		case float:
			v.bits[lane] = bits ^ 1<<(v.typ.Bits()-1)
		default:
			v.bits[lane] = -bits
		}
	}
	return v, nil
}

// truth is a predicate that holds in the lanes of m.
func (v *value) truth(m lanes.Mask) value {
	t := value{typ: isa.Pred, void: v.void, uniform: v.uniform}
	for lane := range t.bits {
		t.bits[lane] = uint64(m >> lane & 1)
	}
	return t
}

// widened is an integer as one of 64 bits.
func (v *value) widened() value {
	w := *v
	w.typ = isa.S64
	for lane := range w.bits {
		w.bits[lane] = uint64(v.signed(lane))
	}
	return w
}

// eval computes with 64-bit integers, which wrap, or with floating-point
// numbers if one side is one.
func (e *binaryExpr) eval(s *scope) (value, error) {
	x, err := e.x.eval(s)
	if err != nil {
		return x, err
	}
	y, err := e.y.eval(s)
	if err != nil {
		return y, err
	}
	out := value{void: x.void | y.void, uniform: x.uniform && y.uniform, literal: x.literal && y.literal}
	switch {
	case e.op == "&&":
		return out.truth(x.holds() & y.holds()), nil
	case e.op == "||":
		return out.truth(x.holds() | y.holds()), nil
	case x.typ.Class() == isa.Float || y.typ.Class() == isa.Float:
		err = out.floats(e.op, &x, &y)
	default:
		err = out.integers(e.op, &x, &y)
	}
	return out, err
}

// compare is what a comparison of values of order -1, 0 or 1 says; ok is false
// if op is none.
func compare(op string, order int) (holds, ok bool) {
	switch op {
	case "==":
		return order == 0, true
	case "!=":
		return order != 0, true
	case "<":
		return order < 0, true
	case "<=":
		return order <= 0, true
	case ">":
		return order > 0, true
	case ">=":
		return order >= 0, true
	}
	return false, false
}

func (e *overExpr) eval(s *scope) (value, error) {
	v, err := e.x.eval(s)
	if err != nil {
		return v, err
	}
	holds := v.holds() & s.active
	if e.name == "any" && holds != 0 || e.name == "all" && holds == s.active&^v.void {
		return uniform(isa.Pred, 1), nil
	}
	return uniform(isa.Pred, 0), nil
}

// eval takes the value of one lane for all.
func (e *laneExpr) eval(s *scope) (value, error) {
	index, err := e.lane.eval(s)
	if err != nil {
		return index, err
	}
	lane := index.signed(0)
	if !index.uniform || index.typ.Class() == isa.Float || lane < 0 || lane >= lanes.Width {
		return index, fmt.Errorf("what stands in [ ] is the number of a lane, 0 to %d", lanes.Width-1)
	}
	v, err := e.x.eval(s)
	if err != nil {
		return v, err
	}
	if v.void>>lane&1 != 0 {
		return v, fmt.Errorf("lane %d has no value here", lane)
	}
	if s.has()>>lane&1 == 0 && !v.uniform {
		return v, fmt.Errorf("lane %d is not in %s", lane, s.fn().Name)
	}
	return uniform(v.typ, v.bits[lane]), nil
}
