package check

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// use is an instruction with a result that is undefined or pending, and an instruction that uses it. From is nil if
// nothing was executed that should have been.
type use struct{ from, at *isa.Instr }

// step is an instruction that a warp is about to execute.
type step struct {
	*Shuffles
	*values
	w      interp.Warp
	split  *divergence.Split
	fn     *isa.Func
	in     *isa.Instr
	regs   map[isa.RegID]undefined
	params map[string]undefined
	active lanes.Mask // lanes for which the guard holds
}

// follow updates the undefined values of the warp by the instruction, and reports uses of them.
func (t *step) follow() {
	guard := undefined{}
	if t.in.Guard != isa.NoReg {
		guard = t.regs[t.in.Guard]
		guard.lanes &= t.split.Mask
	}
	t.useAddress()
	var result undefined
	switch {
	case t.in.Spec == nil:
		return
	case t.in.Is(isa.CallKind):
		t.use(guard)
		t.call()
		return
	case t.in.Is(isa.Load) && t.in.Mods.MemSpace() == isa.Param:
		result = t.params[t.in.Args[1].Sym]
		result.lanes &= t.active
	case t.in.Is(isa.Store) && t.in.Mods.MemSpace() == isa.Param:
		u, name := t.sources(), t.in.Args[0].Sym
		was := t.params[name]
		t.setParam(name, undefined{was.lanes&t.active | u.lanes, firstOrigin(u.from, was.from)})
		return
	case t.in.Is(isa.Branch), t.in.Is(isa.Exit), t.in.Is(isa.Return), t.in.Is(isa.Barrier), t.in.Is(isa.Trap):
		t.use(guard)
		t.use(t.sources())
		return
	case t.in.Is(isa.Store), t.in.Is(isa.Atomic):
		if t.leaves() {
			t.use(guard)
			t.use(t.sources())
		}
	case t.in.Is(isa.Shuffle):
		defer t.finish(t.arrive(guard))
	case t.in.Is(isa.Compute):
		result = t.sources()
	}
	if guard.lanes != 0 {
		result = undefined{result.lanes | guard.lanes, firstOrigin(result.from, guard.from)}
	}
	for ref := range t.in.Refs {
		if ref.Role.Writes() {
			t.set(ref.Reg, result)
		}
	}
}

// set makes a register undefined in the lanes of u, and defined in the others that execute the instruction.
func (t *step) set(r isa.RegID, u undefined) { setIn(t.values, t.regs, r, t.active, u) }

// setParam is set for a .param variable.
func (t *step) setParam(name string, u undefined) { setIn(t.values, t.params, name, t.active, u) }

// setIn makes a register or a .param variable undefined in the lanes of u, and defined in the others of written.
func setIn[K comparable](v *values, all map[K]undefined, k K, written lanes.Mask, u undefined) {
	was := all[k]
	now := undefined{was.lanes&^written | u.lanes, firstOrigin(u.from, was.from)}
	switch {
	case now.lanes != 0:
		if was.lanes == 0 {
			v.count++
		}
		all[k] = now
	case was.lanes != 0:
		v.count--
		delete(all, k)
	}
}

// call updates the registers and parameters that a call writes. The result of a libdevice function is undefined if one
// of its arguments is.
func (t *step) call() {
	var result undefined
	if strings.HasPrefix(t.in.Args[0].Sym, "__nv_") {
		for i := range t.in.Call.Args {
			if u := t.passed(&t.in.Call.Args[i]); u.lanes != 0 {
				result = undefined{result.lanes | u.lanes, firstOrigin(result.from, u.from)}
			}
		}
	}
	for i := range t.in.Call.Args {
		if name := t.in.Call.Args[i].Sym; name != "" {
			t.setParam(name, undefined{})
		}
	}
	for i := range t.in.Call.Rets {
		if a := &t.in.Call.Rets[i]; a.Kind == isa.RegOperand {
			t.set(a.Reg, result)
		} else {
			t.setParam(a.Sym, result)
		}
	}
}

// passed returns the lanes in which an argument of a call is undefined.
func (t *step) passed(a *isa.Operand) undefined {
	u := t.of(a)
	if a.Kind != isa.RegOperand {
		u = t.params[a.Sym]
		u.lanes &= t.active
	}
	return u
}

