package isa

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Module is one assembled source file.
type Module struct {
	Name        string // the file's name in messages
	Version     string // ".version", "" when the source has none
	Target      string // ".target", "" when the source has none
	VersionPos  Pos    // of the operand of .version
	TargetPos   Pos    // of the operand of .target
	AddressSize int    // 32 or 64; 64 without .address_size
	Vars        []*Var
	Funcs       []*Func // entries and functions, declared or defined, in source order
	Aliases     []Alias
}

// Alias is a second name of a function: .alias Name, Target.
type Alias struct {
	Name, Target string
	Pos          Pos
}

// Func returns the function or kernel with a name, following aliases: its definition if there is one, else a
// declaration, or nil.
func (m *Module) Func(name string) *Func {
	for _, a := range m.Aliases {
		if a.Name == name {
			name = a.Target
		}
	}
	var declared *Func
	for _, f := range m.Funcs {
		if f.Name == name && f.Defined {
			return f
		}
		if f.Name == name && declared == nil {
			declared = f
		}
	}
	return declared
}

// Entry returns the kernel with a name, or nil.
func (m *Module) Entry(name string) *Func {
	for _, f := range m.Funcs {
		if f.Name == name && f.Entry && f.Defined {
			return f
		}
	}
	return nil
}

// Entries returns the defined kernels in source order.
func (m *Module) Entries() []*Func {
	var es []*Func
	for _, f := range m.Funcs {
		if f.Entry && f.Defined {
			es = append(es, f)
		}
	}
	return es
}

// MaxParams returns how many bytes of parameters a kernel of m may have (PTX ISA 5.1.6.1): 4 KB, or 32,764 since PTX
// 8.1 on sm_70 and later. A module without a version has the latest limit.
func (m *Module) MaxParams() int64 {
	var major, minor, sm int
	if m.Version == "" {
		return 32764
	}
	fmt.Sscanf(m.Version, "%d.%d", &major, &minor)
	fmt.Sscanf(m.Target, "sm_%d", &sm)
	if (major > 8 || major == 8 && minor >= 1) && sm >= 70 {
		return 32764
	}
	return 4096
}

// Linkage is the visibility of a name in other modules.
type Linkage uint8

const (
	Internal Linkage = iota
	Visible
	Extern
	Weak
	Common
	Hidden // visible in modules linked with it, but not on the host
)

var linkageNames = [...]string{"", ".visible", ".extern", ".weak", ".common", ".hidden"}

// String returns the directive, with its dot; "" for Internal.
func (l Linkage) String() string { return linkageNames[l] }

// Space is a PTX state space (PTX ISA 5.1).
type Space uint8

const (
	Generic Space = iota
	Global
	Shared
	Local
	Const
	Param
	RegSpace // a parameter that is a register: .func (.reg .u32 r)
	// SharedCluster is the shared memory of all CTAs of a cluster. Only instructions use this space: memory itself is in
	// Shared.
	SharedCluster
)

var spaceNames = [...]string{"generic", "global", "shared", "local", "const", "param", "reg", "shared::cluster"}

// Package lanes, which cannot import this package, uses the number of one space.
var _ = [1]struct{}{}[Shared-Space(lanes.SharedSpace)]

// String returns the space's name without a dot.
func (s Space) String() string { return spaceNames[s] }

// MarshalText implements encoding.TextMarshaler: the space's name.
func (s Space) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Space) UnmarshalText(name []byte) error {
	i := slices.Index(spaceNames[:], string(name))
	if i < 0 || len(name) == 0 {
		return fmt.Errorf("no state space %q", name)
	}
	*s = Space(i)
	return nil
}

// Var is a variable in a state space, or a parameter.
type Var struct {
	Name    string
	Space   Space
	Linkage Linkage
	Type    Type
	Vec     int   // elements of a vector type (.v2, .v4); 1 otherwise
	Count   int64 // array elements; 1 for a scalar; 0 for an unsized array: x[]
	Array   bool  // declared with brackets
	Align   int   // bytes; at least the element's size
	Ptr     *Ptr  // attributes of a pointer parameter, or nil
	Init    []Init
	Fields  []Field // of a texture, sampler or surface
	Pos     Pos
	// Names are the names of the function's parameters in the source, and Index is the position of this one among them;
	// nil if they are not known.
	Names *ParamNames
	Index int
}

// Shown returns the name that users know: that in the source, or else that in the PTX.
func (v *Var) Shown() string { return cmp.Or(v.Source(), v.Name) }

// Source returns the name of a kernel's parameter in the source that was compiled, such as "x"; "" if it is not known.
func (v *Var) Source() string { return v.named().Name }

// SourceType returns the type of a kernel's parameter in the source that was compiled, such as "const float *"; "" if
// it is not known.
func (v *Var) SourceType() string { return v.named().Type }

