package lanes

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

var elemNames = map[string]Elem{
	"u8": U8, "u16": U16, "u32": U32, "u64": U64, "s8": S8, "s16": S16, "s32": S32, "s64": S64, "f16": F16, "bf16": BF16, "f32": F32, "f64": F64,
}

// parseCvt reads the suffixes of a cvt.
func parseCvt(t *testing.T, form string) (to, from Elem, mode Mode, imm uint64) {
	var types []Elem
	for _, s := range strings.Split(form, ".") {
		if e, ok := elemNames[s]; ok {
			types = append(types, e)
			continue
		}
		switch s {
		case "ftz":
			mode |= FTZ
		case "sat":
			mode |= SAT
		case "relu":
			mode |= RELU
		case "satfinite":
			mode |= SATFINITE
		default:
			if strings.HasSuffix(s, "i") {
				imm |= CvtIntegral
			} else {
				imm |= CvtRounded
			}
			mode |= map[string]Mode{"rn": RoundNearest, "rz": RoundZero, "rm": RoundDown, "rp": RoundUp}[strings.TrimSuffix(s, "i")]
		}
	}
	if len(types) != 2 {
		t.Fatalf("bad form %q", form)
	}
	return types[0], types[1], mode, imm
}

// TestCvtRefusesFormsThatPTXRejects checks forms that compilers write, and forms that PTX rejects.
func TestCvtRefusesFormsThatPTXRejects(t *testing.T) {
	for _, form := range strings.Fields(`
		u64.u32 s64.s32 s32.u32 rn.f32.s32 rn.f32.u32 u32.u64 f64.f32 u32.u16 u16.u32 rzi.s32.f32 rn.f32.f64 rzi.u32.f32
		rni.s32.f32 u64.s32 rn.f64.s32 s8.s32 rzi.f32.f32 s32.s8 rn.f16.f32 sat.f32.f32 u8.u32 f32.f16 rmi.f32.f32 rn.f64.u32
		rzi.s64.f32 rn.f32.s64 rzi.s32.f64 rzi.s64.f64 rn.f16.s32 rni.f64.f64 ftz.sat.f32.f32 rmi.ftz.f32.f32 rn.f32.u64
		rn.f64.s64 rz.f32.u8 rzi.ftz.sat.s32.f32 rzi.s16.f16 sat.u32.s32 ftz.f32.f32 ftz.f64.f32 rm.f32.f64 rm.f32.s64
		rn.sat.f32.f64 rp.f64.u64 rpi.ftz.s32.f32 sat.s16.s32 sat.s32.u32 u32.u32 f16.f16 rni.f16.f16 f64.f16 rz.f16.f32 rn.f16.f64 rn.relu.f16.f32 rz.relu.f16.f32
		rn.bf16.f32 rz.relu.satfinite.bf16.f32 rn.satfinite.f16.f32 f32.bf16 ftz.f32.bf16 sat.f32.bf16 f64.bf16 rm.bf16.f64 rp.bf16.f16
		rn.f16.bf16 rn.sat.f16.bf16 rz.bf16.u64 rn.bf16.s8 rzi.s32.bf16 rpi.s8.bf16 rpi.bf16.bf16 bf16.bf16`) {
		if CvtFor(parseCvt(t, form)) == nil {
			t.Errorf("cvt.%s: no lane function", form)
		}
	}
	for _, form := range strings.Fields(`
		f32.s32 f64.s32 rni.f32.s32 s32.f32 rn.s32.f32 rn.u32.u64 rzi.u32.u64 f32.f64 f16.f32 rni.f32.f64 rn.f64.f32
		rzi.f64.f32 rn.f32.f32 rn.f64.f64 ftz.f64.f64 ftz.u32.u32 ftz.rzi.s32.f64 ftz.f64.f16 ftz.rn.f64.s32 ftz.f16.f16
		rp.relu.f16.f32 rn.relu.f16.f64 rn.relu.f32.f64 rn.relu.sat.f16.f32
		bf16.f32 rp.bf16.f32 rn.ftz.bf16.f32 rn.sat.bf16.f32 rn.f32.bf16 f16.bf16 bf16.f16 rn.relu.bf16.f64 rn.relu.f16.bf16 rn.sat.bf16.s32
		bf16.s32 rn.satfinite.f32.f64 rn.satfinite.bf16.f64 rn.satfinite.sat.f16.f32 rm.satfinite.f16.f32 rn.bf16.bf16`) {
		if CvtFor(parseCvt(t, form)) != nil {
			t.Errorf("cvt.%s: a lane function, want none", form)
		}
	}
	if CvtFor(BF16+1, F32, 0, 0) != nil || CvtFor(F32, BF16+1, 0, 0) != nil {
		t.Error("a lane function for a type that is none")
	}
}

