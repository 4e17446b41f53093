package native_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

var exhaustive = flag.Bool("exhaustive", false, "try functions of one .f32 on all of them, which takes minutes for each")

// TestFunctionTemplatesAgree compares compiled functions of one .f32 with lane functions: on numbers of all exponents,
// or with -exhaustive on all numbers.
func TestFunctionTemplatesAgree(t *testing.T) {
	short.Alternates(t, 2, 3)
	for _, op := range []string{
		"rcp.approx.f32", "rcp.approx.ftz.f32", "rcp.rn.f32", "rcp.rn.ftz.f32", "rcp.rp.ftz.f32",
		"sqrt.approx.f32", "sqrt.approx.ftz.f32", "sqrt.rn.f32", "sqrt.rz.ftz.f32",
		"rsqrt.approx.f32", "rsqrt.approx.ftz.f32", "ex2.approx.f32", "ex2.approx.ftz.f32",
		"lg2.approx.f32", "lg2.approx.ftz.f32", "sin.approx.f32", "cos.approx.f32", "cos.approx.ftz.f32",
	} {
		t.Run(op, func(t *testing.T) { tryFunction(t, op) })
	}
}

// tryFunction tries one function.
func tryFunction(t *testing.T, op string) {
	const threads, few = 1 << 18, 1 << 14
	mod, err := asm.Parse("k.ptx", []byte(functionKernel(op)))
	if err != nil {
		t.Fatal(err)
	}
	launches := short.Of(16)
	if *exhaustive {
		launches = 1 << 32 / threads
	}
	step := uint32(1<<32/threads/launches) | 1
	for n := range launches {
		compareFunction(t, mod, uint32(n*threads)*step, step, threads)
	}
	// The smallest normal number, one, 126, 2^126, infinity.
	for _, edge := range []uint32{0x00800000, 0x3f800000, 0x42fc0000, 0x7e800000, 0x7f800000} {
		compareFunction(t, mod, edge-few/2, 1, few)
		compareFunction(t, mod, edge-few/2|1<<31, 1, few)
	}
}

// compareFunction compares the results of both.
func compareFunction(t *testing.T, mod *isa.Module, first, step uint32, threads int) {
	t.Helper()
	want := runFunction(t, mod, interp.Config{Compile: interp.CompileNever}, first, step, threads)
	for _, level := range kerneltest.Levels() {
		out := runFunction(t, mod, interp.Config{Compile: interp.CompileAlways, Lanes: level}, first, step, threads)
		if bytes.Equal(want, out) {
			continue
		}
		for i := range uint32(threads) {
			want, got := binary.LittleEndian.Uint32(want[4*i:]), binary.LittleEndian.Uint32(out[4*i:])
			if want != got {
				t.Fatalf("of %#x: lane function %#x, %v %#x", first+i*step, want, level, got)
			}
		}
	}
}

// functionKernel applies op to first, first + step, and so on, by thread.
func functionKernel(op string) string {
	return fmt.Sprintf(`.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 first, .param .u32 step)
{
	.reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<3>;
	ld.param.u64 %%rd1, [out]; ld.param.u32 %%r1, [first]; ld.param.u32 %%r2, [step];
	mov.u32 %%r3, %%tid.x; mov.u32 %%r4, %%ctaid.x; mov.u32 %%r5, %%ntid.x;
	mad.lo.u32 %%r3, %%r4, %%r5, %%r3;
	mad.lo.u32 %%r6, %%r3, %%r2, %%r1;
	mov.b32 %%f1, %%r6;
	%s %%f2, %%f1;
	mad.wide.u32 %%rd2, %%r3, 4, %%rd1;
	st.global.f32 [%%rd2], %%f2;
	ret;
}
`, op)
}

func runFunction(t *testing.T, mod *isa.Module, cfg interp.Config, first, step uint32, threads int) []byte {
	t.Helper()
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Alloc("out", int64(4*threads))
	if err != nil {
		t.Fatal(err)
	}
	launch := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(uint32(threads/1024), 1), Block: kerneltest.Dim(1024, 1)}
	launch.Params = binary.LittleEndian.AppendUint64(nil, r.Base)
	launch.Params = binary.LittleEndian.AppendUint32(launch.Params, first)
	launch.Params = binary.LittleEndian.AppendUint32(launch.Params, step)
	if _, err := functional.Run(t.Context(), m, launch); err != nil {
		t.Fatal(err)
	}
	return r.Data
}

