package asm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// Link makes one module of several (PTX ISA 11.6, linking directives). A name that is not internal to its module means
// the same in all of them, and has one definition: a strong definition overrides .weak ones, and these override .common
// ones. The first .weak definition and the largest .common one are used. Declarations without a definition remain.
// Internal names that another module has, too, get a number, as in scale$2. The header is the newest of the headers,
// and the name is that of the first module.
//
// The modules do not change; the result shares their unchanged parts. The error is of type Errors, at the later of
// two conflicting positions.
func Link(mods ...*isa.Module) (*isa.Module, error) {
	l := &linker{out: &isa.Module{AddressSize: 64}, names: make(map[string]*linked), placed: make(map[string]bool)}
	l.header(mods)
	for _, m := range l.separate(mods) {
		l.resolve(m)
		l.inputs = append(l.inputs, m)
	}
	for _, m := range l.inputs {
		l.place(m)
	}
	l.checkCalls()
	if err := l.errs.err(); err != nil {
		return nil, err
	}
	return l.out, nil
}

type linker struct {
	out    *isa.Module
	inputs []*isa.Module
	names  map[string]*linked // meaning of names that are not internal to a module
	placed map[string]bool    // names that out contains
	errs   errorLog
}

// strength is the precedence of a definition.
type strength uint8

const (
	undefined strength = iota
	common
	weak
	strong
)

// linked is the meaning of a name: its definition, or else its first declaration.
type linked struct {
	name     string
	linkage  isa.Linkage
	strength strength
	v        *isa.Var
	f        *isa.Func
	alias    *isa.Alias // the definition, if it is an alias; f is then the declaration
	pos      isa.Pos
}

func (l *linker) header(mods []*isa.Module) {
	for i, m := range mods {
		if i == 0 {
			l.out.Name, l.out.AddressSize = m.Name, m.AddressSize
		}
		if m.AddressSize != l.out.AddressSize {
			l.errs.addf(isa.Pos{File: m.Name, Line: 1, Col: 1}, "addresses of %d bits; those of %s have %d", m.AddressSize, l.out.Name, l.out.AddressSize)
		}
		if newer(m.Version, l.out.Version) {
			l.out.Version = m.Version
		}
		if newer(m.Target, l.out.Target) {
			l.out.Target = m.Target
		}
	}
}

// newer compares two versions, such as 7.10 or sm_90a, number by number.
func newer(a, b string) bool { return slices.Compare(numbers(a), numbers(b)) > 0 }

func numbers(version string) []int {
	var ns []int
	for _, digits := range strings.FieldsFunc(version, func(r rune) bool { return r < '0' || r > '9' }) {
		n, _ := strconv.Atoi(digits)
		ns = append(ns, n)
	}
	return ns
}

// global returns the names of m that are not internal: some declaration exports or imports them.
func global(m *isa.Module) map[string]bool {
	names := make(map[string]bool)
	for _, v := range m.Vars {
		if v.Linkage != isa.Internal {
			names[v.Name] = true
		}
	}
	for _, f := range m.Funcs {
		if f.Linkage != isa.Internal {
			names[f.Name] = true
		}
	}
	return names
}

// internal returns the other names of m, in the order of the source.
func internal(m *isa.Module) []string {
	var names []string
	shared := global(m)
	add := func(name string) {
		if !shared[name] {
			shared[name] = true
			names = append(names, name)
		}
	}
	for _, v := range m.Vars {
		add(v.Name)
	}
	for _, f := range m.Funcs {
		add(f.Name)
	}
	for _, al := range m.Aliases {
		add(al.Name)
	}
	return names
}

// separate renames internal names that would conflict.
func (l *linker) separate(mods []*isa.Module) []*isa.Module {
	taken := make(map[string]bool)
	for _, m := range mods {
		for name := range global(m) {
			taken[name] = true
		}
	}
	var apart []*isa.Module
	others := sync.OnceValue(func() map[string]bool { return mentioned(mods) }) // rarely needed
	last := make(map[string]int)                                                // the last number added to each name
	for _, m := range mods {
		var names map[string]string
		for _, name := range internal(m) {
			if !taken[name] {
				taken[name] = true
				continue
			}
			if names == nil {
				names = make(map[string]string)
			}
			n := max(2, last[name]+1)
			for taken[apartAs(name, n)] || others()[apartAs(name, n)] {
				n++
			}
			last[name], names[name], taken[apartAs(name, n)] = n, apartAs(name, n), true
		}
		if names != nil {
			m = renamed(m, names)
		}
		apart = append(apart, m)
	}
	return apart
}

// apartAs returns a new name for an internal name of one of several modules.
func apartAs(name string, n int) string { return name + "$" + strconv.Itoa(n) }

// resolve determines to which variables and functions the names of m refer, given the modules before it.
func (l *linker) resolve(m *isa.Module) {
	shared := global(m)
	for _, v := range m.Vars {
		if shared[v.Name] {
			l.merge(&linked{name: v.Name, linkage: v.Linkage, strength: strengths[v.Linkage], v: v, pos: v.Pos})
		}
	}
	for _, n := range functionNames(m) {
		if shared[n.name] {
			l.merge(n)
		}
	}
}

// strengths are the strengths of variables by linkage. A variable without linkage that a declaration exports is
// defined.
var strengths = [...]strength{isa.Internal: strong, isa.Visible: strong, isa.Extern: undefined, isa.Weak: weak, isa.Common: common, isa.Hidden: strong}

