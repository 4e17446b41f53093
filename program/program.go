// Package program is what a kernel is once everything about it that is known
// before a launch has been resolved: where its registers lie, a lanes.Op for each
// instruction, what its calls pass, its shared memory, and whether the order in
// which lanes run can be seen.
package program

import (
	"encoding/binary"
	"fmt"

	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// Program is a kernel with everything resolved: its own code and that of the
// functions that it can reach.
type Program struct {
	Funcs     []*Func // the kernel is the first
	Static    int64   // bytes of static shared memory
	SeesLanes bool    // it has instructions whose result depends on which lanes run together
	MaxParams int64   // bytes of parameters that a kernel of its module may have
	Env       Env

	mod       *Module
	number    map[string]int // of a function by its name
	shared    map[string]int64
	dynamicAt int64 // where dynamic shared memory starts
	// localAlign is the alignment of an activation's part of local memory.
	localAlign int64
}

// Env is what a program depends on beside its module.
type Env struct {
	// Variable is the address of a variable of the module in global or constant
	// memory.
	Variable func(name string) (addr uint64, ok bool)
	// Precise says that registers are looked at, and set, between instructions:
	// every one has a slot of its own, which holds what it should.
	Precise bool
}

// Kernel is the code of the kernel itself.
func (p *Program) Kernel() *Func { return p.Funcs[0] }

// Number is the index in Funcs of the function of that name.
func (p *Program) Number(name string) (n int, ok bool) {
	n, ok = p.number[name]
	return n, ok
}

// SharedBytes is the shared memory of a CTA that is launched with so many bytes
// of dynamic shared memory.
func (p *Program) SharedBytes(dynamic int64) int64 {
	if dynamic == 0 {
		return p.Static
	}
	return p.dynamicAt + dynamic
}

// Func is the code of one function.
type Func struct {
	Src    *isa.Func
	Number int // index in Program.Funcs
	// Ops has a lanes.Op for each instruction, in order of PC, and one more that
	// ends lanes which run off the end. Info is what else is known of each.
	Ops    []lanes.Op
	Info   []Info
	Layout *Layout
	Graph  *flow.Graph
	// LiveIn is the registers that may be read before they are written.
	LiveIn []isa.RegID

	// LocalBytes and FrameBytes are what an activation takes of local memory and
	// of .param variables, ParamBytes the parameter block of a kernel, all for one
	// lane.
	LocalBytes, FrameBytes, ParamBytes int64
	LocalSlots                         []LocalSlot
	ParamSlots                         []ParamSlot
	Formals, Results                   []Passed

	local     map[string]int64 // local variables, by their place in the activation's part
	frame     map[string]int64 // .param variables of the activation, likewise
	frameSize map[string]int64 // the bytes of each of those
	kernel    map[string]int64 // parameters of a kernel, in the parameter block
	// aliased is, by PC, the instructions that only make a register an alias.
	aliased []bool
}

// Info is what is known of an instruction beside its Op.
type Info struct {
	Mem     lanes.MemFunc
	Call    *CallSite
	Targets *[]int32   // of brx.idx
	Target  int32      // of a branch
	Members lanes.Mask // the lanes that take part in Sync, if the text has them, else 0
	Barrier uint32     // number of a barrier, or AnyBarrier
	Widths  Widths
	Space   isa.Space
	Size    uint8 // bytes that one lane moves
	ByIndex bool  // brx.idx
	Leaves  bool  // a branch that may leave its exit region
	Counted bool  // a barrier with a number of threads
	Clock   bool  // reads a clock
	Wide    bool  // the address is 64 bits
	Frame   bool  // in .param space: a variable of the activation
	Sync    bool  // a mask in E names the lanes that take part
	Aligned bool  // a barrier that whole warps should execute
	Divides bool  // an integer by what may be zero
	BarOp   isa.Mod
	Polls   bool // a load of what others may write at any time, or an atomic
}

// AnyBarrier stands for the number of a barrier that is in a register.
const AnyBarrier = ^uint32(0)

// Widths are the bits of the slots that a collective's operands are in: 1 for
// a predicate, 32, 64, or 0 for none.
type Widths struct{ A, B, C, D uint8 }

// ParamSlot is a read-only slot that holds a kernel's parameter in every lane.
type ParamSlot struct {
	Off  uint32
	Bits int   // width of the register that is loaded
	at   int64 // in the parameter block
	typ  isa.Type
}

// LocalSlot is a read-only slot that holds the address of a local variable,
// which depends on the activation.
type LocalSlot struct {
	Off  uint32
	At   uint64 // in the activation's part of local memory
	Wide bool
}

// Value is what the slot holds, given the parameter block: extended to the
// register's width as a load would.
func (s *ParamSlot) Value(params []byte) uint64 {
	var b [8]byte
	copy(b[:], params[s.at:s.at+int64(s.typ.Bytes())])
	v := binary.LittleEndian.Uint64(b[:])
	if s.typ.Class() == isa.Signed {
		spare := 64 - s.typ.Bits()
		v = uint64(int64(v<<spare) >> spare)
	}
	return v & (1<<s.Bits - 1)
}

// Lower resolves a kernel and what it can call. An instruction that cannot be
// run yet is an *isa.Error with its position.
func (m *Module) Lower(kernel *isa.Func, env Env) (*Program, error) {
	p := &Program{Env: env, MaxParams: m.Src.MaxParams(), mod: m, number: make(map[string]int), shared: make(map[string]int64)}
	fns := m.reachable(kernel)
	p.placeShared(fns)
	p.localAlign = m.localAlign(fns)
	for i, fn := range fns {
		p.number[fn.Name] = i
		p.Funcs = append(p.Funcs, p.newFunc(i, fn))
	}
	for _, f := range p.Funcs {
		if err := p.lower(f); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// newFunc lays out fn's registers and variables.
func (p *Program) newFunc(number int, fn *isa.Func) *Func {
	graph, temps := flow.New(fn), Temporaries(nil)
	if !p.Env.Precise {
		temps = temporaries(fn, graph)
	}
	f := &Func{Src: fn, Number: number, Graph: graph, Layout: NewLayout(fn, temps), frameSize: frameSizes(fn), local: make(map[string]int64), frame: make(map[string]int64), kernel: make(map[string]int64)}
	if fn.Entry {
		offsets, size := fn.ParamLayout()
		for i, v := range fn.Params {
			f.kernel[v.Name] = offsets[i]
		}
		f.ParamBytes = size
	} else {
		f.Formals = f.passedAs(fn.Params)
		f.Results = f.passedAs(fn.Returns)
	}
	for _, v := range fn.Vars {
		switch v.Space {
		case isa.Local:
			f.local[v.Name] = place(&f.LocalBytes, v)
		case isa.Param:
			f.frame[v.Name] = place(&f.FrameBytes, v)
		}
	}
	for _, v := range p.mod.locals {
		f.local[v.Name] = place(&f.LocalBytes, v)
	}
	f.LocalBytes = alignUp(f.LocalBytes, p.localAlign)
	f.FrameBytes = alignUp(f.FrameBytes, 16)
	return f
}

func (p *Program) lower(f *Func) error {
	fn := f.Src
	if fn.Later != nil {
		return fn.Later
	}
	f.LiveIn = f.Graph.LiveIn(fn)
	f.aliased = make([]bool, len(fn.Code))
	if !p.Env.Precise {
		p.alias(f)
	}
	f.Ops = make([]lanes.Op, len(fn.Code)+1)
	f.Info = make([]Info, len(fn.Code)+1)
	for pc := range fn.Code {
		l := lowering{p: p, f: f, in: &fn.Code[pc], op: &f.Ops[pc], info: &f.Info[pc], aliased: f.aliased[pc]}
		if err := l.instruction(); err != nil {
			return err
		}
	}
	for pc := range fn.Code {
		in, op := &f.Info[pc], &f.Ops[pc]
		in.Leaves = f.Graph.MayLeave(pc)
		switch kind := isa.Kind(op.Kind); {
		case kind == isa.Branch && !in.Leaves && !in.ByIndex:
			op.Kind, op.Imm = uint8(Jump), uint64(in.Target)
		case kind == isa.Compute && op.Guard != f.Layout.True:
			op.Kind = uint8(Guarded)
		}
	}
	f.Ops[len(fn.Code)] = lanes.Op{Kind: uint8(f.endKind()), Guard: f.Layout.True}
	return nil
}

// localAlign is the alignment of an activation's part of local memory, in which
// variables of any of fns and of the module may lie.
func (m *Module) localAlign(fns []*isa.Func) int64 {
	align := int64(16)
	add := func(vars []*isa.Var) {
		for _, v := range vars {
			if v.Space == isa.Local {
				align = max(align, int64(v.Align))
			}
		}
	}
	add(m.locals)
	for _, fn := range fns {
		add(fn.Vars)
	}
	return align
}

// Kinds that only the run loop tells apart.
const (
	// Jump is a branch to one place, in Op.Imm, of which the model needs to hear
	// only when it parts lanes.
	Jump = isa.NumKinds + iota
	// Guarded is isa.Compute with a guard; without one it is what there is most of.
	Guarded
)

// endKind is what ret does, and the end of the code: in a kernel the thread has
// ended.
func (f *Func) endKind() isa.Kind {
	if f.Src.Entry {
		return isa.Exit
	}
	return isa.Return
}

// reachable are the kernel and all functions that it can call: those that are
// called by name, and those whose address is taken, in code or by an
// initialiser.
func (m *Module) reachable(kernel *isa.Func) []*isa.Func {
	fns, known := []*isa.Func{kernel}, map[*isa.Func]bool{kernel: true}
	add := func(name string) {
		if fn := m.funcs[name]; fn != nil && fn.Defined && !fn.Entry && !known[fn] {
			fns = append(fns, fn)
			known[fn] = true
		}
	}
	addressed := false // functions whose address is in a variable are there
	for i := 0; i < len(fns); i++ {
		indirect := false
		for pc := range fns[i].Code {
			in := &fns[i].Code[pc]
			for k := range in.Args {
				if in.Args[k].Kind == isa.SymOperand {
					add(in.Args[k].Sym)
				}
			}
			indirect = indirect || in.Indirect()
		}
		if !indirect || addressed {
			continue
		}
		addressed = true
		for _, v := range m.Src.Vars {
			for _, init := range v.Init {
				if init.Sym != "" {
					add(init.Sym)
				}
			}
		}
	}
	return fns
}

// placeShared lays out shared memory: the variables of the functions, and
// those of the module that they name. There is one of each per CTA.
func (p *Program) placeShared(fns []*isa.Func) {
	var dynamic []*isa.Var
	add := func(v *isa.Var) {
		switch {
		case v.Space != isa.Shared:
		case v.Linkage == isa.Extern && v.Count == 0:
			dynamic = append(dynamic, v)
		default:
			p.shared[sharedName(nil, v)] = place(&p.Static, v)
		}
	}
	used := make(map[string]bool)
	for _, fn := range fns {
		for name := range namesIn(fn) {
			used[name] = true
		}
		for _, v := range fn.Vars {
			if v.Space == isa.Shared {
				p.shared[sharedName(fn, v)] = place(&p.Static, v)
			}
		}
	}
	for _, v := range p.mod.Src.Vars {
		if used[v.Name] {
			add(v)
		}
	}
	// All dynamic arrays start at the same place, after the static variables.
	align := int64(1)
	for _, v := range dynamic {
		align = max(align, int64(v.Align))
	}
	p.dynamicAt = alignUp(p.Static, align)
	for _, v := range dynamic {
		p.shared[sharedName(nil, v)] = p.dynamicAt
	}
}

// sharedName tells a shared variable of a function from others of its name.
func sharedName(fn *isa.Func, v *isa.Var) string {
	if fn == nil {
		return v.Name
	}
	return fn.Name + " " + v.Name
}

// symbol is what the name of a variable or function stands for in a function.
type symbol struct {
	addr  uint64
	local bool // addr is in the activation's part of local memory
	frame bool // addr is in the activation's .param variables
}

func (p *Program) symbol(f *Func, name string) (symbol, error) {
	if at, ok := f.frame[name]; ok {
		return symbol{addr: uint64(at), frame: true}, nil
	}
	if at, ok := f.local[name]; ok {
		return symbol{addr: uint64(at), local: true}, nil
	}
	if at, ok := f.kernel[name]; ok {
		return symbol{addr: uint64(at)}, nil
	}
	if at, ok := p.shared[f.Src.Name+" "+name]; ok {
		return symbol{addr: uint64(at)}, nil
	}
	if at, ok := p.shared[name]; ok {
		return symbol{addr: uint64(at)}, nil
	}
	addr, ok := p.Env.Variable(name)
	if !ok {
		addr, ok = p.mod.FuncAddress(name)
	}
	if !ok {
		return symbol{}, fmt.Errorf("%s is declared but not defined", name)
	}
	return symbol{addr: addr}, nil
}

// place puts v at the end of a space of *size bytes. No space is as large as
// mostSpace, at which sizes stop, so that they do not wrap around.
func place(size *int64, v *isa.Var) int64 {
	const mostSpace = 1 << 60
	at := alignUp(*size, int64(max(v.Align, 1)))
	*size = min(at+v.Size(), mostSpace)
	return at
}

func alignUp(n, align int64) int64 { return (n + align - 1) / align * align }

// namesIn are the symbols that the code of fn names.
func namesIn(fn *isa.Func) map[string]bool {
	names := make(map[string]bool)
	for i := range fn.Code {
		for _, a := range fn.Code[i].Args {
			if a.Sym != "" && a.Kind != isa.TableOperand {
				names[a.Sym] = true
			}
		}
	}
	return names
}
