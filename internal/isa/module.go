package isa

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Module is one assembled source file.
type Module struct {
	Name        string // the file's name, as messages show it
	Version     string // ".version", "" when the source has none
	Target      string // ".target", "" when the source has none
	VersionPos  Pos    // of the operand of .version
	TargetPos   Pos    // of the operand of .target
	AddressSize int    // 32 or 64; 64 when the source is silent
	Vars        []*Var
	Funcs       []*Func // entries and functions, declared or defined, in source order
	Aliases     []Alias
}

// Alias is a second name of a function: .alias Name, Target.
type Alias struct {
	Name, Target string
	Pos          Pos
}

// Func is the function or kernel of that name, through aliases: its definition
// where there is one, else a declaration, or nil.
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

// Entry is the kernel of that name, or nil.
func (m *Module) Entry(name string) *Func {
	for _, f := range m.Funcs {
		if f.Name == name && f.Entry && f.Defined {
			return f
		}
	}
	return nil
}

// Entries are the kernels in source order, without mere declarations.
func (m *Module) Entries() []*Func {
	var es []*Func
	for _, f := range m.Funcs {
		if f.Entry && f.Defined {
			es = append(es, f)
		}
	}
	return es
}

// MaxParams is how many bytes of parameters a kernel of m may have (PTX ISA 5.1.6.1):
// 4 KB, and 32,764 from PTX 8.1 and sm_70 on. A module without a version may have as
// many as the latest.
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

// Linkage is how a name is seen from other modules.
type Linkage uint8

const (
	Internal Linkage = iota
	Visible
	Extern
	Weak
	Common
	Hidden // seen from modules it is linked with, not from the host
)

var linkageNames = [...]string{"", ".visible", ".extern", ".weak", ".common", ".hidden"}

// String is the directive, with its dot; "" for Internal.
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
	// SharedCluster is the shared memory of all CTAs of a cluster. It is a space of
	// instructions alone: memory itself is in Shared.
	SharedCluster
)

var spaceNames = [...]string{"generic", "global", "shared", "local", "const", "param", "reg", "shared::cluster"}

// Package lanes, which cannot import this one, knows one space by its number.
var _ = [1]struct{}{}[Shared-Space(lanes.SharedSpace)]

// String is the space's name without a dot.
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
	Align   int   // bytes; the element's size unless .align says more
	Ptr     *Ptr  // what a pointer parameter promises, or nil
	Init    []Init
	Fields  []Field // of a texture, sampler or surface
	Pos     Pos
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
	Mask    uint64 // the eight bits that are meant of an address, 0xff00(Sym); 0: all
	Hex     bool   // Bits is written in hexadecimal
	Cut     bool   // the source's constant has more bits than the variable's type
	Pos     Pos
}

// RegID numbers the registers of a function, in order of first use.
type RegID int32

// NoReg is the absence of a register.
const NoReg RegID = -1

// Reg is a virtual register.
type Reg struct {
	Name string // with its %, unique in the function
	Type Type
}

// Label is a place in a function's code. PC may be len(Code).
type Label struct {
	Name string
	PC   int
	Pos  Pos
}

// Dim is a three-dimensional extent or index.
type Dim struct{ X, Y, Z uint32 }

// String is the extent as directives have it: 132x4x1.
func (d Dim) String() string { return fmt.Sprintf("%dx%dx%d", d.X, d.Y, d.Z) }

// Count is the number of elements of the extent; math.MaxInt64 if there are more.
func (d Dim) Count() int64 {
	high, low := bits.Mul64(uint64(d.X)*uint64(d.Y), uint64(d.Z))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}

// Warps is how many warps a grid of CTAs of block threads has: up to 32 times
// 2^63, more than an int64 holds.
func Warps(grid, block Dim) *big.Int {
	perCTA := (block.Count() + lanes.Width - 1) / lanes.Width
	return new(big.Int).Mul(big.NewInt(grid.Count()), big.NewInt(perCTA))
}

// Number is that of the element at a place of the extent, from 0, counted with x
// fastest, then y, then z.
func (d Dim) Number(at Dim) int64 {
	return (int64(at.Z)*int64(d.Y)+int64(at.Y))*int64(d.X) + int64(at.X)
}

