package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/libdevice"
	"github.com/simtrun/simtrun/interp"
)

// TestLibdeviceRoundingsMatchMathBig: the arithmetic of all roundings, compared with math/big, on numbers with results
// that are neither subnormal nor too large.
func TestLibdeviceRoundingsMatchMathBig(t *testing.T) {
	type operation func(z *big.Float, a, b, c *big.Float)
	add := func(z, a, b, c *big.Float) { z.Add(a, b) }
	sub := func(z, a, b, c *big.Float) { z.Sub(a, b) }
	mul := func(z, a, b, c *big.Float) { z.Mul(a, b) }
	div := func(z, a, b, c *big.Float) { z.Quo(a, b) }
	rcp := func(z, a, b, c *big.Float) { z.Quo(big.NewFloat(1), a) }
	sqrt := func(z, a, b, c *big.Float) { // to 200 bits, and then as z is
		r := new(big.Float).SetPrec(200).Sqrt(a)
		z.Set(r)
	}
	fma := func(z, a, b, c *big.Float) {
		p := new(big.Float).SetPrec(500).Mul(a, b)
		z.Set(p.Add(p, c))
	}
	modes := map[string]big.RoundingMode{"rn": big.ToNearestEven, "rz": big.ToZero, "rd": big.ToNegativeInf, "ru": big.ToPositiveInf}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, op := range []struct {
		name string
		bits int
		do   operation
	}{{"fadd", 24, add}, {"fsub", 24, sub}, {"fmul", 24, mul}, {"fdiv", 24, div}, {"frcp", 24, rcp}, {"fsqrt", 24, sqrt}, {"fmaf", 24, fma}, {"fmaf_ieee", 24, fma},
		{"dadd", 53, add}, {"dsub", 53, sub}, {"dmul", 53, mul}, {"ddiv", 53, div}, {"drcp", 53, rcp}, {"dsqrt", 53, sqrt}, {"fma", 53, fma}} {
		for mode, rounding := range modes {
			f := libdevice.Lookup("__nv_" + op.name + "_" + mode)
			var args [][4]uint64
			var want []uint64
			for range 64 {
				var a [4]uint64
				var x [3]*big.Float
				for k := range x {
					v := math.Abs(rng.NormFloat64()) + 0.1
					if !strings.HasSuffix(op.name, "sqrt") && rng.IntN(2) == 0 {
						v = -v
					}
					if op.bits == 24 {
						v = float64(float32(v))
						a[k] = uint64(math.Float32bits(float32(v)))
					} else {
						a[k] = math.Float64bits(v)
					}
					x[k] = big.NewFloat(v)
				}
				z := new(big.Float).SetPrec(uint(op.bits)).SetMode(rounding)
				op.do(z, x[0], x[1], x[2])
				if op.bits == 24 {
					r, _ := z.Float32()
					want = append(want, uint64(math.Float32bits(r)))
				} else {
					r, _ := z.Float64()
					want = append(want, math.Float64bits(r))
				}
				args = append(args, a)
			}
			for i, got := range callAll(t, callingKernel(f, ""), args, driven{}) {
				if got[0] != want[i] {
					t.Errorf("%s(%x) = %x, want %x", f.Name, args[i], got[0], want[i])
				}
			}
		}
	}
}

