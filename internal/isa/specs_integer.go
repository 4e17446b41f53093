package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// ints is the Exec of integer arithmetic on 16, 32 and 64 bits.
func ints(u16, s16, u32, s32, u64, s64 lanes.Func) Exec {
	return Exec{U16: u16, S16: s16, U32: u32, S32: s32, U64: u64, S64: s64}
}

// pairs is ints and two 16-bit values in a word.
func pairs(u16x2, s16x2, u16, s16, u32, s32, u64, s64 lanes.Func) Exec {
	e := ints(u16, s16, u32, s32, u64, s64)
	e[U16x2], e[S16x2] = u16x2, s16x2
	return e
}

// and4 is an Exec with operations on four bytes in a word.
func and4(e Exec, u8x4, s8x4 lanes.Func) Exec {
	e[U8x4], e[S8x4] = u8x4, s8x4
	return e
}

var (
	addInts   = and4(pairs(lanes.Add16x2, lanes.Add16x2, lanes.Add[uint16, uint32], lanes.Add[int16, uint32], lanes.Add[uint32, uint32], lanes.Add[int32, uint32], lanes.Add[uint64, uint64], lanes.Add[int64, uint64]), lanes.Add8x4, lanes.Add8x4)
	subInts   = and4(ints(lanes.Sub[uint16, uint32], lanes.Sub[int16, uint32], lanes.Sub[uint32, uint32], lanes.Sub[int32, uint32], lanes.Sub[uint64, uint64], lanes.Sub[int64, uint64]), lanes.Sub8x4, lanes.Sub8x4)
	mulLoInts = ints(lanes.MulLo[uint16, uint32], lanes.MulLo[int16, uint32], lanes.MulLo[uint32, uint32], lanes.MulLo[int32, uint32], lanes.MulLo[uint64, uint64], lanes.MulLo[int64, uint64])
	mulHiInts = ints(lanes.MulHi[uint16, uint32], lanes.MulHi[int16, uint32], lanes.MulHi[uint32, uint32], lanes.MulHi[int32, uint32], lanes.MulHi[uint64, uint64], lanes.MulHi[int64, uint64])
	madLoInts = ints(lanes.MadLo[uint16, uint32], lanes.MadLo[int16, uint32], lanes.MadLo[uint32, uint32], lanes.MadLo[int32, uint32], lanes.MadLo[uint64, uint64], lanes.MadLo[int64, uint64])
	madHiInts = ints(lanes.MadHi[uint16, uint32], lanes.MadHi[int16, uint32], lanes.MadHi[uint32, uint32], lanes.MadHi[int32, uint32], lanes.MadHi[uint64, uint64], lanes.MadHi[int64, uint64])
	divInts   = ints(lanes.Div[uint16, uint32], lanes.Div[int16, uint32], lanes.Div[uint32, uint32], lanes.Div[int32, uint32], lanes.Div[uint64, uint64], lanes.Div[int64, uint64])
	minInts   = and4(pairs(lanes.Min16x2[uint16], lanes.Min16x2[int16], lanes.Min[uint16, uint32], lanes.Min[int16, uint32], lanes.Min[uint32, uint32], lanes.Min[int32, uint32], lanes.Min[uint64, uint64], lanes.Min[int64, uint64]), lanes.Min8x4[uint8], lanes.Min8x4[int8])
	maxInts   = and4(pairs(lanes.Max16x2[uint16], lanes.Max16x2[int16], lanes.Max[uint16, uint32], lanes.Max[int16, uint32], lanes.Max[uint32, uint32], lanes.Max[int32, uint32], lanes.Max[uint64, uint64], lanes.Max[int64, uint64]), lanes.Max8x4[uint8], lanes.Max8x4[int8])

	mulWideInts = Exec{U16: lanes.MulWide[uint16, uint32, uint32], S16: lanes.MulWide[int16, int32, uint32],
		U32: lanes.MulWide[uint32, uint64, uint64], S32: lanes.MulWide[int32, int64, uint64]}
	madWideInts = Exec{U16: lanes.MadWide[uint16, uint32, uint32], S16: lanes.MadWide[int16, int32, uint32],
		U32: lanes.MadWide[uint32, uint64, uint64], S32: lanes.MadWide[int32, int64, uint64]}

	addSatInts = Exec{S32: lanes.AddSat, U16x2: lanes.AddSatU16x2, S16x2: lanes.AddSatS16x2, U8x4: lanes.AddSatU8x4, S8x4: lanes.AddSatS8x4}
	subSatInts = Exec{S32: lanes.SubSat, U8x4: lanes.SubSatU8x4, S8x4: lanes.SubSatS8x4}

	addCarryInts   = Exec{U32: lanes.AddC[uint32], S32: lanes.AddC[uint32], U64: lanes.AddC[uint64], S64: lanes.AddC[uint64]}
	subCarryInts   = Exec{U32: lanes.SubC[uint32], S32: lanes.SubC[uint32], U64: lanes.SubC[uint64], S64: lanes.SubC[uint64]}
	firstSubInts   = Exec{U32: lanes.SubCC[uint32], S32: lanes.SubCC[uint32], U64: lanes.SubCC[uint64], S64: lanes.SubCC[uint64]}
	madLoCarryInts = Exec{U32: lanes.MadLoC[uint32, uint32], S32: lanes.MadLoC[int32, uint32],
		U64: lanes.MadLoC[uint64, uint64], S64: lanes.MadLoC[int64, uint64]}
	madHiCarryInts = Exec{U32: lanes.MadHiC[uint32, uint32], S32: lanes.MadHiC[int32, uint32],
		U64: lanes.MadHiC[uint64, uint64], S64: lanes.MadHiC[int64, uint64]}
)

