package check

import (
	"math/bits"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// spread computes the undefined bits of an instruction's results. At least one of its sources has undefined bits.
type spread func(s *initStep)

// spreads has what computes the undefined bits of results, by the rule of the row.
var spreads = [isa.NumSpreads]spread{
	isa.SpreadMoves:      (*initStep).moves,
	isa.SpreadConverts:   (*initStep).converts,
	isa.SpreadLogic:      func(s *initStep) { s.logic(s.in.Spec.Spread.Table) },
	isa.SpreadTable:      (*initStep).lop3,
	isa.SpreadSum:        (*initStep).upwards,
	isa.SpreadDifference: (*initStep).upwards,
	isa.SpreadProduct:    (*initStep).upwards,
	isa.SpreadComparison: (*initStep).compares,
	isa.SpreadShuffle:    (*initStep).shuffles,
	isa.SpreadVote:       (*initStep).votes,
	isa.SpreadLanes:      (*initStep).ofAllLanes,
}

// wholly makes all bits of the results undefined in the lanes with undefined sources. An operation on pairs makes only
// that half undefined, unless it makes the pair of other types.
func (s *initStep) wholly() {
	p, types := &s.plan[s.pc], s.in.Types
	half := map[isa.Type]int{isa.F16x2: 16, isa.BF16x2: 16, isa.U16x2: 16, isa.S16x2: 16, isa.U8x4: 8, isa.S8x4: 8, isa.F32x2: 32}[types[0]]
	s.define(p, s.active)
	if half == 0 || types[1] != isa.NoType && types[1] != types[0] || len(p.writes) != 1 {
		for _, r := range p.writes {
			s.undefine(s.w, r, s.lanes, s.source)
		}
		return
	}
	var all [lanes.Width]uint64
	for _, a := range s.sources() {
		for lane := range all {
			for i := 0; i < 64; i += half {
				if a.undefined[lane]>>i&ones(half) != 0 {
					all[lane] |= ones(half) << i
				}
			}
		}
	}
	s.result(&all)
}

// initOperand is a source with its value in each lane.
type initOperand struct {
	slot             uint32
	value, undefined [lanes.Width]uint64
}

// sources returns the operands a, b, c and e.
func (s *initStep) sources() (all []initOperand) {
	for i, formal := range s.in.Spec.Formals() {
		if i >= len(s.in.Args) || formal.Result || s.in.Args[i].Kind == isa.NoOperand || formal.Kind != isa.Value && formal.Kind != isa.AnyMove && formal.Kind != isa.Pointer {
			continue
		}
		slot, t := s.slotOf(formal.Name), formal.Type(s.in.Types, s.in.Mods)
		a := initOperand{slot: slot, value: readSlot(s.w.File, slot, t.Bits()), undefined: readSlot(s.shadow.File, slot, t.Bits())}
		for lane := range a.value {
			if t == isa.Pred {
				a.value[lane] ^= uint64(slot & 1)
			} else {
				a.value[lane] &= ones(t.Bits())
				a.undefined[lane] &= ones(t.Bits())
			}
		}
		all = append(all, a)
	}
	return all
}

// slotOf returns the slot of an operand.
func (s *initStep) slotOf(name byte) uint32 {
	switch name {
	case 'a':
		return s.op.A
	case 'b':
		return s.op.B
	case 'c':
		return s.op.C
	}
	return s.op.E
}

// result sets the undefined bits of the only result.
func (s *initStep) result(u *[lanes.Width]uint64) {
	r := s.plan[s.pc].writes[0]
	bits := ones(s.w.Func.Src.Regs[r].Type.Bits())
	for lane := range u {
		u[lane] &= bits
	}
	s.setBits(r, s.active, u, &[lanes.Width]uint64{})
	s.recount(r, s.active, s.source)
}

// moves follows an instruction that moves bits of its sources to the result. It executes the instruction on the masks
// of undefined bits, with the values of those operands that say how bits move.
func (s *initStep) moves() {
	if controls := s.in.Spec.Spread.Controls; controls != "" {
		s.moved(controls)
		return
	}
	s.op.Fn(s.shadow.File, s.op, s.active)
	for _, r := range s.plan[s.pc].writes {
		s.recount(r, s.active, s.source)
	}
}

// moved executes the instruction on undefined bits in another file, because a control may also be a source or the
// result.
func (s *initStep) moved(controls string) {
	const first = lanes.ScratchBytes
	if s.c.table == nil {
		s.c.table = lanes.NewFile(first + 5*lanes.Slot64)
	}
	size, table := s.w.Func.Layout.Bytes(), s.c.table.Bytes(first+5*lanes.Slot64)
	op, wholly := *s.op, lanes.Mask(0)
	for i, slot := range [...]*uint32{&op.A, &op.B, &op.C, &op.E} {
		from, at := s.shadow.File, *slot&^1
		if name := "abce"[i]; strings.IndexByte(controls, name) >= 0 {
			wholly |= nonzero(from, at, s.bitsOf(name))
			from = s.w.File
		}
		to := uint32(first + i*lanes.Slot64)
		copy(table[to:][:lanes.Slot64], from.Bytes(size)[at:])
		*slot = to | *slot&1
	}
	op.D = first + 4*lanes.Slot64
	op.Fn(s.c.table, &op, s.active)
	u := readSlot(s.c.table, op.D, s.resultBits())
	for left := wholly & s.active; left != 0; left &= left - 1 {
		u[firstLane(left)] = ^uint64(0)
	}
	if s.in.Spec.Selects {
		s.eitherOne(wholly&s.active, &u)
	}
	s.result(&u)
}

// eitherOne sets the undefined bits of a select in the lanes of m, which have an undefined condition: bits that are the
// same in both sources are defined.
func (s *initStep) eitherOne(m lanes.Mask, u *[lanes.Width]uint64) {
	all := s.sources()
	for ; m != 0; m &= m - 1 {
		lane := firstLane(m)
		u[lane] = all[0].undefined[lane] | all[1].undefined[lane] | all[0].value[lane] ^ all[1].value[lane]
	}
}

// bitsOf returns the width of an operand.
func (s *initStep) bitsOf(name byte) int {
	for _, formal := range s.in.Spec.Formals() {
		if formal.Name == name {
			return formal.Type(s.in.Types, s.in.Mods).Bits()
		}
	}
	return 32
}

// resultBits returns the width of the first result.
func (s *initStep) resultBits() int { return s.w.Func.Src.Regs[s.plan[s.pc].writes[0]].Type.Bits() }

// converts follows a conversion. Between integers it moves bits, unless it saturates.
func (s *initStep) converts() {
	to, from := s.in.Types[0].Class(), s.in.Types[1].Class()
	if to == isa.Float || from == isa.Float || s.in.Mods[isa.Sat] != 0 || s.op.Fn == nil {
		s.wholly()
		return
	}
	s.moves()
}

// lop3 is logic with the truth table of the instruction.
func (s *initStep) lop3() {
	if len(s.plan[s.pc].writes) > 1 || s.in.Mods[isa.BoolOp] != 0 {
		s.wholly()
		return
	}
	s.logic(s.op.Imm)
}

// logic follows a bitwise operation with a truth table. A bit is defined if no value of the undefined bits changes it.
func (s *initStep) logic(table uint64) {
	all := s.sources()
	if len(all) == 2 && all[0].slot == all[1].slot && table == 0x3c { // a register with itself
		s.define(&s.plan[s.pc], s.active)
		return
	}
	var u [lanes.Width]uint64
	for lane := range u {
		var may [2]uint64 // bits that may be 0, or 1
		for row := range 8 {
			possible := ^uint64(0)
			for i := range all[:min(len(all), 3)] {
				bit := -uint64(row >> (2 - i) & 1)
				possible &= all[i].undefined[lane] | ^(all[i].value[lane] ^ bit)
			}
			may[table>>row&1] |= possible
		}
		u[lane] = may[0] & may[1]
	}
	s.result(&u)
}

// upwards follows sums and products of integers: an undefined bit makes all higher bits of the result undefined.
func (s *initStep) upwards() {
	t := s.in.Types[0]
	if t.Class() == isa.Float || t >= isa.U16x2 && t <= isa.S8x4 || s.in.Mods[isa.Sat] != 0 || s.in.Mods[isa.Part] == isa.Hi || len(s.plan[s.pc].writes) != 1 {
		s.wholly()
		return
	}
	all := s.sources()
	rule := s.in.Spec.Spread.Rule
	if rule == isa.SpreadDifference && s.in.Mods[isa.CC] == 0 && all[0].slot == all[1].slot {
		s.define(&s.plan[s.pc], s.active)
		return
	}
	product := rule == isa.SpreadProduct
	var u [lanes.Width]uint64
	for lane := range u {
		low := uint64(0) // the bits from the lowest undefined one on have their lowest bit here
		if product {
			low = productLow(&all[0], &all[1], lane)
		} else {
			for i := range all {
				low |= all[i].undefined[lane]
			}
		}
		if product && len(all) > 2 {
			low |= all[2].undefined[lane]
		}
		if s.in.Spec.CarryIn && s.carry>>lane&1 != 0 {
			low |= 1
		}
		u[lane] = low | -low
	}
	s.result(&u)
}

// productLow returns a value with the lowest undefined bit of a product as its lowest bit; 0 if it is defined.
func productLow(a, b *initOperand, lane int) uint64 {
	ua, ub := a.undefined[lane], b.undefined[lane]
	switch {
	case ua|ub == 0, ua == 0 && a.value[lane] == 0, ub == 0 && b.value[lane] == 0:
		return 0
	case ua == 0:
		return ub << bits.TrailingZeros64(a.value[lane])
	case ub == 0:
		return ua << bits.TrailingZeros64(b.value[lane])
	}
	return (ua | ub) & -(ua | ub)
}

// compares follows undefined bits through a comparison. A comparison of integers is defined if its result is the same
// for all values of the undefined bits. It is also defined if the predicate with which it is combined decides the
// result, as false does with .and.
func (s *initStep) compares() {
	all, t := s.sources(), s.in.Types[1]
	if t == isa.NoType { // the result is a predicate
		t = s.in.Types[0]
	}
	var u lanes.Mask
	for left := s.lanes; left != 0; left &= left - 1 {
		lane := firstLane(left)
		holds, defined := s.compared(&all[0], &all[1], t, lane)
		if len(all) > 2 {
			c := all[2].value[lane] != 0
			switch op := s.in.Mods[isa.BoolOp]; {
			case all[2].undefined[lane] != 0:
				defined = defined && (op == isa.BoolAnd && !holds || op == isa.BoolOr && holds) && len(s.plan[s.pc].writes) == 1
			case op == isa.BoolAnd && !c, op == isa.BoolOr && c:
				defined = true
			}
		}
		if !defined {
			u |= 1 << lane
		}
	}
	p := &s.plan[s.pc]
	s.define(p, s.active)
	for _, r := range p.writes {
		s.undefine(s.w, r, u, s.source)
	}
}

// compared returns the result of the comparison of two sources of type t in a lane, if it is defined.
func (s *initStep) compared(a, b *initOperand, t isa.Type, lane int) (holds, defined bool) {
	ua, ub, va, vb := a.undefined[lane], b.undefined[lane], a.value[lane], b.value[lane]
	if t.Class() == isa.Float {
		return false, ua|ub == 0
	}
	op := s.in.Mods[isa.Cmp]
	switch op {
	case isa.CmpEq, isa.CmpNe:
		differ := (va^vb)&^ua&^ub != 0
		return differ == (op == isa.CmpNe), differ || ua|ub == 0
	}
	sign := uint64(0)
	if t.Class() == isa.Signed && op <= isa.CmpGe {
		sign = 1 << (t.Bits() - 1)
	}
	// with the sign bit flipped, signed numbers are in the order of unsigned ones
	lowA, highA := (va^sign)&^ua, (va^sign)|ua
	lowB, highB := (vb^sign)&^ub, (vb^sign)|ub
	less, more := inOrder(op, lowA, highB), inOrder(op, highA, lowB)
	return less, less == more
}

// inOrder compares unsigned numbers.
func inOrder(op isa.Mod, a, b uint64) bool {
	switch op {
	case isa.CmpLt, isa.CmpLo:
		return a < b
	case isa.CmpLe, isa.CmpLs:
		return a <= b
	case isa.CmpGt, isa.CmpHi:
		return a > b
	}
	return a >= b
}

// shuffles follows a shuffle: a lane gets the undefined bits of the lane that it reads. What it reads from a lane that
// does not execute the shuffle counts as defined, because the check sync finds that.
func (s *initStep) shuffles() {
	src, by, clamp := readSlot(s.shadow.File, s.op.A, 32), readSlot(s.w.File, s.op.B, 32), readSlot(s.w.File, s.op.C, 32)
	control := nonzero(s.shadow.File, s.op.B, 32) | nonzero(s.shadow.File, s.op.C, 32)
	var u [lanes.Width]uint64
	for left := s.active; left != 0; left &= left - 1 {
		lane := firstLane(left)
		switch from := sourceLane(s.in.Mods[isa.ShflMode], lane, int(by[lane]), int(clamp[lane])); {
		case control>>lane&1 != 0:
			u[lane] = ^uint64(0)
		case s.active>>from&1 != 0:
			u[lane] = src[from]
		}
	}
	p := &s.plan[s.pc]
	for _, r := range p.writes[min(1, len(p.writes)):] {
		s.initFrame.define(r, s.active)
	}
	if len(p.writes) > 0 && s.w.Func.Src.Regs[p.writes[0]].Type != isa.Pred {
		s.result(&u)
	}
}

// votes follows a vote. A bit of a ballot depends on one lane; a single defined lane may decide the other results.
func (s *initStep) votes() {
	p := &s.plan[s.pc]
	holds := lanes.Predicate(s.w.File, s.op.A) & s.active
	u := *lanes.Pred(s.shadow.File, s.op.A&^1) & s.active
	s.define(p, s.active)
	var all [lanes.Width]uint64
	switch mode := s.in.Mods[isa.VoteMode]; {
	case len(p.writes) == 0 || u == 0, mode == isa.VoteAny && holds&^u != 0, mode == isa.VoteAll && s.active&^holds&^u != 0:
		return
	default:
		for lane := range all {
			if all[lane] = 1; mode == isa.VoteBallot {
				all[lane] = uint64(u)
			}
		}
	}
	s.result(&all)
}

// ofAllLanes follows an instruction that computes each lane's result from the sources of all lanes.
func (s *initStep) ofAllLanes() {
	for _, r := range s.plan[s.pc].writes {
		s.undefine(s.w, r, s.active, s.source)
	}
}
