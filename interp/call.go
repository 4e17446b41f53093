package interp

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/program"
	"github.com/simtrun/simtrun/warp"
)

// Calls pass what is in .param variables, byte by byte for each lane, or in
// registers. An activation has variables of its own: the caller's are copied
// to the callee's parameters, and its results back.

// maxDepth bounds how many calls may be open in a lane.
const maxDepth = 1 << 14

// activation makes a frame for function n, called by the current split, whose
// lanes go on at ret.
func (x *executor) activation(w *warp.State, caller *divergence.Frame, n, ret int) (*divergence.Frame, error) {
	f := x.p.Funcs[n]
	from := x.p.Funcs[caller.Func]
	local, params := caller.Local+uint64(from.LocalBytes), caller.ParamsAbove+uint64(from.FrameBytes)
	if caller.Depth+1 > maxDepth || local+uint64(f.LocalBytes)+params+uint64(f.FrameBytes) > uint64(x.m.cfg.GPU.MaxLocal) {
		return nil, violated(RuleCallDepth, "call stack overflow: %d calls are open, with %d bytes of local memory and %d of parameters", caller.Depth+1, local, params)
	}
	if err := x.takeStack(caller.Depth+1, w.LocalGrowth(int(local)+int(f.LocalBytes))); err != nil {
		return nil, err
	}
	pools := x.pools[w.ID]
	pool := &pools[n]
	var fr *divergence.Frame
	if k := len(*pool); k > 0 {
		fr, *pool = (*pool)[k-1], (*pool)[:k-1]
	} else {
		if err := x.takeStack(caller.Depth+1, frameCost(f)); err != nil {
			return nil, err
		}
		fr = &divergence.Frame{Func: n, Graph: f.Graph, Pool: pool, Local: ^uint64(0),
			File: w.NewFile(f.Layout), Params: make([]byte, f.FrameBytes*lanes.Width)}
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
func frameCost(f *program.Func) int64 {
	const beside = 256 // the frame itself
	return int64(f.Layout.Bytes()) + f.FrameBytes*lanes.Width + beside
}

// enter makes fr ready for a new activation of f whose local variables start
// at local.
func (x *executor) enter(f *program.Func, w *warp.State, fr *divergence.Frame, local uint64) {
	x.serial++
	fr.Serial = x.serial
	w.Enter(fr.File, f.Layout, f.LiveIn, f.Src.Regs)
	clear(fr.Params)
	if fr.Local != local {
		fr.Local = local
		for _, s := range f.LocalSlots {
			warp.SetUniform(fr.File, s.Off, local+s.At, s.Wide)
		}
	}
	w.GrowLocal(int(local) + int(f.LocalBytes))
}

// callFunctions executes the call at pc for the lanes of m; the others of mask
// wait for them.
func (x *executor) callFunctions(c *cta, w *warp.State, split *divergence.Split, pc int, m, mask lanes.Mask) error {
	op, site := &x.fn.Ops[pc], x.fn.Info[pc].Call
	if site.External != "" {
		x.spin.noteChange()
		if err := x.callExternal(&externalCall{c, w, split.Frame, site, pc, m}); err != nil {
			return err
		}
		w.Control.Suspend(pc + 1)
		return nil
	}
	x.activations = x.activations[:0]
	for left := m; left != 0; {
		n, group := site.Callee, left
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
		for i := range site.Args {
			pass(split.Frame, &site.Args[i], fr, &x.p.Funcs[n].Formals[i], group)
		}
		x.activations = append(x.activations, divergence.Activation{Frame: fr, Mask: group})
	}
	w.Control.Call(x.activations, mask&^m, pc+1)
	return nil
}

// codeAddr is the address of the function that a lane calls.
func (x *executor) codeAddr(op *lanes.Op, site *program.CallSite, lane int) uint64 {
	if site.Wide {
		return lanes.Reg[uint64](x.file, op.A)[lane]
	}
	return uint64(lanes.Reg[uint32](x.file, op.A)[lane])
}

// calleeAt is the number of the function at an address, which must take what
// the call passes.
func (x *executor) calleeAt(addr uint64, site *program.CallSite) (int, error) {
	fn := x.m.mod.FuncAt(addr)
	if fn == nil {
		return 0, violated(RuleCallTarget, "indirect call: 0x%x is not the address of a function", addr)
	}
	n, ok := x.p.Number(fn.Name)
	if !ok || fn.Entry {
		return 0, violated(RuleCallTarget, "indirect call of %s, which cannot be called", fn.Name)
	}
	if msg := x.p.Funcs[n].Mismatch(site); msg != "" {
		return 0, violated(RuleCallTarget, "indirect call of %s: %s", fn.Name, msg)
	}
	return n, nil
}

// returnFrom executes a return at pc for the lanes of m: the results go to the
// places that the call names.
func (x *executor) returnFrom(w *warp.State, split *divergence.Split, pc int, m lanes.Mask) {
	fr := split.Frame
	site := x.p.Funcs[fr.Parent.Func].Info[fr.Ret-1].Call
	for i := range site.Rets {
		pass(fr, &x.fn.Results[i], fr.Parent, &site.Rets[i], m)
	}
	w.Control.Return(m, pc+1)
}

// pass copies one value for each lane of m from one activation to another. A
// value that is wider than its destination is cut.
func pass(from *divergence.Frame, a *program.Passed, to *divergence.Frame, b *program.Passed, m lanes.Mask) {
	if a.Pred {
		setPred(to.File, b.Slot, m, *lanes.Pred(from.File, a.Slot))
		return
	}
	n := min(a.Size, b.Size)
	for lane := range int64(lanes.Width) {
		if m>>lane&1 == 0 {
			continue
		}
		var word [8]byte
		var src []byte
		if a.InReg {
			binary.LittleEndian.PutUint64(word[:], slotValue(from.File, a, lane))
			src = word[:n]
		} else {
			per := int64(len(from.Params)) / lanes.Width
			src = from.Params[lane*per+a.At:][:n]
		}
		if !b.InReg {
			per := int64(len(to.Params)) / lanes.Width
			copy(to.Params[lane*per+b.At:], src)
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

func slotValue(f *lanes.File, p *program.Passed, lane int64) uint64 {
	if p.Wide {
		return lanes.Reg[uint64](f, p.Slot)[lane]
	}
	return uint64(lanes.Reg[uint32](f, p.Slot)[lane])
}

func setSlot(f *lanes.File, p *program.Passed, lane int64, v uint64) {
	if p.Wide {
		lanes.Reg[uint64](f, p.Slot)[lane] = v
		return
	}
	lanes.Reg[uint32](f, p.Slot)[lane] = uint32(v)
}