// TestTinyResultsOfTemplatesAgree compares arithmetic with results near the smallest normal number: whether they are
// flushed depends on how they are rounded.
func TestTinyResultsOfTemplatesAgree(t *testing.T) {
	for _, op := range []string{"add", "sub", "mul", "fma", "div"} {
		for _, rounding := range []string{".rn", ".rz", ".rm", ".rp"} {
			for _, ftz := range []string{"", ".ftz"} {
				tryTiny(t, op+rounding+ftz+".f32", op == "fma")
			}
		}
	}
	for _, op := range []string{"div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32", "mul.ftz.sat.f32"} {
		tryTiny(t, op, false)
	}
}

func tryTiny(t *testing.T, op string, third bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(len(op))))
	of := new(trialColumns)
	for i := range columnThreads {
		mantissa := func() uint32 {
			m := r.Uint32() >> r.IntN(32) & (1<<23 - 1)
			return m ^ uint32(r.IntN(2))*(1<<23-1) | r.Uint32()&(1<<31)
		}
		// The product, or the quotient by 2^(127 - e), has an exponent of about -126.
		e := uint32(r.IntN(127))
		x, y := e, 128-e-uint32(r.IntN(4))
		if strings.HasPrefix(op, "div") {
			y = e + 124 + uint32(r.IntN(4))
		}
		if strings.HasPrefix(op, "add") || strings.HasPrefix(op, "sub") {
			x, y = uint32(r.IntN(4)), uint32(r.IntN(4))
		}
		of[0][i], of[1][i], of[2][i] = x<<23|mantissa(), y<<23|mantissa(), uint32(r.IntN(4))<<23|mantissa()
	}
	tryColumns(t, op, third, of)
}

// TestHalfTemplatesAgree compares arithmetic on random pairs of halves.
func TestHalfTemplatesAgree(t *testing.T) {
	for _, op := range []string{"add.f16x2", "sub.f16x2", "mul.f16x2", "fma.rn.f16x2"} {
		for round := range short.Of(16) {
			r := rand.New(rand.NewPCG(2, uint64(round)))
			of := new(trialColumns)
			for i := range columnThreads {
				of[0][i], of[1][i], of[2][i] = r.Uint32(), r.Uint32(), r.Uint32()
			}
			tryColumns(t, op, strings.HasPrefix(op, "fma"), of)
		}
	}
}

// trialColumns are the operands of an instruction, by thread.
type trialColumns [3][columnThreads]uint32

const columnThreads = 1 << 15

func tryColumns(t *testing.T, op string, third bool, of *trialColumns) {
	t.Helper()
	const threads = columnThreads
	var in []byte
	for _, column := range of {
		for _, v := range column {
			in = binary.LittleEndian.AppendUint32(in, v)
		}
	}
	sources := "%f1, %f2"
	if third {
		sources = "%f1, %f2, %f3"
	}
	mod, err := asm.Parse("k.ptx", []byte(fmt.Sprintf(tinyKernel, op, sources, 4*threads, 8*threads)))
	if err != nil {
		t.Fatal(err)
	}
	run := func(c interp.Compilation, level jit.Level) []byte {
		m, err := kerneltest.New(mod, interp.Config{Compile: c, Lanes: level})
		if err != nil {
			t.Fatal(err)
		}
		buffer, err := m.Alloc("buffer", int64(len(in)))
		if err != nil {
			t.Fatal(err)
		}
		copy(buffer.Data, in)
		launch := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(threads/256, 1), Block: kerneltest.Dim(256, 1), Params: binary.LittleEndian.AppendUint64(nil, buffer.Base)}
		if _, err := functional.Run(t.Context(), m, launch); err != nil {
			t.Fatal(err)
		}
		return buffer.Data
	}
	want := run(interp.CompileNever, jit.None)
	for _, level := range kerneltest.Levels() {
		got := run(interp.CompileAlways, level)
		for i := range threads {
			if want, got := binary.LittleEndian.Uint32(want[4*i:]), binary.LittleEndian.Uint32(got[4*i:]); want != got {
				t.Fatalf("%s of %#x, %#x, %#x: lane function %#x, %v %#x", op, of[0][i], of[1][i], of[2][i], want, level, got)
			}
		}
	}
}

// tinyKernel replaces its first operand, of three columns, by a result.
const tinyKernel = `.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buffer)
{
	.reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .b32 %%f<9>;
	ld.param.u64 %%rd1, [buffer];
	mov.u32 %%r3, %%tid.x; mov.u32 %%r4, %%ctaid.x; mov.u32 %%r5, %%ntid.x;
	mad.lo.u32 %%r3, %%r4, %%r5, %%r3;
	mad.wide.u32 %%rd2, %%r3, 4, %%rd1;
	ld.global.f32 %%f1, [%%rd2]; ld.global.f32 %%f2, [%%rd2+%[3]d]; ld.global.f32 %%f3, [%%rd2+%[4]d];
	%[1]s %%f4, %[2]s;
	st.global.f32 [%%rd2], %%f4;
	ret;
}
`
