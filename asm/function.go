package asm

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// bodyAssembler turns the statements of one body into code. The code has no scopes: variables and registers get names
// that are unique in the function.
type bodyAssembler struct {
	*assembler
	f      *isa.Func
	uses   *uses    // of registers, including uses by instructions that do not assemble
	scopes []*scope // in the order of their opening braces
	opened int
	scope  *scope
	// module holds the registers that PTX 1.x declares outside the functions.
	module *scope
	// old is true for a kernel as before PTX 1.4, with its parameters declared in the body.
	old bool
	// taken are the unique names, each with the last number that was added to it.
	taken map[string]int
	vars  map[string]*isa.Var // parameters and variables by unique name
	types map[string]funcType // prototypes by unique name
	// declared are the prefixes of registers that the function declares: no other registers with such a prefix exist.
	declared map[string]bool
	// unknownWords are words without a meaning, in instructions kept as text.
	unknownWords map[string]bool
	loc          isa.Pos
	inlined      *isa.Inlined
	inlinedAt    map[isa.Pos]*isa.Inlined // by the position of a .loc: where its function was inlined
}

func (a *assembler) body(f *isa.Func, src *function) {
	b := &bodyAssembler{
		assembler: a, f: f, uses: &uses{f: f}, module: new(scope),
		taken: make(map[string]int), vars: make(map[string]*isa.Var), types: make(map[string]funcType), declared: make(map[string]bool),
		unknownWords: make(map[string]bool),
	}
	b.scopes = []*scope{{parent: b.module}}
	b.scope = b.module
	for _, vars := range a.registers {
		b.variables(vars, isa.Internal)
		b.notePrefixes(vars)
	}
	b.scope = b.scopes[0]
	if b.old = a.dialect.Before14 && f.Entry && f.Params == nil; b.old {
		b.oldParameters(src.End.body.statements)
	}
	for _, vars := range [][]*isa.Var{f.Returns, f.Params} {
		for _, v := range vars {
			b.parameter(v)
		}
	}
	b.vectorParameters(src.Returns)
	b.vectorParameters(src.Params)
	b.survey(src.End.body.statements)
	f.Code = make([]isa.Instr, 0, src.End.body.instructions)
	text := newReader(&src.End.body.text)
	for i := range src.End.body.statements {
		b.statement(&src.End.body.statements[i], text)
	}
	if a.registers == nil {
		a.uses = append(a.uses, b.uses)
	}
}

// parameter declares a parameter, always under its own name, because launches refer to it.
func (b *bodyAssembler) parameter(v *isa.Var) {
	e := &entity{kind: variableEntity, name: v.Name, v: v, pos: v.Pos}
	if v.Space == isa.RegSpace {
		e = newRegister(v.Name, v.Type, v.Vec, v.Pos)
		e.parameter = true
	} else {
		b.vars[v.Name] = v
	}
	b.taken[v.Name] = 0
	if v.Name == "_" {
		return
	}
	b.errs.add(b.scope.declare(v.Name, e))
	if e.kind == registerEntity {
		b.use(e) // a call sets it, even if the function never reads it
	}
}

// vectorParameters declares the names of vector registers among the parameters of the source: each becomes one
// parameter per element.
func (b *bodyAssembler) vectorParameters(src []*parameter) {
	for _, p := range src {
		vec := b.qualifiers(p.Quals).vec
		if p.Space.Value != ".reg" || vec == 1 || p.Decl.Name.Value == "_" {
			continue
		}
		e := &entity{kind: vectorEntity, name: p.Decl.Name.Value, pos: position(p.Decl.Name.Pos)}
		for i := range vec {
			e.elems = append(e.elems, b.scope.lookup(elementName(e.name, i)))
		}
		b.taken[e.name] = 0
		b.errs.add(b.scope.declare(e.name, e))
	}
}

// oldParameters finds the parameters of an old kernel.
func (b *bodyAssembler) oldParameters(statements []statement) {
	for i := range statements {
		st := &statements[i]
		if st.kind != declarationStatement || st.decl.Variables == nil || st.decl.Variables.Space.Value != ".param" {
			continue
		}
		q := b.qualifiers(st.decl.Variables.Quals)
		for _, d := range st.decl.Variables.Decls {
			if v, _ := b.assembler.variable(".param", isa.Internal, q, d); v != nil {
				b.f.Params = append(b.f.Params, v)
			}
		}
	}
}