func (v *Var) named() Named {
	if v.Names == nil {
		return Named{}
	}
	return v.Names.once.Once(v.Names.find).([]Named)[v.Index]
}

// Named is the name and the type of a parameter in the source.
type Named struct{ Name, Type string }

// ParamNames are the names of a function's parameters, which are looked up when one of them is first needed.
type ParamNames struct {
	once Lazy
	find func() any
}

// NameParams sets the function that finds the names and types of the parameters in the source, in their order. It is
// called once, when a name is first asked for.
func (f *Func) NameParams(find func() []Named) {
	names := &ParamNames{find: func() any { return find() }}
	for i, v := range f.Params {
		v.Names, v.Index = names, i
	}
}

// Ptr is the .ptr attribute of a kernel parameter.
type Ptr struct {
	Space Space
	Align int
	To    Type // TexRef, SamplerRef or SurfRef if the parameter is a handle of one, else NoType
}

// Size is the variable's size in bytes; 0 for an unsized array.
func (v *Var) Size() int64 { return int64(v.Type.Bytes()) * int64(v.Vec) * v.Count }

// Init is one element of an initialiser, in the variable's element type. With
// Sym it is an address plus Bits as a signed offset.
type Init struct {
	Bits    uint64
	Sym     string
	Generic bool   // generic(Sym)
	Mask    uint64 // for 0xff00(Sym): the mask of eight bits of an address; 0 for the whole value
	Hex     bool   // Bits is written in hexadecimal
	Cut     bool   // the constant in the source has more bits than the variable's type
	Pos     Pos
}

// RegID numbers the registers of a function, in order of first use.
type RegID int32

// NoReg means no register.
const NoReg RegID = -1

// Reg is a virtual register.
type Reg struct {
	Name string // with its %, unique in the function
	Type Type
}

// Label is a position in a function's code. PC may be len(Code).
type Label struct {
	Name string
	PC   int
	Pos  Pos
}

// Dim is a three-dimensional extent or index.
type Dim struct{ X, Y, Z uint32 }

// String returns the extent as in directives: 132x4x1.
func (d Dim) String() string { return fmt.Sprintf("%dx%dx%d", d.X, d.Y, d.Z) }

// Count returns the number of elements of the extent; math.MaxInt64 if there are more.
func (d Dim) Count() int64 {
	high, low := bits.Mul64(uint64(d.X)*uint64(d.Y), uint64(d.Z))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}

// Warps returns the number of warps of a grid of CTAs with block threads. It may be up to 32 times 2^63, more than an
// int64 holds.
func Warps(grid, block Dim) *big.Int {
	perCTA := (block.Count() + lanes.Width - 1) / lanes.Width
	return new(big.Int).Mul(big.NewInt(grid.Count()), big.NewInt(perCTA))
}

// Number returns the number of the element at an index, from 0, counted with x fastest, then y, then z.
func (d Dim) Number(at Dim) int64 {
	return (int64(at.Z)*int64(d.Y)+int64(at.Y))*int64(d.X) + int64(at.X)
}

// At returns the index of element n of the extent, as Number counts them.
func (d Dim) At(n int64) Dim {
	x, y := int64(d.X), int64(d.Y)
	return Dim{X: uint32(n % x), Y: uint32(n / x % y), Z: uint32(n / x / y)}
}

// Func is a kernel (.entry) or a device function (.func).
type Func struct {
	Name    string
	Entry   bool
	Defined bool // has a body
	Linkage Linkage
	Params  []*Var
	Returns []*Var // of a .func
	Vars    []*Var // .shared, .local and .param declarations of the body
	Regs    []Reg
	Labels  []Label
	Protos  []*Prototype
	Code    []Instr
	Pos     Pos
	End     Pos // of the closing brace

	Limits
	// Debug is the module's information about the sources that it was compiled from; nil for PTX written by hand.
	Debug *Debug

	// Later is the error for a declaration in the body that simtrun does not support yet, or nil. Single instructions
	// have a Later of their own.
	Later *Error
}

// Limits are the performance directives of a function; zero if absent.
type Limits struct {
	MaxNTID, ReqNTID Dim
	MinCTAs, MaxRegs int
	NoReturn         bool
	// Cluster is .reqnctapercluster: the CTAs of a cluster in each dimension. ExplicitCluster requires launches to set
	// the size of a cluster, and MaxClusterRank limits the CTAs of a cluster.
	Cluster         Dim
	ExplicitCluster bool
	MaxClusterRank  int
}

// RegsOf returns the registers of those parameters or results of f that are in registers.
func (f *Func) RegsOf(vars []*Var) []RegID {
	var ids []RegID
	for _, v := range vars {
		if v.Space == RegSpace {
			if id := slices.IndexFunc(f.Regs, func(r Reg) bool { return r.Name == v.Name }); id >= 0 {
				ids = append(ids, RegID(id))
			}
		}
	}
	return ids
}

