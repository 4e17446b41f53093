package native_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/libdevice"
	"github.com/simtrun/simtrun/interp"
)

// servedKernel returns a kernel that stores a function of libdevice of .f32: of vectors, of values that are the same
// in a subvector, under a branch, and twice in a row.
func servedKernel(f *libdevice.Func) string {
	params := map[int]string{1: ".param .b32 a", 2: ".param .b32 a, .param .b32 b"}[len(f.Params)]
	args := map[int]string{1: "a", 2: "a, b"}[len(f.Params)]
	call := func(result, x, y string) string {
		text := "{ .param .b32 a; .param .b32 r; st.param.f32 [a], " + x + ";\n"
		if len(f.Params) == 2 {
			text += ".param .b32 b; st.param.f32 [b], " + y + ";\n"
		}
		return text + "call.uni (r), " + f.Name + ", (" + args + ");\nld.param.f32 " + result + ", [r]; }\n"
	}
	return ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) " + f.Name + "(" + params + ");\n" +
		".visible .entry k(.param .u64 x, .param .u64 y, .param .u64 out)\n{\n" +
		".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p;\n" +
		"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n" +
		"ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u64 %rd3, [out];\n" +
		"mad.wide.u32 %rd4, %r4, 4, %rd1; mad.wide.u32 %rd5, %r4, 4, %rd2; mad.wide.u32 %rd6, %r4, 16, %rd3;\n" +
		"mad.wide.u32 %rd7, %r2, 4, %rd1; mad.wide.u32 %rd8, %r2, 4, %rd2;\n" +
		"ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd5]; ld.global.f32 %f3, [%rd7]; ld.global.f32 %f4, [%rd8];\n" +
		call("%f5", "%f1", "%f2") + "st.global.f32 [%rd6], %f5;\n" +
		call("%f6", "%f3", "%f4") + "st.global.f32 [%rd6+4], %f6;\n" +
		"neg.f32 %f7, %f1;\n" + call("%f7", "%f7", "%f5") + "st.global.f32 [%rd6+8], %f7;\n" +
		"and.b32 %r5, %r1, 3; setp.ne.u32 %p, %r5, 1; @%p bra L;\n" +
		call("%f8", "%f2", "%f1") + "st.global.f32 [%rd6+12], %f8;\nL: ret;\n}\n"
}

// servedOut are the results of a thread of that kernel.
func servedOut(f *libdevice.Func, thread int, x, y []uint32) [4]uint32 {
	eval := func(a, b uint32) uint32 {
		v := libdevice.Values{Args: [4]uint64{uint64(a), uint64(b)}}
		f.Eval(&v)
		return uint32(v.Results[0])
	}
	a, b, cta := x[thread], y[thread], thread/servedBlock
	negated := a ^ 1<<31
	if v := math.Float32frombits(a); v != v {
		negated = 0x7fffffff
	}
	out := [4]uint32{eval(a, b), eval(x[cta], y[cta])}
	out[2] = eval(negated, out[0])
	if thread&3 == 1 {
		out[3] = eval(b, a)
	}
	return out
}

const servedBlock = 128

// checkServed executes the kernel on arguments, compiled for each level.
func checkServed(t *testing.T, f *libdevice.Func, levels []jit.Level, x, y []uint32) {
	t.Helper()
	mod, err := asm.Parse("k.ptx", []byte(servedKernel(f)))
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range levels {
		out := runServed(t, mod, level, x, y)
		for i := range x {
			for k, want := range servedOut(f, i, x, y) {
				if got := binary.LittleEndian.Uint32(out[16*i+4*k:]); got != want {
					t.Errorf("%s, %v, thread %d of (%#x, %#x), result %d: %#x, want %#x", f.Name, level, i, x[i], y[i], k, got, want)
					return
				}
			}
		}
	}
}

func runServed(t *testing.T, mod *isa.Module, level jit.Level, x, y []uint32) []byte {
	t.Helper()
	m, err := kerneltest.New(mod, interp.Config{Compile: interp.CompileAlways, Lanes: level})
	if err != nil {
		t.Fatal(err)
	}
	launch := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(uint32(len(x)/servedBlock), 1), Block: kerneltest.Dim(servedBlock, 1)}
	var out []byte
	for i, size := range []int{4, 4, 16} {
		r, err := m.Alloc(fmt.Sprint("buffer", i), int64(size*len(x)))
		if err != nil {
			t.Fatal(err)
		}
		launch.Params = binary.LittleEndian.AppendUint64(launch.Params, r.Base)
		for k, v := range [][]uint32{x, y, nil}[i] {
			binary.LittleEndian.PutUint32(r.Data[4*k:], v)
		}
		out = r.Data
	}
	kerneltest.MustCompile(t, m, launch)
	return out
}

// TestFunctionsInCodeHaveSameBits: functions of libdevice that compiled code computes itself have the bits of the Go
// functions, at every level.
func TestFunctionsInCodeHaveSameBits(t *testing.T) {
	n := 0
	for _, f := range libdevice.Functions() {
		if !f.HasTemplate() {
			continue
		}
		n++
		r := rand.New(rand.NewPCG(1, uint64(n)))
		for _, kinds := range []int{2, 4} { // without large arguments, which code leaves to Go for some functions
			x, y := servedArgs(r, kinds), servedArgs(r, kinds)
			checkServed(t, f, kerneltest.Levels(), x, y)
		}
	}
	if n < 11 {
		t.Errorf("compiled code computes %d functions", n)
	}
}

// servedArgs returns arguments of kinds: any of usual magnitudes, multiples of a half, any bits, and edges.
func servedArgs(r *rand.Rand, kinds int) []uint32 {
	edges := trialEdges(isa.F32)
	args := make([]uint32, 8*servedBlock)
	for i := range args {
		switch r.IntN(kinds) {
		case 3:
			args[i] = uint32(edges[r.IntN(len(edges))])
		case 2:
			args[i] = r.Uint32()
		case 1:
			args[i] = math.Float32bits(float32(r.IntN(41)-20) / 2)
		default:
			args[i] = math.Float32bits(float32(r.NormFloat64() * math.Exp2(float64(r.IntN(14)-6))))
		}
	}
	return args
}