// Sequences, costs and needs that rows share.
var (
	// in32Bits adds or subtracts 64 bits in two halves, with a carry.
	in32Bits = when(int64s).then("integer, product")
	// saturated is a sum or difference of .s32 with its clamping.
	saturated = when(sat, OfType(S32)).then("product > integer > integer > integer, integer")

	extremumCost = (&Cost{operation: OpExtremum, unit: comparing, class: comparingCost}).becomes(
		when(int64s).then("integer > integer > integer, integer"),
		when(OfType(S16)).then("2 integer > integer"),
		when(OfType(F64)).then("2 product, double_compare > integer, integer > integer > product"),
		otherwise(Own))

	extremumNeeds Needs = "1; u16x2/s16x2 8.0 sm_90; u8x4/s8x4 9.2 sm_100; relu s32 8.0 sm_90; f16/f16x2/bf16/bf16x2 7.0 sm_80; NaN 7.0 sm_80; xorsign 7.2 sm_86"
)

const (
	// high64 is the high half of a product of 64 bits.
	high64 = "product_wide > product_wide > integer > product_wide > integer > integer > product_wide"
	// signedHigh64 is high64 of signed numbers.
	signedHigh64 = "4 integer, 2 product > 4 integer > product_wide > product_wide > integer > product_wide > integer > product_wide, product"
)

// division64 is the executed path of the function that divides integers of 64 bits, including the call: a reciprocal,
// two steps that double its precision, a product and two corrections.
const division64 = "integer, call, double_conversion > special_function > integer > double_conversion" +
	" > product_wide > product > product > integer > product_high > product" + twice64 + " > product_wide > product > product > integer > product_high > integer" + twice64 +
	" > product_high > integer > product_wide, product > product_high > product_high > integer > product > product_wide > integer" +
	", product > integer > product > integer > product, integer, integer > integer > product, integer > 4 integer" +
	" > integer, integer, integer > integer, integer, integer > integer, product, integer, integer > 2 integer, call, 2 product"

// twice64 is a step that doubles the precision: the high half of a product of two numbers of 64 bits.
const twice64 = ", product, product > product_wide, product_high > product_high > integer > product"

