// Package asm converts PTX text to an isa.Module and back. It accepts PTX without the header, without .visible, and
// without declarations of registers that have the compilers' usual names.
package asm

import (
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// Parse assembles a source file; positions use name as its file. Opcodes and forms of PTX that simtrun does not
// support yet are kept as text (isa.Instr.Later). The error is of type Errors and holds at most ten mistakes: each
// statement may have a syntax error or semantic errors. If a declaration has a syntax error, the operands of
// instructions that could use its names are not checked, because undeclared names would be its consequences.
func Parse(name string, src []byte) (*isa.Module, error) {
	a := assembler{
		mod:       &isa.Module{Name: name, AddressSize: 64},
		symbols:   make(map[string]*entity),
		static:    make(map[*declarator]*isa.Var),
		mnemonics: make(map[string]resolved),
	}
	switch file, whole := a.read(name, string(src)); {
	case whole:
		a.module(file)
	case file != nil:
		a.bodies(file)
	}
	a.noteUnwritten()
	if err := a.errs.inOrder(); err != nil {
		return nil, err
	}
	for _, f := range a.mod.Funcs {
		copyParameters(a.mod, f)
	}
	return a.mod, nil
}

// noteUnwritten adds notes on registers that no instruction writes to the errors: the name may be misspelt, or the
// instruction that writes it may be missing.
func (a *assembler) noteUnwritten() {
	if a.errs.err() == nil {
		return
	}
	for _, u := range a.uses {
		all := u.unwritten()
		a.errs.errs.Notes = append(a.errs.errs.Notes, all[:min(len(all), maxErrors-len(a.errs.errs.Notes))]...)
	}
}

// assembler builds one module.
type assembler struct {
	mod       *isa.Module
	symbols   map[string]*entity       // variables and functions of the module
	static    map[*declarator]*isa.Var // variables of the module that functions declare
	info      *isa.Debug               // nil if the source has neither .file nor .section
	current   sourceNumber             // that of the .loc directive before
	dialect   isa.Dialect
	addressed bool // the source has .address_size
	singles   bool // .f64 means single precision: map_f64_to_f32
	// independent is true if textures have no samplers of their own: texmode_independent.
	independent bool
	mnemonics   map[string]resolved
	arena       []isa.Operand // unused memory for operands of instructions
	registers   []*variables  // of PTX 1.x: declared outside the functions
	aliases     []*alias
	constants   map[string]constant // .equ and .struct
	errs        errorLog
	defs        []pending
	uses        []*uses // one per function, in source order
}

// pending is a definition with a known name and contents that are not assembled yet: initialisers and bodies may
// refer to names that are declared later.
type pending struct {
	v    *isa.Var
	init *initialiser
	f    *isa.Func
	src  *function
}

// resolved is the meaning of a mnemonic, looked up once per module.
type resolved struct {
	in  isa.Instr
	msg string
}

func (a *assembler) module(file *sourceFile) {
	a.nameConstants(file)
	for _, it := range file.Items {
		a.item(it)
	}
	for _, al := range a.aliases {
		a.alias(al)
	}
	a.staticVariables()
	for _, p := range a.defs {
		if p.init != nil {
			a.initialise(p.v, p.init)
		}
		if p.src != nil {
			if p.src.End.body.undeclared {
				a.forms(p.src.End.body)
			} else {
				a.body(p.f, p.src)
			}
			p.src.End.body = nil // frees its memory
		}
	}
	a.describe()
	if !a.addressed && withoutAddressSize(a.mod.Version) {
		a.mod.AddressSize = addressSizeOf(a.mod)
	}
}

func (a *assembler) item(it *item) {
	switch {
	case it.Version != "":
		a.version(it.Version)
		a.mod.VersionPos = position(it.Pos)
	case it.Target != "":
		a.mod.Target, a.mod.TargetPos = strings.ReplaceAll(it.Target, ",", ", "), position(it.Pos)
		a.dialect.SM1x = sm1x.MatchString(it.Target)
		a.singles = strings.Contains(it.Target, "map_f64_to_f32")
		a.independent = strings.Contains(it.Target, "texmode_independent")
	case it.AddressSize.Value != "":
		a.addressSize(&it.AddressSize)
	case it.File != nil:
		a.file(it.File)
	case it.Section != nil:
		a.debug().Sections[it.SectionName] = it.Section.text
	case it.Alias != nil:
		a.aliases = append(a.aliases, it.Alias)
	case it.Definition != nil && it.Definition.Function != nil:
		a.function(it.Definition)
	case it.Definition != nil:
		it.Definition.Variables.spread()
		a.variables(it.Definition)
	}
}

func (a *assembler) addressSize(t *lexer.Token) {
	switch t.Value {
	case "32", "64":
		a.addressed = true
		a.mod.AddressSize, _ = strconv.Atoi(t.Value)
	default:
		a.errs.addf(position(t.Pos), "address size %s; it is 32 or 64", t.Value)
	}
}

func (a *assembler) file(f *fileEntry) {
	a.current = sourceNumber{}
	a.debug().Files[f.Number.Value] = strings.Trim(f.Name.Value, `"`)
}

// debug returns the debug information of the module, which it makes if there is none.
func (a *assembler) debug() *isa.Debug {
	if a.info == nil {
		a.info = &isa.Debug{Files: make(map[string]string), Sections: make(map[string]string)}
	}
	return a.info
}

// sourceFile returns the name of the source with a number; "" if no .file has it.
func (a *assembler) sourceFile(number string) string {
	if a.info == nil {
		return ""
	}
	if number != a.current.number {
		a.current = sourceNumber{number, a.info.Files[number]}
	}
	return a.current.file
}

// sourceNumber is the number of a source of the module, and its name.
type sourceNumber struct{ number, file string }

// describe gives the functions of a module its debug information, if it has any.
func (a *assembler) describe() {
	if a.info == nil {
		return
	}
	a.info.Funcs = a.mod.Funcs
	for _, f := range a.mod.Funcs {
		f.Debug = a.info
	}
}

var linkages = map[string]isa.Linkage{".visible": isa.Visible, ".extern": isa.Extern, ".weak": isa.Weak, ".common": isa.Common, ".hidden": isa.Hidden}

func (a *assembler) linkage(tokens []lexer.Token) isa.Linkage {
	switch len(tokens) {
	case 0:
		return isa.Internal
	case 1:
		return linkages[tokens[0].Value]
	}
	a.errs.addf(position(tokens[1].Pos), "%s after %s; a name has one linkage", tokens[1].Value, tokens[0].Value)
	return isa.Internal
}

// variables declares the variables of a module-level statement.
func (a *assembler) variables(def *definition) {
	linkage := a.linkage(def.Linkage)
	space := def.Variables.Space
	if space.Value == ".reg" && linkage == isa.Internal {
		a.registers = append(a.registers, def.Variables)
		return
	}
	if space.Value == ".reg" || space.Value == ".param" || space.Value == ".local" && linkage != isa.Internal {
		a.errs.addf(position(space.Pos), "%s outside a function; a module has .global, .const and .shared variables", space.Value)
		return
	}
	q := a.qualifiers(def.Variables.Quals)
	if space.Value == ".tex" {
		q.typ = isa.TexRef
	}
	for _, d := range def.Variables.Decls {
		v, init := a.variable(space.Value, linkage, q, d)
		if v == nil {
			continue
		}
		if v := a.declareVar(v, len(d.Dims) > 1); v != nil {
			a.defs = append(a.defs, pending{v: v, init: init})
		}
	}
}

// staticVariables makes the .global and .const variables that functions declare variables of the module. Their new
// names contain the function's, so that no other function can refer to one by accident.
func (a *assembler) staticVariables() {
	var vars []*isa.Var
	numbers := make(map[string]int)
	for _, p := range a.defs {
		if p.src == nil {
			continue
		}
		for i := range p.src.End.body.statements {
			st := &p.src.End.body.statements[i]
			if st.kind == declarationStatement && st.decl.Variables != nil {
				vars = a.staticVariable(vars, p.f, st.decl, numbers)
			}
		}
	}
	if vars == nil {
		return
	}
	var all []*isa.Var // in source order
	for _, v := range a.mod.Vars {
		for len(vars) > 0 && comparePos(vars[0].Pos, v.Pos) < 0 {
			all, vars = append(all, vars[0]), vars[1:]
		}
		all = append(all, v)
	}
	a.mod.Vars = append(all, vars...)
}

// staticVariable adds the variables of one statement of f to vars. Numbers has the last number added to each name.
func (a *assembler) staticVariable(vars []*isa.Var, f *isa.Func, def *definition, numbers map[string]int) []*isa.Var {
	space := def.Variables.Space
	if space.Value != ".global" && space.Value != ".const" {
		return vars
	}
	if len(def.Linkage) > 0 {
		a.errs.addf(position(def.Linkage[0].Pos), "%s within a function; only a module exports and imports variables", def.Linkage[0].Value)
		return vars
	}
	q := a.qualifiers(def.Variables.Quals)
	for _, d := range def.Variables.Decls {
		v, init := a.variable(space.Value, isa.Internal, q, d)
		if v == nil {
			continue
		}
		name := f.Name + "$" + strings.TrimPrefix(v.Name, "%") // a % can only be the first character of a name
		for v.Name = name; a.symbols[v.Name] != nil; {
			numbers[name]++
			v.Name = name + "$" + strconv.Itoa(numbers[name])
		}
		a.static[d] = v
		a.symbols[v.Name] = &entity{kind: variableEntity, v: v, pos: v.Pos}
		a.defs = append(a.defs, pending{v: v, init: init})
		vars = append(vars, v)
	}
	return vars
}

// declareVar enters a module's variable; it returns nil if the name is taken. An external declaration and the
// definition are one variable.
func (a *assembler) declareVar(v *isa.Var, nested bool) *isa.Var {
	old := a.symbols[v.Name]
	switch {
	case old == nil:
		a.symbols[v.Name] = &entity{kind: variableEntity, v: v, nested: nested, pos: v.Pos}
		a.mod.Vars = append(a.mod.Vars, v)
		return v
	case old.kind == variableEntity && v.Linkage == isa.Extern:
		return nil
	case old.kind == variableEntity && (old.v.Linkage == isa.Extern || old.v.Linkage == isa.Weak):
		*old.v, old.nested = *v, nested
		return old.v
	}
	a.errs.add(old.redeclared(v.Name, v.Pos))
	return nil
}

// function declares a kernel or device function.
func (a *assembler) function(def *definition) {
	src := def.Function
	f := &isa.Func{
		Name:    src.Name.Value,
		Entry:   src.Kind.Value == ".entry",
		Defined: src.End.body != nil,
		Linkage: a.linkage(def.Linkage),
		Pos:     position(src.Name.Pos),
	}
	if f.Entry && f.Linkage == isa.Internal {
		f.Linkage = isa.Visible // otherwise it could not be launched
	}
	if f.Entry && len(src.Returns) > 0 {
		a.errs.addf(f.Pos, "kernel %s has a result; only a .func has", f.Name)
	}
	f.Returns = a.parameters(f, src.Returns)
	f.Params = a.parameters(f, src.Params)
	for _, v := range f.Params {
		if f.Entry && v.Space == isa.RegSpace {
			a.errs.addf(v.Pos, "parameter %s of a kernel is in .reg; it must be in .param", v.Name)
		}
	}
	for _, h := range src.Hints {
		a.hint(f, h)
	}
	if src.End.body != nil {
		f.End = src.End.body.end
	}
	if t := src.End.found; t != nil && (a.mod.Version == "" || !newer("3.0", a.mod.Version)) {
		a.errs.addf(position(t.Pos), "found %s; expected a body in { } or ;", describe(t))
	}
	if a.declareFunc(f) {
		a.mod.Funcs = append(a.mod.Funcs, f)
		if src.End.body != nil {
			a.defs = append(a.defs, pending{f: f, src: src})
		}
	}
}

// declareFunc enters a function and reports whether its name was free. It may be declared several times, with the
// same type, and defined once.
func (a *assembler) declareFunc(f *isa.Func) bool {
	old := a.symbols[f.Name]
	switch {
	case old == nil:
		a.symbols[f.Name] = &entity{kind: functionEntity, f: f, pos: f.Pos}
	case old.kind != functionEntity, old.f.Defined && f.Defined, old.f.Entry != f.Entry:
		a.errs.add(old.redeclared(f.Name, f.Pos))
		return false
	case !typeOf(f).agrees(typeOf(old.f)):
		a.errs.addf(f.Pos, "%s%s is declared as %s%s in line %d", f.Name, typeOf(f), f.Name, typeOf(old.f), old.pos.Line)
		return false
	case f.Defined:
		old.f, old.pos = f, f.Pos
	}
	return true
}

// alias gives a function a second name, which may have been declared as a function before.
func (a *assembler) alias(al *alias) {
	name, pos := al.Name.Value, position(al.Name.Pos)
	target, old := a.symbols[al.Target.Value], a.symbols[name]
	switch {
	case target == nil:
		a.errs.add(a.undeclaredSymbol(&al.Target))
		return
	case target.kind != functionEntity || target.f.Entry || target.alias || !target.f.Defined:
		a.errs.addf(position(al.Target.Pos), "%s is not a .func that is defined here; nothing else can have an alias", al.Target.Value)
		return
	case old == nil:
		a.symbols[name] = &entity{kind: functionEntity, f: target.f, alias: true, pos: pos}
	case old.kind != functionEntity || old.f.Entry || old.alias || old.f.Defined:
		a.errs.add(old.redeclared(name, pos))
		return
	case !typeOf(old.f).agrees(typeOf(target.f)):
		a.errs.addf(pos, "%s%s cannot stand for %s%s", name, typeOf(old.f), al.Target.Value, typeOf(target.f))
		return
	default:
		old.alias = true
	}
	a.mod.Aliases = append(a.mod.Aliases, isa.Alias{Name: name, Target: al.Target.Value, Pos: pos})
}

// parameters returns the parameters of a function, or of a prototype in f.
func (a *assembler) parameters(f *isa.Func, src []*parameter) []*isa.Var {
	var vars []*isa.Var
	for _, p := range src {
		q := a.qualifiers(p.Quals)
		vec := 1
		if p.Space.Value == ".reg" {
			vec, q.vec = q.vec, 1
		}
		v, _ := a.variable(p.Space.Value, isa.Internal, q, p.Decl)
		if v != nil && v.Type.IsOpaque() && !f.Entry {
			a.errs.addf(v.Pos, "parameter %s is .%s; a .func gets the handle, a .u64", v.Name, v.Type)
		}
		if v == nil {
			continue
		}
		if p.Hidden.Value != "" {
			v.Linkage = isa.Hidden
		}
		if vec == 1 {
			vars = append(vars, v)
			continue
		}
		for i := range vec { // a vector register becomes one scalar per element
			elem := *v
			elem.Name = elementName(v.Name, i)
			vars = append(vars, &elem)
		}
	}
	return vars
}

// hint sets a performance directive.
func (a *assembler) hint(f *isa.Func, h *hint) {
	switch h.name.Value {
	case "", ".abi_preserve", ".abi_preserve_control", ".maxnctapersm":
		// A .pragma, or a limit without effect here.
	case ".reqnctapercluster":
		f.Cluster = a.extent(h)
	case ".maxclusterrank":
		f.MaxClusterRank = int(a.extent(h).X)
	case ".explicitcluster":
		f.ExplicitCluster = true
	case ".blocksareclusters":
		if f.Later == nil {
			f.Later = isa.Errorf(position(h.name.Pos), ".blocksareclusters is not supported yet; a grid is counted in blocks")
		}
	case ".maxntid":
		f.MaxNTID = a.extent(h)
	case ".reqntid":
		f.ReqNTID = a.extent(h)
	case ".minnctapersm":
		f.MinCTAs = int(a.extent(h).X)
	case ".maxnreg":
		f.MaxRegs = int(a.extent(h).X)
	case ".noreturn":
		f.NoReturn = true
	default:
		if a.dialect.Newer != 0 {
			if f.Later == nil {
				f.Later = isa.Errorf(position(h.name.Pos), "%s", a.dialect.NotYet(h.name.Value))
			}
			return
		}
		a.errs.addf(position(h.name.Pos), "found %s; expected a body in { }, or a directive such as .maxntid or .minnctapersm%s", h.name.Value, misspelt(&h.name))
	}
}

// extent returns the one to three numbers of a directive, with 1 for missing ones.
func (a *assembler) extent(h *hint) isa.Dim {
	dims := [3]uint32{1, 1, 1}
	if n := len(h.values); n == 0 || n > 3 {
		a.errs.addf(position(h.name.Pos), "%s with %d numbers; it takes 1 to 3", h.name.Value, n)
		return isa.Dim{}
	}
	for i := range h.values {
		dims[i] = uint32(a.number(&h.values[i], 1, 1<<31-1))
	}
	return isa.Dim{X: dims[0], Y: dims[1], Z: dims[2]}
}

// number returns the value of an integer token, or of the name of a constant, which must be within bounds.
func (a *assembler) number(t *lexer.Token, low, high uint64) uint64 {
	v, err := a.integer(t)
	if err != nil {
		a.errs.add(err)
		return low
	}
	if v < low || v > high {
		a.errs.addf(position(t.Pos), "%s is out of range; it may be %d to %d", t.Value, low, high)
		return low
	}
	return v
}
