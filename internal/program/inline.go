package program

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// mostInlined is the largest number of instructions of a function that is inlined.
const mostInlined = 32

// expansion makes the expansion of a function.
type expansion struct {
	p      *Program
	f      *Func
	out    *Expansion
	src    isa.Func
	names  map[string][]int // by .param variable of the caller: PCs of the instructions that name it
	plan   map[int]replacement
	calls  map[int]*inlining // by PC of the call
	nops   []bool            // by PC of the expansion
	copied []bool            // by PC of the expansion: it is an instruction of the function itself
}

// replacement replaces an access to a .param variable: by a copy to a register, or by nothing.
type replacement struct {
	to   isa.RegID // or isa.NoReg
	from isa.Operand
	bits int
}

// inlining is a call that is replaced.
type inlining struct {
	callee *Func
	served *isa.Instr  // instead of callee: the instruction that computes a function of libdevice that is written in Go
	code   []isa.Instr // of the callee, with the registers of the expansion
	nops   []bool
	keep   []isa.RegID // registers that the call reads
	passed []passing
}

// passing is a PassedValue with PCs of the caller; after says that it is a result.
type passing struct {
	pc, last int
	after    bool
	value    isa.Operand // a register or a constant
	at       int64
	bytes    uint8
}

// expand finds the calls in f that can be replaced, and returns nil if there are none.
func (p *Program) expand(f *Func) *expansion {
	if slices.ContainsFunc(f.Src.Code, func(in isa.Instr) bool { return in.Spec != nil && in.Spec.Stack }) {
		return nil // it moves the stack
	}
	x := &expansion{p: p, f: f, src: *f.Src, plan: make(map[int]replacement), calls: make(map[int]*inlining)}
	x.src.Regs = slices.Clip(f.Src.Regs)
	for pc := range f.Src.Code {
		in := &f.Src.Code[pc]
		if !in.Is(isa.CallKind) || in.Guard != isa.NoReg || in.Indirect() {
			continue
		}
		target := p.mod.funcs[in.Args[0].Sym]
		if target == nil {
			continue
		}
		var served isa.Instr
		lib := p.mod.served[target.Name]
		n, ok := p.number[target.Name]
		if ok {
			ok = p.Funcs[n] != f && p.isSimple(p.Funcs[n])
		} else if lib != nil {
			served, ok = lib.Compiled()
		}
		if !ok {
			continue
		}
		if x.names == nil {
			x.findNames()
		}
		if served.Spec != nil {
			x.serve(pc, served, lib.ParamBits())
		} else {
			x.inline(pc, p.Funcs[n])
		}
	}
	if len(x.calls) == 0 {
		return nil
	}
	x.write()
	return x
}

// isSimple reports whether calls of f can be replaced by its instructions, as far as that does not depend on the call.
func (p *Program) isSimple(f *Func) bool {
	code := f.Src.Code
	n := len(code)
	if f.Src.Entry || f.Src.Later != nil || n == 0 || n > mostInlined || len(f.LiveIn) > 0 || f.LocalBytes > 0 {
		return false
	}
	if last := &code[n-1]; !last.Is(isa.Return) || last.Guard != isa.NoReg {
		return false
	}
	isReg := func(v *isa.Var) bool { return v.Space != isa.Param }
	if slices.ContainsFunc(f.Src.Params, isReg) || slices.ContainsFunc(f.Src.Returns, isReg) || slices.ContainsFunc(f.Src.Vars, isReg) {
		return false
	}
	for pc := range code[:n-1] {
		if !isSimple(&code[pc]) {
			return false
		}
	}
	return true
}

// isSimple reports whether an instruction can be part of an inlined function.
func isSimple(in *isa.Instr) bool {
	if in.Later != "" || in.Spec == nil {
		return false
	}
	space := in.Mods.MemSpace()
	switch in.Spec.Kind {
	case isa.Compute:
	case isa.Load:
		if space == isa.Param {
			return in.Guard == isa.NoReg
		}
		if space != isa.Global && space != isa.Generic && space != isa.Shared && space != isa.Const || in.Mods[isa.Sem] > isa.SemWeak || in.Spec.WholeWarp {
			return false
		}
	case isa.Store:
		return space == isa.Param && in.Guard == isa.NoReg
	default:
		return false
	}
	for s := range in.Specials {
		if s.IsClock() {
			return false
		}
	}
	return in.Mods[isa.CC] == 0 && !in.Spec.CarryIn && !in.Spec.SeesLanes && !in.Spec.Stack && !in.Spec.ReadsRank
}

