package isa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// FLOPs returns the floating-point operations per lane, including both halves of a pair; 0 for everything except sums
// and products of floating-point numbers.
func (in *Instr) FLOPs() int {
	switch {
	case in.Spec != nil && in.Spec.Cost.perWarp != nil:
		return in.Spec.Cost.perWarp(in) / lanes.Width
	case in.Spec == nil || in.Types[0].Class() != Float:
		return 0
	case in.Types[0].inHalves(), in.Types[0] == F32x2:
		return 2 * in.Spec.Cost.flops
	}
	return in.Spec.Cost.flops
}

// Exec has a lane function for each instruction type: the simplest Bind.
type Exec = [NumTypes]lanes.Func

// Variant is one legal combination of types and modifiers of a row.
type Variant struct {
	Types [2]Type
	Mods  *Mods
	// DstBits and SrcBits are the widths of the registers of ld, st and cvt, which may be wider than the types (PTX ISA
	// 9.4.1); 0 for the types' own widths.
	DstBits, SrcBits int
	// Pack and Unpack are the number of elements of mov's source or result if it is a vector.
	Pack, Unpack int
	Third        bool   // min and max have a third source
	Choice       Choice // for a video instruction
	// Constants are the operands that are constants, for Sequence: bit i for operand i, results included.
	Constants uint16
}

// only reports whether v has no modifiers but those of the groups gs.
//
//go:noinline
func (v *Variant) only(gs ...Group) bool {
	others := *v.Mods
	for _, g := range gs {
		others[g] = 0
	}
	return others == Mods{}
}

// Type returns the instruction type: the first suffix.
func (v *Variant) Type() Type { return v.Types[0] }

// Spec is the row of one base mnemonic: everything that simtrun knows about it. The parser and the execution of
// instructions read Spec's own fields; the embedded parts are for other readers.
type Spec struct {
	Name string
	// With is the modifier that distinguishes this row from others with the same name and other operands: bar.red is not
	// bar. It is "" for the row of the name alone. Several modifiers are joined with dots in the order of the text:
	// cp.async.wait_group is not cp.async.
	With string
	// Mods names the groups of modifiers in canonical order, optional ones in brackets. "type" is at the place of each
	// of the one or two type suffixes.
	Mods string
	// Form names the operands; those marked with ? may be left out. A name is a letter, followed by the operand's type
	// or kind if it is not of the instruction type:
	//
	//	d, q, z          results; the others are sources
	//	a:1              of the second type suffix
	//	a:half           of the type given by the modifier half, if there is one
	//	d:w              twice as wide under .wide
	//	c:u32, p:pred    of that type, for every suffix
	//	[a]              an address
	//	[b:from]         an address in the space of the second space modifier
	//	[g:mbar]         the address of an mbarrier, in the space of the first
	//	[a:tensor]       an address in tensor memory
	//	a:factor         an address in tensor memory, or a descriptor of 64 bits
	//	v:lanes          four registers with a bit for each lane of tensor memory, or eight for two CTAs
	//	c:size           of .u32, or a predicate
	//	c:wide           of .u32, or of .u64
	//	a:ptr            a value that is a generic address
	//	d:v              as many registers as the vector modifier has
	//	a:four           a value or, for a result of four numbers, four registers
	//	d:frag           as many registers as the row's fragment returns
	//	a:matrix         that, or the descriptor of a matrix in shared memory
	//	i:imm            an immediate
	//	t:label          a branch target
	//	t:table          a list of branch targets
	//	t:func           a function, or a register with the address of one
	//	a:mov            any operand of mov
	//	d:part, a:bytes  of 32 bits, with a selector: see Selection
	//	a:part-, c:-     which may be negated
	//	t:image          a texture or surface with a sampler and coordinates
	//	e:offset         an offset of coordinates
	//	x:grad           a gradient of coordinates
	//	t:map            a tensor map with coordinates
	//	o:pixels         offsets of the coordinates of pixels
	//	d|q              q is an optional second result
	Form string
	// Needs are the version of PTX and the targets that have the row and, if they need more, its forms.
	Needs Needs
	Kind  Kind
	Doc   string
	// examples are typical instructions of a row with plain forms that programs do not use; Examples generates plain
	// forms itself. Registers have the compilers' names; LABEL, LIST, f, out and n are a label, a list of labels, a
	// function and parameters.
	examples []string
	// Exec, Bind, Mem or Types determines the legal variants and their meaning.
	Exec  Exec
	Bind  func(v *Variant) lanes.Func
	Mem   func(v *Variant) lanes.MemFunc
	Types []Type                // legal first types, for rows without a lane function
	Legal func(v *Variant) bool // with Types: whether a combination of modifiers is legal; nil: all are
	// Imm returns the constant that selects a function within a family of lane functions.
	Imm func(v *Variant) uint64
	// Check returns an error of an instruction that the row's other fields do not exclude; "" if there is none.
	Check func(in *Instr) string

	Syntax Syntax
	Cost   *Cost
	Lower  Lower
	Facts

	parsed
}