// TestLibdeviceStoresFurtherResults: functions store further results at their pointers, in all spaces, with a clock and
// without one.
func TestLibdeviceStoresFurtherResults(t *testing.T) {
	d, s := math.Float64bits, func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	nan := math.NaN()
	for _, c := range []struct {
		name      string
		args      [2]uint64
		result    uint64
		stored    [2]uint64
		size      int // bytes that are stored
		noResult  bool
		oneStored bool
	}{
		{"sincos", [2]uint64{d(1.5)}, 0, [2]uint64{d(0.9974949866040544), d(0.0707372016677029)}, 8, true, false},
		{"sincosf", [2]uint64{s(1.5)}, 0, [2]uint64{s(0.9974949866040544), s(0.0707372016677029)}, 4, true, false},
		{"sincospi", [2]uint64{d(1.5)}, 0, [2]uint64{d(-1), d(0)}, 8, true, false},
		{"sincospif", [2]uint64{s(0.25)}, 0, [2]uint64{s(0.7071067811865475), s(0.7071067811865475)}, 4, true, false},
		{"frexp", [2]uint64{d(-40)}, d(-0.625), [2]uint64{6}, 4, false, true},
		{"frexp", [2]uint64{d(5e-324)}, d(0.5), [2]uint64{math.MaxUint32 - 1072}, 4, false, true},
		{"frexpf", [2]uint64{s(0.375)}, s(0.75), [2]uint64{math.MaxUint32}, 4, false, true},
		{"frexpf", [2]uint64{s(0)}, s(0), [2]uint64{0}, 4, false, true},
		{"modf", [2]uint64{d(-2.75)}, d(-0.75), [2]uint64{d(-2)}, 8, false, true},
		{"modf", [2]uint64{d(math.Inf(-1))}, d(math.Copysign(0, -1)), [2]uint64{d(math.Inf(-1))}, 8, false, true},
		{"modff", [2]uint64{s(7.5)}, s(0.5), [2]uint64{s(7)}, 4, false, true},
		{"remquo", [2]uint64{d(-29), d(3)}, d(1), [2]uint64{math.MaxUint32 - 1}, 4, false, true}, // the quotient is -10, and -2 modulo 8
		{"remquo", [2]uint64{d(5), d(2)}, d(1), [2]uint64{2}, 4, false, true},
		{"remquo", [2]uint64{d(7), d(2)}, d(-1), [2]uint64{4}, 4, false, true},
		{"remquof", [2]uint64{s(10), s(4)}, s(2), [2]uint64{2}, 4, false, true},
		{"remquof", [2]uint64{s(nan), s(4)}, 0x7fffffff, [2]uint64{0}, 4, false, true},
		{"fast_sincosf", [2]uint64{s(0)}, 0, [2]uint64{s(0), s(1)}, 4, true, false},
	} {
		f := libdevice.Lookup("__nv_" + c.name)
		for _, space := range []string{"global", "shared", "local"} {
			for _, timed := range []bool{false, true} {
				args := make([][4]uint64, 40)
				for i := range args {
					args[i] = [4]uint64{c.args[0], c.args[1]}
				}
				for i, got := range callAll(t, callingKernel(f, space), args, driven{timed: timed}) {
					low := uint64(1)<<(4*c.size)<<(4*c.size) - 1
					switch {
					case !c.noResult && got[0] != c.result, got[2]&low != c.stored[0], !c.oneStored && got[3]&low != c.stored[1]:
						t.Fatalf("%s(%x) to %s, timed %v, lane %d: %x; want %x and %x", c.name, c.args, space, timed, i, got, c.result, c.stored)
					}
				}
			}
		}
	}
}