// findNames finds the instructions that name each .param variable.
func (x *expansion) findNames() {
	x.names = make(map[string][]int)
	for pc := range x.f.Src.Code {
		in := &x.f.Src.Code[pc]
		add := func(all []isa.Operand) {
			for i := range all {
				if _, ok := x.f.frame[all[i].Sym]; ok && all[i].Sym != "" {
					x.names[all[i].Sym] = append(x.names[all[i].Sym], pc)
				}
			}
		}
		add(in.Args)
		if in.Call != nil {
			add(in.Call.Args)
			add(in.Call.Rets)
		}
	}
}

// element is a part of a .param variable.
type element struct {
	at   int64
	bits int
}

// accessed returns the variable and the elements that an access to a .param variable moves, and their operands; ok is
// false if it is not one of the forms that are replaced: elements of 16, 32 or 64 bits in registers of this width.
func accessed(f *isa.Func, in *isa.Instr, store bool) (name string, of []element, operands []isa.Operand, ok bool) {
	kind, addr, data := isa.Load, 1, 0
	if store {
		kind, addr, data = isa.Store, 0, 1
	}
	if !in.Is(kind) || in.Mods.MemSpace() != isa.Param || in.Guard != isa.NoReg || len(in.Args) != 2 {
		return "", nil, nil, false
	}
	a, d := &in.Args[addr], &in.Args[data]
	if a.Kind != isa.AddrOperand || a.Reg != isa.NoReg || a.Sym == "" {
		return "", nil, nil, false
	}
	operands = []isa.Operand{*d}
	if d.Kind == isa.VecOperand {
		operands = d.Elems
	}
	bits := in.Types[0].Bits()
	for i := range operands {
		o := &operands[i]
		isReg := o.Kind == isa.RegOperand && f.Regs[o.Reg].Type.Bits() == bits && f.Regs[o.Reg].Type != isa.Pred && o.Bits == 0 && !o.Neg && o.Select == 0
		isImm := store && o.Kind == isa.ImmOperand && d.Kind != isa.VecOperand
		if bits < 16 || bits > 64 || !isReg && !isImm {
			return "", nil, nil, false
		}
		of = append(of, element{int64(a.Bits) + int64(i*bits/8), bits})
	}
	return a.Sym, of, operands, true
}

// argument is the value of an element of a variable that a call passes.
type argument struct {
	reg  isa.RegID
	pc   int  // of the store
	copy bool // reg is a copy of the stored value
}

// inline replaces the call of g at pc, if that is possible.
func (x *expansion) inline(pc int, g *Func) {
	in := &x.f.Src.Code[pc]
	plan, regs := make(map[int]replacement), x.src.Regs
	n := &inlining{callee: g}
	ok := len(in.Call.Args) == len(g.Src.Params) && len(in.Call.Rets) == len(g.Src.Returns)
	formals := make(map[string]map[element]argument)
	for i := range in.Call.Args {
		if !ok {
			break
		}
		if formals[g.Src.Params[i].Name], ok = x.arguments(pc, &in.Call.Args[i], n, plan); ok {
			ok = g.frame[g.Src.Params[i].Name].size <= x.f.frame[in.Call.Args[i].Sym].size
		}
	}
	var results map[string]map[element]isa.Operand
	if ok {
		results, ok = x.body(n, formals)
	}
	for i := range in.Call.Rets {
		if !ok {
			break
		}
		ok = x.results(pc, &in.Call.Rets[i], results[g.Src.Returns[i].Name], n, plan)
	}
	if !ok {
		x.src.Regs = regs
		return
	}
	x.replace(pc, n, plan)
}

// replace records the replacement of the call at pc.
func (x *expansion) replace(pc int, n *inlining, plan map[int]replacement) {
	for at, r := range plan {
		x.plan[at] = r
	}
	x.calls[pc] = n
}

// newReg returns a new register of the expansion.
func (x *expansion) newReg(name string, t isa.Type) isa.RegID {
	x.src.Regs = append(x.src.Regs, isa.Reg{Name: name, Type: t})
	return isa.RegID(len(x.src.Regs) - 1)
}

// untyped are the types of registers by their bits.
var untyped = map[int]isa.Type{16: isa.B16, 32: isa.B32, 64: isa.B64}

