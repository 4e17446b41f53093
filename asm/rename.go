package asm

import (
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// renamed returns m with other names for some variables and functions. Changed parts are copies.
func renamed(m *isa.Module, names map[string]string) *isa.Module {
	r := renamer{names}
	out := *m
	out.Vars = make([]*isa.Var, len(m.Vars))
	for i, v := range m.Vars {
		out.Vars[i] = r.variable(v)
	}
	out.Funcs = make([]*isa.Func, len(m.Funcs))
	for i, f := range m.Funcs {
		out.Funcs[i] = r.function(f)
	}
	out.Aliases = slices.Clone(m.Aliases)
	for i := range out.Aliases {
		al := &out.Aliases[i]
		al.Name, al.Target = r.name(al.Name), r.name(al.Target)
	}
	return &out
}

// renamer maps old names to new ones.
type renamer struct {
	names map[string]string
}

func (r *renamer) name(old string) string {
	if n, ok := r.names[old]; ok {
		return n
	}
	return old
}

func (r *renamer) variable(v *isa.Var) *isa.Var {
	out := *v
	out.Name = r.name(v.Name)
	out.Init = slices.Clone(v.Init)
	for i := range out.Init {
		out.Init[i].Sym = r.name(out.Init[i].Sym)
	}
	return &out
}

// function renames f and the names in its code, except for those that f itself declares.
func (r *renamer) function(f *isa.Func) *isa.Func {
	out := *f
	out.Name = r.name(f.Name)
	within := renamer{make(map[string]string)}
	for old, name := range r.names {
		if !declares(f, old) {
			within.names[old] = name
		}
	}
	out.Code = slices.Clone(f.Code)
	for pc := range out.Code {
		in := &out.Code[pc]
		in.Args = within.operands(in.Args)
		if in.Later != "" {
			in.Raw = within.text(in.Raw)
		}
	}
	out.Protos = make([]*isa.Prototype, len(f.Protos))
	for i, p := range f.Protos {
		proto := *p
		proto.Targets = slices.Clone(p.Targets)
		for j := range proto.Targets {
			proto.Targets[j] = within.name(proto.Targets[j])
		}
		out.Protos[i] = &proto
	}
	return &out
}

func (r *renamer) operands(ops []isa.Operand) []isa.Operand {
	out := ops
	for i := range ops {
		a := &ops[i]
		sym, elems := r.name(a.Sym), r.operands(a.Elems)
		if a.Kind == isa.TableOperand || sym == a.Sym && (len(elems) == 0 || &elems[0] == &a.Elems[0]) {
			continue
		}
		if &out[0] == &ops[0] {
			out = slices.Clone(ops)
		}
		out[i].Sym, out[i].Elems = sym, elems
	}
	return out
}

// text renames the words of an instruction that is kept as text, except for its opcode.
func (r *renamer) text(raw string) string {
	var b strings.Builder
	s := &scanner{src: raw}
	end := 0
	for {
		t, _ := s.Next() // which never fails
		b.WriteString(raw[end:t.Pos.Offset])
		end = s.at
		switch {
		case end == t.Pos.Offset:
			return b.String()
		case t.Type == wordToken && t.Pos.Offset > 0:
			b.WriteString(r.name(t.Value))
		default:
			b.WriteString(t.Value)
		}
	}
}

// declares reports whether f itself declares a name.
func declares(f *isa.Func, name string) bool {
	isName := func(v *isa.Var) bool { return v.Name == name }
	return slices.ContainsFunc(f.Params, isName) || slices.ContainsFunc(f.Returns, isName) || slices.ContainsFunc(f.Vars, isName) ||
		slices.ContainsFunc(f.Regs, func(r isa.Reg) bool { return r.Name == name }) ||
		slices.ContainsFunc(f.Labels, func(l isa.Label) bool { return l.Name == name }) ||
		slices.ContainsFunc(f.Protos, func(p *isa.Prototype) bool { return p.Name == name }) ||
		slices.ContainsFunc(branchTargets(f), func(t *isa.Operand) bool { return t.Sym == name })
}

// mentioned returns all names that occur in modules.
func mentioned(mods []*isa.Module) map[string]bool {
	names := make(map[string]bool)
	variables := func(vars []*isa.Var) {
		for _, v := range vars {
			names[v.Name] = true
		}
	}
	for _, m := range mods {
		variables(m.Vars)
		for _, al := range m.Aliases {
			names[al.Name] = true
		}
		for _, f := range m.Funcs {
			names[f.Name] = true
			variables(f.Params)
			variables(f.Returns)
			variables(f.Vars)
			for _, r := range f.Regs {
				names[r.Name] = true
			}
			for _, l := range f.Labels {
				names[l.Name] = true
			}
			for _, p := range f.Protos {
				names[p.Name] = true
			}
			for _, t := range branchTargets(f) {
				names[t.Sym] = true
			}
		}
	}
	return names
}