// survey makes the scopes, declares labels and all that a statement with a label declares, because earlier code may
// refer to them, and records which registers are declared at all.
func (b *bodyAssembler) survey(statements []statement) {
	var lists []targetList
	stack := b.scopes[:1:1]
	pc := 0
	for i := range statements {
		st := &statements[i]
		top := stack[len(stack)-1]
		switch st.kind {
		case openScope:
			inner := &scope{parent: top}
			b.scopes = append(b.scopes, inner)
			stack = append(stack, inner)
		case closeScope:
			stack = stack[:len(stack)-1]
		case codeStatement:
			pc += st.code.instructions
		case labelStatement:
			b.label(top, &st.tokens[0], pc)
		case targetsStatement:
			e := &entity{kind: targetsEntity}
			if b.labelled(top, &st.tokens[0], e) {
				lists = append(lists, targetList{top, e, st.tokens})
			}
		case prototypeStatement:
			b.prototype(top, st)
		case declarationStatement:
			b.notePrefixes(st.decl.Variables)
		}
	}
	for _, l := range lists {
		b.errs.add(b.branchTargets(l))
	}
}

func (b *bodyAssembler) label(s *scope, name *lexer.Token, pc int) {
	e := &entity{kind: labelEntity, label: int32(len(b.f.Labels))}
	if b.labelled(s, name, e) {
		b.f.Labels = append(b.f.Labels, isa.Label{Name: e.name, PC: pc, Pos: e.pos})
	}
}

// labelled declares e under a label, if the label is free.
func (b *bodyAssembler) labelled(s *scope, label *lexer.Token, e *entity) bool {
	e.pos = position(label.Pos)
	if err := s.declare(label.Value, e); err != nil {
		b.errs.add(err)
		return false
	}
	e.name = b.unique(label.Value)
	return true
}

func (b *bodyAssembler) notePrefixes(vars *variables) {
	if vars == nil || vars.Space.Value != ".reg" {
		return
	}
	for _, d := range vars.Decls {
		if d.Count.Value != "" {
			b.declared[d.Name.Value] = true
		} else if prefix, _, ok := numbered(d.Name.Value); ok {
			b.declared[prefix] = true
		}
	}
}

func (b *bodyAssembler) statement(st *statement, text *reader) {
	switch st.kind {
	case openScope:
		b.opened++
		b.scope = b.scopes[b.opened]
	case closeScope:
		b.scope = b.scope.parent
	case declarationStatement:
		b.declaration(st.decl)
	case fileStatement:
		b.file(st.file)
	case codeStatement:
		b.code(st.code, text)
	case labelStatement, targetsStatement, prototypeStatement: // see survey
	}
}

// code assembles statements that the parser has skipped as well-formed.
func (b *bodyAssembler) code(c *code, text *reader) {
	text.startAt(c.start)
	for range c.lines {
		text.begin()
		if text.Peek().Value == ".loc" {
			b.readLoc(text)
		} else {
			_ = beforeSemicolon(text, text.Next()) // it found no fault before
			text.nextStatement()
			b.instruction(text.read())
		}
		for _, n := range text.passed {
			b.setLocation(b.placeOf(n), nil)
		}
	}
}

func (b *bodyAssembler) declaration(def *definition) {
	if def.Function != nil {
		b.errs.addf(position(def.Function.Name.Pos), "function %s within function %s", def.Function.Name.Value, b.f.Name)
		return
	}
	b.variables(def.Variables, b.linkage(def.Linkage))
}

func (b *bodyAssembler) variables(vars *variables, linkage isa.Linkage) {
	space := vars.Space
	q := b.qualifiers(vars.Quals)
	for _, d := range vars.Decls {
		switch space.Value {
		case ".reg":
			b.register(q, d)
		case ".global", ".const":
			b.staticVariable(d)
		case ".tex":
			b.errs.addf(position(d.Name.Pos), "%s variable %s within a function; declare it outside", space.Value, d.Name.Value)
		default:
			if space.Value != ".param" || !b.old {
				b.variable(space.Value, linkage, q, d)
			}
		}
	}
}

// staticVariable makes a variable of the module from a declaration in this function, where the name is visible.
func (b *bodyAssembler) staticVariable(d *declarator) {
	v := b.static[d]
	if v == nil {
		return // the error is already reported
	}
	e := &entity{kind: variableEntity, name: v.Name, v: v, nested: len(d.Dims) > 1, pos: position(d.Name.Pos)}
	b.errs.add(b.scope.declare(d.Name.Value, e))
}

func (b *bodyAssembler) variable(space string, linkage isa.Linkage, q *qualified, d *declarator) {
	v, _ := b.assembler.variable(space, linkage, q, d)
	switch {
	case v == nil:
		return
	case v.Type.IsOpaque():
		b.errs.addf(v.Pos, "%s is .%s, which stands outside of functions, or among the parameters of a kernel", v.Name, v.Type)
		return
	}
	e := &entity{kind: variableEntity, v: v, nested: len(d.Dims) > 1, pos: v.Pos}
	if err := b.scope.declare(v.Name, e); err != nil {
		b.errs.add(err)
		return
	}
	v.Name = b.unique(v.Name)
	e.name = v.Name
	b.vars[v.Name] = v
	b.f.Vars = append(b.f.Vars, v)
}