// refInt is v clamped to the range of e.
func refClamp(e Elem, v *big.Int) *big.Int {
	least, greatest := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(e.bits()))
	if e.isSigned() {
		greatest.Rsh(greatest, 1)
		least.Neg(greatest)
	}
	greatest.Sub(greatest, big.NewInt(1))
	if v.Cmp(least) < 0 {
		return least
	}
	if v.Cmp(greatest) > 0 {
		return greatest
	}
	return v
}

// refWord returns the register that holds v: its low bits in the width of e, extended to the register's.
func refWord(e Elem, v *big.Int, register int) uint64 {
	two := func(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }
	r := new(big.Int).Mod(v, two(e.bits()))
	if e.isSigned() && r.Bit(e.bits()-1) != 0 {
		r.Sub(r, two(e.bits()))
	}
	return r.Mod(r, two(register)).Uint64()
}

// refIntegral is x rounded to an integral value.
func refIntegral(x float64, mode Mode) float64 {
	whole, frac := math.Modf(x)
	away := whole + math.Copysign(1, x)
	switch {
	case frac == 0 || mode&roundMask == RoundZero:
	case mode&roundMask == RoundNearest && (math.Abs(frac) > 0.5 || math.Abs(frac) == 0.5 && math.Mod(whole, 2) != 0):
		return away
	case mode&roundMask == RoundUp && x > 0, mode&roundMask == RoundDown && x < 0:
		return away
	}
	return whole
}

// refCvtNaN returns the result for a NaN.
func refCvtNaN(to, from Elem, mode Mode, imm, x uint64) uint64 {
	fraction := fractionBits
	switch {
	case to == BF16:
		return refNaN(to)
	case from == BF16 && to == F32 && mode&SAT == 0: // it is the upper half
		return x << 16
	case to == from && to != F16 && mode == 0 && imm&CvtIntegral == 0: // nothing to do
		return x
	case to == F64 && from == F32 && mode&FTZ != 0:
		return 0x7fffffffe0000000
	case to == F64: // the payload, at the top, and the quiet bit
		return x>>(from.bits()-1)<<63 | 0x7ff8<<48 | x<<(52-fraction[from])&(1<<52-1)
	case from == F64:
		top := x & (1<<52 - 1) >> (52 - fraction[to]) & (1<<fraction[to] - 1)
		return x>>63<<(to.bits()-1) | refNaN(to)&^(1<<fraction[to]-1) | 1<<(fraction[to]-1) | top
	}
	return refNaN(to)
}

