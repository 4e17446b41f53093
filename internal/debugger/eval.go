package debugger

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// floatForms are the notations for the bits of floating-point numbers.
var floatForms = [...]struct {
	prefix string
	typ    isa.Type
}{{"0f", isa.F32}, {"0d", isa.F64}}

// literalType returns the type of an integer literal.
func literalType(n uint64) isa.Type {
	if n > math.MaxInt64 {
		return isa.U64
	}
	return isa.S64
}

// scope is where an expression is evaluated: an activation of a function by lanes of a warp.
type scope struct {
	d      *Debugger
	w      interp.Warp
	frame  divergence.FrameID // NoFrame when no launch is under way
	active lanes.Mask         // of the path to which the expression applies
	only   lanes.Mask         // lanes to show, or 0 for all
	pc     int                // of the activation, for variables of the source
	outer  int                // number of calls between the kernel's or function's own code and the inlined code that is meant
	types  bool               // only types are asked for: variables need no value
}

// scopeAt returns the scope of a split.
func (d *Debugger) scopeAt(w interp.Warp, s *divergence.Split) *scope {
	return &scope{d: d, w: w, frame: s.Frame, active: s.Mask, pc: s.PC, outer: d.outerAt(codeOf(w, s))}
}

// nowhere returns the scope without a launch: it has memory, but no activation.
func (d *Debugger) nowhere() *scope { return &scope{d: d, frame: divergence.NoFrame} }

// scopeHere returns the scope of the lane in focus, or that of the kernel if the lane has ended. Without a launch it
// has memory, but no activation.
func (d *Debugger) scopeHere() (*scope, error) {
	if d.session == nil {
		return d.nowhere(), nil
	}
	w, err := d.warp()
	if err != nil {
		return nil, err
	}
	if s, ok := splitOf(w, d.focus.lane); ok {
		here := d.scopeAt(w, &s)
		at := d.selected(d.callChain(w, &s))
		here.frame, here.pc, here.outer = at.frame, at.code.pc, at.outer
		if d.only != 0 {
			here.active &= d.only
			here.only = d.only
		}
		return here, nil
	}
	return &scope{d: d, w: w, frame: divergence.Root, pc: len(w.Func(divergence.Root).Code), outer: outermost}, nil
}

// has returns the lanes of the warp that are, or were, in the activation.
func (s *scope) has() lanes.Mask {
	switch {
	case s.frame == divergence.NoFrame:
		return 0
	case s.only != 0:
		return s.only
	case s.frame == divergence.Root:
		return s.w.Threads()
	}
	return s.w.Frame(s.frame).Lanes
}

//go:noinline
func (s *scope) fn() *isa.Func { return s.w.Func(s.frame) }

// reg returns the register of that name: with or without its % (if nothing else has the name), or with a $ before it.
func (s *scope) reg(name string) (isa.RegID, bool) {
	if s.frame == divergence.NoFrame {
		return isa.NoReg, false
	}
	if id, ok := regIn(s.fn(), name); ok {
		return id, true
	}
	if short, ok := strings.CutPrefix(name, "$"); ok {
		if id, ok := regIn(s.fn(), short); ok {
			return id, true
		}
		return regIn(s.fn(), "%"+short)
	}
	if _, ok := s.object(name); ok {
		return isa.NoReg, false
	}
	if len(s.d.fns) > 0 && slices.ContainsFunc(s.d.fns[0].Params, func(v *isa.Var) bool { return isParam(v, name) }) {
		return isa.NoReg, false
	}
	return regIn(s.fn(), "%"+name)
}

// regIn returns the register of fn with exactly that name.
func regIn(fn *isa.Func, name string) (isa.RegID, bool) {
	i := slices.IndexFunc(fn.Regs, func(r isa.Reg) bool { return r.Name == name })
	return isa.RegID(i), i >= 0
}