// At is the place of element n of the extent, as Number counts them.
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

	// Performance directives; zero where absent.
	MaxNTID, ReqNTID Dim
	MinCTAs, MaxRegs int
	NoReturn         bool
	// Cluster is .reqnctapercluster: the CTAs of a cluster in each dimension. ExplicitCluster
	// asks for launches that say how many they are, and MaxClusterRank is how many may be
	// in one at most.
	Cluster         Dim
	ExplicitCluster bool
	MaxClusterRank  int

	// Later is a declaration in the body that keeps it from being run yet, or
	// nil. Single instructions have a Later of their own.
	Later *Error
}

// RegsOf is the registers of those parameters or results of f that are in registers.
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

// PosAt is where the instruction at a PC stands; at len(f.Code), the end of f.
func (f *Func) PosAt(pc int) Pos {
	if pc == len(f.Code) {
		return f.End
	}
	return f.Code[pc].Pos
}

// Prototype is a .callprototype or .calltargets statement: what an indirect
// call may call.
type Prototype struct {
	Name            string // its label
	Returns, Params []*Var
	Targets         []string // of .calltargets; nil for a .callprototype
	NoReturn        bool
	Pos             Pos
}

// ParamLayout is the byte offset of each parameter in the parameter block, and
// the block's size: in order, each aligned as declared (PTX ISA 5.1.6.1).
func (f *Func) ParamLayout() (offsets []int64, size int64) {
	for _, p := range f.Params {
		a := int64(max(p.Align, 1))
		size = (size + a - 1) / a * a
		offsets = append(offsets, size)
		size += p.Size()
	}
	return offsets, size
}

// Inlined is a place at which a function was inlined into another one.
type Inlined struct {
	At Pos
	By *Inlined // where that one was inlined in turn, or nil
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
	Loc      Pos // where .loc says the line came from
	// Inlined is where the function of Loc was inlined, if .loc says that it was.
	Inlined *Inlined
	Later   string // why the instruction cannot be run yet; "" when it can
	Raw     string // of an instruction with Later: opcode and operands as the source has them
}

// Is reports whether the instruction is of a kind. What cannot be run yet is of
// none, and counts as straight-line code: it has no row, or unchecked operands.
func (in *Instr) Is(k Kind) bool { return in.Later == "" && in.Spec != nil && in.Spec.Kind == k }

// Indirect reports whether the instruction is a call of the function whose
// address a register holds.
func (in *Instr) Indirect() bool { return in.Call != nil && in.Args[0].Kind == RegOperand }

// Call is what a call has beside its target.
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
	RegOperand                        // %r1, !%p1; where st takes it, %r1+4
	ImmOperand                        // 7, 0f3f800000, WARP_SZ
	SpecialOperand                    // %tid.x
	SymOperand                        // x, x+4: the address of a variable or function
	AddrOperand                       // [%rd1+4], [x+4], [256]
	VecOperand                        // {a, b, c, d}
	LabelOperand                      // a branch target
	SinkOperand                       // _
	TableOperand                      // a list of branch targets: Sym, with LabelOperands as Elems
	ImageOperand                      // [t, s, {x, y}]: Elems are the texture or surface, the sampler or NoOperand, the coordinates
)

// PosOf is where an operand of the instruction stands; the instruction's place for
// one that the source does not write out.
func (in *Instr) PosOf(a *Operand) Pos {
	if a.Line == 0 {
		return in.Pos
	}
	return Pos{in.Pos.File, a.Line, a.Col}
}

// Operand is one operand of an instruction. Large programs have millions of them.
type Operand struct {
	Kind      OperandKind
	Not       bool      // !p
	Hex       bool      // Bits is written in hexadecimal
	Lit       Lit       // of an immediate
	Special   Special   // of a special register; of a vector of them, the first
	Neg       bool      // -%r1
	Select    Selector  // %r1.b0
	Reg       RegID     // register; base of an address, NoReg if it has none
	Line, Col int32     // where it stands in the file of its instruction: see PosOf
	Bits      uint64    // value of an immediate; signed offset of an address or symbol, or what is added to a register; of a label, its index in Func.Labels
	Sym       string    // variable or function; base of an address
	Elems     []Operand // of a vector
}

// Label is the index of a LabelOperand in Func.Labels.
func (a *Operand) Label() int { return int(a.Bits) }

// Lit is how an immediate was written, which decides how Bits is read.
type Lit uint8

const (
	IntLit Lit = iota // 64-bit two's complement
	F32Lit            // 0f3f800000: the bits of a float32
	F64Lit            // 0d…, 1.5: the bits of a float64
)
