package program

import (
	"slices"
	"sync"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Func is the code of one function.
type Func struct {
	Src    *isa.Func
	Number int // index in Program.Funcs
	// Ops has a lanes.Op for each instruction, in order of PC, and one more that ends lanes which run off the end. Info
	// has the other facts about each.
	Ops    []lanes.Op
	Info   []Info
	Layout *Layout
	Graph  *flow.Graph
	// Matrices are the accesses of whole warps, by PC; nil if there are none.
	Matrices map[int]*MatrixAccess
	// Products are the products of matrices that warps compute of fragments, by PC; nil if there are none.
	Products map[int]*lanes.Product
	// Warpgroups are the instructions that warpgroups execute, by PC; nil if there are none.
	Warpgroups map[int]*Warpgroup
	// Clears are the instructions that fill memory, by PC; nil if there are none.
	Clears map[int]*Clear
	// Expansion is the function with calls of small functions replaced by their instructions; nil if there are none.
	Expansion *Expansion
	// LiveIn are the registers that may be read before they are written.
	LiveIn []isa.RegID

	// LocalBytes and FrameBytes are the sizes in bytes of an activation's local memory and .param variables, ParamBytes
	// that of a kernel's parameter block, all for one lane.
	LocalBytes, FrameBytes, ParamBytes int64
	// LocalAlign is the alignment of that part of local memory, a power of two.
	LocalAlign int64
	LocalSlots []LocalSlot
	ParamSlots []ParamSlot
	// Formals and Results are the values that a call passes to the function and returns.
	Formals, Results []Location

	local  map[string]int64    // offsets of local variables in the activation's part
	frame  map[string]frameVar // .param variables of the activation
	kernel map[string]int64    // offsets of a kernel's parameters in the parameter block
	copies copies
	read   []bool // by isa.RegID; see isRead
	// localSlot has LocalSlots by At and Wide.
	localSlot map[constant]uint32

	findLive  sync.Once
	live      map[int][]Span // by PC; see LiveAt
	findLoops sync.Once
	loops     []*Loop // by block

	findPolling sync.Once
	polling     []bool // by block; see MayPoll

	findWaiting sync.Once
	waiting     []int // by block; see WaitingLoop

	findEffects sync.Once
	effects     []effects // by PC
}

// Info has the facts about an instruction that its Op does not have.
type Info struct {
	Call    *CallSite
	Targets *[]int32   // of brx.idx
	Target  int32      // of a branch
	Members lanes.Mask // the lanes that take part in Sync, if they are constant, else 0
	Barrier uint32     // number of a barrier, or AnyBarrier
	Bits    OperandBits
	Space   isa.Space
	Size    uint8 // bytes that one lane moves
	// DstBits and SrcBits are the widths of the registers, as in isa.Variant.
	DstBits, SrcBits uint8
	// LoadsParam says that the Op is a move of a parameter's slot.
	LoadsParam bool
	// Around says that computations are attached to an access, before or after it.
	Around  bool
	ByIndex bool // brx.idx
	Leaves  bool // a branch that may leave its exit region
	Counted bool // a barrier with a number of threads
	Clock   bool // an operand is a clock
	Wide    bool // the address is 64 bits
	Frame   bool // in .param space: a variable of the activation
	Sync    bool // a mask in E names the lanes that take part
	Aligned bool // a barrier that whole warps should execute
	Divides bool // an integer division with a divisor that may be zero
	// OnlyShared says that an address, even a generic one, must be in the CTA's shared memory.
	OnlyShared bool
	BarOp      isa.Mod
	Polls      bool // a load of memory that others may write at any time, or an atomic
	Strong     bool // a store that other threads may read at any time
	Learns     bool // it Polls, and is not an atomic with an unused result: the behaviour of lanes may depend on it
	// Acquires says that accesses after the instruction see earlier releases of threads of other CTAs.
	Acquires bool
	// Reduction is nil unless the instruction is one.
	Reduction *Reduction
	// Copy is nil unless the instruction copies memory.
	Copy *Copy
	// Mbarrier is the place of the mbarrier that the instruction uses; nil for others.
	Mbarrier *Side
	// Tensor describes an instruction on tensor memory; nil for others.
	Tensor *Tensor
	// Answer is the destination of a clusterlaunchcontrol's answer; nil for others. The Mbarrier counts its bytes.
	Answer *Side
	// Image describes a texture or surface instruction; nil for others.
	Image *Image
}

// AnyBarrier stands for a barrier number in a register.
const AnyBarrier = ^uint32(0)

// OperandBits are the widths of the slots of a collective's operands: 1 for a predicate, 32, 64, or 0 for none.
type OperandBits struct{ A, B, C, D uint8 }

// newFunc returns a function with its variables placed, without code.
func (p *Program) newFunc(number int, src *isa.Func, localAlign int64) *Func {
	f := &Func{Src: src, Number: number, Graph: flow.New(src),
		local: make(map[string]int64), frame: make(map[string]frameVar), kernel: make(map[string]int64), localSlot: make(map[constant]uint32)}
	f.placeVariables(p.mod.locals, localAlign)
	f.LiveIn = f.Graph.LiveIn()
	return f
}

// layOut gives the registers of f their slots.
func (p *Program) layOut(f *Func) {
	var slots allocation
	src := f.Src
	if !p.Env.Precise {
		f.copies = p.findCopies(f)
		graph, copied := f.Graph, f.copies.regs
		if x := p.expand(f); x != nil {
			src, graph = &x.src, flow.New(&x.src)
			copied = append(slices.Clone(copied), make([]bool, len(src.Regs)-len(copied))...)
			p.expansions = append(p.expansions, x)
		}
		slots = allocate(src, graph, copied)
	}
	f.Layout = newLayout(src, slots)
	p.shareCopies(f)
	if !f.Src.Entry {
		f.Formals, f.Results = f.locations(f.Src.Params), f.locations(f.Src.Returns)
	}
}

// lower makes an Op of each instruction of f.
func (p *Program) lower(f *Func) error {
	if f.Src.Later != nil {
		return f.Src.Later
	}
	n := len(f.Src.Code)
	f.Ops, f.Info = make([]lanes.Op, n+1), make([]Info, n+1)
	var l lowering
	for pc := range n {
		l = lowering{p: p, f: f, pc: pc, in: &f.Src.Code[pc], op: &f.Ops[pc], info: &f.Info[pc]}
		if err := l.instruction(); err != nil {
			return err
		}
	}
	f.Ops[n] = lanes.Op{Kind: uint8(f.endKind()), Guard: f.Layout.True}
	return nil
}

// bits returns the width of an operand's register; that of type t for other operands.
func (f *Func) bits(a *isa.Operand, t isa.Type) int {
	if a.Kind == isa.RegOperand {
		return f.Src.Regs[a.Reg].Type.Bits()
	}
	return t.Bits()
}