func (b *bodyAssembler) register(q *qualified, d *declarator) {
	name, pos := d.Name.Value, position(d.Name.Pos)
	switch {
	case q.typ == isa.NoType:
		b.errs.addf(pos, "register %s has no type; one such as .b32 stands before the name", name)
	case q.typ.IsOpaque():
		b.errs.addf(pos, "register %s is .%s, which no register is; .u64 holds a handle", name, q.typ)
	case len(d.Dims) > 0 || d.Init != nil:
		b.errs.addf(pos, "register %s is an array or initialised; registers are declared like %%r<9>", name)
	case strings.Contains(name, "."):
		b.errs.addf(pos, "a name cannot contain a dot: %s", name)
	case d.Count.Value != "":
		count := b.number(&d.Count, 1, 1<<31)
		b.errs.add(b.scope.declareRange(name, &registerRange{typ: q.typ, vec: q.vec, count: count, pos: pos}))
	default:
		b.errs.add(b.scope.declare(name, newRegister(name, q.typ, q.vec, pos)))
	}
}

// unique returns the name itself, or the name with a number if it has another meaning elsewhere in the function.
func (b *bodyAssembler) unique(name string) string {
	if b.free(name) {
		b.taken[name] = 0
		return name
	}
	for {
		b.taken[name]++
		numbered := name + "$" + strconv.Itoa(b.taken[name])
		if b.free(numbered) {
			b.taken[numbered] = 0
			return numbered
		}
	}
}

// free reports whether no register, variable, function or label of the code has a name.
func (b *bodyAssembler) free(name string) bool {
	_, used := b.taken[name]
	e := b.symbols[name]
	return !used && (e == nil || e.kind == constantEntity)
}

// use returns the number of a register, assigned at its first use.
func (b *bodyAssembler) use(e *entity) isa.RegID {
	if e.reg != isa.NoReg {
		return e.reg
	}
	name := e.name
	e.reg = isa.RegID(len(b.f.Regs))
	if !e.parameter {
		e.name = b.unique(e.name)
	}
	b.f.Regs = append(b.f.Regs, isa.Reg{Name: e.name, Type: e.typ})
	if !b.f.Entry && b.module.names[name] == e {
		// The register would be shared by all functions of a thread.
		b.errs.addf(e.pos, "register %s outside the functions is used by function %s; only kernels can use one", name, b.f.Name)
	}
	return e.reg
}

// lookup returns the meaning of a name here, or nil. A name with a dot is an element of a vector register.
func (b *bodyAssembler) lookup(name string) *entity {
	if e := b.scope.lookup(name); e != nil {
		return e
	}
	if e := b.symbols[name]; e != nil {
		return e
	}
	if vector, suffix, dotted := strings.Cut(name, "."); dotted {
		if e := b.scope.lookup(vector); e != nil {
			return e.element(suffix)
		}
	}
	return b.undeclaredRegister(name)
}

// habits are the types of registers by the prefixes that compilers use.
var habits = map[string]isa.Type{"%p": isa.Pred, "%rs": isa.B16, "%r": isa.B32, "%rd": isa.B64, "%f": isa.F32, "%fd": isa.F64,
	"%h": isa.B16, "%hh": isa.B32, "%rq": isa.B128} // of LLVM, for halves, pairs of them, and 128 bits

// undeclaredRegister declares a register with a compiler's usual name in a function that declares no register of that
// prefix.
func (b *bodyAssembler) undeclaredRegister(name string) *entity {
	prefix, _, ok := numbered(name)
	if !ok || habits[prefix] == isa.NoType || b.declared[prefix] {
		return nil
	}
	e := newRegister(name, habits[prefix], 1, b.f.Pos)
	b.scopes[0].put(name, e)
	return e
}

// visibleNames returns all names that can be used here.
func (b *bodyAssembler) visibleNames() []string {
	names := b.scope.namesOf()
	names = append(names, slices.Sorted(maps.Keys(b.symbols))...)
	for s := isa.TidX; s < isa.NumSpecials; s++ {
		names = append(names, s.String())
	}
	return names
}

// Reg implements isa.Names.
func (b *bodyAssembler) Reg(id isa.RegID) isa.Reg { return b.f.Regs[id] }

// Var implements isa.Names.
func (b *bodyAssembler) Var(name string) *isa.Var {
	if v := b.vars[name]; v != nil {
		return v
	}
	if e := b.symbols[name]; e != nil {
		return e.v
	}
	return nil
}

// Func implements isa.Names.
func (b *bodyAssembler) Func(name string) *isa.Func {
	if e := b.symbols[name]; e != nil {
		return e.f
	}
	return nil
}
