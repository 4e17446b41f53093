package asm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
)

// LinkLoosely is Link, but a module may declare a function with fewer parameters than its definition has, if they
// otherwise agree: Fortran compilers declare their library's functions that way. NVIDIA's linker only warns, and the
// missing parameters have undefined values; here they are zero. The declaring module gets a function that passes its
// arguments on to the definition.
func LinkLoosely(mods ...*isa.Module) (linked *isa.Module, warnings []*isa.Error, err error) {
	defined := make(map[string]*isa.Func)
	for _, m := range mods {
		for _, n := range functionNames(m) {
			if n.function() && n.linkage != isa.Internal && n.alias == nil && defined[n.name] == nil {
				defined[n.name] = n.f
			}
		}
	}
	adapted := slices.Clone(mods)
	for i, m := range mods {
		for _, n := range functionNames(m) {
			def := defined[n.name]
			if def == nil || n.strength > undefined || n.f.Entry || !typeOf(def).extends(typeOf(n.f)) {
				continue
			}
			if adapted[i], err = adapt(adapted[i], n.f, def); err != nil {
				return nil, nil, err
			}
			warnings = append(warnings, isa.Errorf(n.pos, "%s is %s here and %s there, at %s: parameters that are not passed are zero here, and anything on a GPU", n.name, typeOf(n.f), typeOf(def), def.Pos))
		}
	}
	linked, err = Link(adapted...)
	return linked, warnings, err
}

// extends reports whether t is u with additional parameters, all of them scalars of .param space that fit into a
// 64-bit register.
func (t funcType) extends(u funcType) bool {
	n := len(u.params)
	return len(t.params) > n && funcType{t.returns, t.params[:n]}.agrees(u) &&
		!slices.ContainsFunc(slices.Concat(t.params, t.returns), func(v *isa.Var) bool { return v.Space != isa.Param || v.Array || v.Vec > 1 || v.Size() > 8 })
}

// adapt returns m with the declaration, and every use of it, replaced by a function that has the declaration's
// parameters and calls the definition.
func adapt(m *isa.Module, decl, def *isa.Func) (*isa.Module, error) {
	taken := mentioned([]*isa.Module{m})
	n := 2
	for taken[apartAs(decl.Name, n)] {
		n++
	}
	own := apartAs(decl.Name, n)
	parsed, err := Parse(m.Name, []byte(adapterText(own, decl, def)))
	if err != nil {
		return nil, fmt.Errorf("simtrun bug: %w", err)
	}
	adapter := parsed.Func(own)
	adapter.Pos = decl.Pos
	for pc := range adapter.Code {
		adapter.Code[pc].Pos = decl.Pos
	}
	out := renamed(m, map[string]string{decl.Name: own})
	first := slices.IndexFunc(out.Funcs, func(f *isa.Func) bool { return f.Name == own })
	out.Funcs = slices.DeleteFunc(out.Funcs, func(f *isa.Func) bool { return f.Name == own })
	declaration := declarationOf(def, isa.Extern)
	declaration.Pos = decl.Pos
	out.Funcs = sorted.Insert(sorted.Insert(out.Funcs, first, adapter), first, declaration)
	return out, nil
}

// adapterText returns the function that adapt inserts: it copies its parameters, and the result back. Its variables
// are named after it, so that none has the definition's name.
func adapterText(name string, decl, def *isa.Func) string {
	var b strings.Builder
	formal, result, passed, got := name+"_p", name+"_r", name+"_a", name+"_b"
	list := func(vars []*isa.Var, prefix, kind string) string {
		var all []string
		for i, v := range vars {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s%d", strings.ReplaceAll(kind, "TYPE", v.Type.String()), prefix, i)))
		}
		return "(" + strings.Join(all, ", ") + ")"
	}
	copied := func(prefix, from string, vars []*isa.Var) {
		for i, v := range vars {
			bits := 8 * v.Size()
			fmt.Fprintf(&b, "\tld.param.b%d %%v, [%s%d];\n\tst.param.b%[1]d [%[4]s%[3]d], %%v;\n", bits, from, i, prefix)
		}
	}
	const kind = ".param .TYPE"
	fmt.Fprintf(&b, ".extern .func %s %s %s;\n", list(def.Returns, result, kind), def.Name, list(def.Params, formal, kind))
	fmt.Fprintf(&b, ".func %s %s %s\n{\n\t.reg .b64 %%v;\n", list(decl.Returns, result, kind), name, list(decl.Params, formal, kind))
	for i, v := range def.Params {
		fmt.Fprintf(&b, "\t.param .%s %s%d;\n", v.Type, passed, i)
	}
	for i, v := range def.Returns {
		fmt.Fprintf(&b, "\t.param .%s %s%d;\n", v.Type, got, i)
	}
	copied(passed, formal, decl.Params)
	for i, v := range def.Params[len(decl.Params):] {
		fmt.Fprintf(&b, "\tst.param.b%d [%s%d], 0;\n", 8*v.Size(), passed, len(decl.Params)+i)
	}
	fmt.Fprintf(&b, "\tcall %s, %s, %s;\n", list(def.Returns, got, ""), def.Name, list(def.Params, passed, ""))
	copied(result, got, decl.Returns)
	b.WriteString("\tret;\n}\n")
	return b.String()
}
