package isa

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// elems are the element types of conversions.
var elems = map[Type]lanes.Elem{
	U8: lanes.U8, U16: lanes.U16, U32: lanes.U32, U64: lanes.U64,
	S8: lanes.S8, S16: lanes.S16, S32: lanes.S32, S64: lanes.S64,
	F16: lanes.F16, BF16: lanes.BF16, F32: lanes.F32, F64: lanes.F64,
}

// Elem returns the element type for lanes.Op; 0 for types without conversions.
func (t Type) Elem() lanes.Elem { return elemOf[t] }

var elemOf = func() (all [NumTypes]lanes.Elem) {
	for t, e := range elems {
		all[t] = e
	}
	return all
}()

// convertSequences are the machine instructions of cvt. A conversion to a width that a register of 32 bits has already,
// or that combines registers, only renames registers.
var convertSequences = slices.Concat(plainConversions, saturatingIntegers, saturatingFloats, []Sequence{
	when(OfType(U8, S8), FromType(F64)).then("double_conversion > integer"),
	otherwise(Own),
})

// plainConversions are the sequences of cvt without modifiers.
var plainConversions = []Sequence{
	when(Only(), either(
		All(int16s, FromType(U16, S16, U32, S32, U64, S64)),
		All(int32s, FromType(U32, S32, U64, S64)),
		All(int64s, FromType(U32, U64, S64)),
		All(OfType(F32), FromType(F32)),
		All(OfType(F64), FromType(F64)))).then(""),
	when(Only(), either(
		All(int64s, FromType(U8, S8, S16)),
		All(int16s, FromType(S8)))).then("integer > integer"),
}

// saturatingIntegers are the sequences of cvt.sat between integers, with their clamping.
var saturatingIntegers = []Sequence{
	when(sat, OfType(U8, S8), FromType(S32)).then("conversion > integer"),
	when(sat, int16s, FromType(S32)).then("conversion"),
	when(sat, OfType(U8, S8), FromType(S64)).then("integer > integer > integer > integer, integer > integer > integer, integer"),
	when(sat, int16s, FromType(S64)).then("integer > integer > integer > integer, integer > integer > integer"),
	when(sat, either(
		All(OfType(U8, S8), FromType(S8, S16, U64)),
		All(OfType(S32), FromType(S64)))).then("integer > integer > integer, integer > integer > integer"),
	when(sat, either(
		All(OfType(U8, S8), FromType(U32)),
		All(OfType(S16), FromType(U16)),
		All(OfType(U32), FromType(S8, S16, U64)),
		All(OfType(U64), FromType(S8, S16)))).then("integer > integer > integer"),
	when(sat, either(
		All(OfType(U16), FromType(S8, S16, U64)),
		All(OfType(S16, S32), FromType(U64)),
		All(OfType(U32), FromType(S64)),
		All(int64s, FromType(U64, S64)))).then("integer > integer > integer, integer > integer"),
	when(sat, either(
		All(int16s, FromType(U32)),
		All(either(int32s, int64s), FromType(U32, S32)))).then("integer > integer"),
	when(sat, either(
		All(OfType(U8, S8, U16, U32, U64), FromType(U8, U16)),
		All(OfType(S16), FromType(U8, S8, S16)),
		All(OfType(S32, S64), FromType(U8, S8, U16, S16)))).then("integer > integer > integer > integer"),
}

// saturatingFloats are the sequences of cvt.sat to floats, with their clamping to the range 0 to 1.
var saturatingFloats = []Sequence{
	when(sat, Only(Sat), OfType(F32), FromType(F32)).then("single"),
	when(sat, Only(Sat), OfType(F16, F32), FromType(F16)).then("half > single"),
	when(sat, OfType(F64), FromType(F64)).then("5 product, 2 double_compare > 2 integer, 2 integer > 2 integer"),
	when(sat, OfType(F64), Not(FromType(F64))).then("4 product, double_conversion > double_compare, double_compare > 2 integer, 2 integer > 2 integer"),
	when(toSingle).then("double_conversion > single"),
	when(sat, OfType(F32), Not(toSingle), Not(All(Only(Sat), FromType(F16, F32)))).then("conversion > single"),
	when(sat, OfType(F16), FromType(F32)).then("integer > half"),
	when(sat, OfType(F16), Not(FromType(F32)), Not(All(Only(Sat), FromType(F16)))).then("conversion > half"),
}