// together reports whether the instructions from one PC up to another are in one basic block, and none of them makes
// the warp wait.
func (x *expansion) together(from, to int) bool {
	if from > to || x.f.Graph.BlockOf(from) != x.f.Graph.BlockOf(to) {
		return false
	}
	for pc := from; pc <= to; pc++ {
		in := &x.f.Src.Code[pc]
		if in.Later != "" || in.Spec == nil {
			return false
		}
		switch in.Spec.Kind {
		case isa.Compute, isa.Load, isa.Store, isa.Atomic, isa.Nop, isa.CallKind:
		default:
			return false
		}
	}
	return true
}

// writes reports whether an instruction of the function from one PC up to, but without, another writes a register.
func (x *expansion) writes(from, to int, reg isa.RegID) bool {
	return writesFrom(x.f.Src, from, to, reg)
}

func writesFrom(f *isa.Func, from, to int, reg isa.RegID) bool {
	for pc := from; pc < to; pc++ {
		for ref := range f.Code[pc].Refs {
			if ref.Reg == reg && ref.Role.Writes() {
				return true
			}
		}
	}
	return false
}

// arguments finds the values of an argument of the call at pc: only stores before it name the variable.
func (x *expansion) arguments(pc int, a *isa.Operand, n *inlining, plan map[int]replacement) (all map[element]argument, ok bool) {
	if a.Kind != isa.SymOperand || a.Bits != 0 {
		return nil, false
	}
	all = make(map[element]argument)
	variable, calls := x.f.frame[a.Sym], 0
	for _, at := range x.names[a.Sym] {
		if at == pc {
			calls++
			continue
		}
		_, of, values, ok := accessed(x.f.Src, &x.f.Src.Code[at], true)
		if !ok || at > pc || !x.together(at, pc) || x.f.Src.Code[at].Args[0].Sym != a.Sym {
			return nil, false
		}
		plan[at] = replacement{to: isa.NoReg}
		for i, e := range of {
			if overlaps(all, e) || e.at < 0 || e.at+int64(e.bits/8) > variable.size {
				return nil, false
			}
			v := argument{pc: at, reg: values[i].Reg}
			if values[i].Kind == isa.ImmOperand || x.writes(at+1, pc, v.reg) {
				if len(of) > 1 {
					return nil, false
				}
				v.reg, v.copy = x.newReg("%argument", untyped[e.bits]), true
				plan[at] = replacement{v.reg, values[i], e.bits}
			}
			all[e] = v
			n.keep = append(n.keep, v.reg)
			n.passed = append(n.passed, passing{pc: at, last: pc, value: isa.Operand{Kind: isa.RegOperand, Reg: v.reg}, at: variable.at + e.at, bytes: uint8(e.bits / 8)})
		}
	}
	return all, calls == 1
}

// overlaps reports whether an element has bytes of another one.
func overlaps[T any](all map[element]T, e element) bool {
	for o := range all {
		if o.at < e.at+int64(e.bits/8) && e.at < o.at+int64(o.bits/8) {
			return true
		}
	}
	return false
}

// body makes the instructions of an inlined function, given its arguments, and returns the values of its results.
func (x *expansion) body(n *inlining, formals map[string]map[element]argument) (results map[string]map[element]isa.Operand, ok bool) {
	g := n.callee
	writes := g.countWrites()
	regs := make([]isa.RegID, len(g.Src.Regs))
	for i := range regs {
		regs[i] = isa.NoReg
	}
	results = make(map[string]map[element]isa.Operand)
	n.code, n.nops = slices.Clone(g.Src.Code), make([]bool, len(g.Src.Code))
	for pc := range n.code {
		in := &n.code[pc]
		if name, of, into, ok := accessed(g.Src, in, false); ok {
			if !x.loadArguments(n, pc, formals[name], of, into, writes, regs) {
				return nil, false
			}
			continue
		}
		if in.Is(isa.Load) && in.Mods.MemSpace() == isa.Param || x.shadows(in, g.Src) {
			return nil, false
		}
		x.rename(in, g.Src, regs)
		if name, of, values, ok := accessed(&x.src, in, true); ok {
			if results[name] == nil {
				results[name] = make(map[element]isa.Operand)
			}
			_, _, own, _ := accessed(g.Src, &g.Src.Code[pc], true)
			for i, e := range of {
				if overlaps(results[name], e) || own[i].Kind == isa.RegOperand && writesFrom(g.Src, pc+1, len(g.Src.Code), own[i].Reg) {
					return nil, false
				}
				results[name][e] = values[i]
			}
			n.nops[pc] = true
		} else if in.Is(isa.Store) {
			return nil, false
		}
	}
	last := &n.code[len(n.code)-1]
	n.nops[len(n.code)-1] = true
	*last = isa.Instr{Spec: inlinedReturn, Types: last.Types, Mods: last.Mods, Guard: isa.NoReg, Pos: last.Pos, Loc: last.Loc, Inlined: last.Inlined}
	keep := isa.Operand{Kind: isa.VecOperand}
	for _, r := range n.keep { // code that cannot execute the call exits before it
		keep.Elems = append(keep.Elems, isa.Operand{Kind: isa.RegOperand, Reg: r})
	}
	last.Args = []isa.Operand{keep}
	return results, true
}