// Syntax is the part of a row for parsing mnemonics: Dialect.Resolve, the checks of operands and Forms.
type Syntax struct {
	// later are first types that PTX has for the row and simtrun does not support yet, in all or some forms.
	later []Type
	// implied adds the modifiers that may be omitted in a dialect.
	implied func(d Dialect, in *Instr)
	// missing returns a modifier that is mandatory in a dialect but missing; "" if there is none.
	missing func(d Dialect, in *Instr) string
	// possible reports whether some legal form has at least these modifiers. It saves a search in rows with many forms;
	// nil if the row has no such function.
	possible func(m *Mods) bool
	// fragment returns the number and type of the registers of an operand that is a matrix fragment; 0 for a variant
	// that is not legal.
	fragment func(m *Mods, operand byte) (registers int, t Type)
	// takesAddress is true if an operand may be the name of a variable or function, for its address.
	takesAddress bool
	// widens is true if a variable as operand must be in the instruction's state space, as it becomes generic.
	widens bool
	// instead is the message for something else in place of an address, if that has a likely reason.
	instead string
}

// Cost is the part of a row for the clock and the counters. Other packages use it through Spec.Unit, Spec.CostClass,
// Spec.Sequences and Instr.FLOPs.
type Cost struct {
	// unit returns the execution unit of a legal variant.
	unit func(v *Variant) Unit
	// class returns the class of the machine instruction that does the work of a legal variant; nil for the most common
	// class of its unit.
	class func(v *Variant) CostClass
	// flops is the number of floating-point operations of a lane on a floating-point type, as in peak figures of GPUs:
	// one for a sum or a product, two for both, and 0 for everything else.
	flops int
	// perWarp returns the floating-point operations of a warp, for instructions with different numbers per lane: a
	// multiple of 32.
	perWarp func(in *Instr) int
	// operation is the row's operation, if the assembler combines it with other instructions.
	operation Operation
	// sequences are the machine instructions of the row; nil if every variant becomes one, of class.
	sequences []Sequence
}

// Lower is the part of a row for the compiler of lanes (package native), which uses it through Instr.Template and
// Instr.Vote.
type Lower struct {
	// code returns the template of compiled code for a legal variant. If it is nil or returns nil, compiled code calls
	// the lane function.
	code func(v *Variant) *jit.Template
	// vote returns how compiled code executes an instruction at which lanes wait for each other, if all lanes of the
	// warp execute it. If it is nil or returns jit.NoVote, compiled code leaves the instruction to the engine.
	vote func(v *Variant) jit.Vote
	// product returns the product of matrices that a legal variant computes. If it is nil, the row computes none.
	product func(m *Mods) (lanes.Product, bool)
}

// Facts is the part of a row for analyses of programs: packages program, native, flow, check, hazard and those that
// show or observe instructions. Each fact holds for all variants unless it is a function.
type Facts struct {
	// Accumulates reports whether an instruction also reads its results; nil if none does.
	Accumulates func(in *Instr) bool
	// WholeWarp is true if all lanes of a warp execute the instruction together.
	WholeWarp bool
	// Wide allows registers wider than their types (PTX ISA 9.4.1).
	Wide bool
	// SeesLanes is true if the result depends on which lanes execute the instruction together, unless it is a .sync
	// form, which names them.
	SeesLanes bool
	// CarryIn is true if the instruction reads the carry flag.
	CarryIn bool
	// Stack is true if the instruction reads or writes the stack pointer of the function.
	Stack bool
	// ReadsRank is true if the instruction reads %cluster_ctarank without naming it.
	ReadsRank bool
	// Divides is true if the instruction divides integers by b, which may be 0.
	Divides bool
	// Selects is true if d is a if the predicate c is true, and b otherwise.
	Selects bool
	// Surface is true if the object of an image operand is a surface, false if it is a texture.
	Surface bool
	// Aligned is true if whole warps execute the barrier together, as with the modifier .aligned.
	Aligned bool
	// AtomOp is the atomic operation that has the same effect on memory as the row on registers; 0 if there is none.
	AtomOp Mod
	// Copies reports whether the instruction copies a to d, bit by bit; nil if it never does.
	Copies func(in *Instr) bool
	// Sum returns the operands with the result as their sum, or as a copy of one; nil if there are none. A row with
	// Copies needs no Sum.
	Sum func(in *Instr) Sum
	// Spread says which bits of results are undefined if bits of sources are.
	Spread Spread
	// Arith is the result of Instr.Arith.
	Arith Arith
	// Shrinks is Instr.Shrinks; nil if the row has no such instruction.
	Shrinks func(in *Instr) (keepsOnes, ok bool)
}

