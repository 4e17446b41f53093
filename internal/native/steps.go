package native

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// stepKind says what compiled code does with an instruction.
type stepKind uint8

const (
	stepLeave stepKind = iota // left to the Go loop or to the engine
	stepNop
	stepCompute // by a template
	stepLoad
	stepStore
	stepAtomic
	stepJump
	stepVote
	stepProduct // a product of matrices, by a routine
	stepMatrix  // an access of the whole warp to matrices, by a routine
	stepFetch   // a fetch from a texture, by a routine
	stepLanes   // by its lane function, which code asks for
	stepBarrier // left to the engine, unless the warps of the CTA take turns
	stepEnd     // the end of a thread: left to the engine, unless the warps of the CTA take turns
)

// operand is a slot that an instruction reads or writes.
type operand struct {
	slot slotID
	not  bool // complement the predicate
}

// maxElems is the largest number of elements of a vector that compiled code loads or stores.
const maxElems = 4

// step is one instruction in the form that compiled code needs.
type step struct {
	kind     stepKind
	guarded  bool
	guard    operand
	nsrc     uint8
	ndst     uint8
	src      [maxElems + 1]operand // the address comes first in an access
	field    [maxElems + 1]byte    // by source of a template: field of lanes.Op that names it
	dst      [maxElems]operand
	dstField [maxElems]byte
	template *jit.Template
	op       *lanes.Op
	info     *program.Info
	// For an access:
	elem  jit.Element // type in memory, and how it is extended
	elems int         // number of elements that a lane moves
	own   jit.Own     // memory of which each lane owns a part
	// anywhere says that it may be to local memory, at a generic address; with mixed, even at an affine one.
	anywhere, mixed bool
	// For an atomic:
	atomic  jit.Atomic
	product *lanes.Product  // of a product of matrices
	matrix  *jit.MatrixMove // of an access to matrices
	// For a vote:
	vote jit.Vote
	word slotID // the slot of a vote on words
	// If lanes execute the step together, meets: the lanes that must, or the slot that names them.
	meets     bool
	members   jit.Members
	membersIn slotID
	// For a division: lanes with b = 0 are left to lane functions, and the engine warns about them. Also for a template
	// with Check.
	divides bool
	trail   bool // code leaves a trail of it
	yields  bool // code exits after it, because the engine switches to another warp; it ends its region
}

func (s *step) sources() []operand { return s.src[:s.nsrc] }
func (s *step) results() []operand { return s.dst[:s.ndst] }

// leaves reports whether code resumes after such a step once it was executed outside of code.
func (k stepKind) leaves() bool { return k == stepLeave || k == stepEnd }

// isStraight reports whether such a step can be part of a region.
func (k stepKind) isStraight() bool {
	switch k {
	case stepLeave, stepJump, stepVote, stepProduct, stepMatrix, stepFetch, stepLanes, stepBarrier, stepEnd:
		return false
	}
	return true
}

// blind reports whether the result of a step is the same for all NaNs of its .f32 sources.
func (s *step) blind() bool {
	return s.kind == stepCompute && (s.template.NaN || s.template.Blind) && !s.guarded
}

// across reports whether lanes read values of other lanes.
func (s *step) across() bool { return s.kind == stepCompute && s.template.Across }

// divisor returns the source by which a step divides, or that its template checks.
func (s *step) divisor() *operand {
	for k := range s.sources() {
		if s.field[k] == 'b' || s.template.Check != nil {
			return &s.src[k]
		}
	}
	panic("simtrun bug: a division without a divisor")
}

// isAccess reports whether a step accesses memory.
func (s *step) isAccess() bool {
	return s.kind == stepLoad || s.kind == stepStore || s.kind == stepAtomic
}

// findSteps makes a step of each instruction of a part of f. Code leaves the others.
func findSteps(steps []step, f *program.Func, part Part, s *slots, t *isa.Templates) {
	first, end := part.of(f)
	for pc := first; pc < end; pc++ {
		st := &steps[pc]
		st.op, st.info = &f.Ops[pc], &f.Info[pc]
		if st.op.Guard != f.Layout.True {
			st.guarded, st.guard = true, operand{s.lookup(st.op.Guard), st.op.Guard&1 != 0}
		}
		st.product, st.matrix = f.Products[pc], moveOf(f, pc)
		st.kind = st.classify(f, s, t, pc)
	}
	steps[len(f.Src.Code)].op = &f.Ops[len(f.Src.Code)]
}