// PosAt returns the position of the instruction at a PC; at len(f.Code), the end of f.
func (f *Func) PosAt(pc int) Pos {
	if pc == len(f.Code) {
		return f.End
	}
	return f.Code[pc].Pos
}

// Prototype is a .callprototype or .calltargets statement, which limits the functions that an indirect call may call.
type Prototype struct {
	Name            string // its label
	Returns, Params []*Var
	Targets         []string // of .calltargets; nil for a .callprototype
	NoReturn        bool
	Pos             Pos
}

// ParamLayout returns the byte offset of each parameter in the parameter block, and the block's size. Parameters are
// in order, each aligned as declared (PTX ISA 5.1.6.1).
func (f *Func) ParamLayout() (offsets []int64, size int64) {
	for _, p := range f.Params {
		a := int64(max(p.Align, 1))
		size = (size + a - 1) / a * a
		offsets = append(offsets, size)
		size += p.Size()
	}
	return offsets, size
}

// Inlined is a position at which a function was inlined into another one.
type Inlined struct {
	At Pos
	By *Inlined // where the other function was inlined itself, or nil
	// Function is where section .debug_str has the name of the function that was inlined: a label, also with an offset,
	// as in "$L__info_string0+24". It is "" if that is not said.
	Function string
}

// Instr is one instruction, checked against its row of the table.
type Instr struct {
	Spec     *Spec
	Types    [2]Type // the type suffixes, in order
	Mods     *Mods   // shared by the instructions of a mnemonic
	Guard    RegID   // NoReg when unguarded
	GuardNot bool    // @!p
	Args     []Operand
	Call     *Call // of a call
	Pos      Pos
	Loc      Pos // source position given by .loc
	// Inlined is where the function of Loc was inlined, if .loc has that.
	Inlined *Inlined
	Later   string // why the instruction is not supported yet; "" if it is
	Raw     string // for an instruction with Later: opcode and operands as in the source
}

// Is reports whether the instruction is of a kind. It is false for unsupported instructions, which have no row or
// unchecked operands; these count as straight-line code.
func (in *Instr) Is(k Kind) bool { return in.Later == "" && in.Spec != nil && in.Spec.Kind == k }

// Indirect reports whether the instruction is a call of the function with its address in a register.
func (in *Instr) Indirect() bool { return in.Call != nil && in.Args[0].Kind == RegOperand }

// Call is the part of a call other than its target.
type Call struct {
	// Rets and Args are .param variables (SymOperand), registers or, for Args,
	// constants.
	Rets, Args []Operand
	Proto      string // the prototype of an indirect call; "" for a direct one
}

// OperandKind is the shape of an operand.
type OperandKind uint8

const (
	NoOperand      OperandKind = iota // an optional operand that is absent
	RegOperand                        // %r1, !%p1; for st also %r1+4
	ImmOperand                        // 7, 0f3f800000, WARP_SZ
	SpecialOperand                    // %tid.x
	SymOperand                        // x, x+4: the address of a variable or function
	AddrOperand                       // [%rd1+4], [x+4], [256]
	VecOperand                        // {a, b, c, d}
	LabelOperand                      // a branch target
	SinkOperand                       // _
	TableOperand                      // a list of branch targets: Sym, with its LabelOperands in Elems
	ImageOperand                      // [t, s, {x, y}]: Elems are the texture or surface, the sampler or NoOperand, the coordinates
)

// PosOf returns the position of an operand of the instruction, or the instruction's position for an operand that the
// source does not have.
func (in *Instr) PosOf(a *Operand) Pos {
	if a.Line == 0 {
		return in.Pos
	}
	return Pos{in.Pos.File, a.Line, a.Col}
}

// Operand is one operand of an instruction. Large programs have millions of them.
type Operand struct {
	Kind      OperandKind
	Not       bool     // !p
	Hex       bool     // Bits is written in hexadecimal
	Lit       Lit      // of an immediate
	Special   Special  // a special register, or the first one of a vector
	Neg       bool     // -%r1
	Select    Selector // %r1.b0
	Reg       RegID    // register; base of an address, NoReg if it has none
	Line, Col int32    // position in the file of its instruction: see PosOf
	// For an immediate, its value; for an address, a symbol or a register of st, the signed offset; for a label, its
	// index in Func.Labels.
	Bits  uint64
	Sym   string    // variable or function; base of an address
	Elems []Operand // of a vector
}

// Label returns the index of a LabelOperand in Func.Labels.
func (a *Operand) Label() int { return int(a.Bits) }

// Lit is how an immediate was written, which decides how Bits is read.
type Lit uint8

const (
	IntLit Lit = iota // 64-bit two's complement
	F32Lit            // 0f3f800000: the bits of a float32
	F64Lit            // 0d…, 1.5: the bits of a float64
)
