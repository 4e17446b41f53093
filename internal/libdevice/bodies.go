package libdevice

import (
	"fmt"
	"slices"
)

// body is a function of PTX instructions: those that NVIDIA documents, or those that access memory. The text has the
// parameters as registers a, b, c, d, the result as r, and temporaries (see temporaries). PTR is the type of an
// address.
type body struct {
	name string // without the prefix
	sig  string // a letter for each parameter, and after > for the result (see letters)
	code string
}

// bodies returns the functions that are PTX instructions, by subject.
func bodies() []body {
	return slices.Concat(integers, bitPatterns, arithmetic(), conversions(), approximations, throughPointers())
}

// integers are functions of integers.
var integers = []body{
	{"abs", "i>i", "abs.s32 r, a;"}, {"llabs", "l>l", "abs.s64 r, a;"},
	{"min", "ii>i", "min.s32 r, a, b;"}, {"max", "ii>i", "max.s32 r, a, b;"},
	{"umin", "ii>i", "min.u32 r, a, b;"}, {"umax", "ii>i", "max.u32 r, a, b;"},
	{"llmin", "ll>l", "min.s64 r, a, b;"}, {"llmax", "ll>l", "max.s64 r, a, b;"},
	{"ullmin", "ll>l", "min.u64 r, a, b;"}, {"ullmax", "ll>l", "max.u64 r, a, b;"},
	{"brev", "i>i", "brev.b32 r, a;"}, {"brevll", "l>l", "brev.b64 r, a;"},
	{"clz", "i>i", "clz.b32 r, a;"}, {"clzll", "l>i", "clz.b64 r, a;"},
	{"popc", "i>i", "popc.b32 r, a;"}, {"popcll", "l>i", "popc.b64 r, a;"},
	{"ffs", "i>i", "brev.b32 t, a; bfind.shiftamt.u32 t, t; add.u32 r, t, 1;"}, // bfind of 0 is -1
	{"ffsll", "l>i", "brev.b64 w, a; bfind.shiftamt.u64 t, w; add.u32 r, t, 1;"},
	{"byte_perm", "iii>i", "and.b32 t, c, 0x7777; prmt.b32 r, a, b, t;"},
	{"hadd", "ii>i", "and.b32 t, a, b; xor.b32 u, a, b; shr.s32 u, u, 1; add.s32 r, t, u;"},
	{"rhadd", "ii>i", "or.b32 t, a, b; xor.b32 u, a, b; shr.s32 u, u, 1; sub.s32 r, t, u;"},
	{"uhadd", "ii>i", "and.b32 t, a, b; xor.b32 u, a, b; shr.u32 u, u, 1; add.u32 r, t, u;"},
	{"urhadd", "ii>i", "or.b32 t, a, b; xor.b32 u, a, b; shr.u32 u, u, 1; sub.u32 r, t, u;"},
	{"mul24", "ii>i", "mul24.lo.s32 r, a, b;"}, {"umul24", "ii>i", "mul24.lo.u32 r, a, b;"},
	{"mulhi", "ii>i", "mul.hi.s32 r, a, b;"}, {"umulhi", "ii>i", "mul.hi.u32 r, a, b;"},
	{"mul64hi", "ll>l", "mul.hi.s64 r, a, b;"}, {"umul64hi", "ll>l", "mul.hi.u64 r, a, b;"},
	{"sad", "iii>i", "sad.s32 r, a, b, c;"}, {"usad", "iii>i", "sad.u32 r, a, b, c;"},
}

// bitPatterns are functions that read or set bits of floats, and tests for NaN, infinite and finite numbers.
var bitPatterns = []body{
	{"double_as_longlong", "d>l", "mov.b64 r, a;"}, {"longlong_as_double", "l>d", "mov.b64 r, a;"},
	{"float_as_int", "f>i", "mov.b32 r, a;"}, {"float_as_uint", "f>i", "mov.b32 r, a;"},
	{"int_as_float", "i>f", "mov.b32 r, a;"}, {"uint_as_float", "i>f", "mov.b32 r, a;"},
	{"double2hiint", "d>i", "mov.b64 {t, r}, a;"}, {"double2loint", "d>i", "mov.b64 {r, t}, a;"},
	{"hiloint2double", "ii>d", "mov.b64 r, {b, a};"},
	{"isnand", "d>i", "testp.notanumber.f64 p, a; selp.b32 r, 1, 0, p;"}, {"isnanf", "f>i", "testp.notanumber.f32 p, a; selp.b32 r, 1, 0, p;"},
	{"isinfd", "d>i", "testp.infinite.f64 p, a; selp.b32 r, 1, 0, p;"}, {"isinff", "f>i", "testp.infinite.f32 p, a; selp.b32 r, 1, 0, p;"},
	{"isfinited", "d>i", "testp.finite.f64 p, a; selp.b32 r, 1, 0, p;"}, {"finitef", "f>i", "testp.finite.f32 p, a; selp.b32 r, 1, 0, p;"},
	{"signbitd", "d>i", "mov.b64 {t, u}, a; shr.u32 r, u, 31;"}, {"signbitf", "f>i", "mov.b32 t, a; shr.u32 r, t, 31;"},
	{"fabs", "d>d", "abs.f64 r, a;"}, {"fabsf", "f>f", "abs.f32 r, a;"},
	{"copysign", "dd>d", "copysign.f64 r, b, a;"}, {"copysignf", "ff>f", "copysign.f32 r, b, a;"},
}