// leaveAt makes code leave the marked instructions, by PC, to the engine, or exit after them.
func (p *plan) leaveAt(leave *program.Contention) {
	for pc, marked := range p.leftTo(leave) {
		st := &p.steps[pc]
		if st.yields = marked && p.x == nil && p.part == (Part{}) && st.isAccess() && leave.YieldsInCode(p.f, pc); marked && !st.yields {
			leaveStep(st)
		}
	}
}

//go:noinline
func leaveStep(st *step) {
	*st = step{kind: stepLeave, op: st.op, info: st.info, guarded: st.guarded, guard: st.guard}
}

// classify finds the kind and the operands of the step.
func (st *step) classify(f *program.Func, s *slots, t *isa.Templates, pc int) stepKind {
	in := &f.Src.Code[pc]
	switch st.op.Kind {
	case lanes.Nop, uint8(isa.Fence): // without a clock all accesses are in order
		return stepNop
	case lanes.Jump:
		return stepJump
	case uint8(isa.Branch):
		if st.guarded && !st.info.ByIndex { // it may lead out of its exit region
			return stepJump
		}
		return stepLeave
	case uint8(isa.Barrier):
		if info := st.info; !st.guarded && info.BarOp == isa.BarSync && !info.Counted && info.Barrier != program.AnyBarrier {
			return stepBarrier
		}
		return stepLeave
	case uint8(isa.Exit):
		if !st.guarded {
			return stepEnd
		}
		return stepLeave
	case lanes.Compute, lanes.Guarded:
		if st.compute(s, t, in) {
			st.divides = st.template.Check != nil
			return stepCompute
		}
		if kind := st.voting(f, s, in); kind != stepLeave {
			return kind
		}
		return st.byLanes(f, s, pc)
	case uint8(program.Slow):
		if st.divides = st.info.Divides && !st.info.Clock; st.divides && st.compute(s, t, in) {
			return stepCompute
		}
		return stepLeave
	}
	if st.matrix != nil {
		return stepMatrix
	}
	if st.info.Image != nil && st.fetching(f, s, pc) {
		return stepFetch
	}
	switch isa.Kind(st.op.Kind) {
	case isa.Vote, program.WarpBarrier:
		return st.voting(f, s, in)
	case isa.Matrix:
		if st.product != nil && !st.guarded && jit.HasProduct(st.product) && roundsToNearest(st.op) {
			return stepProduct
		}
	case isa.Shuffle:
		if st.exchange(s, t, in) {
			return stepCompute
		}
	case isa.Load:
		if st.access(f, s, in) {
			return stepLoad
		}
	case isa.Store:
		if st.access(f, s, in) {
			return stepStore
		}
	case isa.Atomic:
		if st.change(f, s, in) {
			return stepAtomic
		}
	}
	return stepLeave
}

// roundsToNearest reports whether an instruction has no other rounding.
func roundsToNearest(op *lanes.Op) bool { return jit.ControlOf(op.Mode) == jit.Nearest }

// compute finds the template and the operands of an instruction on registers. It returns false if there is none, or
// if the template needs other widths.
func (st *step) compute(s *slots, t *isa.Templates, in *isa.Instr) bool {
	if st.info.LoadsParam {
		st.template = &jit.Move
		return st.result(s, 'd', st.op.D, 0) && st.source(s, 'a', st.op.A, 0)
	}
	v := isa.Variant{DstBits: int(st.info.DstBits), SrcBits: int(st.info.SrcBits)}
	elements := vectorsOf(in, &v)
	var types []isa.Type
	st.template, types = t.Of(in, v)
	if st.template == nil || st.op.Mode != in.Mods.Mode() || in.Spec.Stack || in.Spec.ReadsRank {
		return false
	}
	formals := in.Spec.Formals()
	for i := range in.Args {
		a, formal := &in.Args[i], &formals[i]
		// the mask of lanes
		if a.Kind == isa.NoOperand || formal.Kind == isa.Immediate || st.template.Across && formal.Name == 'e' {
			continue
		}
		if a.Kind == isa.VecOperand {
			if !elements || !st.vector(s, a, formal.Result) {
				return false
			}
			continue
		}
		off, ok := fieldOf(st.op, formal.Name)
		if !ok {
			return false
		}
		var bits uint8
		if in.Spec.Wide {
			bits = st.registerBits(formal)
		} else {
			bits = slotBits(types[i])
		}
		if formal.Result {
			ok = a.Kind == isa.SinkOperand && i > 0 || st.result(s, formal.Name, off, bits)
		} else {
			ok = st.source(s, formal.Name, off, bits)
		}
		if !ok {
			return false
		}
	}
	if in.Mods[isa.CC] != 0 && !st.result(s, 'q', st.op.D2, 1) || in.Spec.CarryIn && !st.source(s, 'e', st.op.E, 1) {
		return false
	}
	return st.ndst > 0
}