func firstOrigin(a, b *origin) *origin {
	if a != nil {
		return a
	}
	return b
}

// of returns the lanes in which an operand is undefined, among those that execute the instruction.
func (t *step) of(a *isa.Operand) (u undefined) {
	add := func(r isa.RegID) {
		v := t.regs[r]
		if v.lanes &= t.active; v.lanes != 0 {
			u = undefined{u.lanes | v.lanes, firstOrigin(u.from, v.from)}
		}
	}
	switch a.Kind {
	case isa.RegOperand:
		add(a.Reg)
	case isa.VecOperand:
		for i := range a.Elems {
			if a.Elems[i].Kind == isa.RegOperand {
				add(a.Elems[i].Reg)
			}
		}
	}
	return u
}

// sources returns the lanes in which the instruction's result depends on an undefined operand.
func (t *step) sources() (u undefined) {
	for ref := range t.in.Refs {
		if ref.Role == isa.ReadSource {
			if v := t.regs[ref.Reg]; v.lanes&t.active != 0 {
				u = undefined{u.lanes | v.lanes&t.active, firstOrigin(u.from, v.from)}
			}
		}
	}
	if u.lanes == 0 {
		return u
	}
	args := t.in.Args
	switch {
	case t.in.Spec.Selects:
		picks, a, b := t.of(&args[3]), t.of(&args[1]), t.of(&args[2])
		holds := t.holds(&args[3])
		u.lanes = picks.lanes | a.lanes&holds | b.lanes&^holds
	case t.in.Spec.AtomOp == isa.AtomAnd || t.in.Spec.AtomOp == isa.AtomOr:
		u.lanes &^= t.decides(&args[1]) | t.decides(&args[2])
	case t.in.Mods[isa.BoolOp] != 0 && t.in.Mods[isa.Cmp] != 0:
		c := &args[len(args)-1]
		decided := t.holds(c)
		if t.in.Mods[isa.BoolOp] == isa.BoolAnd {
			decided = ^decided
		} else if t.in.Mods[isa.BoolOp] != isa.BoolOr {
			decided = 0
		}
		u.lanes &^= decided &^ t.of(c).lanes
	}
	return u
}

// holds returns the lanes in which a predicate holds.
func (t *step) holds(a *isa.Operand) (m lanes.Mask) {
	for lane, v := range t.value(a) {
		if v != 0 != a.Not {
			m |= 1 << lane
		}
	}
	return m
}

// decides returns the lanes in which one operand determines the result of a logical operation: 0 for and, all ones for
// or.
func (t *step) decides(a *isa.Operand) (m lanes.Mask) {
	decisive := uint64(0)
	if t.in.Spec.AtomOp == isa.AtomOr {
		decisive = 1
		if n := t.in.Types[0].Bits(); t.in.Types[0] != isa.Pred {
			decisive = ^uint64(0) >> (64 - min(n, 64))
		}
	}
	for lane, v := range t.value(a) {
		if a.Not {
			v ^= 1
		}
		if v == decisive {
			m |= 1 << lane
		}
	}
	return m &^ t.of(a).lanes
}

// value returns the value of an operand in each lane.
func (t *step) value(a *isa.Operand) (v [lanes.Width]uint64) {
	switch a.Kind {
	case isa.RegOperand:
		return t.w.Reg(t.split.Frame, a.Reg)
	case isa.SpecialOperand:
		return t.w.Special(a.Special)
	case isa.ImmOperand:
		for lane := range v {
			v[lane] = a.Bits
		}
	}
	return v
}

// useAddress reports accesses to undefined addresses.
func (t *step) useAddress() {
	for ref := range t.in.Refs {
		if ref.Role == isa.ReadAddress {
			u := t.regs[ref.Reg]
			u.lanes &= t.active
			t.use(u)
		}
	}
}

// leaves reports whether a store or atomic accesses global memory.
func (t *step) leaves() bool {
	const lowest = 1 << 32 // generic addresses of other memory are below
	switch t.in.Mods.MemSpace() {
	case isa.Global:
		return true
	case isa.Generic:
		for ref := range t.in.Refs {
			if ref.Role == isa.ReadAddress {
				return t.w.Reg(t.split.Frame, ref.Reg)[firstLane(t.active|1<<31)] >= lowest
			}
		}
	}
	return false
}