// knowsNames returns an error for a name in e that is unknown in every function of the launch. e may be nil.
func (d *Debugger) knowsNames(s *scope, e expr) (err error) {
	walkExpr(e, func(e expr) bool {
		if name, ok := e.(*nameExpr); ok && !d.knows(name.name) && !d.inSource(name.name) {
			err = s.unknown(name.name)
		}
		return err == nil
	})
	return err
}

// knows reports whether a name is known in some function of the launch.
func (d *Debugger) knows(name string) bool {
	if _, ok, err := d.earlier(name); ok && err == nil {
		return true
	}
	if _, ok := d.variable(name); ok {
		return true
	}
	short := strings.TrimLeft(name, "$%")
	if _, ok := isa.SpecialByName("%" + short); ok {
		return true
	}
	if _, ok := builtin(name); ok {
		return true
	}
	if _, ok := constant(name); ok {
		return true
	}
	for _, fn := range d.fns {
		for _, known := range []string{name, short, "%" + short} {
			if _, ok := regIn(fn, known); ok {
				return true
			}
		}
	}
	_, isParam := d.param(name)
	return isParam || slices.ContainsFunc(d.objects, func(o object) bool { return o.name == name })
}

// inSource reports whether a name is one of a variable in the sources of the launch.
func (d *Debugger) inSource(name string) bool {
	name, _, _ = cutFirst(name, ".")
	return slices.ContainsFunc(d.fns, func(fn *isa.Func) bool {
		info := debuginfo.Of(fn)
		return info != nil && info.HasVariable(name[strings.LastIndex(name, ":")+1:])
	})
}

func (e *literalExpr) eval(*scope) (value, error) { return e.v, nil }

func (e *parenExpr) eval(s *scope) (value, error) { return e.x.eval(s) }

// eval looks up a name: a register, a buffer or variable, a parameter of the kernel, a register without its %, or a
// special register. With a $ it must be a register. The value of an array is its address.
func (e *nameExpr) eval(s *scope) (value, error) {
	if l, ok, err := s.lvalue(e); err != nil {
		return value{}, err
	} else if ok {
		return s.value(l)
	}
	name, dollar := strings.CutPrefix(e.name, "$")
	if id, ok := s.reg(e.name); ok {
		v := value{typ: shownAs(s.fn().Regs[id].Type), bits: s.w.Reg(s.frame, id)}
		if s.fn().Regs[id].Type == isa.B128 {
			high := s.w.RegHigh(s.frame, id)
			v.high = &high
		}
		return v, nil
	}
	if v, ok, err := s.d.earlier(e.name); ok {
		return v, err
	}
	if o, ok := s.object(e.name); ok {
		if p := (place{space: o.space, addr: uniform(isa.U64, o.addr), elem: o.elem, count: 1, of: &o}); o.scalar {
			return s.load(&p)
		}
		v := uniform(isa.U64, o.addr)
		v.space = o.space
		return v, nil
	}
	if v, ok := s.d.param(e.name); ok && !dollar {
		return v, nil
	}
	special, ok := isa.SpecialByName("%" + strings.TrimPrefix(name, "%"))
	if !ok {
		special, ok = builtin(name)
	}
	if ok && s.frame != divergence.NoFrame {
		v := value{typ: special.Type(), bits: s.w.Special(special)}
		if _, isBuiltin := builtin(name); isBuiltin && s.info().HasVariables() {
			v.cxx = arithmetic[v.typ]
		}
		return v, nil
	}
	if v, ok := s.enumerator(e.name); ok {
		return v, nil
	}
	if v, ok := constant(e.name); ok {
		return v, nil
	}
	if e.name == "$pc" && s.frame != divergence.NoFrame {
		return s.programCounter(), nil
	}
	if e.name == "warpSize" {
		v := uniform(isa.S32, lanes.Width)
		v.cxx = arithmetic[v.typ]
		return v, nil
	}
	if v, ok := s.d.variable(e.name); ok {
		return v, nil
	}
	return value{}, s.unknown(e.name)
}

