package isa

import (
	"strconv"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Video instructions have up to three types, of d, a and b, each .u32 or .s32. The first type is that of the form;
// the others are modifiers.

// signedWord reports whether a group of modifiers that stands for a type is .s32.
func (v *Variant) signedWord(g Group) bool { return v.Mods[g] == TypeS32 }

// wordType reports whether t is one of the types of video instructions.
func wordType(t Type) bool { return t == U32 || t == S32 }

// part is the part of an operand that a selector selects.
func (s Selector) part(signed bool) lanes.Part {
	switch {
	case s == 0:
		return lanes.Part{Bits: 32, Signed: signed}
	case s.halves():
		return lanes.Part{At: 16 * s.at(0), Bits: 16, Signed: signed}
	}
	return lanes.Part{At: 8 * s.at(0), Bits: 8, Signed: signed}
}

// scalarVideo returns the Imm of a scalar video instruction with operation op, with d, a and b signed or unsigned.
func scalarVideo(v *Variant, op lanes.VideoOp, d, a, b bool) lanes.ScalarVideo {
	s := lanes.ScalarVideo{Op: op, D: v.Choice.D.part(d), A: v.Choice.A.part(a), B: v.Choice.B.part(b),
		Sat: v.Mods[Sat] != 0, Second: lanes.SecondOp(v.Mods[SecondOpG])}
	if v.Choice.D != 0 {
		s.Second = lanes.Insert
	}
	return s
}

// videoMerge checks that there is an operand c if and only if it is used: by a second operation, or by a merge into
// it.
func videoMerge(in *Instr) string {
	has := len(in.Args) > 3
	into, second := in.Args[0].Select, in.Mods[SecondOpG] != 0
	switch {
	case into != 0 && second:
		return "a result that is put into " + into.String() + " of c has no second operation"
	case into != 0 && !has:
		return "no operand c, into which the result is put as " + into.String()
	case second && !has:
		return "no operand c for the second operation"
	case has && into == 0 && !second:
		return "nothing is done with operand c: it takes one of " + dotted(groups[SecondOpG].words) + ", or d.b0, d.h1 and so on, as which the result is put into c"
	}
	return ""
}

// scalarCost is the cost of scalar video instructions. It is estimated, like those of all video instructions but one:
// they extract parts of a and b, compute, clamp, and combine elements.
var scalarCost = on(ALU).becomes(
	when(sat).then("2 integer > integer > integer > integer"),
	when(Not(sat)).then("2 integer > integer"))

// scalarRow is the row of vadd and similar instructions.
func scalarRow(name string, op lanes.VideoOp, doc string) *Spec {
	return &Spec{Name: name, Mods: "type typea typeb [sat] [second]", Form: "d:part, a:part, b:part, ?c:u32", Needs: "2.0 sm_20",
		Cost: scalarCost, Doc: doc, Check: videoMerge,
		Bind: func(v *Variant) lanes.Func {
			if !wordType(v.Type()) {
				return nil
			}
			return lanes.VideoScalar
		},
		Imm: func(v *Variant) uint64 {
			return scalarVideo(v, op, v.Type() == S32, v.signedWord(TypeA), v.signedWord(TypeB)).Imm()
		}}
}

// shiftRow is the row of vshl or vshr, which have counts of .u32.
func shiftRow(name string, clamped, wrapped lanes.VideoOp, doc string) *Spec {
	return &Spec{Name: name, Mods: "type typea typeb [sat] shf [second]", Form: "d:part, a:part, b:part, ?c:u32", Needs: "2.0 sm_20",
		Cost: scalarCost, Doc: doc, Check: videoMerge,
		Bind: func(v *Variant) lanes.Func {
			if !wordType(v.Type()) || v.signedWord(TypeB) {
				return nil
			}
			return lanes.VideoScalar
		},
		Imm: func(v *Variant) uint64 {
			op := clamped
			if v.Mods[ShfMode] == ShfWrap {
				op = wrapped
			}
			return scalarVideo(v, op, v.Type() == S32, v.signedWord(TypeA), false).Imm()
		}}
}

// videoComparisons are the operations of vset by comparison.
var videoComparisons = [...]lanes.VideoOp{CmpEq: lanes.VSetEq, CmpNe: lanes.VSetNe, CmpLt: lanes.VSetLt, CmpLe: lanes.VSetLe, CmpGt: lanes.VSetGt, CmpGe: lanes.VSetGe}

// comparesVideo is the Bind of vset and similar instructions.
func comparesVideo(fn lanes.Func) func(*Variant) lanes.Func {
	return func(v *Variant) lanes.Func {
		if !wordType(v.Type()) || v.Mods[Cmp] > CmpGe {
			return nil
		}
		return fn
	}
}

// simdVideo is the Imm of a SIMD video instruction on elements of width bits.
func simdVideo(v *Variant, op lanes.VideoOp, width int, d, a, b bool) uint64 {
	n := 32 / width
	s := lanes.SIMDVideo{Op: op, SignedD: d, SignedA: a, SignedB: b, Sat: v.Mods[Sat] != 0, Add: v.Mods[Accumulate] != 0, Mask: 1<<n - 1}
	if v.Choice.D != 0 {
		s.Mask, _ = v.Choice.D.mask()
	}
	s.A, s.B = v.Choice.A.numbers(0, n), v.Choice.B.numbers(n, n)
	return s.Imm()
}

// numbers returns the indices of the n elements that s selects, four bits each from the lowest; the n elements from
// first on if s selects none.
func (s Selector) numbers(first, n int) (all uint16) {
	for i := range n {
		at := first + i
		if s != 0 {
			at = s.at(i)
		}
		all |= uint16(at) << (4 * i)
	}
	return all
}

// simdForm and simdFunc return the operands and the lane function of SIMD video instructions on elements of width
// bits, 8 or 16.
func simdForm(width int) string {
	if width == 16 {
		return "d:halfmask, a:halves, b:halves, c:u32"
	}
	return "d:bytemask, a:bytes, b:bytes, c:u32"
}

func simdFunc(width int) lanes.Func {
	if width == 16 {
		return lanes.VideoHalves
	}
	return lanes.VideoBytes
}

// simdDoc is the documentation that all SIMD video instructions share.
func simdDoc(width int, what string) string {
	if width == 16 {
		return "Each half of d is " + what + " a half of a and a half of b. The selector .hxy chooses halves x and y: 0 and 1 are the halves of a, 2 and 3 those of b. Without a selector it is .h10 for a and .h32 for b. " +
			"Halves that the mask of d omits are copied from c. With .add, d is c plus the results."
	}
	return "Each byte of d is " + what + " a byte of a and a byte of b. The selector .bwxyz chooses four bytes: 0 to 3 are the bytes of a, 4 to 7 those of b. Without a selector it is .b3210 for a and .b7654 for b. " +
		"Bytes that the mask of d omits are copied from c. With .add, d is c plus the results."
}

// simdCost is the cost of a SIMD video instruction. Only that of absolute differences of bytes is known (VABSDIFF4).
func simdCost(name string, width int) *Cost {
	const bytes = "8 integer > 4 integer > 4 integer"
	switch {
	case width == 16:
		return on(ALU).as("4 integer > 2 integer > 2 integer")
	case name == "vabsdiff":
		return on(ALU).becomes(when(OfType(U32), With(TypeA, TypeU32), With(TypeB, TypeU32), Not(sat)).then("integer"), otherwise(bytes))
	}
	return on(ALU).as(bytes)
}

// simdRow is the row of vadd2, vadd4 and similar instructions.
func simdRow(name string, op lanes.VideoOp, width int, what string) *Spec {
	return &Spec{Name: name + strconv.Itoa(32/width), Mods: "type typea typeb [sat] [accumulate]", Form: simdForm(width), Needs: "3.0 sm_30",
		Cost: simdCost(name, width), Doc: simdDoc(width, what),
		Bind: func(v *Variant) lanes.Func {
			if !wordType(v.Type()) || v.Mods[Sat] != 0 && v.Mods[Accumulate] != 0 {
				return nil
			}
			return simdFunc(width)
		},
		Imm: func(v *Variant) uint64 {
			return simdVideo(v, op, width, v.Type() == S32, v.signedWord(TypeA), v.signedWord(TypeB))
		}}
}

// simdSetRow is the row of vset2 or vset4.
func simdSetRow(width int) *Spec {
	return &Spec{Name: "vset" + strconv.Itoa(32/width), Mods: "type typeb cmp [accumulate]", Form: simdForm(width), Needs: "3.0 sm_30",
		Cost: simdCost("vset", width), Doc: simdDoc(width, "the result (1 or 0) of comparing"), Bind: comparesVideo(simdFunc(width)),
		Imm: func(v *Variant) uint64 {
			return simdVideo(v, videoComparisons[v.Mods[Cmp]], width, false, v.Type() == S32, v.signedWord(TypeB))
		}}
}

const (
	scalarParts  = " A selector chooses a byte or half of a source, which is extended as its type says."
	scalarSecond = " Then .add adds c, and .min and .max choose the smaller or larger of the result and c"
	scalarMerge  = ". A selector of d instead puts the result into that byte or half of c."
	scalarThird  = " .sat clamps the result to the type of d or, if d has a selector, to a byte or half of the same signedness." + scalarSecond + " in the type of d" + scalarMerge
)

var videoSpecs = []*Spec{
	scalarRow("vadd", lanes.VAdd, "d = a + b."+scalarParts+scalarThird).
		show("vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h0;", "vadd.u32.u32.u32.add %r1, %r2, %r3, %r4;"),
	scalarRow("vsub", lanes.VSub, "d = a - b."+scalarParts+scalarThird),
	scalarRow("vabsdiff", lanes.VAbsDiff, "d = |a - b|."+scalarParts+scalarThird).
		show("vabsdiff.s32.s32.s32.sat %r1.h0, %r2.b0, %r3.b2, %r4;"),
	scalarRow("vmin", lanes.VMin, "d = the smaller of a and b."+scalarParts+scalarThird),
	scalarRow("vmax", lanes.VMax, "d = the larger of a and b."+scalarParts+scalarThird),
	shiftRow("vshl", lanes.VShlClamp, lanes.VShlWrap, "d = a shifted left by b bits. b is clamped to 32 with .clamp, taken modulo 32 with .wrap."+scalarParts+scalarThird).
		show("vshl.s32.u32.u32.clamp %r1, %r2, %r3;"),
	shiftRow("vshr", lanes.VShrClamp, lanes.VShrWrap, "d = a shifted right by b bits, with copies of the sign of a as upper bits if a is signed. b is clamped to 32 with .clamp, taken modulo 32 with .wrap."+scalarParts+scalarThird).
		show("vshr.u32.u32.u32.wrap %r1, %r2, %r3.h1;"),
	{Name: "vset", Mods: "type typeb cmp [second]", Form: "d:part, a:part, b:part, ?c:u32", Needs: "2.0 sm_20",
		Cost:     on(ALU).as("2 integer > integer"),
		Doc:      "d = 1 if the comparison holds, else 0." + scalarParts + scalarSecond + " as .u32" + scalarMerge,
		examples: []string{"vset.u32.u32.lt %r1, %r2.b0, %r3.b1;"},
		Check:    videoMerge, Bind: comparesVideo(lanes.VideoScalar),
		Imm: func(v *Variant) uint64 {
			return scalarVideo(v, videoComparisons[v.Mods[Cmp]], false, v.Type() == S32, v.signedWord(TypeB)).Imm()
		}},
	{Name: "vmad", Mods: "type typea typeb [po] [sat] [scale]", Form: "d:u32, a:part-, b:part-, c:-", Needs: "2.0 sm_20",
		Cost: on(FMAHeavy).as("2 integer > product_wide > integer, integer"),
		Doc: "d = a * b + c. .po adds 1 more, .shr7 and .shr15 then shift the sum right by 7 or 15 bits, and .sat clamps the result. A selector chooses a byte or half of a source, which is extended as its type says. " +
			"The product or c may be negated (-a, -b or -c). If a or b is signed, or an operand is negated, the result is signed for every type of d.",
		examples: []string{"vmad.s32.s32.u32.sat %r1, %r2, %r3, -%r4;", "vmad.u32.u32.u32.shr15 %r1, %r2.h0, %r3.h0, %r4;"},
		Check: func(in *Instr) string {
			product := in.Args[1].Neg != in.Args[2].Neg
			switch {
			case in.Mods[PlusOne] != 0 && (in.Args[1].Neg || in.Args[2].Neg || in.Args[3].Neg):
				return "with .po no operand can be negated"
			case product && in.Args[3].Neg:
				return "either the product or c can be negated, not both"
			}
			return ""
		},
		Bind: func(v *Variant) lanes.Func {
			if !wordType(v.Type()) {
				return nil
			}
			return lanes.VideoMad
		},
		Imm: func(v *Variant) uint64 {
			a, b := v.signedWord(TypeA), v.signedWord(TypeB)
			product := v.Choice.NegA != v.Choice.NegB
			s := scalarVideo(v, 0, a || b || product || v.Choice.NegC, a, b)
			s.NegProduct, s.NegC, s.PlusOne = product, v.Choice.NegC, v.Mods[PlusOne] != 0
			s.Shift = [...]int{0, 7, 15}[v.Mods[Scale]]
			return s.Imm()
		}},
	simdRow("vadd", lanes.VAdd, 16, "the sum of").
		show("vadd2.s32.s32.u32.sat %r1, %r2, %r3, %r1;", "vadd2.u32.u32.u32 %r1.h0, %r2.h10, %r3.h32, %r4;"),
	simdRow("vadd", lanes.VAdd, 8, "the sum of").
		show("vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;", "vadd4.u32.u32.u32.sat %r1.b10, %r2.b3210, %r3.b7654, %r4;"),
	simdRow("vsub", lanes.VSub, 16, "the difference of"), simdRow("vsub", lanes.VSub, 8, "the difference of"),
	simdRow("vavrg", lanes.VAvrg, 16, "the average, rounded away from zero, of"), simdRow("vavrg", lanes.VAvrg, 8, "the average, rounded away from zero, of"),
	simdRow("vabsdiff", lanes.VAbsDiff, 16, "the absolute difference of"),
	simdRow("vabsdiff", lanes.VAbsDiff, 8, "the absolute difference of").
		show("vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;"),
	simdRow("vmin", lanes.VMin, 16, "the smaller of"), simdRow("vmin", lanes.VMin, 8, "the smaller of"),
	simdRow("vmax", lanes.VMax, 16, "the larger of"), simdRow("vmax", lanes.VMax, 8, "the larger of"),
	simdSetRow(16), simdSetRow(8),
}