// parsed has the fields that init derives from Mods and Form.
type parsed struct {
	mods    []modSlot
	ntypes  int
	formals []Formal
	results int // number of results, which come first
	needed  int // number of operands that are not optional
	policy  int // index of the operand that requires .L2::cache_hint and follows another optional one; 0: none
	gap     int // index of the optional operand before one that is not optional; 0: none
}

// modSlot is one item of Mods.
type modSlot struct {
	group    Group
	isType   bool
	optional bool
}

// Formals returns the operands that the row takes, in order.
func (s *Spec) Formals() []Formal { return s.formals }

// Takes reports whether the row takes an operand of the kind.
func (s *Spec) Takes(kind FormalKind) bool {
	return slices.ContainsFunc(s.formals, func(p Formal) bool { return p.Kind == kind })
}

// Title returns the base mnemonic of the row, with the modifier that distinguishes it from other rows of that name.
func (s *Spec) Title() string {
	if s.With != "" {
		return s.Name + "." + s.With
	}
	return s.Name
}

// Lookup returns the row with a title, or nil.
func Lookup(title string) *Spec { return specByTitle[title] }

// Specs returns all rows, sorted by title.
func Specs() []*Spec { return specs }

var specByTitle = func() map[string]*Spec {
	m := make(map[string]*Spec)
	for _, s := range specs {
		s.init()
		m[s.Title()] = s
		for i, c := range s.With { // beginnings of longer titles; nil if no row has them
			if c != '.' {
				continue
			}
			if title := s.Name + "." + s.With[:i]; m[title] == nil {
				m[title] = nil
			}
		}
	}
	return m
}()

// specsByName has the rows of each base mnemonic.
var specsByName = func() map[string][]*Spec {
	m := make(map[string][]*Spec)
	for i := 0; i < len(specs); {
		first := i
		for i < len(specs) && specs[i].Name == specs[first].Name {
			i++
		}
		m[specs[first].Name] = specs[first:i:i]
	}
	return m
}()

func (s *Spec) init() {
	if s.Cost == nil {
		s.Cost = new(Cost)
	}
	for _, w := range strings.Fields(s.Mods) {
		name, optional := strings.CutPrefix(w, "[")
		name = strings.TrimSuffix(name, "]")
		if name == "type" {
			s.mods = append(s.mods, modSlot{isType: true})
			s.ntypes++
			continue
		}
		g, ok := groupsByName[name]
		if !ok {
			panic(fmt.Sprintf("simtrun bug: row %s: no modifier group %q", s.Title(), name))
		}
		s.mods = append(s.mods, modSlot{group: g, optional: optional})
	}
	for _, w := range strings.FieldsFunc(s.Form, func(r rune) bool { return r == ',' || r == ' ' }) {
		w, optional := strings.CutPrefix(w, "?")
		for i, one := range strings.Split(w, "|") {
			p := s.parseFormal(one)
			p.Optional, p.fragment = optional || i > 0, s.Syntax.fragment
			if n := len(s.formals); !p.Optional && n > 0 && s.formals[n-1].Optional && s.formals[n-1].Name != 'q' {
				s.gap = n - 1
			}
			if n := len(s.formals); p.Name == 'e' && n > 0 && s.formals[n-1].Optional && s.formals[n-1].Name == 'c' {
				s.policy = n
			}
			if p.Result {
				if s.results++; s.results != len(s.formals)+1 {
					panic(fmt.Sprintf("simtrun bug: row %s: result %c stands behind a source", s.Title(), p.Name))
				}
			}
			s.formals = append(s.formals, p)
			if !p.Optional {
				s.needed++
			}
		}
	}
}

// groupsByName has the groups of modifiers by their names in rows.
var groupsByName = func() map[string]Group {
	m := make(map[string]Group, NumGroups)
	for g := range groups {
		m[groups[g].name] = Group(g)
	}
	return m
}()

// bind returns the lane function or memory function of a variant, both nil for rows that have only Types. It returns
// false if the row does not have the variant.
func (s *Spec) bind(v *Variant) (fn lanes.Func, mem lanes.MemFunc, ok bool) {
	switch {
	case s.Bind != nil:
		fn = s.Bind(v)
		return fn, nil, fn != nil
	case s.Mem != nil:
		mem = s.Mem(v)
		return nil, mem, mem != nil
	case s.Types != nil, s.ntypes == 0:
		ok = s.ntypes == 0 || slices.Contains(s.Types, v.Type())
		return nil, nil, ok && (s.Legal == nil || s.Legal(v))
	}
	fn = s.Exec[v.Types[0]]
	return fn, nil, fn != nil
}

