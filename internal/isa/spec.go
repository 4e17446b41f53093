package isa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// Kind is what executing an instruction takes. It is a kind of a lanes.Op, too.
type Kind uint8

const (
	Compute Kind = lanes.Compute // call the lane function
	Nop     Kind = lanes.Nop     // a hint: nothing to do
)

const (
	Load Kind = lanes.NumKinds + iota
	Store
	Atomic
	Branch
	Barrier
	Shuffle
	Vote
	Exit
	CallKind
	Return
	Trap
	Fence     // every access is in order anyway: only observers are notified
	Copy      // from memory to memory
	CopyGroup // of copies: they are made at once, so only observers are notified
	Matrix    // whole warps, on matrices in registers
	Warpgroup // four warps, on matrices in registers and shared memory
	Alloca    // takes local memory
	ClusterBarrier
	QueryKind // of a texture, sampler or surface
	TensorMemory
	CancelLaunch
	NumKinds
)

var kindNames = [NumKinds]string{Compute: "compute", Nop: "nop", Load: "load", Store: "store", Atomic: "atomic", Branch: "branch", Barrier: "barrier", Shuffle: "shuffle", Vote: "vote", Exit: "exit", CallKind: "call", Return: "return", Trap: "trap", Fence: "fence", Copy: "copy", CopyGroup: "copy_group", Matrix: "matrix", Warpgroup: "warpgroup", Alloca: "alloca", ClusterBarrier: "cluster_barrier", QueryKind: "query", TensorMemory: "tensor_memory", CancelLaunch: "cancel_launch"}

// FLOPs is the floating-point operations of a lane, those of both halves of a pair; 0 for what
// is no sum or product of floating-point numbers.
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

// String is the kind's name.
func (k Kind) String() string { return kindNames[k] }

// MarshalText implements encoding.TextMarshaler: the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(name []byte) error {
	i := slices.Index(kindNames[:], string(name))
	if i < 0 || len(name) == 0 {
		return fmt.Errorf("no kind of instruction %q", name)
	}
	*k = Kind(i)
	return nil
}

// Exec gives a lane function by instruction type: the simplest Bind.
type Exec = [NumTypes]lanes.Func

// Variant is one legal combination of types and modifiers of a row.
type Variant struct {
	Types [2]Type
	Mods  *Mods
	// DstBits and SrcBits are the widths of the registers that ld, st and cvt
	// are given, which may be wider than the types (PTX ISA 9.4.1); 0 where the
	// types' own widths count.
	DstBits, SrcBits int
	// Pack and Unpack are the number of elements where mov has a vector as its
	// source or its result.
	Pack, Unpack int
	Third        bool   // min and max have a third source
	Choice       Choice // of a video instruction
}

// only reports whether v has no modifiers but those of the groups gs.
func (v *Variant) only(gs ...Group) bool {
	set := 0
	for _, m := range v.Mods {
		if m != 0 {
			set++
		}
	}
	for _, g := range gs {
		if v.Mods[g] != 0 {
			set--
		}
	}
	return set == 0
}

// Type is the instruction type: the first suffix.
func (v *Variant) Type() Type { return v.Types[0] }