// toSingle chooses conversions from 64 bits to .f32, rounding to nearest.
var toSingle = All(sat, With(Rnd, RN), Only(Rnd, Sat), OfType(F32), FromType(U64, S64, F64))

var moveSpecs = []*Spec{
	{Name: "mov", Mods: "[vec] type", Form: "d:mov, a:mov", Needs: "1; b128 8.3 sm_70", Cost: on(ALU),
		Facts: Facts{Spread: Spread{Rule: SpreadMoves}, Copies: func(in *Instr) bool { // a .b128 is not propagated: few registers are that wide
			return in.Args[0].Kind != VecOperand && in.Args[1].Kind != VecOperand && in.Types[0] != B128
		}},
		Doc: "d = a, which is a register, a constant, a special register, or the address of a variable or of an array element (a[2]) in its space. " +
			"A vector on one side packs or unpacks .b16, .b32, .b64 or .b128, with the first element lowest; .b128 consists of two .b64. A constant as .b128 is the low half, and the high half is 0. .v2, .v4 and .v8 move a vector.",
		examples: []string{"mov.u32 %r1, %tid.x;", "mov.f32 %f1, 1.0;", "mov.b64 {%r1, %r2}, %rd1;"},
		Bind: func(v *Variant) lanes.Func {
			wide := v.Type().Bits() > 32
			switch {
			case v.Mods[Vec] != 0:
				return moveVector(v)
			case v.Type() == B128 && v.Unpack > 0:
				return lanes.Unpack128
			case v.Type() == B128 && v.Pack > 0:
				return lanes.Pack128
			case v.Type() == B128:
				return lanes.Mov128
			case v.Pack > 0 && wide:
				return lanes.Pack[uint64, uint32]
			case v.Pack > 0:
				return lanes.Pack[uint32, uint32]
			case v.Unpack > 0 && wide:
				return lanes.Unpack[uint64, uint32]
			case v.Unpack > 0:
				return lanes.Unpack[uint32, uint32]
			case v.Type() == Pred:
				return lanes.MovPred
			}
			return words3(lanes.Mov[uint32], lanes.Mov[uint64])[v.Type()]
		},
		Lower: Lower{code: movCode},
		Imm: func(v *Variant) uint64 {
			if n := v.Pack + v.Unpack; n > 0 {
				return uint64(v.Type().Bits()/n) | uint64(n)<<8
			}
			return 0
		}},
	{Name: "cvt", Mods: "[rnd] [away] [irnd] [ftz] [sat] [relu] [satfinite] type type", Form: "d, a:1, ?b:1",
		Needs: "1; relu 7.0 sm_80; >f16x2/bf16x2/bf16/tf32 7.0 sm_80; >f32 <bf16 7.1 sm_80; >f32 <bf16 ftz 7.8 sm_90; >bf16 <u8/s8/u16/s16/u32/s32/u64/s64/f16/f64/bf16 7.8 sm_90; >u8/s8/u16/s16/u32/s32/u64/s64/f16/f64 <bf16 7.8 sm_90; >tf32 rn/rz 7.8 sm_90; >tf32 rn/rz satfinite 8.6 sm_100; satfinite >f16/bf16/f16x2/bf16x2/tf32 <f32 8.1 sm_80; e4m3x2/e5m2x2 7.8 sm_89; e2m1x2/e2m3x2/e3m2x2/ue8m0x2 8.6 sm_100f sm_110f sm_120f; >e2m1x2/e2m3x2/e3m2x2 <f16x2/bf16x2 9.1; >e4m3x2/e5m2x2 <bf16x2 9.1 sm_100f sm_110f sm_120f; >bf16x2 <e4m3x2/e5m2x2/e2m1x2/e2m3x2/e3m2x2 9.1 sm_100f sm_110f sm_120f; s2f6x2 9.1 sm_100a sm_103a sm_110a sm_120a sm_121a",
		Cost:  (&Cost{operation: OpConversion, unit: conversion, class: conversionCost}).becomes(convertSequences...), Facts: Facts{Spread: Spread{Rule: SpreadConverts}, Wide: true, Sum: cvtSum}, Syntax: Syntax{possible: oneRounding},
		Doc: "d = a, converted to another type. From float to integer, the value is rounded in the named mode and clamped to the type. Integers are truncated or extended, or clamped with .sat. " +
			"With .satfinite, infinity becomes the largest number. Two .f32, a for the high half and b for the low half, become one .f16x2, .bf16x2, .e4m3x2, .e5m2x2, .e2m3x2, .e3m2x2, .e2m1x2, .ue8m0x2 or .s2f6x2. " +
			".e2m3x2, .e3m2x2, .e2m1x2 and .s2f6x2 have no NaN, which becomes the largest number. .ue8m0x2 has powers of two without a sign; 0 stands for 2^-127 and everything below. .s2f6x2 has signed multiples of 1/64. " +
			".f16x2 and .bf16x2 are converted to and from the formats of 8, 6 and 4 bits element by element. .tf32 is .f32 rounded to 19 bits, followed by 13 zero bits.",
		examples: []string{"cvt.u64.u32 %rd1, %r1;", "cvt.rn.f32.s32 %f1, %r1;", "cvt.rzi.s32.f32 %r1, %f1;", "cvt.rn.f32.f64 %f1, %fd1;"},
		Bind:     bindCvt, Imm: cvtImm, Lower: Lower{code: convertCode},
		Check: func(in *Instr) string { return needsTwo(in, len(in.Args) > 2) }},
	{Name: "cvt", With: "rs", Mods: "rs [relu] [satfinite] type type", Form: "d, a:four, ?b:f32, c:b32", Needs: "8.7 sm_100a sm_103a", Cost: &Cost{unit: conversion, class: conversionCost},
		Doc: "d = .f32 values, rounded stochastically: random bits from c are added to the bits below the last place, and the sum is truncated. " +
			"For .f16x2 and .bf16x2, a becomes the high half with the random bits of the upper half of c, and b the low half with those of the lower half; .f16x2 uses only the lower 13 bits of each half. " +
			"For other types a is a vector of four values, the first for the highest place. " +
			"The first two values use the upper half of c and the others the lower half; for .e2m1x4 the first two use the upper byte of each half and the others the lower bytes. " +
			"PTX leaves the position of the random bits open: in simtrun their highest bit is added to the highest bit that is truncated.",
		examples: []string{"cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2;", "cvt.rs.bf16x2.f32 %r1, %f1, %f2, %r2;"},
		Bind:     bindCvtRandom, Check: checkCvtRandom},
	{Name: "cvt", With: "scaled::n2::ue8m0", Mods: "[rnd] [relu] [satfinite] scaled type type", Form: "d, a:1, ?b:1, c:b16", Needs: "9.1 sm_100a sm_103a sm_110a sm_120a sm_121a", Cost: on(ALU),
		Doc:      "To .s2f6x2: converts as cvt does, after a division by powers of two. From .s2f6x2: converts, and then multiplies by powers of two. c has the two powers as .ue8m0; the higher byte is for the higher value.",
		examples: []string{"cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %rs1, %f1, %f2, %rs2;", "cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 %r1, %rs1, %rs2;"},
		Bind:     bindCvtScaled, Check: func(in *Instr) string { return needsTwo(in, in.Args[2].Kind != NoOperand) }},
	{Name: "cvt", With: "pack", Mods: "pack sat type type [packc]", Form: "d:b32, a:1, b:1, ?c:b32", Needs: "6.5 sm_72", Cost: on(ALU),
		Lower: Lower{code: cvtPackCode},
		Doc:   "d = a and b, clamped to the type and packed with b in the lowest bits. If they become bytes, the low half of c is packed above them.",
		Bind: func(v *Variant) lanes.Func {
			bits := v.Type().Bits()
			if !v.Type().IsInt() || bits > 16 || v.Types[1] != S32 || (bits == 8) != (v.Mods[PackC] != 0) {
				return nil
			}
			return lanes.CvtPack
		},
		Check: func(in *Instr) string {
			switch has := len(in.Args) > 3; {
			case has && in.Mods[PackC] == 0:
				return "two .u16 or .s16 fill d and leave no room for c"
			case !has && in.Mods[PackC] != 0:
				return "no operand c, of .b32, for the upper half of d"
			}
			return ""
		}},
	{Name: "isspacep", Mods: "window", Form: "d:pred, a:ptr", Needs: "2.0 sm_20; param/param::entry 7.7 sm_70", Cost: on(LSU, CostShuffle),
		Doc:   "d = whether the generic address a is in the space. Kernel parameters also count as global; constants do not.",
		Facts: Facts{ReadsRank: true},
		Bind: func(v *Variant) lanes.Func {
			global := v.Mods[Window] == WindowGlobal
			own := v.Mods[Window] == WindowShared || v.Mods[Window] == WindowSharedCTA
			switch narrow := v.SrcBits == 32; {
			case narrow && global:
				return lanes.WithinGlobal[uint32]
			case global:
				return lanes.WithinGlobal[uint64]
			case narrow && own:
				return lanes.WithinOwn[uint32]
			case own:
				return lanes.WithinOwn[uint64]
			case narrow:
				return lanes.Within[uint32]
			}
			return lanes.Within[uint64]
		},
		Imm: func(v *Variant) uint64 {
			w := windows[v.Mods[Window]]
			return w.first | w.bytes<<32
		}},
	{Name: "cvta", Mods: "[to] space type", Form: "d, a", Needs: "2.0 sm_20; param/param::entry 7.7 sm_70", Facts: Facts{Spread: Spread{Rule: SpreadSum}, Arith: ArithCopy, Copies: func(in *Instr) bool { return in.Mods.MemSpace().Window() == 0 }},
		Cost:     on(ALU).becomes(when(Not(With(To)), With(SpaceG, SpaceShared, SpaceLocal)).then("integer, product"), otherwise("")),
		Syntax:   Syntax{takesAddress: true, widens: true},
		Doc:      "d = the generic address for address a in the space. With .to, d is the address in the space for the generic address a.",
		examples: []string{"cvta.to.global.u64 %rd1, %rd2;", "cvta.shared.u64 %rd1, %rd2;"},
		Bind: func(v *Variant) lanes.Func {
			switch v.Type() {
			case U32:
				return lanes.AddImm[uint32]
			case U64:
				return lanes.AddImm[uint64]
			}
			return nil
		},
		Lower: Lower{code: func(v *Variant) *jit.Template { return &addImmCode }},
		Imm: func(v *Variant) uint64 {
			w := v.Mods.MemSpace().Window()
			if v.Mods[To] != 0 {
				return -w
			}
			return w
		}},
}

