package check

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// Async finds misuse of registers by asynchronous instructions of a warp (PTX ISA 9.7.15 and 9.7.16). The engine
// executes these at once, but on a GPU
//
//   - wgmma.mma_async writes D, and reads A from registers, until the end of wgmma.wait_group for its group;
//   - it may do that before earlier accesses to these registers, without a wgmma.fence between;
//   - tcgen05.ld writes its registers until the end of tcgen05.wait::ld.
//
// A move between registers is no use: compilers insert moves into PTX that no machine code has. The copy is pending
// like the original.
type Async struct {
	warps    map[warpAt]*asyncWarp
	fns      map[*isa.Func]map[isa.RegID]bool // registers of products
	warnings []interp.Warning
	known    map[use]int // index in warnings
}

// asyncWarp is the state of a resident warp.
type asyncWarp struct {
	pending map[asyncReg]*pendingReg
	commits int  // groups of products that were committed
	fenced  bool // a wgmma.fence was executed
	touched map[asyncReg]touch
}

// asyncReg is a register of an activation.
type asyncReg struct {
	serial uint64
	reg    isa.RegID
}

// touch is the latest write to a register of a product since the latest wgmma.fence, other than by products.
type touch struct {
	in    *isa.Instr
	place source.Place
	text  string
}

// pendingReg is a register that an asynchronous instruction still reads or writes.
type pendingReg struct {
	touch
	rule    interp.Rule
	written bool // by the instruction
	group   int  // of a product
	shape   isa.Mod
}

// AttachAsync adds an Async to the observers of a launch; nil if the kernel has no such instructions.
func AttachAsync(m *interp.Machine, l *interp.Launch) (*Async, error) {
	fns, err := m.Functions(l.Kernel)
	if err != nil {
		return nil, err
	}
	a := &Async{warps: make(map[warpAt]*asyncWarp), fns: make(map[*isa.Func]map[isa.RegID]bool), known: make(map[use]int)}
	any := false
	for _, fn := range fns {
		regs := make(map[isa.RegID]bool)
		for i := range fn.Code {
			in := &fn.Code[i]
			any = any || isProduct(in) || isTensorLoad(in)
			if isProduct(in) {
				for _, r := range productRegs(in) {
					regs[r] = true
				}
			}
		}
		a.fns[fn] = regs
	}
	if !any {
		return nil, nil
	}
	l.Observe(a)
	return a, nil
}

func isProduct(in *isa.Instr) bool {
	return in.Is(isa.Warpgroup) && in.Mods[isa.WarpgroupG] == isa.WarpgroupMMA
}

func isTensorLoad(in *isa.Instr) bool {
	return in.Spec != nil && in.Mods[isa.TensorOp] == isa.TensorLoad
}

// Warnings returns the findings in the order of their first occurrence.
func (a *Async) Warnings() []interp.Warning {
	if a == nil {
		return nil
	}
	return a.warnings
}

// Started implements interp.StartObserver.
func (a *Async) Started(at *interp.Place, _ lanes.Mask) { delete(a.warps, warpAt{at.Slot, at.Warp}) }

// Step implements interp.Stepper.
func (a *Async) Step(w interp.Warp, split divergence.Split) (halt bool) {
	fn := w.Func(split.Frame)
	if split.PC >= len(fn.Code) || w.Active(&split) == 0 {
		return false
	}
	at := warpAt{w.Slot(), w.ID()}
	v := a.warps[at]
	if v == nil {
		v = &asyncWarp{pending: make(map[asyncReg]*pendingReg), touched: make(map[asyncReg]touch)}
		a.warps[at] = v
	}
	t := &asyncStep{Async: a, asyncWarp: v, w: w, split: &split, fn: fn, in: &fn.Code[split.PC], serial: w.Frame(split.Frame).Serial}
	t.follow()
	return false
}

// asyncStep is an instruction that a warp is about to execute.
type asyncStep struct {
	*Async
	*asyncWarp
	w      interp.Warp
	split  *divergence.Split
	fn     *isa.Func
	in     *isa.Instr
	serial uint64
}

func (t *asyncStep) follow() {
	in := t.in
	switch {
	case in.Spec == nil:
	case isProduct(in):
		t.product()
	case in.Is(isa.Warpgroup):
		t.order()
	case in.Mods[isa.TensorOp] == isa.TensorWaitLoad:
		t.done(func(p *pendingReg) bool { return p.rule == interp.RuleTensorUnwaited })
	default:
		t.access()
		if isTensorLoad(in) {
			for ref := range in.Refs {
				if ref.Role.Writes() {
					t.pends(ref.Reg, interp.RuleTensorUnwaited, true)
				}
			}
		}
	}
}

// product executes a wgmma.mma_async: registers of D and A must have been fenced, and may be pending only as D of a
// product of the same shape.
func (t *asyncStep) product() {
	d, regs := &t.in.Args[t.in.GroupOperands().D], productRegs(t.in)
	for _, r := range regs {
		sum := has(d, r)
		p := t.pending[asyncReg{t.serial, r}]
		allowed := p == nil || p.rule == interp.RuleProductResult && (p.written && sum && p.shape == t.in.Mods[isa.GroupShape] || !p.written && !sum)
		if !allowed {
			t.report(p.rule, &p.touch, "")
			break
		}
	}
	t.needsFence(regs)
	for _, r := range regs {
		t.pends(r, interp.RuleProductResult, has(d, r))
	}
}