// Spec is the row of one base mnemonic: all that simtrun knows of it. The fields of its own are for the parser
// and for whatever executes an instruction; the other readers have a part each.
type Spec struct {
	Name string
	// With is the modifier that distinguishes this row from another one of the name,
	// with other operands: bar.red is not bar. The row of the name alone has "". Several
	// stand in the order of the text, with dots: cp.async.wait_group is not cp.async.
	With string
	// Mods names the groups of modifiers in canonical order, optional ones in
	// brackets, and "type" once or twice where the type suffixes stand.
	Mods string
	// Form names the operands; those marked with ? may be left out. A name is a
	// letter and what it is, if it is not the instruction type:
	//
	//	d, q             results; the others are sources
	//	a:1              of the second type suffix
	//	a:half           of the type that the modifier half says, if there is one
	//	d:w              twice as wide under .wide
	//	c:u32, p:pred    of that type whatever the suffix
	//	[a]              an address
	//	[b:from]         an address in the space of the second space modifier
	//	[g:mbar]         the address of an mbarrier, in the space of the first
	//	[a:tensor]       an address in tensor memory
	//	a:factor         an address in tensor memory, or a descriptor of 64 bits
	//	v:lanes          four registers with a bit for each lane of tensor memory, or eight for two CTAs
	//	c:size           of .u32, or a predicate
	//	a:ptr            a value that is a generic address
	//	d:v              as many registers as the vector modifier says
	//	d:frag           as many registers as the row's Fragment says
	//	a:matrix         that, or the descriptor of a matrix in shared memory
	//	i:imm            an immediate
	//	t:label          a branch target
	//	t:table          a list of branch targets
	//	t:func           a function, or a register with the address of one
	//	a:mov            whatever mov takes
	//	d:part, a:bytes  of 32 bits, with a selector: see Selection
	//	a:part-, c:-     which may be negated
	//	t:image          a texture or surface with a sampler and coordinates
	//	e:offset         an offset of coordinates
	//	x:grad           a step of coordinates
	//	t:map            a tensor map with coordinates
	//	o:pixels         offsets of the coordinates of pixels
	//	d|q              q is an optional second result
	Form string
	Kind Kind
	Doc  string
	// examples are instructions as people write them, for a row whose plain forms, which Examples
	// makes up itself, people do not write. Registers have the compilers' names; LABEL, LIST, f, out
	// and n are a label, a list of labels, a function and parameters.
	examples []string
	// Exec, Bind, Mem or Types gives the legal variants and their meaning.
	Exec  Exec
	Bind  func(v *Variant) lanes.Func
	Mem   func(v *Variant) lanes.MemFunc
	Types []Type                // legal first types, where no lane function is needed
	Legal func(v *Variant) bool // with Types: whether the modifiers go together; nil: all do
	// Imm is the constant that selects within a family of lane functions.
	Imm func(v *Variant) uint64
	// Fragment is how many registers of which type an operand is that is a fragment of
	// matrices; 0 for a variant that is not legal.
	Fragment func(m *Mods, operand byte) (registers int, t Type)
	// Check says what else is wrong with an instruction; "" when nothing is.
	Check func(in *Instr) string

	Syntax Syntax
	Cost   Cost
	Lower  Lower
	Facts

	parsed
}

// Syntax is the part of a row for what reads mnemonics: Dialect.Resolve, the checks of operands and Forms.
type Syntax struct {
	// later are first types that PTX has for the row and simtrun does not yet, in all forms or in some.
	later []Type
	// implied adds the modifiers that a dialect leaves out.
	implied func(d Dialect, in *Instr)
	// missing says which modifier a dialect cannot do without; "" when none is.
	missing func(d Dialect, in *Instr) string
	// possible says whether some legal form has at least these modifiers. It saves rows
	// with many forms a search; nil: it is not known.
	possible func(m *Mods) bool
	// takesAddress says that an operand may be the name of a variable or function,
	// which is its address.
	takesAddress bool
}

// Cost is the part of a row for the clock and the counters. Other packages read it through
// Spec.Unit, Spec.CostClass and Instr.FLOPs.
type Cost struct {
	// unit gives the execution unit of a legal variant.
	unit func(v *Variant) Unit
	// class gives the class of the machine instruction that does the work of a legal
	// variant; nil: the class of most instructions of its unit.
	class func(v *Variant) CostClass
	// flops is how many floating-point operations a lane does on a floating-point type, as
	// peaks of GPUs are counted: one for a sum or a product, two for both. 0 is for the rest.
	flops int
	// perWarp gives the floating-point operations of a warp, where lanes do not all do the
	// same number: a multiple of 32.
	perWarp func(in *Instr) int
}

// Lower is the part of a row for the compiler of lanes (package native), which reads it
// through Instr.Template and Instr.Vote.
type Lower struct {
	// code gives the template with which compiled code does what the lane function of a legal
	// variant does; nil, or a nil template: compiled code calls the lane function.
	code func(v *Variant) *jit.Template
	// vote is what compiled code does when all lanes of a warp execute an instruction at which they wait for each
	// other; nil, or jit.NoVote: compiled code leaves it to the engine.
	vote func(v *Variant) jit.Vote
}

// Facts is the part of a row for analyses of programs: packages program, native, flow, check, hazard and
// those that show or observe instructions. Each fact holds for all variants unless it is a function.
type Facts struct {
	// Accumulates reports whether an instruction reads its results, too; nil if none does.
	Accumulates func(in *Instr) bool
	// WholeWarp says that all lanes of a warp execute the instruction together.
	WholeWarp bool
	// Wide allows registers wider than their types (PTX ISA 9.4.1).
	Wide bool
	// SeesLanes says that the result depends on which lanes execute the instruction
	// together, unless it is a .sync form, which names them.
	SeesLanes bool
	// CarryIn says that the instruction reads the carry flag.
	CarryIn bool
	// Stack says that the instruction reads the stack pointer of the function, or writes it.
	Stack bool
	// ReadsRank says that the instruction reads %cluster_ctarank, without naming it.
	ReadsRank bool
	// Divides says that integers are divided by b, which may be 0.
	Divides bool
	// Selects says that d is a if the predicate c holds, and b otherwise.
	Selects bool
	// Aligned says that whole warps execute the barrier together, as they do one
	// with the modifier .aligned.
	Aligned bool
	// AtomOp is the atomic operation that does to memory what the row does to
	// registers; 0 if there is none.
	AtomOp Mod
	// Copies reports whether the instruction copies a to d, bit by bit; nil if it never
	// does.
	Copies func(in *Instr) bool
	// Sum gives the operands of which the result is the sum, or a copy of one; nil if there are none.
	// A row with Copies needs no Sum.
	Sum func(in *Instr) Sum
	// Arith is Instr.Arith.
	Arith Arith
	// Shrinks is Instr.Shrinks; nil if the row has no such instruction.
	Shrinks func(in *Instr) (keepsOnes, ok bool)
}