// loadArguments replaces the load at pc of an inlined function, of elements of an argument: registers that only the
// load writes are those of the caller.
func (x *expansion) loadArguments(n *inlining, pc int, values map[element]argument, of []element, into []isa.Operand, writes []int, regs []isa.RegID) bool {
	in := &n.code[pc]
	for i, e := range of {
		v, known := values[e]
		if !known {
			return false
		}
		d := into[i].Reg
		if writes[d] == 1 {
			regs[d] = v.reg
			continue
		}
		if len(of) > 1 {
			return false
		}
		if regs[d] == isa.NoReg {
			regs[d] = x.newReg(n.callee.Src.Regs[d].Name, n.callee.Src.Regs[d].Type)
		}
		r := replacement{regs[d], isa.Operand{Kind: isa.RegOperand, Reg: v.reg}, e.bits}
		*in = *r.move(in)
		return true
	}
	n.nops[pc], in.Args = true, nil
	return true
}

// inlinedReturn is a return in an expansion.
var inlinedReturn = &isa.Spec{Name: "inlined return", Kind: isa.Nop}

// shadows reports whether an instruction of an inlined function names a variable that means another one in the caller,
// or one of its own.
func (x *expansion) shadows(in *isa.Instr, g *isa.Func) bool {
	if in.Mods.MemSpace() == isa.Param && (in.Is(isa.Load) || in.Is(isa.Store)) {
		return false
	}
	return slices.ContainsFunc(in.Args, func(a isa.Operand) bool {
		is := func(v *isa.Var) bool { return v.Name == a.Sym }
		for _, f := range []*isa.Func{x.f.Src, g} {
			if a.Sym != "" && (slices.ContainsFunc(f.Vars, is) || slices.ContainsFunc(f.Params, is) || slices.ContainsFunc(f.Returns, is)) {
				return true
			}
		}
		return false
	})
}

// rename gives an instruction of an inlined function the registers of the expansion.
func (x *expansion) rename(in *isa.Instr, g *isa.Func, regs []isa.RegID) {
	of := func(r isa.RegID) isa.RegID {
		if r == isa.NoReg {
			return r
		}
		if regs[r] == isa.NoReg {
			regs[r] = x.newReg(g.Regs[r].Name, g.Regs[r].Type)
		}
		return regs[r]
	}
	var operands func(all []isa.Operand) []isa.Operand
	operands = func(all []isa.Operand) []isa.Operand {
		all = slices.Clone(all)
		for i := range all {
			switch a := &all[i]; a.Kind {
			case isa.RegOperand, isa.AddrOperand:
				a.Reg = of(a.Reg)
			case isa.VecOperand:
				a.Elems = operands(a.Elems)
			}
		}
		return all
	}
	in.Guard, in.Args = of(in.Guard), operands(in.Args)
}

// results replaces the loads of a result of the call at pc: only they name the variable.
func (x *expansion) results(pc int, a *isa.Operand, values map[element]isa.Operand, n *inlining, plan map[int]replacement) bool {
	if a.Kind != isa.SymOperand || a.Bits != 0 {
		return false
	}
	variable, calls := x.f.frame[a.Sym], 0
	for _, at := range x.names[a.Sym] {
		if at == pc {
			calls++
			continue
		}
		_, of, into, ok := accessed(x.f.Src, &x.f.Src.Code[at], false)
		if !ok || len(of) != 1 || at < pc || !x.together(pc, at) {
			return false
		}
		v, known := values[of[0]]
		if !known || v.Kind == isa.RegOperand && x.writes(pc+1, at, v.Reg) {
			return false
		}
		plan[at] = replacement{into[0].Reg, v, of[0].bits}
		n.passed = append(n.passed, passing{pc: pc, last: at, after: true, value: v, at: variable.at + of[0].at, bytes: uint8(of[0].bits / 8)})
	}
	return calls == 1
}