// refCvt returns the result of cvt in a register of the given width.
func refCvt(to, from Elem, mode Mode, imm, x uint64, register int) uint64 {
	x &= 1<<from.bits() - 1
	if !from.isFloat() {
		v := new(big.Int).SetUint64(x)
		if from.isSigned() && x>>(from.bits()-1) != 0 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(from.bits())))
		}
		if to.isFloat() {
			return refResult(to, new(big.Float).SetInt(v), mode&^FTZ, 0)
		}
		if mode&SAT != 0 {
			v = refClamp(to, v)
		}
		return refWord(to, v, register)
	}
	sourceMode, resultMode := mode, mode
	if from != F32 {
		sourceMode &^= FTZ
	}
	if to != F32 {
		resultMode &^= FTZ
	}
	if to == F16 { // which keeps what subnormal sources become
		sourceMode &^= FTZ
	}
	v := refValue(from, refFlush(from, x, sourceMode))
	if imm&CvtIntegral != 0 && v == v && !math.IsInf(v, 0) {
		v = refIntegral(v, mode)
	}
	switch {
	case to.isFloat() && v != v:
		return refResult(to, nil, mode, refCvtNaN(to, from, mode, imm, x))
	case to.isFloat():
		return refResult(to, exact(v), resultMode, 0)
	case v != v && from != F64 && to.bits() != 64:
		return 0
	case v != v:
		return refWord(to, new(big.Int).Lsh(big.NewInt(1), uint(to.bits()-1)), register)
	case math.IsInf(v, 0):
		v = math.Copysign(0x1p100, v)
	}
	whole, _ := exact(v).Int(nil)
	return refWord(to, refClamp(to, whole), register)
}

// cvtSourceCases returns values of e near the limits of every type.
func cvtSourceCases(e Elem, random int) (cases []triple) {
	r := rand.New(rand.NewPCG(5, uint64(e)))
	add := func(x uint64) { cases = append(cases, triple{x}) }
	if !e.isFloat() {
		for _, n := range []int{0, 1, 7, 8, 11, 15, 16, 24, 25, 31, 32, 53, 54, 63, 64} {
			for _, d := range []uint64{0, 1, 2, 3} {
				add(1<<n + d)
				add(1<<n - d)
				add(-(1<<n + d))
			}
		}
		for range random {
			add(r.Uint64() >> r.IntN(64) & -(1 << r.IntN(64)))
			add(r.Uint64())
		}
		return cases
	}
	for _, x := range floatEdges(e) {
		add(x)
	}
	for _, n := range []float64{0, 1, 2, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 1<<31 - 1, 1 << 31, 1 << 32, 1 << 63, 1 << 64, 1e30} {
		for _, d := range []float64{0, 0.25, 0.5, 0.75, 1, 1.5} {
			for _, v := range []float64{n + d, n - d, -n - d} {
				if v = refRound(e, exact(v), RoundNearest); !math.IsInf(v, 0) {
					add(refEncoding(e, v))
				}
			}
		}
	}
	for range random {
		add(randomFloat(r, e))
		add(r.Uint64() >> (64 - e.bits()))
		if e == F64 { // near what float32 and half hold
			add(math.Float64bits(refValue(F32, r.Uint64()>>32)) + uint64(r.IntN(3)) - 1)
			add(math.Float64bits(refValue(F32, r.Uint64()>>32)) + 1<<28 + uint64(r.IntN(3)) - 1)
			add(math.Float64bits(refSmall(BF16, r.Uint32()>>16)) + uint64(r.IntN(2))<<44 + uint64(r.IntN(3)) - 1)
			add(math.Float64bits(refHalf(r.Uint32()>>16)) + uint64(r.IntN(2))<<41 + uint64(r.IntN(3)) - 1)
		}
		if e == F32 {
			add(r.Uint64()>>48<<16 + uint64(r.IntN(2))<<15 + uint64(r.IntN(3)) - 1) // near what bfloat16 holds
			add(uint64(math.Float32bits(float32(refHalf(r.Uint32()>>16)))) + uint64(r.IntN(2))<<12 + uint64(r.IntN(3)) - 1)
		}
	}
	return cases
}