// message says which lanes read which others, and why these are not there.
func (o *origin) message() string {
	read, be, have, do := "read", "are", "have", "do"
	if o.where.Lanes.Count() == 1 {
		read = "reads"
	}
	if o.sources.Count() == 1 {
		be, have, do = "is", "has", "does"
	}
	why := have + " ended"
	switch there := o.sources &^ o.ended &^ o.absent; {
	case there != 0 && o.in.Mods[isa.Sync] == 0:
		why = do + " not execute the shuffle together with them"
	case there != 0:
		why = fmt.Sprintf("%s not in the mask %08x", be, uint32(o.members))
	case o.ended == 0:
		why = "the block does not have"
	case o.absent != 0:
		why = "have ended or do not exist"
	}
	return fmt.Sprintf("%s %s %s, which %s", interp.LanesText(o.where.Lanes), read, interp.LanesText(o.sources), why)
}

// use reports that the instruction uses an undefined value.
func (t *step) use(u undefined) {
	if u.lanes == 0 {
		return
	}
	key := use{u.from.in, t.in}
	if i, again := t.known[key]; again {
		t.warnings[i].Count++
		return
	}
	o := u.from
	t.known[key] = len(t.warnings)
	t.warnings = append(t.warnings, interp.Warning{Error: true, Place: o.place, Where: o.where, Rule: interp.RuleShuffle, Text: o.text, Count: 1, Warps: 1, Blocks: 1,
		Msg: o.message() + ", and the undefined result is used",
		Involved: []interp.Involved{
			{Role: interp.Affects, Where: o.where, Barrier: -1},
			{Role: interp.Uses, Where: interp.Where{CTA: t.w.CTA(), Warp: t.w.ID(), Lanes: u.lanes}, Place: source.At(t.fn, t.split.PC), Text: t.fn.Text(t.split.PC), Barrier: -1},
		}})
}

// arrive records that the lanes have arrived at the shuffle, and returns those that need not wait for others.
func (t *step) arrive(guard undefined) (ready []*atShuffle) {
	args, sync := t.in.Args, t.in.Mods[isa.Sync] != 0
	operand, by, clamp := t.regsOf(&args[2]), t.value(&args[3]), t.value(&args[4])
	var masks [lanes.Width]uint64
	if sync {
		masks = t.value(&args[5])
	}
	for rest := t.active; rest != 0; {
		a := &atShuffle{in: t.in, text: t.fn.Text(t.split.PC), place: source.At(t.fn, t.split.PC), regs: t.regs, members: t.active}
		group := t.active
		if sync {
			mask := masks[firstLane(rest)]
			a.members, group = lanes.Mask(mask), 0
			for left := rest; left != 0; left &= left - 1 {
				if masks[firstLane(left)] == mask {
					group |= left & -left
				}
			}
		}
		rest &^= group
		for left := group; left != 0; left &= left - 1 {
			lane := firstLane(left)
			a.sources[lane] = sourceLane(t.in.Mods[isa.ShflMode], lane, int(by[lane]), int(clamp[lane]))
		}
		a.where = interp.Where{CTA: t.w.CTA(), Warp: t.w.ID(), Lanes: group}
		a.operand, a.guard = undefined{operand.lanes & group, operand.from}, undefined{guard.lanes & group, guard.from}
		if a.members&t.w.Control().Live()&^group == 0 {
			ready = append(ready, a)
		} else {
			t.waiting = append(t.waiting, a)
		}
	}
	return ready
}

// finish gives lanes the results of shuffles that need not wait for others.
func (t *step) finish(ready []*atShuffle) {
	for _, a := range ready {
		t.exchange(t.w, []*atShuffle{a})
	}
}

// regsOf returns the lanes in which an operand is undefined, whether or not they execute the instruction.
func (t *step) regsOf(a *isa.Operand) undefined {
	if a.Kind != isa.RegOperand {
		return undefined{}
	}
	return t.regs[a.Reg]
}
