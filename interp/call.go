package interp

import (
	"encoding/binary"
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// Calls pass what is in .param variables, byte by byte for each lane, or in
// registers. An activation has variables of its own: the caller's are copied
// to the callee's parameters, and its results back.

// maxDepth bounds how many calls may be open in a lane.
const maxDepth = 1 << 14

// passed is a parameter, result or argument: where it is in an activation.
type passed struct {
	size  int64 // bytes
	at    int64 // in the activation's .param variables, unless it is in a slot
	slot  uint32
	inReg bool
	wide  bool // the slot is that of a 64-bit register
	pred  bool // it is that of a predicate
	sink  bool // it takes any result
}

// callSite is a call instruction.
type callSite struct {
	callee     int  // number of the function; -1 when a register holds its address
	wide       bool // that register is a 64-bit one
	external   string
	args, rets []passed
}

// passedAs lays out parameters or results of f, and says where they are.
func (f *function) passedAs(vars []*isa.Var) []passed {
	var ps []passed
	ids := passedRegs(f.fn)
	for _, v := range vars {
		p := passed{size: v.Size()}
		if v.Space == isa.RegSpace {
			p.inReg = true
			if id, ok := ids[v.Name]; ok {
				r := &f.fn.Regs[id]
				p.slot, p.wide, p.pred = f.layout.Reg(id), r.Type.Bits() > 32, r.Type == isa.Pred
			}
		} else {
			p.at = place(&f.frameBytes, v)
			f.frame[v.Name] = p.at
		}
		ps = append(ps, p)
	}
	return ps
}

// call lowers a call instruction.
func (l *lowering) call() error {
	target := &l.in.Args[0]
	site := &callSite{callee: -1}
	l.code.call = site
	if target.Kind == isa.RegOperand {
		l.op.A = l.f.layout.Reg(target.Reg)
		site.wide = l.f.fn.Regs[target.Reg].Type.Bits() > 32
	} else {
		fn := l.m.funcs[target.Sym]
		if fn == nil {
			return isa.Errorf(l.in.PosOf(target), "%s is not a function", target.Sym)
		}
		if n, ok := l.p.number[fn.Name]; ok {
			site.callee = n
		} else {
			site.external = fn.Name
		}
	}
	var err error
	if site.args, err = l.passed(l.in.Call.Args); err != nil {
		return err
	}
	if site.rets, err = l.passed(l.in.Call.Rets); err != nil {
		return err
	}
	if site.callee >= 0 {
		if msg := l.p.funcs[site.callee].mismatch(site); msg != "" {
			return isa.Errorf(l.in.Pos, "call of %s: %s", target.Sym, msg)
		}
	}
	return nil
}

// passed says where the arguments or results of a call are in the caller.
func (l *lowering) passed(operands []isa.Operand) ([]passed, error) {
	var ps []passed
	for i := range operands {
		a := &operands[i]
		if a.Kind == isa.SymOperand {
			at, ok := l.f.frame[a.Sym]
			if !ok {
				return nil, isa.Errorf(l.in.PosOf(a), "%s is not a .param variable", a.Sym)
			}
			ps = append(ps, passed{size: l.f.frameSize[a.Sym], at: at})
			continue
		}
		t := isa.B64
		if a.Kind == isa.RegOperand {
			t = l.f.fn.Regs[a.Reg].Type
		}
		off, err := l.slot(a, t, t.Bits() > 32)
		if err != nil {
			return nil, err
		}
		ps = append(ps, passed{size: int64(t.Bytes()), slot: off, inReg: true, wide: t.Bits() > 32, pred: t == isa.Pred, sink: a.Kind == isa.SinkOperand})
	}
	return ps, nil
}

// passedRegs are the registers of fn that are parameters or results, by name.
func passedRegs(fn *isa.Func) map[string]isa.RegID {
	ids := make(map[string]isa.RegID)
	for _, list := range [...][]*isa.Var{fn.Params, fn.Returns} {
		for _, v := range list {
			if v.Space == isa.RegSpace {
				ids[v.Name] = isa.NoReg
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	for id, r := range fn.Regs {
		if _, ok := ids[r.Name]; ok {
			ids[r.Name] = isa.RegID(id)
		}
	}
	for name, id := range ids {
		if id == isa.NoReg {
			delete(ids, name)
		}
	}
	return ids
}

// frameSizes are the sizes of fn's .param variables, by name.
func frameSizes(fn *isa.Func) map[string]int64 {
	sizes := make(map[string]int64)
	for _, list := range [...][]*isa.Var{fn.Returns, fn.Params, fn.Vars} {
		for _, v := range list {
			if v.Space == isa.Param {
				sizes[v.Name] = v.Size()
			}
		}
	}
	return sizes
}

// mismatch says what is wrong with calling f like this, or "".
func (f *function) mismatch(site *callSite) string {
	for _, c := range []struct {
		what      string
		have, say []passed
	}{{"argument", site.args, f.formals}, {"result", site.rets, f.results}} {
		if len(c.have) != len(c.say) {
			return fmt.Sprintf("%d %ss; the function has %d", len(c.have), c.what, len(c.say))
		}
		for i := range c.say {
			if c.have[i].pred != c.say[i].pred && !c.have[i].sink {
				return fmt.Sprintf("%s %d is a predicate in one of them only", c.what, i+1)
			}
			if !c.have[i].inReg && c.have[i].size < c.say[i].size {
				return fmt.Sprintf("%s %d has %d bytes; the function's has %d", c.what, i+1, c.have[i].size, c.say[i].size)
			}
		}
	}
	return ""
}

// activation makes a frame for function n, called by the current split, whose
// lanes go on at ret.
func (x *executor) activation(w *warp.State, caller *divergence.Frame, n, ret int) (*divergence.Frame, error) {
	f := x.p.funcs[n]
	from := x.p.funcs[caller.Func]
	local, params := caller.Local+uint64(from.localBytes), caller.ParamsAbove+uint64(from.frameBytes)
	if caller.Depth+1 > maxDepth || local+uint64(f.localBytes)+params+uint64(f.frameBytes) > uint64(x.m.cfg.GPU.MaxLocal) {
		return nil, violated(RuleCallDepth, "call stack overflow: %d calls are open, with %d bytes of local memory and %d of parameters", caller.Depth+1, local, params)
	}
	if err := x.takeStack(caller.Depth+1, w.LocalGrowth(int(local)+int(f.localBytes))); err != nil {
		return nil, err
	}
	pools := x.pools[w.ID]
	pool := &pools[n]
	var fr *divergence.Frame
	if k := len(*pool); k > 0 {
		fr, *pool = (*pool)[k-1], (*pool)[:k-1]
	} else {
		if err := x.takeStack(caller.Depth+1, f.frameCost()); err != nil {
			return nil, err
		}
		fr = &divergence.Frame{Func: n, Graph: f.graph, Pool: pool, Local: ^uint64(0),
			File: w.NewFile(f.layout), Params: make([]byte, f.frameBytes*lanes.Width)}
	}
	fr.Parent, fr.Ret, fr.Depth, fr.ParamsAbove = caller, ret, caller.Depth+1, params
	x.enter(f, w, fr, local)
	return fr, nil
}

// stackShare is the part of the budget that the calls of all resident warps may
// take: one in so many. A recursion without an end is so found out before it
// has taken all memory, however many warps run into it side by side.
const stackShare = 4

// takeStack counts n bytes for a warp in which so many calls are open.
func (x *executor) takeStack(calls int, n int64) error {
	if most := x.m.budget.Limit() / stackShare; n > most-x.stack {
		return violated(RuleCallDepth, "call stack overflow: %d calls are open, and those of all resident warps take %d bytes of host memory; they may take %d, a quarter of --memory", calls, x.stack, most)
	}
	if err := x.m.takeForLaunch("call stacks", n); err != nil {
		return err
	}
	x.stack += n
	return nil
}

// frameCost is what the host keeps for an activation of f, in bytes.
func (f *function) frameCost() int64 {
	const beside = 256 // the frame itself
	return int64(f.layout.Bytes()) + f.frameBytes*lanes.Width + beside
}

// enter makes fr ready for a new activation of f whose local variables start
// at local.
func (x *executor) enter(f *function, w *warp.State, fr *divergence.Frame, local uint64) {
	x.serial++
	fr.Serial = x.serial
	w.Enter(fr.File, f.layout, f.liveIn, f.fn.Regs)
	clear(fr.Params)
	if fr.Local != local {
		fr.Local = local
		for _, s := range f.localSlots {
			warp.SetUniform(fr.File, s.off, local+s.at, s.wide)
		}
	}
	w.GrowLocal(int(local) + int(f.localBytes))
}

// callFunctions executes the call at pc for the lanes of m; the others of mask
// wait for them.
func (x *executor) callFunctions(c *cta, w *warp.State, split *divergence.Split, pc int, m, mask lanes.Mask) error {
	op, site := &x.fn.ops[pc], x.fn.code[pc].call
	if site.external != "" {
		x.spin.noteChange()
		if err := x.callExternal(&externalCall{c, w, split.Frame, site, pc, m}); err != nil {
			return err
		}
		w.Control.Suspend(pc + 1)
		return nil
	}
	x.activations = x.activations[:0]
	for left := m; left != 0; {
		n, group := site.callee, left
		if n < 0 {
			addr := x.codeAddr(op, site, firstLane(left))
			for lane := range lanes.Width {
				if group>>lane&1 != 0 && x.codeAddr(op, site, lane) != addr {
					group &^= 1 << lane
				}
			}
			var err error
			if n, err = x.calleeAt(addr, site); err != nil {
				return x.fault(c, w, pc, group, err)
			}
		}
		left &^= group
		fr, err := x.activation(w, split.Frame, n, pc+1)
		if err != nil {
			return x.fault(c, w, pc, group, err)
		}
		for i := range site.args {
			pass(split.Frame, &site.args[i], fr, &x.p.funcs[n].formals[i], group)
		}
		x.activations = append(x.activations, divergence.Activation{Frame: fr, Mask: group})
	}
	w.Control.Call(x.activations, mask&^m, pc+1)
	return nil
}

// codeAddr is the address of the function that a lane calls.
func (x *executor) codeAddr(op *lanes.Op, site *callSite, lane int) uint64 {
	if site.wide {
		return lanes.Reg[uint64](x.file, op.A)[lane]
	}
	return uint64(lanes.Reg[uint32](x.file, op.A)[lane])
}

// calleeAt is the number of the function at an address, which must take what
// the call passes.
func (x *executor) calleeAt(addr uint64, site *callSite) (int, error) {
	fn := x.m.functionAt(addr)
	if fn == nil {
		return 0, violated(RuleCallTarget, "indirect call: 0x%x is not the address of a function", addr)
	}
	n, ok := x.p.number[fn.Name]
	if !ok || fn.Entry {
		return 0, violated(RuleCallTarget, "indirect call of %s, which cannot be called", fn.Name)
	}
	if msg := x.p.funcs[n].mismatch(site); msg != "" {
		return 0, violated(RuleCallTarget, "indirect call of %s: %s", fn.Name, msg)
	}
	return n, nil
}

// returnFrom executes a return at pc for the lanes of m: the results go to the
// places that the call names.
func (x *executor) returnFrom(w *warp.State, split *divergence.Split, pc int, m lanes.Mask) {
	fr := split.Frame
	site := x.p.funcs[fr.Parent.Func].code[fr.Ret-1].call
	for i := range site.rets {
		pass(fr, &x.fn.results[i], fr.Parent, &site.rets[i], m)
	}
	w.Control.Return(m, pc+1)
}

// pass copies one value for each lane of m from one activation to another. A
// value that is wider than its destination is cut.
func pass(from *divergence.Frame, a *passed, to *divergence.Frame, b *passed, m lanes.Mask) {
	if a.pred {
		setPred(to.File, b.slot, m, *lanes.Pred(from.File, a.slot))
		return
	}
	n := min(a.size, b.size)
	for lane := range int64(lanes.Width) {
		if m>>lane&1 == 0 {
			continue
		}
		var word [8]byte
		var src []byte
		if a.inReg {
			binary.LittleEndian.PutUint64(word[:], slotValue(from.File, a, lane))
			src = word[:n]
		} else {
			per := int64(len(from.Params)) / lanes.Width
			src = from.Params[lane*per+a.at:][:n]
		}
		if !b.inReg {
			per := int64(len(to.Params)) / lanes.Width
			copy(to.Params[lane*per+b.at:], src)
			continue
		}
		var value [8]byte
		copy(value[:], src)
		setSlot(to.File, b, lane, binary.LittleEndian.Uint64(value[:]))
	}
}

// setPred sets the lanes of m of a predicate.
func setPred(f *lanes.File, slot uint32, m, v lanes.Mask) {
	p := lanes.Pred(f, slot)
	*p = *p&^m | v&m
}

func slotValue(f *lanes.File, p *passed, lane int64) uint64 {
	if p.wide {
		return lanes.Reg[uint64](f, p.slot)[lane]
	}
	return uint64(lanes.Reg[uint32](f, p.slot)[lane])
}

func setSlot(f *lanes.File, p *passed, lane int64, v uint64) {
	if p.wide {
		lanes.Reg[uint64](f, p.slot)[lane] = v
		return
	}
	lanes.Reg[uint32](f, p.slot)[lane] = uint32(v)
}