// TestConversionsMatchReference tests every conversion in every mode and kind of register.
func TestConversionsMatchReference(t *testing.T) {
	short.Alternates(t, 0, 3)
	for from := range BF16 + 1 {
		cases := cvtSourceCases(from, short.Of(100))
		for to := range BF16 + 1 {
			for mode := range RoundUp + FTZ + SAT + RELU + SATFINITE + 1 {
				for imm := range uint64(CvtRounded << 1) {
					if fn := CvtFor(to, from, mode, imm); fn != nil && registersFit(to, from, imm) && (imm&^(CvtRounded|CvtIntegral) == 0 || mode&FTZ == 0) {
						testCvt(t, fn, to, from, mode, imm, cases)
					}
				}
			}
		}
	}
}

// registersFit reports whether the registers of imm are possible: floats have registers of their own width.
func registersFit(to, from Elem, imm uint64) bool {
	dst := imm & (CvtDstWide | CvtDst16)
	return !(imm&CvtSrcWide != 0 && (from.isFloat() || from.bits() == 64)) &&
		(dst == 0 || dst == CvtDstWide && !to.isFloat() && to.bits() < 64 || dst == CvtDst16 && to.bits() <= 16)
}

func testCvt(t *testing.T, fn Func, to, from Elem, mode Mode, imm uint64, cases []triple) {
	register, dst, src := max(32, to.bits()), max(U32.bits(), to.bits()), from
	switch {
	case imm&CvtDstWide != 0:
		register, dst = 64, 64
	case imm&CvtDst16 != 0 || to == F16 || to == BF16:
		register = 16
	}
	slot := map[int]Elem{32: U32, 64: U64}[dst]
	if imm&CvtSrcWide != 0 {
		src = U64
	}
	var fitting []triple
	for i, c := range cases {
		if imm&CvtSrcWide == 0 {
			c[0] &= 1<<from.bits() - 1 // as its slot holds it
		} else if i%4 != 0 {
			continue
		}
		fitting = append(fitting, c)
	}
	newFloatBench(Op{To: to, From: from, Mode: mode, Imm: imm}).run(fn, slot, src, fitting, func(c triple, got uint64) {
		if want := refCvt(to, from, mode, imm, c[0], register); got != want {
			t.Fatalf("to %d from %d mode %d imm %#x: %x: got %x, want %x", to, from, mode, imm, c[0], got, want)
		}
	})
}

// TestCvtKeepsLanesOutsideMask tests every conversion between slots of all widths under masks, in place if the slots
// have the same width.
func TestCvtKeepsLanesOutsideMask(t *testing.T) {
	for _, form := range strings.Fields(`u64.u32 s64.s32 u32.u64 u32.u32 s16.s8 rn.f32.s32 rn.f64.s32 rzi.s32.f32 rni.u32.f32
		f64.f32 rn.f32.f64 f32.f16 rn.f16.f32 rn.f32.u64 rni.s64.f64 f32.bf16 rn.bf16.f32 rn.bf16.u64`) {
		to, from, mode, imm := parseCvt(t, form)
		b := newFloatBench(Op{To: to, From: from, Mode: mode, Imm: imm})
		if max(32, to.bits()) == max(32, from.bits()) {
			b.in.D = b.in.A
		}
		for _, m := range []Mask{0, 1, 0x80000000, 0x0ff0f00f, AllLanes} {
			source := cvtSourceCases(from, 0)
			var v [Width]uint64
			for i := range v {
				v[i] = source[i*5%len(source)][0] & (1<<from.bits() - 1)
			}
			b.put(b.in.A, from.bits(), v[:])
			before := b.take(b.in.D, to.bits())
			CvtFor(to, from, mode, imm)(b.f, &b.in, m)
			for i, got := range b.take(b.in.D, to.bits()) {
				want := before[i]
				if m>>i&1 != 0 {
					want = refCvt(to, from, mode, imm, v[i], max(32, to.bits()))
				}
				if got != want {
					t.Fatalf("cvt.%s mask %#x lane %d: got %x, want %x", form, m, i, got, want)
				}
			}
		}
	}
}