// windows are the generic addresses of each space; for global memory, the private and shared windows of other threads
// and blocks, which are not in it.
var windows = [...]struct{ first, bytes uint64 }{
	WindowGlobal:        {SharedWindow, ParamWindow - SharedWindow},
	WindowShared:        {SharedWindow, WindowBytes},
	WindowSharedCTA:     {SharedWindow, WindowBytes},
	WindowLocal:         {LocalWindow, WindowBytes},
	WindowParam:         {ParamWindow, WindowBytes},
	WindowParamEntry:    {ParamWindow, WindowBytes},
	WindowSharedCluster: {SharedWindow, 2 * WindowBytes},
	WindowConst:         {ConstBase, GlobalBase32 - ConstBase},
}

// moveVector is mov of a vector: as long as a vector access, of elements of any type that memory can have.
func moveVector(v *Variant) lanes.Func {
	n, bits := v.Mods.VecLen(), v.Type().Bits()
	if v.Type() == F16x2 || bits < 16 || n*bits > maxVectorBits {
		return nil
	}
	return words3(lanes.MovVec[uint32](n), lanes.MovVec[uint64](n))[v.Type()]
}

// oneRounding reports whether at most one of the modifiers of cvt rounds, and at most one clamps.
func oneRounding(m *Mods) bool {
	rounds := m[Rnd] != 0 && (m[Away] != 0 || m[IRnd] != 0) || m[Away] != 0 && m[IRnd] != 0
	return !rounds && (m[Sat] == 0 || m[Relu] == 0 && m[SatFinite] == 0)
}