// arithmetic returns the operations with a rounding of their own, and roundings to integral values.
func arithmetic() []body {
	return slices.Concat([]body{
		{"fma", "ddd>d", "fma.rn.f64 r, a, b, c;"}, {"fmaf", "fff>f", "fma.rn.f32 r, a, b, c;"},
		{"sqrt", "d>d", "sqrt.rn.f64 r, a;"}, {"sqrtf", "f>f", "sqrt.rn.f32 r, a;"},
		{"fmin", "dd>d", "min.f64 r, a, b;"}, {"fminf", "ff>f", "min.f32 r, a, b;"},
		{"fmax", "dd>d", "max.f64 r, a, b;"}, {"fmaxf", "ff>f", "max.f32 r, a, b;"},
		{"fdim", "dd>d", "setp.le.f64 p, a, b; sub.rn.f64 xd, a, b; selp.f64 r, 0d0000000000000000, xd, p;"},
		{"fdimf", "ff>f", "setp.le.f32 p, a, b; sub.rn.f32 x, a, b; selp.f32 r, 0f00000000, x, p;"},
		{"saturatef", "f>f", "cvt.sat.f32.f32 r, a;"},
		{"ceil", "d>d", "cvt.rpi.f64.f64 r, a;"}, {"ceilf", "f>f", "cvt.rpi.f32.f32 r, a;"},
		{"floor", "d>d", "cvt.rmi.f64.f64 r, a;"}, {"floorf", "f>f", "cvt.rmi.f32.f32 r, a;"},
		{"trunc", "d>d", "cvt.rzi.f64.f64 r, a;"}, {"truncf", "f>f", "cvt.rzi.f32.f32 r, a;"},
		{"rint", "d>d", "cvt.rni.f64.f64 r, a;"}, {"rintf", "f>f", "cvt.rni.f32.f32 r, a;"},
		{"nearbyint", "d>d", "cvt.rni.f64.f64 r, a;"}, {"nearbyintf", "f>f", "cvt.rni.f32.f32 r, a;"},
		{"round", "d>d", halfAway64 + "mov.f64 r, xd;"}, {"roundf", "f>f", halfAway32 + "mov.f32 r, x;"},
		{"llrint", "d>l", "cvt.rni.s64.f64 r, a;"}, {"llrintf", "f>l", "cvt.rni.s64.f32 r, a;"},
		{"llround", "d>l", halfAway64 + "cvt.rzi.s64.f64 r, xd;"}, {"llroundf", "f>l", halfAway32 + "cvt.rzi.s64.f32 r, x;"},
		{"rcp64h", "d>d", "rcp.approx.ftz.f64 r, a;"},
	}, rounded("fadd", "ff>f", "add.%s.f32 r, a, b;"), rounded("fsub", "ff>f", "sub.%s.f32 r, a, b;"), rounded("fmul", "ff>f", "mul.%s.f32 r, a, b;"),
		rounded("fdiv", "ff>f", "div.%s.f32 r, a, b;"), rounded("frcp", "f>f", "rcp.%s.f32 r, a;"), rounded("fsqrt", "f>f", "sqrt.%s.f32 r, a;"),
		rounded("fmaf", "fff>f", "fma.%s.f32 r, a, b, c;"), rounded("fmaf_ieee", "fff>f", "fma.%s.f32 r, a, b, c;"), rounded("fma", "ddd>d", "fma.%s.f64 r, a, b, c;"),
		rounded("dadd", "dd>d", "add.%s.f64 r, a, b;"), rounded("dsub", "dd>d", "sub.%s.f64 r, a, b;"), rounded("dmul", "dd>d", "mul.%s.f64 r, a, b;"),
		rounded("ddiv", "dd>d", "div.%s.f64 r, a, b;"), rounded("drcp", "d>d", "rcp.%s.f64 r, a;"), rounded("dsqrt", "d>d", "sqrt.%s.f64 r, a;"))
}