func TestCvtPacksBF16x2(t *testing.T) {
	bits := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, c := range []struct {
		a, b uint64
		mode Mode
		want uint64
	}{
		{bits(1), bits(2), 0, 0x3f804000}, // a is the high half
		{bits(1 + 0x1p-8), bits(1 + 3*0x1p-8), 0, 0x3f803f82},
		{bits(1 + 0x1p-8), bits(-1 - 3*0x1p-8), RoundZero, 0x3f80bf81},
		{bits(math.MaxFloat32), bits(0x1.fefffep127), 0, 0x7f807f7f},
		{bits(math.MaxFloat32), negInf, SATFINITE, 0x7f7fff7f},
		{bits(-math.MaxFloat32), posInf, SATFINITE | RELU | RoundZero, 0x00007f7f},
		{quietNaN, negInf, SATFINITE | RELU, 0x7fff0000},
		{quietNaN, negInf, 0, 0x7fffff80},
		{bits(0x1p-134), bits(-0x1p-133), 0, 0x00008001},
		{bits(-1), bits(2), RELU, 0x00004000},
	} {
		newFloatBench(Op{Mode: c.mode}).run(CvtBF16x2F32, U32, F32, []triple{{c.a, c.b}}, func(_ triple, got uint64) {
			if got != c.want {
				t.Errorf("cvt.bf16x2.f32 %08x, %08x mode %d: got %08x, want %08x", c.a, c.b, c.mode, got, c.want)
			}
		})
	}
}

func TestCvtPacksF16x2(t *testing.T) {
	bits := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, c := range []struct {
		a, b uint64
		mode Mode
		want uint64
	}{
		{bits(1), bits(2), 0, 0x3c004000}, // a is the high half
		{bits(1 + 0x1p-11), bits(1 + 3*0x1p-11), 0, 0x3c003c02},
		{bits(1 + 0x1p-11), bits(-1 - 3*0x1p-11), RoundZero, 0x3c00bc01},
		{bits(65520), bits(65519), 0, 0x7c007bff},
		{quietNaN, negInf, 0, 0x7ffffc00},
		{bits(0x1p-25), bits(-0x1p-24), 0, 0x00008001},
		{bits(-1), bits(2), RELU, 0x00004000},
		{bits(65520), negInf, SATFINITE, 0x7bfffbff},
		{quietNaN, bits(-0x1p-30), RELU | RoundZero, 0x7fff0000},
	} {
		newFloatBench(Op{Mode: c.mode}).run(CvtF16x2F32, U32, F32, []triple{{c.a, c.b}}, func(_ triple, got uint64) {
			if got != c.want {
				t.Errorf("cvt.f16x2.f32 %08x, %08x mode %d: got %08x, want %08x", c.a, c.b, c.mode, got, c.want)
			}
		})
	}
}

func TestCvtPackSaturates(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, to := range []Elem{U8, S8, U16, S16} {
		n := to.bits()
		var cases []triple
		for range 2000 {
			// Shifted right, half of them are in the type's range.
			word := func() uint64 { return uint64(uint32(int32(r.Uint32()) >> r.IntN(32))) }
			cases = append(cases, triple{word(), word(), uint64(r.Uint32())})
		}
		newFloatBench(Op{To: to}).run(CvtPack, U32, U32, cases, func(c triple, got uint64) {
			want := new(big.Int).Lsh(new(big.Int).SetUint64(c[2]), uint(2*n))
			for k, x := range []uint64{c[1], c[0]} {
				clamped := refClamp(to, big.NewInt(int64(int32(x))))
				for i := range n {
					want.SetBit(want, k*n+i, clamped.Bit(i)) // of two's complement, as math/big has it
				}
			}
			if got != want.Uint64()&math.MaxUint32 {
				t.Fatalf("to %d: %08x: got %08x, want %08x", to, c, got, want.Uint64()&math.MaxUint32)
			}
		})
	}
}