// parsed is what init reads from Mods and Form.
type parsed struct {
	mods    []modSlot
	ntypes  int
	formals []Formal
	results int // operands that are results: they stand first
	needed  int // operands that are not optional
	policy  int // the operand that only .L2::cache_hint has, after another optional one; 0: none
	gap     int // the optional operand before one that is not; 0: none
}

// modSlot is one item of Mods.
type modSlot struct {
	group    Group
	isType   bool
	optional bool
}

// FormalKind is what kind of operand a form asks for.
type FormalKind uint8

const (
	Value FormalKind = iota // register, immediate or special register
	Address
	Pointer // Value that is an address of 32 or 64 bits
	Vector  // Value, or as many of them as the vector modifier says
	Immediate
	Target
	Table
	Callee
	AnyMove      // what mov takes: also symbols and vectors
	Fragment     // registers with a lane's part of matrices
	Multiplicand // Fragment, or Value: the descriptor of a matrix
	Image        // [t], [t, {x, y}] or [t, s, {x, y}]: a texture or surface, a sampler, coordinates
	Offset       // Value, or a vector: as many as the geometry has coordinates
	TensorAt     // [t, {x, y}]: a tensor map, coordinates
	Pixels       // a vector: as many as an image has dimensions
	TensorMatrix // an address in tensor memory, or Value
	LaneMask     // a vector of four, or of eight for two CTAs
)

// Formal is one operand of a form.
type Formal struct {
	Name     byte
	Kind     FormalKind
	Result   bool
	Optional bool
	Select   Selection
	Negates  bool // it may have a sign: -%r1
	Half     bool // of the type that the modifier half says, if there is one
	Fixed    Type // a type of its own, or NoType
	Suffix   int  // else the type suffix it takes: 0 or 1
	Wide     bool // twice as wide under .wide
	Mbar     bool // the address of an mbarrier
	Tensor   bool // an address in tensor memory
	From     bool // an address in the space that the modifier From names
	OrPred   bool // a predicate will do, too

	fragment func(m *Mods, operand byte) (registers int, t Type) // the row's Fragment
}

// Type is the operand type of p in an instruction of the given types and
// modifiers.
func (p *Formal) Type(types [2]Type, mods *Mods) Type {
	t := p.Fixed
	if p.Kind == Fragment {
		_, t = p.fragment(mods, p.Name)
		return t
	}
	if t == NoType {
		t = types[p.Suffix]
	}
	if p.Half && mods[HalfG] != 0 {
		t = [...]Type{HalfF16: F16, HalfBF16: BF16}[mods[HalfG]]
	}
	if p.Wide && mods[Part] == WidePart {
		t = t.wide()
	}
	return t
}

// Registers is how many registers p is, which must be a Fragment.
func (p *Formal) Registers(mods *Mods) int {
	n, _ := p.fragment(mods, p.Name)
	return n
}

// Formals are the operands that the row takes, in order.
func (s *Spec) Formals() []Formal { return s.formals }

// Takes reports whether the row takes an operand of the kind.
func (s *Spec) Takes(kind FormalKind) bool {
	return slices.ContainsFunc(s.formals, func(p Formal) bool { return p.Kind == kind })
}

// Title is the base mnemonic of the row, with the modifier that distinguishes it from
// other rows of that name.
func (s *Spec) Title() string {
	if s.With != "" {
		return s.Name + "." + s.With
	}
	return s.Name
}

// Lookup is the row of that title, or nil.
func Lookup(title string) *Spec { return specByTitle[title] }

// Specs are all rows, sorted by title.
func Specs() []*Spec { return specs }