// Bind returns the meaning of a checked instruction with the registers of v: its lane function or memory function,
// both nil for kinds that the engine executes itself, and the constant for lanes.Op.Imm.
func (in *Instr) Bind(v Variant) (fn lanes.Func, mem lanes.MemFunc, imm uint64) {
	v.Types, v.Mods = in.Types, in.Mods
	fn, mem, ok := in.Spec.bind(&v)
	if !ok {
		panic(fmt.Sprintf("simtrun bug: no lane function for %s at %s", in.Mnemonic(), in.Pos))
	}
	if in.Spec.Imm != nil {
		imm = in.Spec.Imm(&v)
	}
	return fn, mem, imm
}

// Template returns the template of compiled code for a checked instruction with registers of the widths in v; nil if
// compiled code calls the lane function.
func (in *Instr) Template(v Variant) *jit.Template {
	if in.Spec.Lower.code == nil {
		return nil
	}
	v.Types, v.Mods, v.Third = in.Types, in.Mods, len(in.Args) == 4
	return in.Spec.Lower.code(&v)
}

// HasTemplates reports whether compiled code has a template for some variant of the row.
func (s *Spec) HasTemplates() bool { return s.Lower.code != nil }

// Vote returns how compiled code executes a checked instruction if all lanes of a warp execute it; see Lower.
func (in *Instr) Vote() jit.Vote {
	if in.Spec.Lower.vote == nil {
		return jit.NoVote
	}
	return in.Spec.Lower.vote(&Variant{Types: in.Types, Mods: in.Mods})
}

// Product returns the product of matrices that a checked instruction computes of its fragments; false for others.
func (in *Instr) Product() (p lanes.Product, ok bool) {
	if in.Spec.Lower.product == nil {
		return p, false
	}
	return in.Spec.Lower.product(in.Mods)
}

// Mnemonic returns the opcode with its modifiers and types in canonical order.
func (in *Instr) Mnemonic() string { return in.Spec.mnemonic(in.Types, in.Mods) }

func (s *Spec) mnemonic(types [2]Type, mods *Mods) string {
	var b strings.Builder
	b.WriteString(s.Name)
	t := 0
	for _, m := range s.mods {
		w := m.group.word(mods[m.group])
		if m.isType {
			w = types[t].String()
			t++
		}
		if w != "" {
			b.WriteByte('.')
			b.WriteString(w)
		}
	}
	return b.String()
}

// Mode returns how the lane functions of the instruction round, and whether they flush subnormal numbers.
func (m *Mods) Mode() lanes.Mode {
	mode := lanes.Mode(0)
	if m[Rnd] != 0 {
		mode = lanes.Mode(m[Rnd] - RN)
	}
	if m[IRnd] != 0 {
		mode = lanes.Mode(m[IRnd] - 1)
	}
	if m[Ftz] != 0 {
		mode |= lanes.FTZ
	}
	if m[Sat] != 0 {
		mode |= lanes.SAT
	}
	if m[Relu] != 0 {
		mode |= lanes.RELU
	}
	if m[SatFinite] != 0 {
		mode |= lanes.SATFINITE
	}
	return mode
}

// Ordered returns a copy of a weak load or store with a memory order and scope gpu. Ordered accesses have no cache
// operator, and do not use the read-only cache (PTX ISA 9.7.9, ld and st).
func (in *Instr) Ordered(order Mod) Instr {
	strong, mods := *in, *in.Mods
	mods[Sem], mods[Scope] = order, ScopeGPU
	mods[Cache], mods[NC] = 0, 0
	strong.Mods = &mods
	if in.Spec.Kind == Load {
		strong.Spec = Lookup("ld") // it may be ldu
	}
	return strong
}

// Reduction returns the mnemonic of the red that has the same effect on memory of a space as the instruction on a
// register, given its other source; "" if PTX has none.
func (in *Instr) Reduction(space Space) string {
	if in.Spec.AtomOp == 0 || *in.Mods != (Mods{}) {
		return ""
	}
	red, mods, types := Lookup("red"), Mods{AtomOp: in.Spec.AtomOp}, in.Types
	for mods.MemSpace() != space {
		mods[SpaceG]++
	}
	if in.Spec.AtomOp == AtomAdd && types[0] == S64 {
		types[0] = U64 // the same sum; PTX has no other name for it
	}
	if _, _, ok := red.bind(&Variant{Types: types, Mods: &mods}); !ok {
		return ""
	}
	return red.mnemonic(types, &mods)
}