// exchange finds the template and the operands of an exchange between lanes.
func (st *step) exchange(s *slots, t *isa.Templates, in *isa.Instr) bool {
	return st.meet(s) && st.compute(s, t, in)
}

// meet finds which lanes must execute the step together. It returns false if code cannot check that they do.
func (st *step) meet(s *slots) bool {
	st.meets, st.membersIn = st.info.Sync, noSlot
	switch {
	case st.guarded:
		return false
	case !st.meets:
	case st.info.Members != 0:
		st.members = jit.Members{Known: true, Mask: st.info.Members}
	default:
		st.membersIn, st.members = s.lookup(st.op.E), jit.Members{Slot: st.op.E}
		return st.membersIn != noSlot && s.all[st.membersIn].bits == 32
	}
	return true
}

// voting finds the operands of a vote.
func (st *step) voting(f *program.Func, s *slots, in *isa.Instr) stepKind {
	if st.vote = in.Vote(); st.vote == jit.NoVote || !st.meet(s) {
		return stepLeave
	}
	if st.word = noSlot; st.vote.OnWords() {
		d := s.lookup(st.op.D)
		if st.word = s.lookup(st.op.A); st.word == noSlot || s.all[st.word].bits != 32 || st.op.D != f.Layout.Sink && (d == noSlot || s.all[d].bits != 32 || s.all[d].fixed) {
			return stepLeave
		}
	}
	return stepVote
}

// vectorsOf sets in v how many elements a mov packs or unpacks. It reports whether in is such a mov, or has no
// vectors at all.
func vectorsOf(in *isa.Instr, v *isa.Variant) bool {
	for i := range in.Args {
		if in.Args[i].Kind != isa.VecOperand {
			continue
		}
		n := len(in.Args[i].Elems)
		switch formal := &in.Spec.Formals()[i]; {
		case formal.Kind != isa.AnyMove || n > jit.MaxElems:
			return false
		case formal.Result:
			v.Unpack = n
		default:
			v.Pack = n
		}
	}
	return true
}

// firstElem is the field name of the first element of a vector.
const firstElem = '0'

// vector finds the elements of a vector that is packed or unpacked. Each of them is a 32-bit word.
func (st *step) vector(s *slots, a *isa.Operand, result bool) bool {
	for k := range a.Elems {
		name, off := byte(firstElem+k), st.op.Vec[k]
		switch {
		case !result:
			if !st.source(s, name, off, 32) {
				return false
			}
		case a.Elems[k].Kind != isa.SinkOperand && !st.result(s, name, off, 32):
			return false
		}
	}
	return true
}

// registerBits returns the width of the slot of a register that may be wider than its type.
func (st *step) registerBits(f *isa.Formal) uint8 {
	bits := st.info.SrcBits
	if f.Result {
		bits = st.info.DstBits
	}
	return wideBits(bits > 32)
}

// fieldOf returns the operand of an Op with a field name.
func fieldOf(op *lanes.Op, name byte) (off uint32, ok bool) {
	switch name {
	case 'd':
		return op.D, true
	case 'q':
		return op.D2, true
	case 'a':
		return op.A, true
	case 'b':
		return op.B, true
	case 'c':
		return op.C, true
	case 'e':
		return op.E, true
	}
	return 0, false
}

// slotBits returns the width of the slot of a value of a type.
func slotBits(t isa.Type) uint8 {
	switch n := t.Bits(); {
	case t == isa.Pred:
		return 1
	case n > 64:
		return 128
	case n > 32:
		return 64
	}
	return 32
}

// source adds a source. It returns false if the slot has another width; 0 allows any.
func (st *step) source(s *slots, name byte, off uint32, bits uint8) bool {
	id := s.lookup(off)
	if id == noSlot || bits != 0 && s.all[id].bits != bits || int(st.nsrc) == len(st.field) || s.all[id].bits == 128 {
		return false
	}
	st.src[st.nsrc], st.field[st.nsrc] = operand{id, bits == 1 && off&1 != 0}, name
	st.nsrc++
	return true
}

func (st *step) result(s *slots, name byte, off uint32, bits uint8) bool {
	id := s.lookup(off)
	if id == noSlot || bits != 0 && s.all[id].bits != bits || s.all[id].bits == 128 || s.all[id].fixed {
		return false
	}
	st.dst[st.ndst], st.dstField[st.ndst] = operand{slot: id}, name
	st.ndst++
	return true
}