// functionNames returns the meaning of each function in m, from all its declarations.
func functionNames(m *isa.Module) []*linked {
	var names []*linked
	byName := make(map[string]*linked)
	for _, f := range m.Funcs {
		n := byName[f.Name]
		if n == nil {
			n = &linked{name: f.Name, linkage: f.Linkage, f: f, pos: f.Pos}
			byName[f.Name] = n
			names = append(names, n)
		}
		if f.Defined {
			n.f, n.pos, n.strength = f, f.Pos, strong
		}
		if f.Linkage == isa.Weak || n.linkage == isa.Internal || n.linkage == isa.Extern && f.Linkage != isa.Internal {
			n.linkage = f.Linkage
		}
	}
	for i := range m.Aliases {
		if n := byName[m.Aliases[i].Name]; n != nil {
			n.alias, n.strength = &m.Aliases[i], strong
		}
	}
	for _, n := range names {
		if n.strength == strong && n.linkage == isa.Weak {
			n.strength = weak
		}
	}
	return names
}

// merge combines the previous meaning of a name with its meaning in one more module.
func (l *linker) merge(n *linked) {
	old := l.names[n.name]
	if old == nil {
		l.names[n.name] = n
		return
	}
	if msg := old.conflict(n); msg != "" {
		l.errs.addf(n.pos, "%s %s, at %s", n.name, msg, old.pos)
		return
	}
	if n.strength > old.strength || n.strength == old.strength && n.larger(old) {
		l.names[n.name] = n
	}
}

// larger reports whether n is preferred to another declaration or .common definition: it has more bytes or, with
// equal sizes, a greater alignment.
func (n *linked) larger(old *linked) bool {
	if n.v == nil || n.strength > common {
		return false
	}
	if n.v.Size() == old.v.Size() {
		return n.v.Align > old.v.Align
	}
	return n.v.Size() > old.v.Size()
}

// conflict returns why two meanings of a name are incompatible, or "".
func (old *linked) conflict(n *linked) string {
	switch {
	case (old.v == nil) != (n.v == nil):
		return "is a variable in one place and a function in the other"
	case old.f != nil && old.f.Entry != n.f.Entry && (old.function() || n.function()):
		return "is a kernel in one place and not in the other"
	case old.f != nil && old.f.Entry == n.f.Entry && !typeOf(old.f).agrees(typeOf(n.f)):
		return fmt.Sprintf("is %s here and %s there", typeOf(n.f), typeOf(old.f))
	case old.strength == strong && n.strength == strong:
		return "is defined already"
	case old.v == nil:
	case old.v.Space != n.v.Space:
		return fmt.Sprintf("is in .%s here and in .%s there", n.v.Space, old.v.Space)
	case old.v.Size() != n.v.Size() && old.fixedSize() && n.fixedSize():
		return fmt.Sprintf("has %d bytes here and %d there", n.v.Size(), old.v.Size())
	}
	return ""
}

// function reports whether n is certainly not a kernel. A declaration alone may be a kernel's: clang declares the
// kernels of other modules as functions.
func (n *linked) function() bool { return !n.f.Entry && n.strength > undefined }

// checkCalls finds calls of functions that only other modules define as kernels.
func (l *linker) checkCalls() {
	for _, f := range l.out.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Call == nil || len(in.Args) == 0 {
				continue
			}
			if n := l.names[in.Args[0].Sym]; n != nil && n.f != nil && n.f.Entry {
				l.errs.addf(in.Pos, "%s is a kernel, at %s; only a .func can be called", n.name, n.pos)
			}
		}
	}
}

// fixedSize reports whether a variable has the same size wherever it is
// declared: not an unsized array, and not .common.
func (n *linked) fixedSize() bool { return n.v.Size() > 0 && n.strength != common }

// place adds the contents of m to the output. A definition is placed where the name occurs first; a function that is
// defined elsewhere is declared there.
func (l *linker) place(m *isa.Module) {
	for _, v := range m.Vars {
		n := l.names[v.Name]
		switch {
		case n == nil:
			l.out.Vars = append(l.out.Vars, v)
		case !l.placed[v.Name]:
			l.placed[v.Name] = true
			l.out.Vars = append(l.out.Vars, n.v)
		}
	}
	for _, f := range m.Funcs {
		switch n := l.names[f.Name]; {
		case n == nil, n.f == f && f.Defined:
			l.out.Funcs = append(l.out.Funcs, f)
			l.placed[f.Name] = true
		case !l.placed[f.Name] && !f.Entry:
			l.placed[f.Name] = true
			if n.f.Entry {
				f = n.f
			}
			l.out.Funcs = append(l.out.Funcs, declarationOf(f, n.linkage))
		}
	}
	for i, al := range m.Aliases {
		if n := l.names[al.Name]; n == nil || n.alias == &m.Aliases[i] {
			l.out.Aliases = append(l.out.Aliases, al)
		}
	}
}

// declarationOf returns f without its body.
func declarationOf(f *isa.Func, linkage isa.Linkage) *isa.Func {
	return &isa.Func{Name: f.Name, Entry: f.Entry, Linkage: linkage, Params: f.Params, Returns: f.Returns, Limits: isa.Limits{NoReturn: f.NoReturn}, Pos: f.Pos}
}