// x or xd is a rounded to an integral value, halves away from zero: truncated, and one further if the rest, which is
// exact, is at least a half. All of it rounds to nearest: compiled code takes longer where the mode changes.
const (
	halfAway64 = "cvt.rzi.f64.f64 xd, a; sub.rn.f64 yd, a, xd; abs.f64 yd, yd; setp.ge.f64 p, yd, 0d3FE0000000000000; " +
		"copysign.f64 yd, a, 0d3FF0000000000000; add.rn.f64 yd, xd, yd; selp.f64 xd, yd, xd, p; "
	halfAway32 = "cvt.rzi.f32.f32 x, a; sub.rn.f32 y, a, x; abs.f32 y, y; setp.ge.f32 p, y, 0f3F000000; " +
		"copysign.f32 y, a, 0f3F800000; add.rn.f32 y, x, y; selp.f32 x, y, x, p; "
)

// roundings are the names of the roundings of PTX in functions.
var roundings = [...]struct{ name, ptx string }{{"rn", "rn"}, {"rz", "rz"}, {"rd", "rm"}, {"ru", "rp"}}

// rounded returns the functions of all roundings; %s in the code is the rounding.
func rounded(name, sig, code string) (all []body) {
	for _, r := range roundings {
		all = append(all, body{name + "_" + r.name, sig, fmt.Sprintf(code, r.ptx)})
	}
	return all
}

// conversions returns conversions between numbers of different types.
func conversions() []body {
	return slices.Concat([]body{
		{"int2double_rn", "i>d", "cvt.rn.f64.s32 r, a;"}, {"uint2double_rn", "i>d", "cvt.rn.f64.u32 r, a;"},
		{"float2half_rn", "f>h", "cvt.rn.f16.f32 h, a; cvt.u32.u16 r, h;"}, {"half2float", "h>f", "cvt.u16.u32 h, a; cvt.f32.f16 r, h;"},
	}, rounded("double2float", "d>f", "cvt.%s.f32.f64 r, a;"),
		rounded("double2int", "d>i", "cvt.%si.s32.f64 r, a;"), rounded("double2uint", "d>i", "cvt.%si.u32.f64 r, a;"),
		rounded("double2ll", "d>l", "cvt.%si.s64.f64 r, a;"), rounded("double2ull", "d>l", "cvt.%si.u64.f64 r, a;"),
		rounded("float2int", "f>i", "cvt.%si.s32.f32 r, a;"), rounded("float2uint", "f>i", "cvt.%si.u32.f32 r, a;"),
		rounded("float2ll", "f>l", "cvt.%si.s64.f32 r, a;"), rounded("float2ull", "f>l", "cvt.%si.u64.f32 r, a;"),
		rounded("int2float", "i>f", "cvt.%s.f32.s32 r, a;"), rounded("uint2float", "i>f", "cvt.%s.f32.u32 r, a;"),
		rounded("ll2float", "l>f", "cvt.%s.f32.s64 r, a;"), rounded("ull2float", "l>f", "cvt.%s.f32.u64 r, a;"),
		rounded("ll2double", "l>d", "cvt.%s.f64.s64 r, a;"), rounded("ull2double", "l>d", "cvt.%s.f64.u64 r, a;"))
}

// Constants of the approximations in .f32: log2(e), log2(10), ln(2), log10(2).
const (
	log2e, log2of10 = "0f3FB8AA3B", "0f40549A78"
	ln2, log10of2   = "0f3F317218", "0f3E9A209B"
)

// approximations are CUDA's intrinsics for the approximations of the special function unit, and the two functions of
// math.h that NVIDIA's libdevice has as a single instruction of that unit (CUDA documents 2 ulps for both): LLVM's pull
// request 120519 quotes __nv_exp2f, and NVIDIA/cccl's pull request 5375 says it of rsqrtf.
var approximations = []body{
	{"rsqrtf", "f>f", "rsqrt.approx.f32 r, a;"}, {"exp2f", "f>f", "ex2.approx.f32 r, a;"},
	{"fast_sinf", "f>f", "sin.approx.f32 r, a;"}, {"fast_cosf", "f>f", "cos.approx.f32 r, a;"},
	{"fast_tanf", "f>f", "sin.approx.f32 x, a; cos.approx.f32 y, a; div.approx.f32 r, x, y;"},
	{"fast_tanhf", "f>f", "tanh.approx.f32 r, a;"},
	{"fast_expf", "f>f", "mul.rn.f32 x, a, " + log2e + "; ex2.approx.f32 r, x;"},
	{"fast_exp10f", "f>f", "mul.rn.f32 x, a, " + log2of10 + "; ex2.approx.f32 r, x;"},
	{"fast_log2f", "f>f", "lg2.approx.f32 r, a;"},
	{"fast_logf", "f>f", "lg2.approx.f32 x, a; mul.rn.f32 r, x, " + ln2 + ";"},
	{"fast_log10f", "f>f", "lg2.approx.f32 x, a; mul.rn.f32 r, x, " + log10of2 + ";"},
	{"fast_powf", "ff>f", "lg2.approx.f32 x, a; mul.rn.f32 x, x, b; ex2.approx.f32 r, x;"},
	{"fast_fdividef", "ff>f", "div.approx.f32 r, a, b;"},
	{"fast_sincosf", "fpp>", "sin.approx.f32 x, a; cos.approx.f32 y, a; st.f32 [b], x; st.f32 [c], y;"},
}

