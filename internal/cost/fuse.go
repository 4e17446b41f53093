package cost

import (
	"slices"
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// fusion is two instructions of PTX that become one machine instruction, or one sequence:
// the second has the result of the first as a source. Nothing else reads that result.
// They are in one block, and what the first reads still has its value at the
// second.
type fusion struct {
	first, second string // forms
	// slots are those of the second; "" for those that it has by itself.
	slots string
	// each says that the first is done anew in several seconds. Without it there is one.
	each bool
	// takes reports whether an operand of the second can be the result of the first; nil:
	// any but the guard.
	takes func(second *isa.Instr, at int) bool

	firsts, seconds []form
	parsed          []Slot
}

// fusionRows are the fusions that the assembler makes (testdata/assembled.csv). Of those that
// match the first counts. A multiplication and an addition with a rounding are not fused,
// as the PTX ISA says of add and mul; results here are never those of a fused
// multiply-add.
var fusionRows = []fusion{
	// Multiply and add: FFMA, DFMA, HFMA2, IMAD.
	{first: "mul.f32", second: "add.f32 add.sat.f32 sub.f32 sub.sat.f32", slots: "single", each: true},
	{first: "mul.ftz.f32", second: "add.ftz.f32 add.ftz.sat.f32 sub.ftz.f32 sub.ftz.sat.f32", slots: "single", each: true},
	{first: "mul.f64", second: "add.f64 sub.f64", slots: "double", each: true},
	{first: "mul.f16", second: "add.f16 sub.f16", slots: "half", each: true},
	{first: "mul.f16x2", second: "add.f16x2 sub.f16x2", slots: "half", each: true},
	{first: "mul.lo.[us]32", second: "add.[us]32", slots: "product"},
	{first: "mul.wide.[us]32", second: "add.[us]64", slots: "product_wide", each: true},
	{first: "mul.wide.u16", second: "add.[us]32", slots: "product"},
	// Shift and add: LEA.
	{first: "shl.b32=2", second: "add.[us]32", slots: "integer", each: true},
	{first: "shl.b64=2", second: "add.[us]64", slots: "integer > integer", each: true},
	// An offset of an address: part of the access.
	{first: "add.[us]64=2 add.[us]32=2", second: "ld.* st.* atom.* red.*", each: true, takes: isBase},
	// Sums of three: IADD3.
	{first: "add.[us]32 sub.[us]32 neg.s32", second: "add.[us]32 sub.[us]32", slots: "integer"},
	// Logic of three: LOP3, and whether it is 0.
	{first: "and.b32 or.b32 xor.b32 not.b32", second: "and.b32 or.b32 xor.b32"},
	{first: "and.b64 or.b64 xor.b64 not.b64", second: "and.b64 or.b64 xor.b64"},
	{first: "and.b32 or.b32 xor.b32", second: "setp.eq.[bsu]32=3 setp.ne.[bsu]32=3", takes: withZero},
	{first: "setp.*", second: "and.pred or.pred xor.pred"},
	{first: "not.pred", second: "and.pred or.pred xor.pred selp.* setp.* vote.* bra bra.uni", each: true, takes: anyOperand},
	// Signs of operands.
	{first: "neg.f32 abs.f32", second: "add.*f32 sub.*f32 mul.*f32 fma.*f32 mad.*f32 min.f32 max.f32 setp.*.f32", each: true},
	{first: "neg.f64 abs.f64", second: "add.*f64 sub.*f64 mul.*f64 fma.*f64 mad.*f64 setp.*.f64", each: true},
	{first: "neg.f16x2 abs.f16x2", second: "add.*f16x2 sub.*f16x2 mul.*f16x2 fma.*f16x2", each: true},
}

// fusions are fusionRows with their forms and slots, which are read when sequences are.
var fusions = sync.OnceValue(func() []fusion {
	rows := slices.Clone(fusionRows)
	for i := range rows {
		f := &rows[i]
		f.firsts, f.seconds, f.parsed = parseForms(f.first), parseForms(f.second), parseSlots(f.slots)
	}
	return rows
})

// isBase reports whether the operand of an access is its address.
func isBase(second *isa.Instr, at int) bool {
	return at >= 0 && second.Args[at].Kind == isa.AddrOperand
}

// withZero reports whether a comparison is with 0.
func withZero(second *isa.Instr, at int) bool { return second.Args[len(second.Args)-1].Bits == 0 }

// anyOperand also takes the guard.
func anyOperand(*isa.Instr, int) bool { return true }

// modifies reports whether the first is but a modifier of an operand, and leaves room for
// another fusion of the second.
func (f *fusion) modifies() bool { return f.each && f.slots == "" }

// fuse finds what is fused.
func (l *lowering) fuse() {
	v := l.values
	full := make([]bool, len(l.f.Code)) // it has taken another one in
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

// fusible reports whether the instruction at first becomes part of all that use its
// result, by a row.
func (l *lowering) fusible(row *fusion, first int, full []bool) bool {
	uses := l.values.uses[first]
	for i, u := range uses {
		second := &l.f.Code[u.pc]
		takes := u.at >= 0
		if row.takes != nil {
			takes = row.takes(second, u.at)
		}
		again := i > 0 && (!row.each || uses[i-1].pc == u.pc)
		if again || !takes || full[u.pc] && !row.modifies() || !l.is(second, row.seconds) || l.values.changed(l.costs[first].Sources, first, u.pc) {
			return false
		}
	}
	return true
}

// is reports whether an instruction is one of the forms.
func (l *lowering) is(in *isa.Instr, forms []form) bool {
	if in.Later != "" || in.Spec == nil {
		return false
	}
	v := variantOf(in)
	return v.is(forms, l.lowered(in).mnemonic)
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

// widenLoads takes slots from conversions that a load does: of bytes and 16 bits, to the
// type that the load extends them as.
func (l *lowering) widenLoads() {
	for _, b := range l.g.Blocks() {
		loaded := make(map[isa.RegID]isa.Type)
		for pc := b.Start; pc < b.End; pc++ {
			in, c := &l.f.Code[pc], &l.costs[pc]
			if l.is(in, widening) && in.Guard == isa.NoReg && in.Args[1].Kind == isa.RegOperand && loaded[in.Args[1].Reg] == in.Types[1] {
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

var widening = parseForms("cvt.[us]16.[us]8 cvt.[us]32.[us]8 cvt.[us]32.[us]16")

// balance gives sums, and shifts by constants, to the multiplier (IMAD.IADD, IMAD.SHL) where
// it has had fewer machine instructions of the block than the ALU: the assembler lets
// two pipes share them.
func (l *lowering) balance() {
	for _, b := range l.g.Blocks() {
		alu, multiplier := 0, 0
		for pc := b.Start; pc < b.End; pc++ {
			c := &l.costs[pc]
			if alu > multiplier && len(c.Slots) == 1 && len(c.Sources) <= 2 && l.is(&l.f.Code[pc], balanced) {
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
	balanced = parseForms("add.[us]32 sub.[us]32 neg.s32 shl.b32=2 add.[us]16")
	product  = parseSlots("product")
)
