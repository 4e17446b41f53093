package isa

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

var (
	setpExec = Exec{
		B16: lanes.SetpInt[uint16, uint32], B32: lanes.SetpInt[uint32, uint32], B64: lanes.SetpInt[uint64, uint64],
		U16: lanes.SetpInt[uint16, uint32], U32: lanes.SetpInt[uint32, uint32], U64: lanes.SetpInt[uint64, uint64],
		S16: lanes.SetpInt[int16, uint32], S32: lanes.SetpInt[int32, uint32], S64: lanes.SetpInt[int64, uint64],
		F16: lanes.SetpF16, F16x2: lanes.SetpF16x2, BF16: lanes.SetpBF16, BF16x2: lanes.SetpBF16x2, F32: lanes.SetpF32, F64: lanes.SetpF64,
	}
	setExec = Exec{
		B16: lanes.SetInt[uint16, uint32], B32: lanes.SetInt[uint32, uint32], B64: lanes.SetInt[uint64, uint64],
		U16: lanes.SetInt[uint16, uint32], U32: lanes.SetInt[uint32, uint32], U64: lanes.SetInt[uint64, uint64],
		S16: lanes.SetInt[int16, uint32], S32: lanes.SetInt[int32, uint32], S64: lanes.SetInt[int64, uint64],
		F16: lanes.SetF16, F16x2: lanes.SetF16x2, BF16: lanes.SetBF16, BF16x2: lanes.SetBF16x2, F32: lanes.SetF32, F64: lanes.SetF64,
	}
	// setTrue has the result of set in lanes in which the comparison holds, by result type.
	setTrue = [NumTypes]uint32{
		U16: 0xffff, S16: 0xffff, U32: 0xffffffff, S32: 0xffffffff, F16: 0x3c00, F16x2: 0x3c00, BF16: 0x3f80, BF16x2: 0x3f80, F32: 0x3f800000,
	}
)

// comparable reports whether values of t can be compared by c: the unsigned names are for unsigned and untyped
// integers, untyped bits can only be compared for equality, and the unordered comparisons are for floats (PTX ISA
// 9.3.1).
func comparable(t Type, c Mod) bool {
	switch t.Class() {
	case Untyped:
		return c == CmpEq || c == CmpNe
	case Signed:
		return c <= CmpGe
	case Unsigned:
		return c <= CmpHs
	case Float:
		return c <= CmpGe || c >= CmpEqu
	}
	return false
}

func comparison(v *Variant, t Type, exec Exec) lanes.Func {
	if !comparable(t, v.Mods[Cmp]) || v.Mods[Ftz] != 0 && !t.takesFtz() {
		return nil
	}
	return exec[t]
}

func comparisonImm(v *Variant) uint64 {
	return uint64(v.Mods[Cmp]) | uint64(v.Mods[BoolOp])<<8
}

// settable reports whether set compares values of type from into a result of type to: two halves give two results,
// and only halves give .u16 and .s16.
func settable(to, from Type) bool {
	switch to {
	case U32, S32:
		return true
	case F32:
		return from.Class() != Float || from == F32 || from == F64
	case F16, BF16:
		return !from.inHalves()
	case U16, S16:
		return from == F16 || from == BF16
	}
	return to.inHalves() && from == to
}

// setImm has the result for true in its upper half.
func setImm(v *Variant) uint64 {
	yes := setTrue[v.Types[0]]
	if v.Types[1].inHalves() {
		yes &= 0xffff // to each half
	}
	return comparisonImm(v) | uint64(yes)<<32
}

// booleanArg checks that there is a predicate source if and only if there is an operation to combine it with.
func booleanArg(at int) func(*Instr) string {
	return func(in *Instr) string {
		has := len(in.Args) > at
		switch {
		case has && in.Mods[BoolOp] == 0:
			return "a predicate source needs .and, .or or .xor"
		case !has && in.Mods[BoolOp] != 0:
			return "." + BoolOp.word(in.Mods[BoolOp]) + " needs a predicate source {!}c"
		}
		return ""
	}
}

// setParts is the row of set of packed integers of a type.
func setParts(t Type, fn lanes.Func) *Spec {
	return &Spec{Name: "set", With: t.String(), Mods: "cmp type", Form: "d, a, b", Needs: "9.4 sm_107f sm_120f", Cost: on(ALU),
		examples: []string{"set.ne." + t.String() + " %r1, %r2, %r3;"},
		Doc:      fmt.Sprintf("Each of the %d parts of d is all ones if (a cmp b) is true for the same part of a and b, else 0.", t.parts()),
		Bind: func(v *Variant) lanes.Func {
			if v.Type() != t || !comparable(t, v.Mods[Cmp]) {
				return nil
			}
			return fn
		},
		Imm: comparisonImm}
}