// eval returns a member.
func (e *memberExpr) eval(s *scope) (value, error) { return s.valueOf(e, e.x) }

// unknown returns the error for an unknown name.
func (s *scope) unknown(name string) error {
	for i := range s.d.objects {
		o := &s.d.objects[i]
		switch {
		case o.name != name || o.fn == nil:
		case s.frame == divergence.NoFrame:
			return errorf("%s is a variable of %s; %s memory has gone with the warps of the launch", name, source.Name(o.fn.Name), o.space)
		default:
			return errorf("%s is a variable of %s, where the lane in focus is not", name, source.Name(o.fn.Name))
		}
	}
	first, _, _ := cutFirst(name, ".")
	if instead := variablesInstead[first]; instead != "" {
		return errorf("no %s; %s", name, instead)
	}
	if s.frame != divergence.NoFrame && builtins[name] == "" && s.d.inSource(name) {
		return errorf("no register, parameter, buffer or variable %s%s", name, s.d.notInCUDA(name))
	}
	_, isBuiltin := builtin(name)
	if isBuiltin = isBuiltin || builtins[name] != ""; isBuiltin && s.frame == divergence.NoFrame {
		return errorf("%s has gone with the warps of the launch, restart starts over", name)
	}
	if mayBeVariable(name) {
		return errorf("no register, parameter, buffer or variable %s; set %s = EXPR makes one of the debugger", name, name)
	}
	names := slices.DeleteFunc(s.d.valueNames(), func(n string) bool { return n == name }) // it may be one of another place
	if near := isa.DidYouMean(name, names); near != "" && !isBuiltin {
		return errorf("no register, parameter, buffer or variable %s%s", name, near)
	}
	if s.frame == divergence.NoFrame {
		return errorf("no parameter or buffer %s; registers have gone with the warps of the launch, restart starts over", name)
	}
	return errorf("no register, parameter, buffer or variable %s%s", name, s.d.notInCUDA(name))
}