// needsFence reports a missing wgmma.fence before a product of some registers.
func (t *asyncStep) needsFence(regs []isa.RegID) {
	if !t.fenced {
		t.report(interp.RuleProductFence, nil, "no wgmma.fence before the first product of the warp")
		return
	}
	for _, r := range regs {
		if touched, ok := t.touched[asyncReg{t.serial, r}]; ok {
			t.report(interp.RuleProductFence, &touched, "no wgmma.fence between a write to a register and a product that uses the register")
			return
		}
	}
}

// order executes one of the instructions that order products.
func (t *asyncStep) order() {
	switch t.in.Mods[isa.WarpgroupG] {
	case isa.WarpgroupFence:
		t.fenced = true
		clear(t.touched)
	case isa.WarpgroupCommit:
		t.commits++
	case isa.WarpgroupWait:
		done := t.commits - int(t.in.Args[0].Bits)
		t.done(func(p *pendingReg) bool { return p.rule == interp.RuleProductResult && p.group < done })
	}
}

// done ends the accesses of asynchronous instructions for which a condition holds.
func (t *asyncStep) done(holds func(p *pendingReg) bool) {
	for key, p := range t.pending {
		if holds(p) {
			delete(t.pending, key)
		}
	}
}

func (t *asyncStep) pends(r isa.RegID, rule interp.Rule, written bool) {
	t.pending[asyncReg{t.serial, r}] = &pendingReg{touch: t.here(), rule: rule, written: written, group: t.commits, shape: t.in.Mods[isa.GroupShape]}
}

func (t *asyncStep) here() touch {
	return touch{t.in, source.At(t.fn, t.split.PC), t.fn.Text(t.split.PC)}
}

// access reports accesses of another instruction to pending registers, and records writes to registers of products.
func (t *asyncStep) access() {
	moved, reported := t.moved(), false
	for ref := range t.in.Refs {
		key := asyncReg{t.serial, ref.Reg}
		if p := t.pending[key]; p != nil && !moved && !reported && (p.written || ref.Role.Writes()) {
			t.report(p.rule, &p.touch, "")
			reported = true
		}
		if t.fns[t.fn][ref.Reg] && ref.Role.Writes() && !moved {
			t.touched[key] = t.here()
		}
	}
}

// moved executes a move between registers, and reports whether the instruction is one.
func (t *asyncStep) moved() bool {
	args := t.in.Args
	if t.in.Spec.Copies == nil || !t.in.Spec.Copies(t.in) || args[0].Kind != isa.RegOperand || args[1].Kind != isa.RegOperand {
		return false
	}
	from, to := asyncReg{t.serial, args[1].Reg}, asyncReg{t.serial, args[0].Reg}
	if p := t.pending[from]; p != nil && p.written {
		t.pending[to] = p
		return true
	}
	return false
}

// report reports that the instruction uses what another one reads or writes; earlier is nil if there is none.
func (t *asyncStep) report(rule interp.Rule, earlier *touch, msg string) {
	key := use{nil, t.in}
	if earlier != nil {
		key.from = earlier.in
	}
	if i, again := t.known[key]; again {
		t.warnings[i].Count++
		return
	}
	switch {
	case msg != "":
	case rule == interp.RuleTensorUnwaited:
		msg = "a register is used before tcgen05.wait::ld has waited for the load from tensor memory"
	default:
		msg = "a register of a product is used before wgmma.wait_group has waited for it"
	}
	where := interp.Where{CTA: t.w.CTA(), Warp: t.w.ID(), Lanes: t.w.Active(t.split)}
	here := t.here()
	involved := []interp.Involved{{Role: interp.Affects, Where: where, Barrier: -1}}
	if earlier != nil {
		involved = append(involved, interp.Involved{Role: interp.Follows, Where: where, Place: earlier.place, Text: earlier.text, Barrier: -1})
	}
	t.known[key] = len(t.warnings)
	t.warnings = append(t.warnings, interp.Warning{Error: true, Place: here.place, Where: where, Rule: rule, Text: here.text, Msg: msg, Count: 1, Warps: 1, Blocks: 1, Involved: involved})
}

// productRegs returns the registers of D and A of a product, each once.
func productRegs(in *isa.Instr) (all []isa.RegID) {
	at := in.GroupOperands()
	for _, i := range []int{at.D, at.A} {
		if a := &in.Args[i]; a.Kind == isa.VecOperand {
			for j := range a.Elems {
				if r := a.Elems[j].Reg; a.Elems[j].Kind == isa.RegOperand && !slices.Contains(all, r) {
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// has reports whether a register is an element of an operand.
func has(a *isa.Operand, r isa.RegID) bool {
	return a.Kind == isa.VecOperand && slices.ContainsFunc(a.Elems, func(e isa.Operand) bool { return e.Kind == isa.RegOperand && e.Reg == r })
}