var compareSpecs = []*Spec{
	{Name: "setp", Facts: Facts{Spread: Spread{Rule: SpreadComparison}}, Mods: "cmp [bool] [ftz] type", Form: "d:pred|q:pred, a, b, ?c:pred",
		Needs:    "1; f16/f16x2 4.2 sm_53; bf16/bf16x2 7.8 sm_90",
		Cost:     (&Cost{operation: OpComparison, unit: comparing, class: comparingCost}).becomes(when(bits64).then("integer > integer"), when(OfType(S16)).then("2 integer > integer"), otherwise(Own)),
		Doc:      "d = (a cmp b) bool c, and q = !(a cmp b) bool c. For .f16x2 and .bf16x2, d is for the low half and q for the high half. Ordered comparisons of floats (including ne) are false for NaN.",
		examples: []string{"setp.lt.u32 %p1, %r1, %r2;", "setp.neu.f32 %p1, %f1, 0.0;", "setp.ge.and.s32 %p1, %r1, 0, %p2;"},
		Bind:     func(v *Variant) lanes.Func { return comparison(v, v.Type(), setpExec) }, Lower: Lower{code: compareCode},
		Imm: comparisonImm,
		Check: func(in *Instr) string {
			if in.Types[0].inHalves() && in.Args[1].Kind == NoOperand {
				return "two halves give two predicates d|q"
			}
			return booleanArg(4)(in)
		}},
	{Name: "set", Facts: Facts{Spread: Spread{Rule: SpreadComparison}}, Mods: "cmp [bool] [ftz] type type", Form: "d, a:1, b:1, ?c:pred",
		Needs: "1; f16/f16x2 4.2 sm_53; bf16/bf16x2 7.8 sm_90",
		Cost: (&Cost{unit: comparing, class: comparingCost}).becomes(
			when(either(FromType(F16x2), All(OfType(F32), FromType(F32)), All(OfType(F16, U16, S16), FromType(F16)))).then("integer"),
			when(int32s, FromType(F16)).then("integer > integer > integer"),
			when(OfType(F16), FromType(F64)).then("double_compare > integer > integer > conversion"),
			when(OfType(F16), FromType(S16)).then("2 integer > integer > integer > integer > integer > integer > conversion"),
			when(OfType(F16), FromType(B16, U16)).then("2 integer > integer > integer > integer > conversion"),
			when(OfType(F16), FromType(B64, U64, S64)).then("integer > integer > integer > integer > conversion"),
			when(OfType(F16), FromType(B32, U32, S32, F32, BF16)).then("integer > integer > integer > conversion"),
			when(Not(OfType(F16)), FromType(F64)).then("double_compare > integer"),
			when(Not(OfType(F16)), FromType(B64, U64, S64)).then("integer > integer > integer"),
			when(int32s, FromType(S16)).then("2 integer > integer > integer > integer"),
			when(OfType(F32), FromType(S16)).then("2 integer > integer > integer"),
			when(int32s, FromType(B16, U16)).then("integer > integer > integer"),
			otherwise("integer > integer")),
		Lower: Lower{code: setCode},
		Doc:   "d = all ones (1.0 for a floating-point d) if (a cmp b) bool c is true, else 0. For .f16x2 and .bf16x2 each half has its own result.",
		Bind: func(v *Variant) lanes.Func {
			if !settable(v.Types[0], v.Types[1]) || v.Types[0].Storage() != v.Types[0] && v.Mods[Ftz] != 0 {
				return nil
			}
			return comparison(v, v.Types[1], setExec)
		},
		Imm:   setImm,
		Check: booleanArg(3)},
	setParts(U8x4, lanes.SetParts8[uint8]), setParts(S8x4, lanes.SetParts8[int8]), setParts(U16x2, lanes.SetParts16[uint16]), setParts(S16x2, lanes.SetParts16[int16]),
	{Name: "selp", Facts: Facts{Spread: Spread{Rule: SpreadMoves, Controls: "c"}, Selects: true, Sum: selpSum}, Mods: "type", Form: "d, a, b, c:pred", Needs: "1", Doc: "d = a if c is true, else b.", Lower: Lower{code: plainly(&selWords)},
		Cost: on(ALU).of(OpSelection).becomes(when(either(bits64, OfType(F64))).then("2 integer"), otherwise(Own)),
		Exec: words3(lanes.Selp[uint32], lanes.Selp[uint64])},
	{Name: "slct", Facts: Facts{Spread: Spread{Rule: SpreadMoves, Controls: "c"}}, Mods: "[ftz] type type", Form: "d, a, b, c:1", Needs: "1", Lower: Lower{code: slctCode}, Doc: "d = a if c >= 0, else b. -0.0 selects a, NaN selects b.",
		Cost: on(ALU).becomes(when(either(bits64, OfType(F64))).then("integer > integer, integer"), otherwise("integer > integer")),
		Bind: func(v *Variant) lanes.Func {
			switch {
			case v.Types[1] == S32 && v.only():
				return words3(lanes.SlctInt[uint32], lanes.SlctInt[uint64])[v.Type()]
			case v.Types[1] == F32:
				return words3(lanes.SlctF32, lanes.Slct64F32)[v.Type()]
			}
			return nil
		}},
	{Name: "testp", Mods: "testp type", Form: "d:pred, a", Needs: "2.0 sm_20", Doc: "d = whether a is in the class that the modifier names. Zero is in .normal.",
		Cost: on(ALU).becomes(
			when(OfType(F64), With(TestpMode, TestpNormal)).then("integer > integer > integer > integer > integer > integer > integer"),
			when(OfType(F64), With(TestpMode, TestpSubnormal)).then("integer > integer > integer > integer > integer"),
			when(OfType(F32), With(TestpMode, TestpNormal)).then("integer > integer > integer > integer"),
			when(OfType(F32), With(TestpMode, TestpSubnormal)).then("integer > integer > integer"),
			when(OfType(F64), Not(With(TestpMode, TestpNormal, TestpSubnormal))).then("integer > integer > integer"),
			otherwise("integer > integer")),
		Exec:  Exec{F32: lanes.TestpF32, F64: lanes.TestpF64},
		Lower: Lower{code: func(v *Variant) *jit.Template { return testFloats[v.Type()] }},
		Imm:   func(v *Variant) uint64 { return uint64(v.Mods[TestpMode]) }},
}

// words3 is the Exec of rows that move words of any type.
func words3(w32, w64 lanes.Func) Exec {
	return Exec{B16: w32, U16: w32, S16: w32, B32: w32, U32: w32, S32: w32, F32: w32,
		B64: w64, U64: w64, S64: w64, F64: w64}
}