// TestLibdeviceReadsArraysAndTexts: functions read arrays and texts.
func TestLibdeviceReadsArraysAndTexts(t *testing.T) {
	const source = `
.extern .func (.param .b64 r) __nv_norm(.param .b32 n, .param .b64 p);
.extern .func (.param .b64 r) __nv_rnorm(.param .b32 n, .param .b64 p);
.extern .func (.param .b32 r) __nv_normf(.param .b32 n, .param .b64 p);
.extern .func (.param .b32 r) __nv_rnormf(.param .b32 n, .param .b64 p);
.extern .func (.param .b64 r) __nv_nan(.param .b64 p);
.extern .func (.param .b32 r) __nv_nanf(.param .b64 p);
.extern .func (.param .b32 r) __nvvm_reflect(.param .b64 p);
.global .f64 v[3] = {0d6BC8000000000000, 0d6BD0000000000000, 0d6BE8000000000000};
.global .f32 w[2] = {3e-30, 4e-30};
.global .b8 text[24] = {48, 120, 49, 50, 51, 0};
.global .b8 arch[12] = {95, 95, 67, 85, 68, 65, 95, 65, 82, 67, 72, 0};
.global .b8 ftz[11] = {95, 95, 67, 85, 68, 65, 95, 70, 84, 90, 0};
.entry k(.param .u64 out)
{
	.reg .b32 r, n; .reg .b64 p, d, o;
	ld.param.u64 o, [out];
	%s
	ret;
}`
	for _, c := range []struct {
		name, n, array string
		wide           bool
		want           uint64
	}{
		{"norm", "3", "v", true, 0x6BEA000000000000}, {"norm", "2", "v", true, 0x6BD4000000000000}, {"norm", "0", "v", true, 0},
		{"rnorm", "2", "v", true, math.Float64bits(math.Ldexp(0.2, -700))}, {"rnorm", "-1", "v", true, math.Float64bits(math.Inf(1))},
		{"normf", "2", "w", false, uint64(math.Float32bits(5e-30))}, {"rnormf", "2", "w", false, uint64(math.Float32bits(2e29))},
		{"nan", "", "text", true, 0x7ff8000000000123}, {"nan", "", "ftz", true, 0x7ff8000000000000}, {"nanf", "", "text", false, 0x7fc00000},
		{"nvvm_reflect", "", "arch", false, 900}, {"nvvm_reflect", "", "ftz", false, 0},
	} {
		code := fmt.Sprintf("mov.u64 p, %s; cvta.global.u64 p, p;\n.param .b64 a; st.param.b64 [a], p;\n", c.array)
		args, result, name := "(a)", "b32", "__nv_"+c.name
		if c.n != "" {
			code += fmt.Sprintf(".param .b32 c; mov.b32 n, %s; st.param.b32 [c], n;\n", c.n)
			args = "(c, a)"
		}
		reg := "r"
		if c.wide {
			result, reg = "b64", "d"
		}
		if c.name == "nvvm_reflect" {
			name = "__nvvm_reflect"
		}
		code += fmt.Sprintf(".param .%s q; call (q), %s, %s; ld.param.%s %s, [q]; st.global.%s [o], %s;", result, name, args, result, reg, result, reg)
		mod, err := asm.Parse("k.ptx", []byte(".version 8.0\n.target sm_90\n.address_size 64\n"+fmt.Sprintf(source, code)))
		if err != nil {
			t.Fatal(err)
		}
		for _, timed := range []bool{false, true} {
			by := driven{timed: timed}
			by.GPU = smallGPU(2)
			m, err := kerneltest.New(mod, by.Config)
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Alloc("out", 8)
			if err != nil {
				t.Fatal(err)
			}
			if err := by.launch(m, interp.Launch{Kernel: "k", Grid: dimOf([3]uint32{1, 1, 1}), Block: dimOf([3]uint32{1, 1, 1}), Params: binary.LittleEndian.AppendUint64(nil, out.Base)}); err != nil {
				t.Fatal(err)
			}
			if got := binary.LittleEndian.Uint64(out.Data); got != c.want {
				t.Errorf("%s of %s, timed %v: %x, want %x", c.name, c.array, timed, got, c.want)
			}
		}
	}
}