// throughPointers returns the functions that read or write memory.
func throughPointers() []body {
	return []body{
		{"sincos", "dpp>", "call (xd, yd), __nv_sincos$, (a); st.f64 [b], xd; st.f64 [c], yd;"},
		{"sincosf", "fpp>", "call (x, y), __nv_sincosf$, (a); st.f32 [b], x; st.f32 [c], y;"},
		{"sincospi", "dpp>", "call (xd, yd), __nv_sincospi$, (a); st.f64 [b], xd; st.f64 [c], yd;"},
		{"sincospif", "fpp>", "call (x, y), __nv_sincospif$, (a); st.f32 [b], x; st.f32 [c], y;"},
		{"frexp", "dp>d", "call (r, t), __nv_frexp$, (a); st.b32 [b], t;"},
		{"frexpf", "fp>f", "call (r, t), __nv_frexpf$, (a); st.b32 [b], t;"},
		{"modf", "dp>d", "call (r, xd), __nv_modf$, (a); st.f64 [b], xd;"},
		{"modff", "fp>f", "call (r, x), __nv_modff$, (a); st.f32 [b], x;"},
		{"remquo", "ddp>d", "call (r, t), __nv_remquo$, (a, b); st.b32 [c], t;"},
		{"remquof", "ffp>f", "call (r, t), __nv_remquof$, (a, b); st.b32 [c], t;"},
		{"norm", "ip>d", sumOfSquares64 + "call (r), __nv_norm$, (w, xd, yd);"},
		{"rnorm", "ip>d", sumOfSquares64 + "call (r), __nv_rnorm$, (w, xd, yd);"},
		{"normf", "ip>f", sumOfSquares32 + "call (r), __nv_normf$, (w, xd, yd);"},
		{"rnormf", "ip>f", sumOfSquares32 + "call (r), __nv_rnormf$, (w, xd, yd);"},
		{"nan", "p>d", nanOfText + "mov.b64 r, w;"},
		{"nanf", "p>f", nanOfText + "mov.b64 xd, w; cvt.rn.f32.f64 r, xd;"},
		{"nvvm_reflect", "p>i", reflection()},
	}
}

// A sum of the squares of the a elements at b: 2^w times xd + yd.
const (
	sumOfSquares64 = sumFrom + "ld.f64 zd, [b]; add.PTR b, b, 8;" + sumTo
	sumOfSquares32 = sumFrom + "ld.f32 x, [b]; cvt.f64.f32 zd, x; add.PTR b, b, 4;" + sumTo

	sumFrom = `
mov.b64 w, 0; mov.f64 xd, 0d0000000000000000; mov.f64 yd, 0d0000000000000000; mov.b32 t, 0;
NEXT: setp.ge.s32 p, t, a; @p bra DONE;
`
	sumTo = `
call (w, xd, yd), __nv_add_square$, (w, xd, yd, zd); add.s32 t, t, 1; bra NEXT;
DONE:
`
)

// nanOfText sets w to the bits of the NaN with the payload of the text at a, a number in C.
const nanOfText = `
mov.b64 w, 0;
NEXT: ld.u8 t, [a]; call (w), __nv_nan_digit$, (w, t);
add.PTR a, a, 1; setp.ne.s32 p, t, 0; @p bra NEXT;
`

// reflection returns the answers to LLVM's library for the name at a: r is 0 for everything except the architecture.
// The hash of a name is 31 times the hash of the name without its last byte, plus that byte.
func reflection() string {
	return fmt.Sprintf(`
mov.b64 w, 0;
NEXT: ld.u8 t, [a]; setp.eq.s32 p, t, 0; @p bra DONE;
cvt.u64.u32 v, t; mad.lo.u64 w, w, 31, v; add.PTR a, a, 1; bra NEXT;
DONE: setp.eq.u64 p, w, %d; selp.b32 r, ARCH, 0, p;
`, hash("__CUDA_ARCH"))
}

func hash(name string) (h uint64) {
	for _, c := range []byte(name) {
		h = h*31 + uint64(c)
	}
	return h
}