func bindCvt(v *Variant) lanes.Func {
	switch {
	case v.Types[0] == UE8M0x2:
		return bindCvtExponents(v)
	case v.Types[0].inHalves(), v.Types[0].inBytes(), v.Types[0] == S2F6x2:
		return bindCvtPair(v)
	case v.Types == [2]Type{TF32, F32}:
		return bindCvtTF32(v)
	case v.Mods[Away] != 0:
		return nil
	}
	to, ok := elems[v.Types[0]]
	from, ok2 := elems[v.Types[1]]
	if !ok || !ok2 || v.Mods[Rnd] != 0 && v.Mods[IRnd] != 0 {
		return nil
	}
	return lanes.CvtFor(to, from, v.Mods.Mode(), cvtImm(v))
}

// madeOfTwo reports whether cvt to and from these types takes two values.
func madeOfTwo(types [2]Type) bool {
	return types[1] == F32 && (types[0].inHalves() || types[0].inBytes() || types[0] == UE8M0x2 || types[0] == S2F6x2)
}

// needsTwo checks that a cvt has a second value if and only if its result is made of two.
func needsTwo(in *Instr, has bool) string {
	switch {
	case has && !madeOfTwo(in.Types):
		return fmt.Sprintf("a .%s becomes a .%s by itself, without a second value", in.Types[1], in.Types[0])
	case !has && madeOfTwo(in.Types):
		return fmt.Sprintf(".%s is made of two values a, b", in.Types[0])
	}
	return ""
}