func (e *unaryExpr) eval(s *scope) (out value, err error) {
	if e.op == "&" {
		return e.addressOf(s)
	}
	if e.op == "*" {
		return e.pointedTo(s)
	}
	v, err := e.x.eval(s)
	if err != nil || e.op == "+" {
		return v, err
	}
	if v.cxx != nil && e.op != "!" {
		v = v.converted(conversions[v.promoted()])
		promoted := v.typ
		defer func() { out = out.converted(promoted) }()
	}
	float := v.typ.Class() == isa.Float
	if e.op == "~" && float {
		return v, errorf("~ takes integers")
	}
	if e.op == "!" {
		return v.truth(^v.holds()), nil
	}
	if !float && v.typ != isa.U64 {
		v = v.widened()
	}
	v.space = ""
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

// pointedTo returns what a pointer points to.
func (e *unaryExpr) pointedTo(s *scope) (value, error) {
	l, ok, err := s.lvalue(e)
	switch {
	case err != nil:
		return value{}, err
	case !ok:
		return value{}, errorf("%s is not a pointer of C++; global:(ADDR) is the memory at an address", exprText(e.x))
	}
	return s.value(l)
}

// addressOf returns the address of the operand.
func (e *unaryExpr) addressOf(s *scope) (value, error) {
	if t, at := s.memberPointer(e.x); t != nil {
		v := uniform(isa.S64, uint64(at))
		v.cxx = t
		return v, nil
	}
	p, ok, err := s.place(e.x)
	if err == nil && !ok {
		if _, err = e.x.eval(s); err == nil {
			err = errors.New("& is for what is in memory, as in &y[3]")
		}
	}
	v := p.addr
	v.space = p.space
	if p.cxx != nil {
		v.cxx = debuginfo.PointerTo(p.cxx)
		if _, _, generic := s.window(v.bits[s.lead()]); generic && v.space == "global" {
			v.space = ""
		}
	}
	return v, err
}

// truth returns a predicate that is true in the lanes of m.
func (v *value) truth(m lanes.Mask) value {
	t := value{typ: isa.Pred, void: v.void, uniform: v.uniform}
	for lane := range t.bits {
		t.bits[lane] = uint64(m >> lane & 1)
	}
	return t
}

// widened extends an integer to 64 bits.
func (v *value) widened() value {
	w := *v
	w.typ = isa.S64
	for lane := range w.bits {
		w.bits[lane] = uint64(v.signed(lane))
	}
	return w
}

func (e *binaryExpr) eval(s *scope) (value, error) {
	if e.op == ".*" || e.op == "->*" {
		return s.valueOf(e, e.x)
	}
	x, err := e.x.eval(s)
	if err != nil {
		return x, s.ofOperator(e, err)
	}
	y, err := e.y.eval(s)
	if err != nil {
		return y, s.ofOperator(e, err)
	}
	return combined(e.op, &x, &y)
}

// combined computes x op y, with 64-bit integers, which wrap around, or with floating-point numbers if one operand is
// floating-point.
func combined(op string, x, y *value) (out value, err error) {
	if (x.cxx != nil || y.cxx != nil || op == "@") && op != "&&" && op != "||" {
		return combinedAsCXX(op, x, y)
	}
	out = value{void: x.void | y.void, uniform: x.uniform && y.uniform, literal: x.literal && y.literal}
	switch {
	case op == "&&":
		return out.truth(x.holds() & y.holds()), nil
	case op == "||":
		return out.truth(x.holds() | y.holds()), nil
	case x.typ.Class() == isa.Float || y.typ.Class() == isa.Float:
		err = out.floats(op, x, y)
	default:
		err = out.integers(op, x, y)
	}
	if y.space == "" && (op == "+" || op == "-") {
		out.space = x.space
	} else if x.space == "" && op == "+" {
		out.space = y.space
	}
	return out, err
}

// compare evaluates a comparison of values in order -1, 0 or 1; ok is false if op is not a comparison.
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

// eval returns x[i]: an element of memory, or the value of lane i in all lanes.
func (e *indexExpr) eval(s *scope) (value, error) {
	p, ok, err := s.place(e)
	switch {
	case err != nil:
		return value{}, err
	case ok && p.many:
		return value{}, errors.New("print, x and watch take several elements; an expression takes one")
	case ok:
		return s.load(&p)
	}
	lane, err := e.laneOf(s)
	if err != nil {
		return value{}, err
	}
	v, err := e.x.eval(s)
	if err != nil {
		return v, err
	}
	if v.void>>lane&1 != 0 {
		return v, errorf("lane %d has no value here", lane)
	}
	if s.has()>>lane&1 == 0 && !v.uniform {
		return v, errorf("lane %d is not in %s", lane, s.fn().Name)
	}
	one := uniform(v.typ, v.bits[lane])
	one.space, one.cxx = v.space, v.cxx
	return one, nil
}

// laneOf returns the lane that the index selects, if the expression is not an array.
func (e *indexExpr) laneOf(s *scope) (int, error) {
	bad := errorf("what stands in [ ] is the number of a lane, 0 to %d, or that of an element of a buffer or variable", lanes.Width-1)
	if e.isRange {
		return 0, bad
	}
	index, err := e.first.eval(s)
	if err != nil {
		return 0, err
	}
	lane := index.signed(0)
	if !index.uniform || !index.typ.IsInt() || lane < 0 || lane >= lanes.Width {
		return 0, bad
	}
	return int(lane), nil
}

// eval reads memory at each lane's address.
func (e *memoryExpr) eval(s *scope) (value, error) {
	p, err := e.place(s)
	if err != nil {
		return value{}, err
	}
	return s.load(&p)
}
