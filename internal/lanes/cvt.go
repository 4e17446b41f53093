package lanes

import "math"

// Further properties of a cvt, as bits of in.Imm. If D or A is in a 64-bit slot although its type is narrower, the
// result is extended to the register, and the source is its low bits (PTX ISA 9.4.1).
const (
	CvtDstWide  = 1 << iota // D is a 64-bit register and To is narrower
	CvtSrcWide              // A is a 64-bit register and From is narrower
	CvtIntegral             // the rounding is to an integral value: .rni, .rzi, .rmi or .rpi
	CvtDst16                // D is a 16-bit register
	CvtRounded              // the rounding was given as .rn, .rz, .rm or .rp
	CvtAway                 // the rounding is .rna, to nearest with ties away from zero
	CvtDst8                 // D is an 8-bit register
)

func (e Elem) isFloat() bool  { return e >= F16 }
func (e Elem) isSigned() bool { return e >= S8 && e <= S64 }

// bits is the width of e.
func (e Elem) bits() int {
	switch e {
	case F16, BF16:
		return 16
	case F32:
		return 32
	case F64:
		return 64
	}
	return 8 << (e & 3)
}

// format is the format of e, a floating-point type.
func (e Elem) format() format {
	switch e {
	case F16:
		return binary16
	case BF16:
		return bfloat16
	case F32:
		return binary32
	}
	return binary64
}

// greatest is the largest value of e, an integer type.
func (e Elem) greatest() uint64 {
	if e.isSigned() {
		return 1<<(e.bits()-1) - 1
	}
	return 1<<e.bits() - 1
}

// extend keeps the low bits of each v that an e has, with zeros above, or copies of the sign if e is signed.
func (e Elem) extend(v *[Width]uint64) {
	n := 64 - e.bits()
	if e.isSigned() {
		map1(v, v, func(x uint64) uint64 { return uint64(int64(x) << n >> n) })
	} else {
		map1(v, v, func(x uint64) uint64 { return x << n >> n })
	}
}

// cvt is a, of type From, converted to type To. Integers are truncated or extended; under SAT they are clamped to the
// type, as are all floats that become integers. It honours FTZ on .f32 and SAT; Mode and in.Imm have the rounding.
func cvt(f *File, in *Op, m Mask) {
	var v [Width]uint64
	cvtSources(&v, f, in)
	switch mode, integral := in.Mode, in.Imm&CvtIntegral != 0; {
	case !in.From.isFloat() && !in.To.isFloat():
		if mode&SAT != 0 {
			map1(&v, &v, func(x uint64) uint64 { return in.To.clamped(x, in.From.isSigned()) })
		}
	case !in.From.isFloat():
		map1(&v, &v, func(x uint64) uint64 { return mode.floatOfInt(in.To, x, in.From.isSigned()) })
	case !in.To.isFloat():
		map1(&v, &v, func(x uint64) uint64 { return mode.intOfFloat(in.To, in.From, x) })
	default:
		map1(&v, &v, func(x uint64) uint64 { return mode.floatOfFloat(in.To, in.From, x, integral) })
	}
	cvtResults(f, in, m, &v)
}

// cvtSources copies the source to v, extended to 64 bits.
func cvtSources(v *[Width]uint64, f *File, in *Op) {
	if in.From.bits() == 64 || in.Imm&CvtSrcWide != 0 {
		*v = *Reg[uint64](f, in.A)
	} else {
		map1(v, Reg[uint32](f, in.A), func(a uint32) uint64 { return uint64(a) })
	}
	in.From.extend(v)
}

// cvtResults writes the low bits of v, extended to the register.
func cvtResults(f *File, in *Op, m Mask, v *[Width]uint64) {
	in.To.extend(v)
	if in.To.bits() == 64 || in.Imm&CvtDstWide != 0 {
		Select(Reg[uint64](f, in.D), v, m)
		return
	}
	register := uint64(math.MaxUint32)
	switch {
	case in.Imm&CvtDst8 != 0:
		register = math.MaxUint8
	case in.Imm&CvtDst16 != 0:
		register = math.MaxUint16
	}
	map1(Out[uint32](f, in.D, m), v, func(x uint64) uint32 { return uint32(x & register) })
	Merge[uint32](f, in.D, m)
}