// TestLibdeviceErrorsComeBeforeLaunch: errors of declarations and calls are reported before anything runs, and a store
// faults like one of the program's.
func TestLibdeviceErrorsComeBeforeLaunch(t *testing.T) {
	const named = ".entry k()\n{\n.reg .b64 f;\nmov.u64 f, NAME;\nret;\n}"
	const empty = ".entry k()\n{\nret;\n}"
	for _, c := range []struct {
		name, src, want string
		without         bool
	}{
		{"unknown", ".extern .func (.param .b32 r) __nv_expff(.param .b32 x);\n" + named, "k.s:1:31: __nv_expff is not defined, and libdevice has no such function; did you mean __nv_expf?", false},
		{"strange", ".extern .func (.param .b32 r) __nv_frobnicate(.param .b32 x);\n" + named, "k.s:1:31: __nv_frobnicate is not defined, and libdevice has no such function", false},
		{"inner", ".extern .func (.param .b32 r) __nv_frexp$(.param .b32 x);\n" + named, "libdevice has no such function", false},
		{"parameter", ".extern .func (.param .b32 r) __nv_sinf(.param .b64 x);\n" + named, "k.s:1:31: __nv_sinf: parameter 1 is declared with 8 bytes; libdevice has float __nv_sinf(float)", false},
		{"parameters", ".extern .func (.param .b32 r) __nv_sinf(.param .b32 x, .param .b32 y);\n" + named, "__nv_sinf: declared with 2 parameters; libdevice has float __nv_sinf(float)", false},
		{"result", ".extern .func __nv_sinf(.param .b32 x);\n" + named, "__nv_sinf: declared with 0 results; libdevice has float __nv_sinf(float)", false},
		{"type", ".extern .func (.param .b32 r) __nv_sinf(.param .s32 x);\n" + named, "__nv_sinf: parameter 1 is declared .s32; libdevice has float __nv_sinf(float)", false},
		{"integer", ".extern .func (.param .b32 r) __nv_abs(.param .f32 x);\n" + named, "__nv_abs: parameter 1 is declared .f32; libdevice has int __nv_abs(int)", false},
		{"void", ".extern .func (.param .b32 r) __nv_sincosf(.param .f32 x, .param .b64 a, .param .b64 b);\n" + named, "libdevice has void __nv_sincosf(float, pointer, pointer)", false},
		{"without", ".extern .func (.param .b32 r) __nv_sinf(.param .b32 x);\n" + kerneltest.Source(t, "testdata/kernels/libdevice_memory.txt", "libdevice errors, call"), "k.s:1:31: __nv_sinf is declared but not defined in any module, and --no-libdevice leaves it undefined", true},
	} {
		decl, _, _ := strings.Cut(c.src, "\n")
		src := strings.ReplaceAll(c.src, "NAME", regexp.MustCompile(`__nv_[a-z$]+`).FindString(decl))
		mod, err := asm.Parse("k.s", []byte(src))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		unused, err := asm.Parse("k.s", []byte(decl+"\n"+empty))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if _, err := kerneltest.New(unused, interp.Config{NoLibdevice: c.without}); err != nil {
			t.Errorf("%s, which nothing uses: %v", c.name, err)
		}
		if _, err := kerneltest.New(mod, interp.Config{NoLibdevice: c.without}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}

	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/libdevice_memory.txt", "libdevice errors")))
	if err != nil {
		t.Fatal(err)
	}
	for _, timed := range []bool{false, true} {
		by := driven{timed: timed}
		by.GPU = smallGPU(2)
		m, err := kerneltest.New(mod, by.Config)
		if err != nil {
			t.Fatal(err)
		}
		l := interp.Launch{Kernel: "k", Grid: dimOf([3]uint32{1, 1, 1}), Block: dimOf([3]uint32{1, 1, 1})}
		if err := by.launch(m, l); err == nil || !strings.Contains(err.Error(), "k.s:1:31") || !strings.Contains(err.Error(), "0x7") {
			t.Errorf("a store to nowhere, timed %v: %v", timed, err)
		}
	}
}

// TestLibdeviceDoesNotAllocate: a loop of calls allocates nothing after its first iterations.
func TestLibdeviceDoesNotAllocate(t *testing.T) {
	if jit.Verifies() {
		t.Skip("a comparison of compiled code with lane functions allocates memory")
	}
	run := func(steps string, compile interp.Compilation) float64 {
		mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/libdevice_memory.txt", "libdevice does not allocate", "$steps", steps)))
		if err != nil {
			t.Fatal(err)
		}
		m, err := kerneltest.New(mod, interp.Config{Compile: compile})
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(3, func() {
			if _, err := functional.Run(context.Background(), m, interp.Launch{Kernel: "k", Grid: dimOf([3]uint32{1, 1, 1}), Block: dimOf([3]uint32{32, 1, 1})}); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, compile := range []interp.Compilation{interp.CompileNever, interp.CompileAlways} { // not in between, which allocates
		if few, many := run("2", compile), run("200", compile); many > few+5 {
			t.Errorf("%v allocations for 2 iterations, %v for 200", few, many)
		}
	}
}

// TestNarrowModulesHaveNarrowPointers: in a module with 32-bit addresses, pointers have 32 bits.
func TestNarrowModulesHaveNarrowPointers(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/libdevice_memory.txt", "narrow libdevice")))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Alloc("out", 8)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := functional.Run(context.Background(), m, interp.Launch{Kernel: "k", Grid: dimOf([3]uint32{1, 1, 1}), Block: dimOf([3]uint32{1, 1, 1}), Params: binary.LittleEndian.AppendUint32(nil, uint32(out.Base))}); err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint64(out.Data); got != 0x3f800000_00000000 {
		t.Errorf("%x", got)
	}
}

// TestModuleMayDefineLibdeviceName: a module may define a function with a libdevice name itself.
func TestModuleMayDefineLibdeviceName(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/libdevice_memory.txt", "defined libdevice")))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, interp.Config{NoLibdevice: true})
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Alloc("out", 4)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := functional.Run(context.Background(), m, interp.Launch{Kernel: "k", Grid: dimOf([3]uint32{1, 1, 1}), Block: dimOf([3]uint32{1, 1, 1}), Params: binary.LittleEndian.AppendUint64(nil, out.Base)}); err != nil {
		t.Fatal(err)
	}
	if out.Data[0] != 77 {
		t.Errorf("%d, want 77", out.Data[0])
	}
}