var specByTitle = func() map[string]*Spec {
	m := make(map[string]*Spec)
	for _, s := range specs {
		s.init()
		m[s.Title()] = s
		for i, c := range s.With { // that of which longer titles begin, if no row has it
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

// specsByName are the rows of each base mnemonic.
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
			p.Optional, p.fragment = optional || i > 0, s.Fragment
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

// groupsByName are the groups of modifiers by what rows call them.
var groupsByName = func() map[string]Group {
	m := make(map[string]Group, NumGroups)
	for g := range groups {
		m[groups[g].name] = Group(g)
	}
	return m
}()

// formalKinds are the kinds of operands by what forms call them, and the type of those that have one.
var formalKinds = map[string]struct {
	kind  FormalKind
	fixed Type
}{
	"ptr":    {Pointer, U64},
	"v":      {Vector, NoType},
	"imm":    {Immediate, U32},
	"label":  {Target, NoType},
	"table":  {Table, NoType},
	"func":   {Callee, NoType},
	"mov":    {AnyMove, NoType},
	"frag":   {Fragment, NoType},
	"lanes":  {LaneMask, B32},
	"matrix": {Multiplicand, B64},
	"image":  {Image, NoType},
	"offset": {Offset, S32},
	"grad":   {Offset, F32},
	"map":    {TensorAt, NoType},
	"pixels": {Pixels, U16},
}

func (s *Spec) parseFormal(text string) Formal {
	p := Formal{}
	if strings.HasPrefix(text, "[") {
		p.Kind = Address
		text = strings.Trim(text, "[]")
	}
	name, what, _ := strings.Cut(text, ":")
	p.Name = name[0]
	p.Result = p.Name == 'd' || p.Name == 'q'
	switch what {
	case "":
	case "1":
		p.Suffix = 1
	case "w":
		p.Wide = true
	case "half":
		p.Half = true
	case "from":
		p.From = true
	case "mbar":
		p.Mbar = true
	case "tensor":
		p.Tensor = true
	case "factor":
		p.Kind, p.Fixed, p.Tensor = TensorMatrix, B64, true
	case "size":
		p.Fixed, p.OrPred = U32, true
	default:
		if f, ok := formalKinds[what]; ok {
			p.Kind, p.Fixed = f.kind, f.fixed
		} else if p.Fixed = TypeByName(what); p.Fixed == NoType && !parseSelection(what, &p) {
			panic(fmt.Sprintf("simtrun bug: row %s: no type %q", s.Title(), what))
		}
	}
	return p
}

// bind is the meaning of a variant: its lane function or memory function, both nil
// for rows that have only Types. It is false if the row does not have the variant.
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

// Bind is the meaning of a checked instruction given the registers of v: its
// lane function or memory function, both nil for kinds that the run loop
// handles itself, and the constant for lanes.Op.Imm.
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

// Template is how compiled code executes a checked instruction given the widths of the registers in
// v; nil if it calls the lane function.
func (in *Instr) Template(v Variant) *jit.Template {
	if in.Spec.Lower.code == nil {
		return nil
	}
	v.Types, v.Mods, v.Third = in.Types, in.Mods, len(in.Args) == 4
	return in.Spec.Lower.code(&v)
}

// HasTemplates reports whether compiled code has a template for some variant of the row.
func (s *Spec) HasTemplates() bool { return s.Lower.code != nil }

// Vote is what compiled code does with a checked instruction where all lanes of a warp execute it; see Lower.
func (in *Instr) Vote() jit.Vote {
	if in.Spec.Lower.vote == nil {
		return jit.NoVote
	}
	return in.Spec.Lower.vote(&Variant{Types: in.Types, Mods: in.Mods})
}

// Mnemonic is the opcode with its modifiers and types in canonical order.
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

// Mode is how the lane functions of the instruction round and flush.
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

// Ordered is a weak load or store made one of a memory order and scope gpu. Those
// have no cache operator, and do not go through the read-only cache (PTX ISA 9.7.9,
// ld and st).
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

// Reduction is the mnemonic of the red that does to memory of a space what the
// instruction does to a register, given its other source; "" if PTX has none.
func (in *Instr) Reduction(space Space) string {
	if in.Spec.AtomOp == 0 || *in.Mods != (Mods{}) {
		return ""
	}
	red, mods, types := Lookup("red"), Mods{AtomOp: in.Spec.AtomOp}, in.Types
	for mods.MemSpace() != space {
		mods[SpaceG]++
	}
	if in.Spec.AtomOp == AtomAdd && types[0] == S64 {
		types[0] = U64 // which is the same sum, and the only name for it
	}
	if _, _, ok := red.bind(&Variant{Types: types, Mods: &mods}); !ok {
		return ""
	}
	return red.mnemonic(types, &mods)
}