// bindCvtScaled is cvt with powers of two.
func bindCvtScaled(v *Variant) lanes.Func {
	if v.Mods[Rnd] != RN || v.Types[0] == S2F6x2 && v.Mods[SatFinite] == 0 {
		return nil
	}
	return map[[2]Type]lanes.Func{{S2F6x2, F32}: lanes.CvtScaledS2F6x2F32, {S2F6x2, BF16x2}: lanes.CvtScaledS2F6x2BF16x2, {BF16x2, S2F6x2}: lanes.CvtScaledBF16x2S2F6x2}[v.Types]
}

// cvtPairs are the bodies for results of two numbers.
var cvtPairs = map[[2]Type]lanes.Func{
	{F16x2, F32}: lanes.CvtF16x2F32, {BF16x2, F32}: lanes.CvtBF16x2F32,
	{E4M3x2, F32}: lanes.CvtE4M3x2F32, {E5M2x2, F32}: lanes.CvtE5M2x2F32,
	{E4M3x2, F16x2}: lanes.CvtE4M3x2F16x2, {E5M2x2, F16x2}: lanes.CvtE5M2x2F16x2,
	{E2M1x2, F32}: lanes.CvtE2M1x2F32, {E2M3x2, F32}: lanes.CvtE2M3x2F32, {E3M2x2, F32}: lanes.CvtE3M2x2F32,
	{F16x2, E2M1x2}: lanes.CvtF16x2E2M1x2, {F16x2, E2M3x2}: lanes.CvtF16x2E2M3x2, {F16x2, E3M2x2}: lanes.CvtF16x2E3M2x2,
	{E4M3x2, BF16x2}: lanes.CvtE4M3x2BF16x2, {E5M2x2, BF16x2}: lanes.CvtE5M2x2BF16x2,
	{E2M1x2, F16x2}: lanes.CvtE2M1x2F16x2, {E2M3x2, F16x2}: lanes.CvtE2M3x2F16x2, {E3M2x2, F16x2}: lanes.CvtE3M2x2F16x2,
	{E2M1x2, BF16x2}: lanes.CvtE2M1x2BF16x2, {E2M3x2, BF16x2}: lanes.CvtE2M3x2BF16x2, {E3M2x2, BF16x2}: lanes.CvtE3M2x2BF16x2,
	{BF16x2, E4M3x2}: lanes.CvtBF16x2E4M3x2, {BF16x2, E5M2x2}: lanes.CvtBF16x2E5M2x2,
	{BF16x2, E2M1x2}: lanes.CvtBF16x2E2M1x2, {BF16x2, E2M3x2}: lanes.CvtBF16x2E2M3x2, {BF16x2, E3M2x2}: lanes.CvtBF16x2E3M2x2,
	{BF16x2, UE8M0x2}: lanes.CvtBF16x2UE8M0x2,
	{S2F6x2, F32}:     lanes.CvtS2F6x2F32, {S2F6x2, BF16x2}: lanes.CvtS2F6x2BF16x2, {BF16x2, S2F6x2}: lanes.CvtBF16x2S2F6x2,
	{F16x2, E4M3x2}: lanes.CvtF16x2E4M3x2, {F16x2, E5M2x2}: lanes.CvtF16x2E5M2x2,
}