// clamped is the integer x, extended to 64 bits, clamped to the range of e.
func (e Elem) clamped(x uint64, signed bool) uint64 {
	if !signed {
		return min(x, e.greatest())
	}
	v, least := int64(x), int64(0)
	if e.isSigned() {
		least = ^int64(e.greatest())
	}
	if v < 0 {
		return uint64(max(v, least))
	}
	return min(x, e.greatest())
}

// floatOfInt is the integer x, extended to 64 bits, as a float.
func (mode Mode) floatOfInt(to Elem, x uint64, signed bool) uint64 {
	t := to.format()
	u := unrounded{sig: x}
	if signed && int64(x) < 0 {
		u.neg, u.sig = true, -x
	}
	return mode.saturated(t, u.round(t, mode))
}

// saturated is the encoding x of a float: under SAT clamped to [+0, 1], with +0 for NaN; under RELU at least +0;
// under SATFINITE finite.
func (mode Mode) saturated(t format, x uint64) uint64 {
	switch {
	case mode&RELU != 0 && x&t.sign() != 0: // a canonical NaN has no sign
		return 0
	case mode&SATFINITE != 0 && x&^t.sign() == t.infinity():
		return x - 1
	case mode&SAT == 0:
		return x
	case x > t.infinity(): // negative or NaN
		return 0
	}
	return min(x, t.one())
}

// flushed is the encoding x of an e, with subnormal numbers flushed under FTZ if e is .f32.
func (mode Mode) flushed(e Elem, x uint64) uint64 {
	if mode&FTZ != 0 && e == F32 && x&exponentF32 == 0 {
		return x & signF32
	}
	return x
}

