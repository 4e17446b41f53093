package program

import (
	"cmp"
	"slices"
	"sort"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Expansion is a function with the calls of small functions replaced by their instructions, for the compiler. Only
// compiled code executes it: lane functions, observers and launches with a clock have the function itself.
//
// It has one instruction for each that is executed, so that counts are the same: the call and the return, and the
// accesses to .param variables that the call passes, do nothing or copy a register. Registers have the same slots as in
// the function itself; those of inlined functions follow.
//
// Inlined are functions without branches, calls and stores, which cannot wait, and do not see in which function they
// are. A function of libdevice that is written in Go is one instruction, in the place of its call. A call in compiled
// code is executed as a whole or not at all: where that is not possible, code exits at the call, and the engine
// executes it.
type Expansion struct {
	*Func
	Origin []int // by PC: that in the function itself; in an inlined function, that of the call
	At     []int // by PC of the function itself: that of the expansion
	Calls  []InlinedCall
	Passed []PassedValue
	// MostParams is the largest size in bytes of the .param variables of an inlined function, for one lane.
	MostParams int64
}

// InlinedCall is a call that was replaced.
type InlinedCall struct {
	Callee  int // number of the function; -1 if one instruction computes it
	PC, End int // of the call, and after its return
	Hint    int // how many instructions of inlined functions come before
}

// PassedValue is a part of a .param variable that is only in a register: before the instructions from First up to, but
// without, End.
type PassedValue struct {
	First, End int // PCs
	Slot       uint32
	At         int64 // in the .param variables of the activation
	Bytes      uint8
}

// Inside returns the inlined call of which the instruction at pc is a part, other than the call itself, or nil.
func (x *Expansion) Inside(pc int) *InlinedCall {
	i := sort.Search(len(x.Calls), func(i int) bool { return pc < x.Calls[i].End })
	if i < len(x.Calls) && x.Calls[i].PC < pc {
		return &x.Calls[i]
	}
	return nil
}

// CallAt returns the inlined call with its call instruction at pc, or nil.
func (x *Expansion) CallAt(pc int) *InlinedCall {
	i := sort.Search(len(x.Calls), func(i int) bool { return pc < x.Calls[i].End })
	if i < len(x.Calls) && x.Calls[i].PC == pc {
		return &x.Calls[i]
	}
	return nil
}

// Hint returns the index under which the instruction at pc keeps its last region: its PC in the function itself or, for
// instructions of inlined functions, a number after those.
func (x *Expansion) Hint(pc int) int {
	if c := x.Inside(pc); c != nil {
		return len(x.At) + c.Hint + pc - c.PC - 1
	}
	return x.Origin[pc]
}

// Hints is how many such numbers there are.
func (x *Expansion) Hints() int {
	n := len(x.At)
	for i := range x.Calls {
		n += x.Calls[i].End - x.Calls[i].PC - 1
	}
	return n
}

// CalleeAt returns the inlined function, by its number, and the PC in it for a number that Hint has returned; ok is
// false if it is of the function itself.
func (x *Expansion) CalleeAt(hint int) (callee, pc int, ok bool) {
	hint -= len(x.At)
	i := sort.Search(len(x.Calls), func(i int) bool { return hint < x.Calls[i].Hint }) - 1
	if hint < 0 {
		return 0, 0, false
	}
	return x.Calls[i].Callee, hint - x.Calls[i].Hint, true
}

// write writes the code of the expansion.
func (x *expansion) write() {
	x.out = &Expansion{}
	code, src := []isa.Instr(nil), x.f.Src
	add := func(in *isa.Instr, origin int, nop, copied bool) {
		code, x.nops, x.copied = append(code, *in), append(x.nops, nop), append(x.copied, copied)
		x.out.Origin = append(x.out.Origin, origin)
	}
	hints := 0
	for pc := range src.Code {
		in := &src.Code[pc]
		x.out.At = append(x.out.At, len(code))
		if r, ok := x.plan[pc]; ok {
			if r.to != isa.NoReg {
				in = r.move(in)
			}
			add(in, pc, r.to == isa.NoReg, false)
			continue
		}
		n := x.calls[pc]
		if n != nil && n.served != nil {
			add(n.served, pc, false, false)
			x.out.Calls = append(x.out.Calls, InlinedCall{Callee: -1, PC: len(code) - 1, End: len(code), Hint: hints})
			continue
		}
		add(in, pc, n != nil, n == nil)
		if n == nil {
			continue
		}
		c := InlinedCall{Callee: n.callee.Number, PC: len(code) - 1, Hint: hints}
		for k := range n.code {
			add(&n.code[k], pc, n.nops[k], false)
		}
		c.End = len(code)
		hints += len(n.code)
		x.out.Calls = append(x.out.Calls, c)
		x.out.MostParams = max(x.out.MostParams, n.callee.FrameBytes)
	}
	x.out.At, x.out.Origin = append(x.out.At, len(code)), append(x.out.Origin, len(src.Code))
	x.src.Code = code
	x.src.Labels = slices.Clone(src.Labels)
	for i := range x.src.Labels {
		x.src.Labels[i].PC = x.out.At[src.Labels[i].PC]
	}
}

// move returns the copy that replaces an access.
func (r *replacement) move(in *isa.Instr) *isa.Instr {
	m := isa.MoveOf(r.bits)
	m.Args = []isa.Operand{{Kind: isa.RegOperand, Reg: r.to, Line: in.Args[0].Line, Col: in.Args[0].Col}, r.from}
	m.Pos, m.Loc, m.Inlined = in.Pos, in.Loc, in.Inlined
	return &m
}

// lower makes the Ops of the expansion, after those of the function.
func (x *expansion) lower() error {
	f, out := x.f, x.out
	e := &Func{
		Src: &x.src, Number: f.Number, Layout: f.Layout, Graph: flow.New(&x.src), LiveIn: f.LiveIn,
		LocalBytes: f.LocalBytes, FrameBytes: f.FrameBytes, ParamBytes: f.ParamBytes, LocalAlign: f.LocalAlign,
		LocalSlots: f.LocalSlots, ParamSlots: f.ParamSlots, Formals: f.Formals, Results: f.Results,
		local: f.local, frame: f.frame, kernel: f.kernel, localSlot: f.localSlot, copies: copies{moves: x.nops},
	}
	out.Func = e
	e.Ops, e.Info = make([]lanes.Op, len(x.src.Code)+1), make([]Info, len(x.src.Code)+1)
	for pc := range x.src.Code {
		if x.copied[pc] {
			x.copyOp(pc)
			continue
		}
		l := lowering{p: x.p, f: e, pc: pc, in: &x.src.Code[pc], op: &e.Ops[pc], info: &e.Info[pc]}
		if err := l.instruction(); err != nil {
			return err
		}
	}
	e.Ops[len(x.src.Code)] = f.Ops[len(f.Src.Code)]
	for pc, n := range x.calls {
		call, end := out.At[pc], out.At[pc+1]
		for _, v := range n.passed {
			p := PassedValue{First: out.At[v.pc] + 1, End: call + 1, Slot: x.slotOf(&v), At: v.at, Bytes: v.bytes}
			if v.after {
				p.First, p.End = end, out.At[v.last]+1
			}
			out.Passed = append(out.Passed, p)
		}
	}
	sorted.By(out.Passed, func(a, b PassedValue) int { return cmp.Or(a.First-b.First, int(a.At-b.At)) })
	f.Expansion = out
	return nil
}

// slotOf returns the slot with the value that is passed.
func (x *expansion) slotOf(v *passing) uint32 {
	if v.value.Kind == isa.RegOperand {
		return x.f.Layout.Reg(v.value.Reg)
	}
	return x.f.Layout.Const(v.value.Bits&(1<<(8*v.bytes)-1), v.bytes > 4)
}

// copyOp copies the Op of an instruction of the function itself.
func (x *expansion) copyOp(pc int) {
	f, e, origin := x.f, x.out.Func, x.out.Origin[pc]
	e.Ops[pc], e.Info[pc] = f.Ops[origin], f.Info[origin]
	op, info := &e.Ops[pc], &e.Info[pc]
	if f.Src.Code[origin].Is(isa.Branch) {
		info.Target = int32(x.out.At[info.Target])
		if op.Kind == lanes.Jump {
			op.Imm = uint64(info.Target)
		}
		if info.Targets != nil {
			targets := slices.Clone(*info.Targets)
			for i := range targets {
				targets[i] = int32(x.out.At[targets[i]])
			}
			info.Targets = &targets
		}
	}
	if product := f.Products[origin]; product != nil {
		setAt(&e.Products, pc, product)
	}
	if access := f.Matrices[origin]; access != nil {
		setAt(&e.Matrices, pc, access)
	}
	if c := f.Clears[origin]; c != nil {
		setAt(&e.Clears, pc, c)
	}
}

// setAt sets the value for a PC.
func setAt[V any](m *map[int]V, pc int, v V) {
	if *m == nil {
		*m = make(map[int]V)
	}
	(*m)[pc] = v
}
