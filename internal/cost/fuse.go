package cost

import (
	"slices"
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// fusion is two PTX instructions that become one machine instruction, or one sequence: the second has the result of
// the first as a source, and no other instruction reads that result. Both are in one block, and the sources of the
// first still have their values at the second.
type fusion struct {
	first, second []form
	// slots are the slots of the second; "" if they do not change.
	slots string
	// each is true if the first can be fused into several seconds. Otherwise there is only one.
	each bool
	// takes reports whether an operand of the second can be the result of the first; nil: any operand except the guard.
	takes func(second *isa.Instr, at int) bool

	firsts, seconds forms
	parsed          []Slot
}

// Operations that several fusions share.
const (
	sums     = isa.OpSum | isa.OpDifference
	computed = sums | isa.OpProduct | isa.OpFused
	signs    = isa.OpNegative | isa.OpMagnitude
)

// fusionRows are the fusions of the assembler (testdata/assembled.csv). The first match is used. A multiplication and
// an addition with an explicit rounding are not fused, as required by the PTX ISA for add and mul. Results in simtrun
// are never those of a fused multiply-add.
var fusionRows = []fusion{
	// Multiply and add: FFMA, DFMA, HFMA2, IMAD.
	{first: []form{is(isa.OpProduct, exactly(isa.F32))}, second: []form{is(sums, isa.OfType(isa.F32), isa.Only(isa.Sat))}, slots: "single", each: true},
	{first: []form{is(isa.OpProduct, isa.OfType(isa.F32), ftz, isa.Only(isa.Ftz))}, second: []form{is(sums, isa.OfType(isa.F32), ftz, isa.Only(isa.Ftz, isa.Sat))}, slots: "single", each: true},
	{first: []form{is(isa.OpProduct, exactly(isa.F64))}, second: []form{is(sums, exactly(isa.F64))}, slots: "double", each: true},
	{first: []form{is(isa.OpProduct, exactly(isa.F16))}, second: []form{is(sums, exactly(isa.F16))}, slots: "half", each: true},
	{first: []form{is(isa.OpProduct, exactly(isa.F16x2))}, second: []form{is(sums, exactly(isa.F16x2))}, slots: "half", each: true},
	{first: []form{is(isa.OpProduct, lo, int32s)}, second: []form{is(isa.OpSum, exactly(isa.U32, isa.S32))}, slots: "product"},
	{first: []form{is(isa.OpProduct, wide, int32s)}, second: []form{is(isa.OpSum, exactly(isa.U64, isa.S64))}, slots: "product_wide", each: true},
	{first: []form{is(isa.OpProduct, wide, isa.OfType(isa.U16))}, second: []form{is(isa.OpSum, exactly(isa.U32, isa.S32))}, slots: "product"},
	// Shift and add: LEA.
	{first: []form{is(isa.OpShift, isa.OfType(isa.B32), isa.Constant(2))}, second: []form{is(isa.OpSum, exactly(isa.U32, isa.S32))}, slots: "integer", each: true},
	{first: []form{is(isa.OpShift, isa.OfType(isa.B64), isa.Constant(2))}, second: []form{is(isa.OpSum, exactly(isa.U64, isa.S64))}, slots: "integer > integer", each: true},
	// An offset of an address: part of the access.
	{first: []form{is(isa.OpSum, exactly(isa.U32, isa.S32, isa.U64, isa.S64), isa.Constant(2))}, second: []form{is(isa.OpAccess)}, each: true, takes: isBase},
	// Sums of three: IADD3.
	{first: []form{is(sums|isa.OpNegative, exactly(isa.U32, isa.S32))}, second: []form{is(sums, exactly(isa.U32, isa.S32))}, slots: "integer"},
	// Logic of three: LOP3, and whether it is 0.
	{first: []form{is(isa.OpLogic|isa.OpComplement, isa.OfType(isa.B32))}, second: []form{is(isa.OpLogic, isa.OfType(isa.B32))}},
	{first: []form{is(isa.OpLogic|isa.OpComplement, isa.OfType(isa.B64))}, second: []form{is(isa.OpLogic, isa.OfType(isa.B64))}},
	{first: []form{is(isa.OpLogic, isa.OfType(isa.B32))}, second: []form{is(isa.OpComparison, bits32, isa.With(isa.Cmp, isa.CmpEq, isa.CmpNe), isa.Only(isa.Cmp), isa.Constant(3))}, takes: withZero},
	{first: []form{is(isa.OpComparison)}, second: []form{is(isa.OpLogic, isa.OfType(isa.Pred))}},
	{first: []form{is(isa.OpComplement, isa.OfType(isa.Pred))}, second: []form{is(isa.OpLogic, isa.OfType(isa.Pred)), is(isa.OpSelection | isa.OpComparison | isa.OpVote | isa.OpBranch)}, each: true, takes: anyOperand},
	// Signs of operands.
	{first: []form{is(signs, exactly(isa.F32))}, second: []form{is(computed|isa.OpProductSum, isa.OfType(isa.F32), isa.Not(isa.With(isa.HalfG))), is(isa.OpExtremum, exactly(isa.F32)), is(isa.OpComparison, isa.OfType(isa.F32))}, each: true},
	{first: []form{is(signs, exactly(isa.F64))}, second: []form{is(computed|isa.OpProductSum|isa.OpComparison, isa.OfType(isa.F64))}, each: true},
	{first: []form{is(signs, exactly(isa.F16x2))}, second: []form{is(computed, isa.OfType(isa.F16x2, isa.BF16x2))}, each: true},
}

// fusions are fusionRows with their forms and slots parsed.
var fusions = sync.OnceValue(func() []fusion {
	rows := slices.Clone(fusionRows)
	for i := range rows {
		f := &rows[i]
		f.firsts, f.seconds, f.parsed = formsOf(f.first...), formsOf(f.second...), parseSlots(f.slots)
	}
	return rows
})

// isBase reports whether the operand of an access is its address.
func isBase(second *isa.Instr, at int) bool {
	return at >= 0 && second.Args[at].Kind == isa.AddrOperand
}

// withZero reports whether a comparison is with 0.
func withZero(second *isa.Instr, at int) bool { return second.Args[len(second.Args)-1].Bits == 0 }

// anyOperand accepts all operands, including the guard.
func anyOperand(*isa.Instr, int) bool { return true }

// modifies reports whether the first only becomes a modifier of an operand, so that the second can take part in
// another fusion.
func (f *fusion) modifies() bool { return f.each && f.slots == "" }

// fuse fuses instructions.
func (l *lowering) fuse() {
	v := l.values
	full := make([]bool, len(l.f.Code)) // another one is already fused into it
	for first := range l.f.Code {
		in := &l.f.Code[first]
		if in.Guard != isa.NoReg || len(v.uses[first]) == 0 || v.escapes[first] || full[first] || len(l.costs[first].Slots) == 0 {
			continue
		}
		for _, row := range l.lowered(in).firsts {
			if l.fusible(row, first, full) {
				l.absorb(row, first, v.uses[first])
				for _, u := range v.uses[first] {
					full[u.pc] = full[u.pc] || !row.modifies()
				}
				break
			}
		}
	}
}

// fusible reports whether the instruction at first can be fused into all instructions that use its result, by a row.
func (l *lowering) fusible(row *fusion, first int, full []bool) bool {
	uses := l.values.uses[first]
	for i, u := range uses {
		second := &l.f.Code[u.pc]
		takes := u.at >= 0
		if row.takes != nil {
			takes = row.takes(second, u.at)
		}
		again := i > 0 && (!row.each || uses[i-1].pc == u.pc)
		if again || !takes || full[u.pc] && !row.modifies() || !isOne(second, row.seconds) || l.values.changed(l.costs[first].Sources, first, u.pc) {
			return false
		}
	}
	return true
}

// isOne reports whether an instruction is one of the forms.
func isOne(in *isa.Instr, fs forms) bool {
	if in.Later != "" || in.Spec == nil || fs[in.Spec] == nil {
		return false
	}
	v := variantOf(in)
	return fs.has(&v)
}

// absorb makes the instruction at first a part of those that use it.
func (l *lowering) absorb(row *fusion, first int, uses []use) {
	from := &l.costs[first]
	result := from.Results[0]
	for _, u := range uses {
		c := &l.costs[u.pc]
		c.Sources = slices.DeleteFunc(slices.Clone(c.Sources), func(r isa.RegID) bool { return r == result })
		for _, r := range from.Sources {
			c.Sources = include(c.Sources, r)
		}
		if row.parsed != nil {
			c.Slots = row.parsed
		}
	}
	from.Slots, from.Sources, from.Results = nil, nil, nil
}

// widenLoads removes the slots of conversions that a load does: of bytes and 16 bits, to the type to which the load
// extends them.
func (l *lowering) widenLoads() {
	for _, b := range l.g.Blocks() {
		loaded := make(map[isa.RegID]isa.Type)
		for pc := b.Start; pc < b.End; pc++ {
			in, c := &l.f.Code[pc], &l.costs[pc]
			if isOne(in, widening) && in.Guard == isa.NoReg && in.Args[1].Kind == isa.RegOperand && loaded[in.Args[1].Reg] == in.Types[1] {
				c.Slots = nil
			}
			for _, r := range c.Results {
				delete(loaded, r)
				if in.Is(isa.Load) && in.Guard == isa.NoReg && in.Types[0].Bits() < 32 {
					loaded[r] = in.Types[0]
				}
			}
		}
	}
}

var widening = formsOf(
	is(isa.OpConversion, isa.Only(), int16s, isa.FromType(isa.U8, isa.S8)),
	is(isa.OpConversion, isa.Only(), int32s, isa.FromType(isa.U8, isa.S8, isa.U16, isa.S16)),
)

// balance moves sums, and shifts by constants, to the multiplier (IMAD.IADD, IMAD.SHL) if it has had fewer machine
// instructions of the block than the ALU: the assembler distributes them over both pipes.
func (l *lowering) balance() {
	for _, b := range l.g.Blocks() {
		alu, multiplier := 0, 0
		for pc := b.Start; pc < b.End; pc++ {
			c := &l.costs[pc]
			if alu > multiplier && len(c.Slots) == 1 && len(c.Sources) <= 2 && isOne(&l.f.Code[pc], balanced) {
				c.Slots = product
			}
			for _, s := range c.Slots {
				switch s.Class {
				case isa.CostInteger:
					alu++
				case isa.CostProduct, isa.CostProductHigh, isa.CostProductWide:
					multiplier++
				}
			}
		}
	}
}

var (
	balanced = formsOf(
		is(isa.OpSum, exactly(isa.U16, isa.S16, isa.U32, isa.S32)),
		is(isa.OpDifference|isa.OpNegative, exactly(isa.U32, isa.S32)),
		is(isa.OpShift, isa.OfType(isa.B32), isa.Constant(2)),
	)
	product = parseSlots("product")
)