// product chooses a lane function by the part of the product.
func product(v *Variant, lo, hi, wide Exec) lanes.Func {
	switch v.Mods[Part] {
	case Lo:
		return lo[v.Type()]
	case Hi:
		return hi[v.Type()]
	case WidePart:
		return wide[v.Type()]
	}
	return nil
}

var integerSpecs = []*Spec{
	{Name: "add", Mods: "[rnd] [ftz] [sat] [cc] type [half] [pairhalf] [pair]", Form: "d, a:half, b", Facts: Facts{Spread: Spread{Rule: SpreadSum}, AtomOp: AtomAdd, Sum: sumOf(Sum{Of: [2]int{1}, By: [2]int{2}})},
		Needs: "1; u16x2/s16x2 8.0 sm_90; u8x4/s8x4 9.2 sm_100; sat u16x2/s16x2 9.2 sm_100; cc u64/s64 4.3 sm_20; f16/f16x2 4.2 sm_53; bf16/bf16x2 7.8 sm_90; f32x2 8.6 sm_100; >f32x2 <f16x2/bf16x2 9.4 sm_107f; >f32 <f16/bf16 8.6 sm_100",
		Cost:  (&Cost{operation: OpSum, unit: arithmetic(ALU), flops: 1}).becomes(in32Bits, saturated, otherwise(Own)),
		Lower: Lower{code: withCarry(&addCarry, withSat(addSatCode, arithCode(addCodes, addFloat, addF64, addHalf)))},
		Doc:   "d = a + b. Integers wrap, or are clamped with .sat. .cc writes the carry flag. With .f16 or .bf16 after .f32, a has that type. With .f16x2.f32x2 or .bf16x2.f32x2 after .f32x2, a has the first of the two types.",
		Bind: func(v *Variant) lanes.Func {
			switch {
			case v.Mods[HalvesG]|v.Mods[PairG] != 0:
				return mixedPair(v, addMixedPairs)
			case v.Mods[HalfG] != 0:
				return mixed(v, addMixed)
			case v.Type().Class() == Float:
				return floatArith(v, &addFloats)
			case v.only():
				return addInts[v.Type()]
			case v.only(CC):
				return addCarryInts[v.Type()]
			case v.only(Sat):
				return addSatInts[v.Type()]
			}
			return nil
		}},
	{Name: "sub", Mods: "[rnd] [ftz] [sat] [cc] type [half] [pairhalf] [pair]", Form: "d, a:half, b",
		Needs: "1; u8x4/s8x4 9.2 sm_100; cc u64/s64 4.3 sm_20; f16/f16x2 4.2 sm_53; bf16/bf16x2 7.8 sm_90; f32x2 8.6 sm_100; >f32x2 <f16x2/bf16x2 9.4 sm_107f; >f32 <f16/bf16 8.6 sm_100",
		Cost: (&Cost{operation: OpDifference, unit: arithmetic(ALU), flops: 1}).becomes(
			in32Bits,
			saturated,
			when(int16s).then("integer > integer > integer"),
			otherwise(Own)),
		Facts: Facts{Spread: Spread{Rule: SpreadDifference}, Sum: sumOf(Sum{Of: [2]int{1}, By: [2]int{2}, Minus: true})},
		Lower: Lower{code: withCarry(&subCarry, withSat(subSatCode, arithCode(subCodes, subFloat, subF64, subHalf)))},
		Doc:   "d = a - b. Integers wrap, or are clamped with .sat. .cc sets the carry flag if there is no borrow. With .f16 or .bf16 after .f32, a has that type. With .f16x2.f32x2 or .bf16x2.f32x2 after .f32x2, a has the first of the two types.",
		Bind: func(v *Variant) lanes.Func {
			switch {
			case v.Mods[HalvesG]|v.Mods[PairG] != 0:
				return mixedPair(v, subMixedPairs)
			case v.Mods[HalfG] != 0:
				return mixed(v, subMixed)
			case v.Type().Class() == Float:
				return floatArith(v, &subFloats)
			case v.only():
				return subInts[v.Type()]
			case v.only(CC):
				return firstSubInts[v.Type()]
			case v.only(Sat):
				return subSatInts[v.Type()]
			}
			return nil
		}},
	{Name: "addc", Mods: "[cc] type", Form: "d, a, b", Needs: "1; u64/s64 4.3 sm_20", Facts: Facts{Spread: Spread{Rule: SpreadSum}, CarryIn: true}, Exec: addCarryInts,
		Cost:  on(ALU).becomes(in32Bits, otherwise(Own)),
		Lower: Lower{code: carryCode(&addCarry)},
		Doc:   "d = a + b + carry. .cc also writes the carry flag."},
	{Name: "subc", Mods: "[cc] type", Form: "d, a, b", Needs: "1; u64/s64 4.3 sm_20", Facts: Facts{Spread: Spread{Rule: SpreadSum}, CarryIn: true}, Exec: subCarryInts,
		Cost:  on(ALU).becomes(in32Bits, otherwise(Own)),
		Lower: Lower{code: carryCode(&subCarry)},
		Doc: "d = a - b - 1 if the carry flag is clear, which means a borrow, else a - b. .cc sets the flag if there is no borrow. The PTX ISA calls the flag a borrow after sub.cc. " +
			"On NVIDIA's GPUs it is the complement, the carry of a + ~b + 1: addc after a sub.cc with a borrow adds 0, and subc after an add.cc without a carry subtracts 1."},
	{Name: "mul", Mods: "[part] [rnd] [ftz] [sat] type", Form: "d:w, a, b", Facts: Facts{Spread: Spread{Rule: SpreadProduct}, Arith: ArithProduct},
		Needs: "1; f16/f16x2 4.2 sm_53; bf16/bf16x2 7.8 sm_90; f32x2 8.6 sm_100",
		Cost: (&Cost{operation: OpProduct, unit: arithmetic(FMAHeavy), flops: 1}).becomes(
			when(lo, int64s).then("product_wide, product > product > integer"),
			when(hi, OfType(U64)).then(high64),
			when(hi, OfType(S64)).then(signedHigh64),
			when(hi, OfType(U16)).then("product > integer"),
			when(hi, OfType(S16)).then("2 integer > product > integer"),
			when(Not(hi), OfType(S16)).then("2 integer > product"),
			otherwise(Own)),
		Lower: Lower{code: func(v *Variant) *jit.Template {
			if v.Type().Class() == Float {
				return arithFloat(v, mulFloat, mulF64, mulHalf)
			}
			return productCode(v, mulCodes, mulHighCodes, mulWideCodes)
		}},
		Doc:      "d = a * b. For integers, .lo and .hi return half of the product, and .wide the whole product in twice the width.",
		examples: []string{"mul.lo.s32 %r1, %r2, %r3;", "mul.wide.u32 %rd1, %r1, 4;", "mul.f32 %f1, %f2, %f3;"},
		Bind: func(v *Variant) lanes.Func {
			if v.Type().Class() == Float {
				return floatArith(v, &mulFloats)
			}
			if !v.only(Part) {
				return nil
			}
			return product(v, mulLoInts, mulHiInts, mulWideInts)
		}},
	{Name: "mad", Mods: "[part] [rnd] [ftz] [sat] [cc] type", Form: "d:w, a, b, c:w", Facts: Facts{Spread: Spread{Rule: SpreadProduct}, Arith: ArithProduct, Sum: madSum},
		Needs: "1; cc 3.0 sm_20; cc u64/s64 4.3 sm_20",
		Cost: (&Cost{operation: OpProductSum, unit: arithmetic(FMAHeavy), flops: 2}).becomes(
			when(wide, int32s).then("product_wide > integer > product"),
			when(lo, int64s, Not(carrying)).then("product_wide, product > product > integer"),
			when(hi, OfType(U64), Not(carrying)).then(high64),
			when(hi, OfType(S64), Not(carrying)).then(signedHigh64),
			when(hi, OfType(S32), sat).then("product_high > product > integer > integer > integer, integer"),
			when(hi, OfType(U16)).then("product > integer"),
			when(Not(wide), OfType(S16)).then("3 integer > product"),
			when(wide, OfType(S16)).then("2 integer > product"),
			otherwise(Own)),
		Lower: Lower{code: func(v *Variant) *jit.Template {
			if v.Type().Class() == Float {
				return arithFloat(v, fmaFloat, fmaF64, nil)
			}
			if v.Mods[CC] != 0 {
				return madCarryCode(v)
			}
			if v.Type() == S32 && v.Mods[Part] == Hi && v.only(Part, Sat) && v.Mods[Sat] != 0 {
				return madHighSat
			}
			return productCode(v, madCodes, madHighCodes, madWideCodes)
		}},
		Doc:      "d = a * b + c. .lo, .hi and .wide select the part of the product, as in mul. On floats it is fma. mad.f32 may omit the rounding only for sm_1x or up to PTX 3.1.",
		examples: []string{"mad.lo.s32 %r1, %r2, %r3, %r4;", "mad.wide.u32 %rd1, %r1, 4, %rd2;", "mad.rn.f32 %f1, %f2, %f3, %f4;"},
		Syntax:   Syntax{implied: impliedMad, missing: missingMad},
		Bind: func(v *Variant) lanes.Func {
			switch {
			case v.Type().Class() == Float:
				if v.Type() == F64 && v.Mods[Rnd] == 0 {
					return nil
				}
				return floatArith(v, &madFloats)
			case v.only(Part):
				return product(v, madLoInts, madHiInts, madWideInts)
			case v.only(Part, CC):
				return product(v, madLoCarryInts, madHiCarryInts, Exec{})
			case v.only(Part, Sat) && v.Mods[Part] == Hi && v.Type() == S32:
				return lanes.MadHiSat
			}
			return nil
		}},
	{Name: "madc", Mods: "part [cc] type", Form: "d, a, b, c", Needs: "3.0 sm_20; u64/s64 4.3 sm_20", Cost: on(FMAHeavy), Facts: Facts{Spread: Spread{Rule: SpreadProduct}, CarryIn: true},
		Lower: Lower{code: madCarryCode},
		Doc:   "d = a * b + c + carry, with the low or high half of the product. .cc also writes the carry flag.",
		Bind:  func(v *Variant) lanes.Func { return product(v, madLoCarryInts, madHiCarryInts, Exec{}) }},
	{Name: "mul24", Mods: "part type", Form: "d, a, b", Needs: "1", Facts: Facts{Spread: Spread{Rule: SpreadProduct}, Arith: ArithProduct},
		Cost:  on(FMAHeavy).becomes(when(lo).then("2 integer > product"), when(hi).then("2 integer > product_wide > integer > integer, integer")),
		Lower: Lower{code: func(v *Variant) *jit.Template { return mul24Code(v, false) }},
		Doc:   "d = the low (.lo) or high (.hi) 32 bits of the 48-bit product of the low 24 bits of a and b.",
		Bind: func(v *Variant) lanes.Func {
			return product(v, Exec{U32: lanes.Mul24Lo[uint32], S32: lanes.Mul24Lo[int32]},
				Exec{U32: lanes.Mul24Hi[uint32], S32: lanes.Mul24Hi[int32]}, Exec{})
		}},
	{Name: "mad24", Facts: Facts{Spread: Spread{Rule: SpreadProduct}}, Mods: "part [sat] type", Form: "d, a, b, c", Needs: "1",
		Cost: on(FMAHeavy).becomes(
			when(lo).then("2 integer > product"),
			when(hi, Not(sat)).then("2 integer > product_wide > integer > integer, integer > integer"),
			when(hi, sat).then("2 integer > product_wide > integer > integer, integer > integer > integer > integer > integer, integer")),
		Lower: Lower{code: func(v *Variant) *jit.Template { return mul24Code(v, true) }},
		Doc:   "d = mul24(a, b) + c. .hi.sat.s32 clamps the sum.",
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[Sat] != 0 {
				return product(v, Exec{}, Exec{S32: lanes.Mad24HiSat}, Exec{})
			}
			return product(v, Exec{U32: lanes.Mad24Lo[uint32], S32: lanes.Mad24Lo[int32]},
				Exec{U32: lanes.Mad24Hi[uint32], S32: lanes.Mad24Hi[int32]}, Exec{})
		}},
	{Name: "div", Mods: "[prec] [rnd] [ftz] type", Form: "d, a, b", Needs: "1", Facts: Facts{Arith: ArithQuotient, Divides: true, Shrinks: quotientShrinks},
		// Integers are divided by a reciprocal in .f32 and two corrections.
		Cost: (&Cost{unit: special}).becomes(
			when(int16s).then("conversion, product, conversion, integer, integer > integer > integer > single > special_function > single > integer > single > conversion > integer"),
			when(OfType(U32), Constant(2)).then("product_high > product > integer > integer > integer, integer > integer"),
			when(OfType(S32), Constant(2)).then("integer > product_high > product > integer > integer > integer, integer > integer, 3 integer"),
			when(OfType(U32), Not(Constant(2))).then("integer, product, conversion > special_function > integer > conversion > integer > product > product_high > product_high > integer > product > integer > integer, integer > integer > integer > integer"),
			when(OfType(S32), Not(Constant(2))).then("2 integer, conversion > special_function > integer > conversion > integer > product, product > product_high > product_high > product, 2 integer > product > integer > integer, integer > integer > integer, 3 integer > integer"),
			when(int64s).then(division64),
			when(approx, OfType(F32), Not(ftz)).then("integer > single > special_function > single > single"),
			when(approx, OfType(F32), ftz).then("special_function > single"),
			when(With(Prec, Full), Not(ftz)).then("2 integer > single, single > special_function > single > single, single"),
			when(With(Prec, Full), ftz).then("integer > single, single > special_function > single"),
			when(rounded, OfType(F32)).then("warp_sync, special_function, special_function > single > single > single > single > single > branch > warp_sync"),
			when(rounded, OfType(F64)).then("product, warp_sync, special_function > double > double > double > double > double > double > double > double > single > integer, integer > branch > warp_sync")),
		Doc: "d = a / b. Integers are rounded towards zero; x/0 has all bits set. Floats require .approx, .full or a rounding mode.", Syntax: Syntax{implied: impliedBefore14(nearestEven)},
		Lower: Lower{code: func(v *Variant) *jit.Template { return divCode(v) }},
		Bind: func(v *Variant) lanes.Func {
			switch {
			case v.Type().IsInt():
				if !v.only() {
					return nil
				}
				return divInts[v.Type()]
			case v.Type() == F32 && v.only(Prec, Ftz) && v.Mods[Prec] == Approx:
				return lanes.DivApproxF32
			case v.Type() == F32 && v.only(Prec, Ftz) && v.Mods[Prec] == Full:
				return lanes.DivFullF32
			}
			return floatIEEE(v, lanes.DivF32, lanes.DivF64)
		}},
	{Name: "rem", Mods: "type", Form: "d, a, b", Needs: "1", Facts: Facts{Arith: ArithRemainder, Divides: true},
		Cost: on(XU).becomes(
			when(int16s).then("conversion, product, conversion, integer, integer > integer > integer > single > special_function > single > integer > single > conversion > product"),
			when(OfType(U32), Constant(2)).then("product_high > product > integer > integer > integer > integer"),
			when(OfType(S32), Constant(2)).then("integer > product_high > product > integer > integer > integer > integer, 2 integer"),
			when(OfType(U32), Not(Constant(2))).then("integer, product, conversion > special_function > integer > conversion > integer > product > product_high > product_high > integer > product > integer > integer > integer > integer > integer"),
			when(OfType(S32), Not(Constant(2))).then("2 integer, conversion > special_function > integer > conversion > integer > product, product > product_high > product_high > product, 2 integer > product > integer > integer > integer > integer, 2 integer > integer"),
			when(int64s).then(division64)),
		Lower: Lower{code: plainly(&remCodes)},
		Doc:   "d = the remainder of a / b, with the sign of a. x rem 0 has all bits set.",
		Exec: ints(lanes.Rem[uint16, uint32], lanes.Rem[int16, uint32], lanes.Rem[uint32, uint32],
			lanes.Rem[int32, uint32], lanes.Rem[uint64, uint64], lanes.Rem[int64, uint64])},
	{Name: "sad", Mods: "type", Form: "d, a, b, c", Needs: "1",
		Cost: on(ALU).becomes(
			when(int64s).then("integer > integer, integer, product, integer, product > integer, integer > integer, product"),
			when(OfType(S16)).then("3 integer > integer"),
			otherwise(Own)),
		Lower: Lower{code: plainly(&sadCodes)},
		Doc:   "d = c + |a - b|.",
		Exec: ints(lanes.Sad[uint16, uint32], lanes.Sad[int16, uint32], lanes.Sad[uint32, uint32],
			lanes.Sad[int32, uint32], lanes.Sad[uint64, uint64], lanes.Sad[int64, uint64])},
	{Name: "min", Mods: "[ftz] [nan] [xorsign] [abs] [relu] type", Form: "d, a, b, ?c", Facts: Facts{AtomOp: AtomMin},
		Needs: extremumNeeds,
		Cost:  extremumCost,
		Doc: "d = the smaller of a and b, or of a, b and c (.f32 only). If one source is NaN, the result is the other source; with .NaN it is NaN. -0 is less than +0. .xorsign.abs compares magnitudes and gives the result the sign of a * b. " +
			"With three sources, .abs compares magnitudes and returns a magnitude. .relu replaces a negative result by 0.",
		Bind:  func(v *Variant) lanes.Func { return minMax(v, minInts, minFloats, lanes.MinRelu, lanes.MinRelu16x2) },
		Lower: Lower{code: func(v *Variant) *jit.Template { return extremumCode(v, minCodes, false) }},
		Imm:   extremumImm,
		Check: ofThree},
	{Name: "max", Mods: "[ftz] [nan] [xorsign] [abs] [relu] type", Form: "d, a, b, ?c", Facts: Facts{AtomOp: AtomMax},
		Needs: extremumNeeds,
		Cost:  extremumCost,
		Doc: "d = the larger of a and b, or of a, b and c (.f32 only). If one source is NaN, the result is the other source; with .NaN it is NaN. +0 is greater than -0. .xorsign.abs compares magnitudes and gives the result the sign of a * b. " +
			"With three sources, .abs compares magnitudes and returns a magnitude. .relu replaces a negative result by 0.",
		Bind:  func(v *Variant) lanes.Func { return minMax(v, maxInts, maxFloats, lanes.MaxRelu, lanes.MaxRelu16x2) },
		Lower: Lower{code: func(v *Variant) *jit.Template { return extremumCode(v, maxCodes, true) }},
		Imm:   func(v *Variant) uint64 { return extremumImm(v) | lanes.ExtremumMax },
		Check: ofThree},
	{Name: "neg", Mods: "[ftz] type", Form: "d, a", Facts: Facts{Spread: Spread{Rule: SpreadSum}, Arith: ArithNegative},
		Needs: "1; u8x4/s8x4 9.2 sm_100; f16/f16x2 6.0 sm_53; bf16/bf16x2 7.0 sm_80",
		Cost:  (&Cost{operation: OpNegative, unit: arithmetic(ALU)}).becomes(in32Bits, when(OfType(S16)).then("integer > integer"), otherwise(Own)),
		Lower: Lower{code: func(v *Variant) *jit.Template {
			return signCode(v, negCodes, (*jit.Emit).Neg, (*jit.Emit).NegF64, negHalf)
		}},
		Doc: "d = -a. The most negative integer stays unchanged.",
		Bind: func(v *Variant) lanes.Func {
			return signOp(v, Exec{S16: lanes.Neg[int16, uint32], S32: lanes.Neg[int32, uint32], S64: lanes.Neg[int64, uint64], S8x4: lanes.Neg8x4},
				Exec{F32: lanes.NegF32, F64: lanes.NegF64, F16: lanes.NegF16, F16x2: lanes.NegF16x2, BF16: lanes.NegBF16, BF16x2: lanes.NegBF16x2})
		}},
	{Name: "abs", Mods: "[ftz] type", Form: "d, a",
		Needs: "1; f16/f16x2 6.5 sm_53; bf16/bf16x2 7.0 sm_80",
		Cost:  (&Cost{operation: OpMagnitude, unit: arithmetic(ALU)}).becomes(when(OfType(S64)).then("integer, product, integer > integer, integer"), when(OfType(S16)).then("integer > integer > integer"), otherwise(Own)),
		Lower: Lower{code: func(v *Variant) *jit.Template {
			return signCode(v, absCodes, (*jit.Emit).Abs, (*jit.Emit).AbsF64, absHalf)
		}},
		Doc: "d = |a|. The most negative integer stays unchanged.",
		Bind: func(v *Variant) lanes.Func {
			return signOp(v, Exec{S16: lanes.Abs[int16, uint32], S32: lanes.Abs[int32, uint32], S64: lanes.Abs[int64, uint64]},
				Exec{F32: lanes.AbsF32, F64: lanes.AbsF64, F16: lanes.AbsF16, F16x2: lanes.AbsF16x2, BF16: lanes.AbsBF16, BF16x2: lanes.AbsBF16x2})
		}},
	{Name: "dp4a", Mods: "type type", Form: "d:b32, a:b32, b:b32, c:b32", Needs: "5.0 sm_61", Cost: on(FMAHeavy),
		Lower: Lower{code: func(v *Variant) *jit.Template { return dotCode(v, 4) }},
		Doc:   "d = c + the sum of the products of the four bytes of a and the four bytes of b. The first type says whether the bytes of a are signed, the second whether those of b are.",
		Bind: func(v *Variant) lanes.Func {
			return bySign(v, lanes.Dp4a[uint8, uint8], lanes.Dp4a[uint8, int8], lanes.Dp4a[int8, uint8], lanes.Dp4a[int8, int8])
		}},
	{Name: "dp2a", Mods: "part type type", Form: "d:b32, a:b32, b:b32, c:b32", Needs: "5.0 sm_61", Cost: on(FMAHeavy),
		Lower: Lower{code: func(v *Variant) *jit.Template { return dotCode(v, 2) }},
		Doc:   "d = c + the sum of the products of the two halves of a and two bytes of b: bytes 0 and 1 with .lo, 2 and 3 with .hi. The first type is that of the halves of a, the second that of the bytes of b.",
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[Part] == WidePart {
				return nil
			}
			return bySign(v, lanes.Dp2a[uint16, uint8], lanes.Dp2a[uint16, int8], lanes.Dp2a[int16, uint8], lanes.Dp2a[int16, int8])
		},
		Imm: func(v *Variant) uint64 { return 16 * uint64(v.Mods[Part]-Lo) }},
}

// bySign chooses a lane function by the signedness of two 32-bit types.
func bySign(v *Variant, uu, us, su, ss lanes.Func) lanes.Func {
	switch v.Types {
	case [2]Type{U32, U32}:
		return uu
	case [2]Type{U32, S32}:
		return us
	case [2]Type{S32, U32}:
		return su
	case [2]Type{S32, S32}:
		return ss
	}
	return nil
}

// signOp is neg or abs; only .f32, .f16 and .f16x2 have .ftz.
func signOp(v *Variant, integer, float Exec) lanes.Func {
	if !v.Type().takesFtz() && !v.only() {
		return nil
	}
	if fn := float[v.Type()]; fn != nil {
		return fn
	}
	return integer[v.Type()]
}
