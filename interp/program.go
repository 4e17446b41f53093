package interp

import (
	"encoding/binary"
	"fmt"

	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// program is a kernel with everything resolved: its own code and that of the
// functions that it can reach.
type program struct {
	funcs     []*function    // the kernel is the first
	number    map[string]int // of a function by its name
	shared    map[string]int64
	static    int64 // bytes of static shared memory
	dynamicAt int64 // where dynamic shared memory starts
	maxParams int64 // bytes that a kernel of this module may take
	inspected bool  // every register has a slot of its own
	seesLanes bool  // it has instructions whose result depends on which lanes run together
}

func (p *program) kernel() *function { return p.funcs[0] }

// function is the code of one function: a lanes.Op for each instruction, in
// order of PC, and one more that ends lanes which run off the end.
type function struct {
	fn     *isa.Func
	ops    []lanes.Op
	code   []instr // what the run loop needs beside the Op
	layout *warp.Layout
	graph  *flow.Graph
	liveIn []isa.RegID // registers that may be read before they are written
	// aliased is, by PC, the instructions that only make a register an alias.
	aliased []bool

	local map[string]int64 // local variables, by their place in the activation's part
	frame map[string]int64 // .param variables of the activation, likewise
	// frameSize is the bytes of each of those.
	frameSize map[string]int64
	kernel    map[string]int64 // parameters of a kernel, in the parameter block

	localBytes, frameBytes, paramBytes int64 // of those three, for one lane
	localSlots                         []localSlot
	params                             []paramSlot
	formals, results                   []passed
}

// instr is what the run loop needs to know of an instruction beside its Op.
type instr struct {
	mem     lanes.MemFunc
	call    *callSite
	targets *[]int32   // of brx.idx
	target  int32      // of a branch
	members lanes.Mask // the lanes that take part in sync, if the text has them, else 0
	barrier uint32     // number of a barrier, or anyBarrier
	widths  widths
	space   isa.Space
	size    uint8 // bytes that one lane moves
	byIndex bool  // brx.idx
	leaves  bool  // a branch that may leave its exit region
	counted bool  // a barrier with a number of threads
	clock   bool  // reads a clock
	wide    bool  // the address is 64 bits
	frame   bool  // in .param space: a variable of the activation
	sync    bool  // a mask in E names the lanes that take part
	aligned bool  // a barrier that whole warps should execute
	divides bool  // an integer by what may be zero
	barOp   isa.Mod
	polls   bool // a load of what others may write at any time, or an atomic
}

// paramSlot is a read-only slot that holds a kernel's parameter in every lane.
type paramSlot struct {
	off  uint32
	at   int64 // in the parameter block
	typ  isa.Type
	bits int // width of the register that is loaded
}

// localSlot is a read-only slot that holds the address of a local variable,
// which depends on the activation.
type localSlot struct {
	off  uint32
	at   uint64 // in the activation's part of local memory
	wide bool
}

// value is what the slot holds, given the parameter block: extended to the
// register's width as a load would.
func (s *paramSlot) value(params []byte) uint64 {
	var b [8]byte
	copy(b[:], params[s.at:s.at+int64(s.typ.Bytes())])
	v := binary.LittleEndian.Uint64(b[:])
	if s.typ.Class() == isa.Signed {
		spare := 64 - s.typ.Bits()
		v = uint64(int64(v<<spare) >> spare)
	}
	return v & (1<<s.bits - 1)
}

// lower resolves a kernel and what it can call; inspected says that registers
// are to be looked at between instructions. An instruction that cannot be
// run yet is an *isa.Error with its position.
func (m *Machine) lower(kernel *isa.Func, inspected bool) (*program, error) {
	p := &program{inspected: inspected, number: make(map[string]int), shared: make(map[string]int64), maxParams: MaxParams(m.mod)}
	fns := m.reachable(kernel)
	m.placeShared(p, fns)
	for i, fn := range fns {
		p.number[fn.Name] = i
		p.funcs = append(p.funcs, newFunction(fn, inspected))
	}
	for _, f := range p.funcs {
		if err := m.lowerFunction(p, f); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// newFunction lays out fn's registers and variables.
func newFunction(fn *isa.Func, inspected bool) *function {
	graph, temps := flow.New(fn), warp.Temporaries(nil)
	if !inspected {
		temps = temporaries(fn, graph)
	}
	f := &function{fn: fn, graph: graph, layout: warp.NewLayout(fn, temps), frameSize: frameSizes(fn), local: make(map[string]int64), frame: make(map[string]int64), kernel: make(map[string]int64)}
	if fn.Entry {
		offsets, size := fn.ParamLayout()
		for i, v := range fn.Params {
			f.kernel[v.Name] = offsets[i]
		}
		f.paramBytes = size
	} else {
		f.formals = f.passedAs(fn.Params)
		f.results = f.passedAs(fn.Returns)
	}
	for _, v := range fn.Vars {
		switch v.Space {
		case isa.Local:
			f.local[v.Name] = place(&f.localBytes, v)
		case isa.Param:
			f.frame[v.Name] = place(&f.frameBytes, v)
		}
	}
	f.localBytes = alignUp(f.localBytes, 16)
	f.frameBytes = alignUp(f.frameBytes, 16)
	return f
}

func (m *Machine) lowerFunction(p *program, f *function) error {
	fn := f.fn
	if fn.Later != nil {
		return fn.Later
	}
	for _, v := range m.locals { // module variables in local space are rare: each activation has its own
		f.local[v.Name] = place(&f.localBytes, v)
	}
	f.liveIn = f.graph.LiveIn(fn)
	f.aliased = make([]bool, len(fn.Code))
	if !p.inspected {
		m.alias(p, f)
	}
	f.ops = make([]lanes.Op, len(fn.Code)+1)
	f.code = make([]instr, len(fn.Code)+1)
	for pc := range fn.Code {
		l := lowering{m: m, p: p, f: f, in: &fn.Code[pc], op: &f.ops[pc], code: &f.code[pc], aliased: f.aliased[pc]}
		if err := l.instruction(); err != nil {
			return err
		}
	}
	for pc := range fn.Code {
		in, op := &f.code[pc], &f.ops[pc]
		in.leaves = f.graph.MayLeave(pc)
		switch kind := isa.Kind(op.Kind); {
		case kind == isa.Branch && !in.leaves && !in.byIndex:
			op.Kind, op.Imm = uint8(jump), uint64(in.target)
		case kind == isa.Compute && op.Guard != f.layout.True:
			op.Kind = uint8(guarded)
		}
	}
	f.ops[len(fn.Code)] = lanes.Op{Kind: uint8(f.endKind()), Guard: f.layout.True}
	return nil
}

// Kinds that only the run loop tells apart.
const (
	// jump is a branch to one place, in Op.Imm, of which the model needs to hear
	// only when it parts lanes.
	jump = isa.NumKinds + iota
	// guarded is isa.Compute with a guard; without one it is what there is most of.
	guarded
)

// MaxParams is how many bytes of parameters a kernel of m may have (PTX ISA 5.1.6.1):
// 4 KB, and 32,764 from PTX 8.1 and sm_70 on. A module that does not say what
// it is may do what the latest may.
func MaxParams(m *isa.Module) int64 {
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

// endKind is what ret does, and the end of the code: in a kernel the thread has
// ended.
func (f *function) endKind() isa.Kind {
	if f.fn.Entry {
		return isa.Exit
	}
	return isa.Return
}

// reachable are the kernel and all functions that it can call: those that are
// called by name, and those whose address is taken, in code or by an
// initialiser.
func (m *Machine) reachable(kernel *isa.Func) []*isa.Func {
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
			indirect = indirect || in.Call != nil && in.Args[0].Kind == isa.RegOperand
		}
		if !indirect || addressed {
			continue
		}
		addressed = true
		for _, v := range m.mod.Vars {
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
func (m *Machine) placeShared(p *program, fns []*isa.Func) {
	var dynamic []*isa.Var
	add := func(v *isa.Var) {
		switch {
		case v.Space != isa.Shared:
		case v.Linkage == isa.Extern && v.Count == 0:
			dynamic = append(dynamic, v)
		default:
			p.shared[sharedName(nil, v)] = place(&p.static, v)
		}
	}
	used := make(map[string]bool)
	for _, fn := range fns {
		for name := range namesIn(fn) {
			used[name] = true
		}
		for _, v := range fn.Vars {
			if v.Space == isa.Shared {
				p.shared[sharedName(fn, v)] = place(&p.static, v)
			}
		}
	}
	for _, v := range m.mod.Vars {
		if used[v.Name] {
			add(v)
		}
	}
	// All dynamic arrays start at the same place, after the static variables.
	align := int64(1)
	for _, v := range dynamic {
		align = max(align, int64(v.Align))
	}
	p.dynamicAt = alignUp(p.static, align)
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

func (m *Machine) symbol(p *program, f *function, name string) (symbol, error) {
	if at, ok := f.frame[name]; ok {
		return symbol{addr: uint64(at), frame: true}, nil
	}
	if at, ok := f.local[name]; ok {
		return symbol{addr: uint64(at), local: true}, nil
	}
	if at, ok := f.kernel[name]; ok {
		return symbol{addr: uint64(at)}, nil
	}
	if at, ok := p.shared[f.fn.Name+" "+name]; ok {
		return symbol{addr: uint64(at)}, nil
	}
	if at, ok := p.shared[name]; ok {
		return symbol{addr: uint64(at)}, nil
	}
	addr, ok := m.address(name)
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