// bindCvtPair is cvt to two numbers. From .f32, halves are rounded to nearest or to zero, and bytes to nearest and
// always to finite numbers; bytes become halves by rounding to nearest.
func bindCvtPair(v *Variant) lanes.Func {
	nearest := v.Mods[Rnd] == RN
	switch {
	case !v.only(Rnd, Relu, SatFinite),
		v.Types[0].inHalves() && v.Types[1] == F32 && !nearest && v.Mods[Rnd] != RZ,
		(v.Types[0].inBytes() || v.Types[0] == S2F6x2) && (!nearest || v.Mods[SatFinite] == 0),
		v.Types[1].inBytes() && (!nearest || v.Mods[SatFinite] != 0),
		v.Types[1] == S2F6x2 && !nearest, // .satfinite changes nothing
		v.Types[1] == UE8M0x2 && (!nearest || !v.only(Rnd)):
		return nil
	}
	return cvtPairs[v.Types]
}

// bindCvtExponents is cvt to two powers of two, rounded to the next lower or higher one.
func bindCvtExponents(v *Variant) lanes.Func {
	if !v.only(Rnd, SatFinite) || v.Mods[Rnd] != RZ && v.Mods[Rnd] != RP {
		return nil
	}
	return map[Type]lanes.Func{F32: lanes.CvtUE8M0x2F32, BF16x2: lanes.CvtUE8M0x2BF16x2}[v.Types[1]]
}

// bindCvtRandom is cvt.rs. Numbers of fewer than 16 bits are always finite.
func bindCvtRandom(v *Variant) lanes.Func {
	if v.Types[1] != F32 || v.Types[0].isFour() && v.Mods[SatFinite] == 0 {
		return nil
	}
	return map[Type]lanes.Func{F16x2: lanes.CvtRandomF16x2, BF16x2: lanes.CvtRandomBF16x2, E4M3x4: lanes.CvtRandomE4M3x4, E5M2x4: lanes.CvtRandomE5M2x4,
		E2M3x4: lanes.CvtRandomE2M3x4, E3M2x4: lanes.CvtRandomE3M2x4, E2M1x4: lanes.CvtRandomE2M1x4}[v.Types[0]]
}

// checkCvtRandom requires a second value for a pair and none for four numbers.
func checkCvtRandom(in *Instr) string {
	switch has := in.Args[2].Kind != NoOperand; {
	case has && in.Types[0].isFour():
		return fmt.Sprintf("a .%s is made of a vector {a, b, e, f} and random bits", in.Types[0])
	case !has && !in.Types[0].isFour():
		return fmt.Sprintf(".%s is made of two values a, b and random bits", in.Types[0])
	}
	return ""
}

// bindCvtTF32 is cvt of .f32 to tf32, which .rna rounds without .relu.
func bindCvtTF32(v *Variant) lanes.Func {
	if v.only(Away, SatFinite) && v.Mods[Away] != 0 || v.only(Rnd, Relu, SatFinite) && (v.Mods[Rnd] == RN || v.Mods[Rnd] == RZ) {
		return lanes.CvtTF32F32
	}
	return nil
}

func cvtImm(v *Variant) uint64 {
	imm := uint64(0)
	if v.DstBits == 64 && v.Types[0].Bits() < 64 {
		imm |= lanes.CvtDstWide
	}
	switch v.DstBits {
	case 8:
		imm |= lanes.CvtDst8
	case 16:
		imm |= lanes.CvtDst16
	}
	if v.SrcBits == 64 && v.Types[1].Bits() < 64 {
		imm |= lanes.CvtSrcWide
	}
	if v.Mods[IRnd] != 0 {
		imm |= lanes.CvtIntegral
	}
	if v.Mods[Rnd] != 0 {
		imm |= lanes.CvtRounded
	}
	if v.Mods[Away] != 0 {
		imm |= lanes.CvtAway
	}
	return imm
}

// MoveOf returns an instruction, without operands, that copies a register of 16, 32 or 64 bits.
func MoveOf(bits int) Instr {
	in, msg := Resolve(fmt.Sprint("mov.b", bits))
	if msg != "" {
		panic("simtrun bug: " + msg)
	}
	return in
}