// valueF64 is the number that x encodes in e. NaN keeps its payload.
func (e Elem) valueF64(x uint64) float64 {
	switch e {
	case F16:
		return float64(expandF16(uint32(x)))
	case BF16:
		return valueBF16(uint32(x))
	case F32:
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// integral is x rounded to an integral value as the mode says; -0 stays.
func (mode Mode) integral(x float64) float64 {
	switch mode & roundMask {
	case RoundZero:
		return math.Trunc(x)
	case RoundDown:
		return math.Floor(x)
	case RoundUp:
		return math.Ceil(x)
	}
	return math.RoundToEven(x)
}

// intOfFloat is the float encoded by x as an integer, clamped to the integer type. NaN is 0, except from .f64 or to
// 64 bits: then only the top bit of the type is set (PTX ISA 9.7.9, cvt).
func (mode Mode) intOfFloat(to, from Elem, x uint64) uint64 {
	v := mode.integral(from.valueF64(mode.flushed(from, x)))
	top := uint64(1) << (to.bits() - 1)
	beyond := 2 * float64(top) // the smallest integer above the type
	if to.isSigned() {
		beyond = float64(top)
	}
	switch {
	case v != v && from != F64 && to.bits() < 64:
		return 0
	case v != v:
		return top
	case v >= beyond:
		return to.greatest()
	case v > 0:
		return uint64(v)
	case !to.isSigned():
		return 0
	case v < -beyond:
		return top
	}
	return uint64(int64(v))
}

// floatOfFloat is the float encoded by x in another format, or rounded to an integral value. As on an H100, a .f32 is
// not flushed on its way to .f16, a float converted to its own type stays as it is, and NaNs of .f64 and .f16 keep
// their payload: PTX leaves these open. To .bf16 every NaN is the canonical one.
func (mode Mode) floatOfFloat(to, from Elem, x uint64, integral bool) uint64 {
	if to == from && to.bits() > 16 && !integral && mode == RoundNearest {
		return x
	}
	if to != F16 {
		x = mode.flushed(from, x)
	}
	v := from.valueF64(x)
	switch {
	case v != v && from == F64 && to != F64 && to != BF16:
		return mode.saturated(to.format(), to.narrowNaN(x))
	case v != v && from == F32 && to == F64 && mode&FTZ != 0:
		v = float64(math.Float32frombits(nanF32))
	case integral:
		v = mode.integral(v)
	}
	return mode.saturated(to.format(), mode.flushed(to, mode.encoded(to, v)))
}

// narrowNaN is a NaN of .f64 in a shorter format: quiet, with its sign and the upper bits of its payload.
func (e Elem) narrowNaN(x uint64) uint64 {
	t := e.format()
	return x>>(64-t.width)&t.sign() | t.infinity() | (x|quietF64)&(1<<52-1)>>(52-t.fraction)
}

// encoded is x as an e, rounded by the mode. NaN is the canonical one, but keeps its payload in .f64, as in
// arithmetic.
func (mode Mode) encoded(e Elem, x float64) uint64 {
	switch {
	case e == F64 && x != x:
		return math.Float64bits(quietedF64(x))
	case e == F64:
		return math.Float64bits(x)
	case e == F32:
		return uint64(math.Float32bits(canonicalF32(mode.narrow(x))))
	case mode&roundMask != RoundNearest && finiteF64(x):
		return exactF64(x).round(e.format(), mode)
	case e == BF16:
		return uint64(roundBF16(x))
	}
	return uint64(roundF16(x))
}

// CvtF16x2F32 is the .f32 values a, in the high half, and b, in the low one,
// rounded to half precision as Mode says. It honours RELU and SATFINITE.
func CvtF16x2F32(f *File, in *Op, m Mask) { pairOfF32(f, in, m, F16) }

// CvtBF16x2F32 is CvtF16x2F32 for bfloat16.
func CvtBF16x2F32(f *File, in *Op, m Mask) { pairOfF32(f, in, m, BF16) }

// pairOfF32 is the .f32 values a and b, each as an e of 16 bits.
func pairOfF32(f *File, in *Op, m Mask, e Elem) {
	mode, t := in.Mode, e.format()
	half := func(x float32) uint32 { return uint32(mode.saturated(t, mode.encoded(e, float64(x)))) }
	map2(Out[uint32](f, in.D, m), Reg[float32](f, in.A), Reg[float32](f, in.B), func(a, b float32) uint32 {
		return half(a)<<16 | half(b)
	})
	Merge[uint32](f, in.D, m)
}

// CvtPack packs two signed words into one, clamped to the integer type in.To: b lowest, then a, then as much of c as
// fits.
func CvtPack(f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	to, n := in.To, in.To.bits()
	map3(d, a, b, c, func(a, b, c uint32) uint32 { return c<<(2*n) | to.packed(a)<<n | to.packed(b) })
	Merge[uint32](f, in.D, m)
}

// packed is the signed word x clamped to e, in the bits of e.
func (e Elem) packed(x uint32) uint32 {
	return uint32(e.clamped(uint64(int64(int32(x))), true)) & (1<<e.bits() - 1)
}

// CvtFor is the lane function for a conversion between two types, or nil if PTX has none. Floats become integers only
// with an integral rounding. Conversions that lose bits of a float, or that make a float of an integer, need a
// rounding, and no others allow one. FTZ is for .f32, but not to .bf16, which is rounded to nearest or to zero. RELU
// and SATFINITE are for .f16 and .bf16 from .f32, rounded in these ways and not flushed. SAT is not for .bf16, and
// for integers only if one may not fit.
func CvtFor(to, from Elem, mode Mode, imm uint64) Func {
	rounded, integral := imm&CvtRounded != 0, imm&CvtIntegral != 0
	if to > BF16 || from > BF16 || mode&FTZ != 0 && to != F32 && from != F32 {
		return nil
	}
	halfOfSingle := from == F32 && to.isFloat() && to.bits() == 16
	if mode&(RELU|SATFINITE) != 0 && (!halfOfSingle || mode&(SAT|FTZ) != 0 || mode&roundMask > RoundZero) {
		return nil
	}
	if to == BF16 && (mode&SAT != 0 || from == F32 && (mode&FTZ != 0 || mode&roundMask > RoundZero)) {
		return nil
	}
	if mode&SAT != 0 && !to.isFloat() && !from.isFloat() && to.holds(from) {
		return nil
	}
	var takesRounding, takesIntegral, mayBeIntegral bool
	switch {
	case from.isFloat() && to.isFloat():
		takesRounding = to.bits() < from.bits() || to.bits() == from.bits() && to != from // neither half holds the other
		mayBeIntegral = to == from
	case from.isFloat():
		takesIntegral = true
	case to.isFloat():
		takesRounding = true
	}
	if rounded != takesRounding || integral != takesIntegral && !(integral && mayBeIntegral) {
		return nil
	}
	if fast := fastCvt(to, from, mode, imm); fast != nil {
		return fast
	}
	return cvt
}

// holds reports whether e has every number of the integer type from.
func (e Elem) holds(from Elem) bool {
	if e.isSigned() == from.isSigned() {
		return e.bits() >= from.bits()
	}
	return e.isSigned() && e.bits() > from.bits()
}

// fastCvt is a specialised function for a common conversion between registers of the types' own widths, nil for the
// others.
func fastCvt(to, from Elem, mode Mode, imm uint64) Func {
	if imm&^(CvtRounded|CvtIntegral) != 0 {
		return nil
	}
	fast, known := fastCvts[[2]Elem{to, from}]
	if !known || mode&^fast.modes != 0 {
		return nil
	}
	return fast.fn
}

// fastCvts has these functions by type, result first, with the modes that they support.
var fastCvts = map[[2]Elem]fastBody{
	{U32, U32}: {Mov[uint32], 0}, {U32, S32}: {Mov[uint32], 0}, {S32, U32}: {Mov[uint32], 0}, {S32, S32}: {Mov[uint32], 0},
	{U64, U64}: {Mov[uint64], 0}, {U64, S64}: {Mov[uint64], 0}, {S64, U64}: {Mov[uint64], 0}, {S64, S64}: {Mov[uint64], 0},
	{U32, U64}: {cvtU32U64, 0}, {U32, S64}: {cvtU32U64, 0}, {S32, U64}: {cvtU32U64, 0}, {S32, S64}: {cvtU32U64, 0},
	{U64, U32}: {cvtU64U32, 0}, {S64, U32}: {cvtU64U32, 0}, {U64, S32}: {cvtS64S32, 0}, {S64, S32}: {cvtS64S32, 0},
	{F32, S32}: {cvtF32S32, 0}, {F32, U32}: {cvtF32U32, 0},
	{F64, S32}: {cvtF64S32, roundMask}, {F64, U32}: {cvtF64U32, roundMask},
	{S32, F32}: {cvtS32F32, roundMask | FTZ | SAT}, {U32, F32}: {cvtU32F32, roundMask | FTZ | SAT},
	{F64, F32}: {cvtF64F32, 0}, {F32, F64}: {cvtF32F64, 0},
	{F32, F16}: {cvtF32F16, 0}, {F16, F32}: {cvtF16F32, 0},
	{F32, BF16}: {cvtF32BF16, roundMask | FTZ}, {BF16, F32}: {cvtBF16F32, 0},
}

type fastBody struct {
	fn    Func
	modes Mode
}

// cvtU64U32 extends an unsigned word.
func cvtU64U32(f *File, in *Op, m Mask) {
	map1(Out[uint64](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint64 { return uint64(a) })
	Merge[uint64](f, in.D, m)
}

// cvtS64S32 extends a signed word.
func cvtS64S32(f *File, in *Op, m Mask) {
	map1(Out[int64](f, in.D, m), Reg[int32](f, in.A), func(a int32) int64 { return int64(a) })
	Merge[int64](f, in.D, m)
}

// cvtU32U64 is the low word of an integer, signed or not.
func cvtU32U64(f *File, in *Op, m Mask) {
	map1(Out[uint32](f, in.D, m), Reg[uint64](f, in.A), func(a uint64) uint32 { return uint32(a) })
	Merge[uint32](f, in.D, m)
}

// cvtF32S32 rounds a signed word to the nearest .f32.
func cvtF32S32(f *File, in *Op, m Mask) {
	map1(Out[float32](f, in.D, m), Reg[int32](f, in.A), func(a int32) float32 { return float32(a) })
	Merge[float32](f, in.D, m)
}

// cvtF32U32 rounds an unsigned word to the nearest .f32.
func cvtF32U32(f *File, in *Op, m Mask) {
	map1(Out[float32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) float32 { return float32(int64(a)) })
	Merge[float32](f, in.D, m)
}

// cvtF64S32 is a signed word as .f64, which holds them all.
func cvtF64S32(f *File, in *Op, m Mask) {
	map1(Out[float64](f, in.D, m), Reg[int32](f, in.A), func(a int32) float64 { return float64(a) })
	Merge[float64](f, in.D, m)
}

// cvtF64U32 is an unsigned word as .f64, which holds them all.
func cvtF64U32(f *File, in *Op, m Mask) {
	map1(Out[float64](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) float64 { return float64(a) })
	Merge[float64](f, in.D, m)
}

// integralF32 is the .f32 source of a conversion to integer: rounded to integral values in buffer, or unchanged if
// rounding is towards zero, because the conversion drops the fraction.
func (in *Op) integralF32(f *File, buffer *[Width]float32) *[Width]float32 {
	a, mode := Reg[float32](f, in.A), in.Mode
	if mode&roundMask == RoundZero {
		return a
	}
	for i := range buffer {
		buffer[i] = float32(mode.integral(float64(mode.operandF32(a[i]))))
	}
	return buffer
}

// cvtS32F32 is a rounded to an integral value and clamped to a signed word; 0
// for NaN. It honours FTZ.
func cvtS32F32(f *File, in *Op, m Mask) {
	var buffer [Width]float32
	map1(Out[int32](f, in.D, m), in.integralF32(f, &buffer), func(a float32) int32 {
		switch {
		case a >= 1<<31:
			return math.MaxInt32
		case a >= -1<<31:
			return int32(a)
		case a != a:
			return 0
		}
		return math.MinInt32
	})
	Merge[int32](f, in.D, m)
}

// cvtU32F32 is a rounded to an integral value and clamped to an unsigned word;
// 0 for NaN. It honours FTZ.
func cvtU32F32(f *File, in *Op, m Mask) {
	var buffer [Width]float32
	map1(Out[uint32](f, in.D, m), in.integralF32(f, &buffer), func(a float32) uint32 {
		switch {
		case a >= 1<<32:
			return math.MaxUint32
		case a > 0:
			return uint32(int64(a))
		}
		return 0
	})
	Merge[uint32](f, in.D, m)
}

// cvtF64F32 widens a; NaN keeps its payload.
func cvtF64F32(f *File, in *Op, m Mask) {
	map1(Out[float64](f, in.D, m), Reg[float32](f, in.A), func(a float32) float64 { return float64(a) })
	Merge[float64](f, in.D, m)
}

// cvtF32F64 rounds a to the nearest .f32.
func cvtF32F64(f *File, in *Op, m Mask) {
	map1(Out[float32](f, in.D, m), Reg[float64](f, in.A), func(a float64) float32 {
		if a != a {
			return math.Float32frombits(uint32(F32.narrowNaN(math.Float64bits(a))))
		}
		return float32(a)
	})
	Merge[float32](f, in.D, m)
}

// cvtF32F16 widens a.
func cvtF32F16(f *File, in *Op, m Mask) {
	map1(Out[float32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) float32 { return canonicalF32(expandF16(a)) })
	Merge[float32](f, in.D, m)
}

// cvtF16F32 rounds a to the nearest half-precision number.
func cvtF16F32(f *File, in *Op, m Mask) {
	map1(Out[uint32](f, in.D, m), Reg[float32](f, in.A), func(a float32) uint32 { return roundF16(float64(a)) })
	Merge[uint32](f, in.D, m)
}
