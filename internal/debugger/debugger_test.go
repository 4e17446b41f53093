package debugger

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// bench is a debugger for a kernel, and its output.
type bench struct {
	*Debugger
	t   testing.TB
	out bytes.Buffer
}

// newBench begins a launch of the first kernel in src. Its parameter is the address of a buffer of 256 bytes called
// out.
func newBench(t testing.TB, src string, block uint32, model divergence.Model) *bench {
	t.Helper()
	return newBenchOf(t, "k.s", src, block, model)
}

// newBenchOf is newBench for a source with a file name.
func newBenchOf(t testing.TB, name, src string, block uint32, model divergence.Model) *bench {
	t.Helper()
	mod, err := asm.Parse(name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t}
	b.Debugger, err = New(Config{Out: &b.out, Sources: map[string][]string{name: strings.Split(src, "\n")}, Prepare: func() (*Program, error) {
		m, err := interp.New(mod, interp.Config{Divergence: model, MaxSteps: 1e6})
		if err != nil {
			return nil, err
		}
		out, err := m.Alloc("out", 256)
		if err != nil {
			return nil, err
		}
		params := make([]byte, 8)
		store(params, out.Base)
		one := isa.Dim{X: 1, Y: 1, Z: 1}
		l := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: one, Block: isa.Dim{X: block, Y: 1, Z: 1}, Params: params}
		return &Program{Machine: m, Launches: []interp.Launch{l}, Buffers: []Buffer{{Region: out, Elem: isa.U32}}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	b.out.Reset()
	return b
}

// do executes a command line and returns its output, or its error.
func (b *bench) do(line string) string {
	b.out.Reset()
	if err := b.Execute(b.t.Context(), line); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.out.String(), "\n")
}

const values = `.entry k(.param .u64 out)
{
	.reg .s32 %s; .reg .u16 %h; .reg .b64 %w; .reg .f64 %d; .reg .b16 %b;
	.shared .u32 box[4];
	mov.u32 %r0, %laneid;
	sub.s32 %s, %r0, 3;
	cvt.u16.u32 %h, %r0;
	mov.b64 %w, 0xffffffffffffffff;
	cvt.rn.f32.u32 %f1, %r0;
	cvt.rn.f64.u32 %d, %r0;
	setp.lt.u32 %p1, %r0, 8;
	st.shared.u32 [box+4], 77;
	mov.b16 %b, 0x3c00;
	ld.param.u64 %rd1, [out];
	ret;
}
`

// TestExpressionsEvaluatePerLane compares expressions with values computed by hand, after the registers of the kernel
// have been set.
func TestExpressionsEvaluatePerLane(t *testing.T) {
	b := newBench(t, values, 32, divergence.IndependentThreads)
	if got := b.do("until 15"); !strings.HasPrefix(got, "=> 15 ") {
		t.Fatal(got)
	}
	for expression, want := range map[string]string{
		"r0":     "r0 u32   0-31: lane",
		"r0 + 1": "r0 + 1 s64   0-31: lane+1",
		"s":      "s s32   0-31: lane-3",
		"s < 0":  "s < 0 pred   00000007   0-2",
		"h[9]":   "h[9] u16 = 9",
		"w":      "w u64   all: 18446744073709551615",
		// unsigned, because one operand is 64-bit unsigned
		"w > r0":                   "w > r0 pred   ffffffff   all",
		"s > w":                    "s > w pred   00000000   none", // -3 sign-extended is 2^64-3, below 2^64-1
		"(0 - 1) > r0":             "(0 - 1) > r0 pred   00000000   none",
		"f1[3] / 2":                "f1[3] / 2 f32 = 1.5",
		"f1[3] * d[2]":             "f1[3] * d[2] f64 = 6",
		"p1":                       "p1 pred   000000ff   0-7",
		"!p1 || r0 == 2":           "!p1 || r0 == 2 pred   ffffff04   2,8-31",
		"any(r0 == 31)":            "any(r0 == 31) = true",
		"all(p1)":                  "all(p1) = false",
		"2 + 3 * 4 - 10 / 3":       "2 + 3 * 4 - 10 / 3 = 11",
		"1 << 4 | 3 & 6 ^ 1":       "1 << 4 | 3 & 6 ^ 1 = 19", // & binds tighter than ^, and ^ than |
		"-7 % 3":                   "-7 % 3 = -1",
		"-7 >> 1":                  "-7 >> 1 = -4",
		"0xffffffffffffffff/2":     "0xffffffffffffffff/2 = 9223372036854775807",
		"shared:4":                 "shared:4 u32 = 77",
		"shared.u8:4":              "shared.u8:4 u8 = 77",
		"shared.s16:(r0[4])":       "shared.s16:(r0[4]) s16 = 77",
		"param.u64:0 == out":       "param.u64:0 == out = true",
		"laneid == %laneid":        "laneid == %laneid pred   ffffffff   all",
		"r0 / (r0 & 16)":           "r0 / (r0 & 16) s64   0-15: -   16-31: 1",
		"nan":                      "no register, parameter, buffer or variable nan",
		"0f7fc00000 == 0f7fc00000": "0f7fc00000 == 0f7fc00000 = false",
		"0f7fc00000 != 1.5":        "0f7fc00000 != 1.5 = true",
	} {
		if diff := cmp.Diff(want, b.do("print "+expression)); diff != "" {
			t.Errorf("%s:\n%s", expression, diff)
		}
	}
	for format, want := range map[string]string{
		"/x s[0]": "s[0] u32 = 0xfffffffd",
		"/d w":    "w s64   all: -1",
		"/u s[0]": "s[0] u32 = 4294967293",
		"/t h[5]": "h[5] u16 = 0b101",
		"/f b":    "b f16   all: 1",
		"/a rd1":  "rd1 u64   all: out",
		"/c 65":   "65 = 'A'",
		"/x r0":   "r0 u32\n   0: 0x0  0x1  0x2  0x3  0x4  0x5  0x6  0x7\n   8: 0x8  0x9  0xa  0xb  0xc  0xd  0xe  0xf\n  16: 0x10 0x11 0x12 0x13 0x14 0x15 0x16 0x17\n  24: 0x18 0x19 0x1a 0x1b 0x1c 0x1d 0x1e 0x1f",
	} {
		if diff := cmp.Diff(want, b.do("p"+format)); diff != "" {
			t.Errorf("%s:\n%s", format, diff)
		}
	}
}

// TestEmptyLineRepeatsCommand checks that an empty line repeats the previous one, and that list continues.
func TestEmptyLineRepeatsCommand(t *testing.T) {
	b := newBench(t, values, 32, divergence.IndependentThreads)
	b.do("step")
	if got := b.do(""); !strings.HasPrefix(got, "=> 7 ") {
		t.Errorf("step, twice, leads to %q", got)
	}
	b.do("list 6")
	if got := b.do(""); !strings.HasPrefix(got, "      11 ") {
		t.Errorf("list goes on with %q", got)
	}
}

// TestSetChangesExecution checks that the kernel continues with changed values.
func TestSetChangesExecution(t *testing.T) {
	b := newBench(t, values, 20, divergence.IndependentThreads)
	b.do("until 15")
	for _, c := range [][2]string{
		{"set r0 = r0 * 2", "%r0 set in lanes 0-19"},
		{"p r0", "r0 u32   0-19: 2*lane"},
		{"set s[4] = -9", "%s set in lane 4"},
		{"p s", "s s32   0-3: lane-3   4: -9   5-19: lane-3"},
		{"set f1 = 3", "%f1 set in lanes 0-19"},
		{"p f1", "f1 f32   all: 3"},
		{"set d = f1 / 2", "%d set in lanes 0-19"},
		{"p d[0]", "d[0] f64 = 1.5"},
		{"set p1 = laneid == 3", "%p1 set in lanes 0-19"},
		{"p p1", "p1 pred   00000008   3"},
		{"set h = 0x12345", "%h set in lanes 0-19"},
		{"p/x h", "h u16   all: 0x2345"},
		{"set shared.u8:5 = 1", "box+5 set"},
		{"p shared:4", "shared:4 u32 = 333"}, // 77 + 256
		{"set s[25] = 1", "lane 25 is not in k"},
		{"set param:0 = 1", "nothing that can be set is at param 0x0"},
	} {
		if diff := cmp.Diff(c[1], b.do(c[0])); diff != "" {
			t.Errorf("%s:\n%s", c[0], diff)
		}
	}
}

// TestInterruptedLaunchCanContinue checks that the end of a context halts a launch, which can then continue.
func TestInterruptedLaunchCanContinue(t *testing.T) {
	const endless = ".entry k(.param .u64 out)\n{\nL:\n\tadd.u32 %r1, %r1, 1;\n\tsetp.ne.u32 %p1, %r1, 0;\n\t@%p1 bra L;\n\tret;\n}\n"
	for _, points := range []string{"# none", "break L if r1 > 0xfffffff0"} {
		b := newBench(t, endless, 32, divergence.IndependentThreads)
		b.do(points)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Execute(ctx, "continue"); err != nil || !strings.HasPrefix(b.out.String()[strings.Index(b.out.String(), "interrupted"):], "interrupted\n=> ") {
			t.Errorf("%s: %v, %q", points, err, &b.out)
		}
		if got := b.do("step"); !strings.HasPrefix(got, "=> ") {
			t.Errorf("%s: step after it: %q", points, got)
		}
	}
}

// TestModelsAgree steps through a kernel with a loop that lanes leave one by one, in all models and with every
// command: each ends with the same memory.
func TestModelsAgree(t *testing.T) {
	const src = `.entry k(.param .u64 out)
{
	mov.u32 %r1, %laneid;
	and.b32 %r4, %r1, 3;
LOOP:
	add.u32 %r2, %r2, %r1;
	setp.eq.u32 %p1, %r4, 0;
	@%p1 bra OUT;
	sub.u32 %r4, %r4, 1;
	bra LOOP;
OUT:
	ld.param.u64 %rd1, [out];
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r2;
	ret;
}
`
	for _, model := range []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack, divergence.LowestPC} {
		for _, way := range []string{"step", "lstep", "bstep 3", "next 2", "reconv", "barrier", "continue", "until OUT", "break on diverge\ncontinue", "watch r2\nc", "c OUT"} {
			b := newBench(t, src, 32, model)
			lines := strings.Split(way, "\n")
			for _, line := range lines[:len(lines)-1] {
				b.do(line)
			}
			for steps := 0; b.session != nil; steps++ {
				if got := b.do(lines[len(lines)-1]); got == "the warp has not diverged" {
					b.do("s")
				}
				if steps > 200 {
					t.Fatalf("%v, %s: does not end", model, way)
				}
			}
			// Lane i executes lane%4 + 1 iterations: (lane%4 + 1) * lane.
			want := "out: 0 2 6 12 4 10 18 28"
			if got := b.do("x/8 out"); got != want {
				t.Errorf("%v, %s: %q, want %q", model, way, got, want)
			}
		}
	}
}

// TestCommandsAreCompleted checks the completion of commands and of the start of their arguments.
func TestCommandsAreCompleted(t *testing.T) {
	b := newBench(t, values, 32, divergence.IndependentThreads)
	for line, want := range map[string][]string{
		"un":        {"until", "undisplay"},
		"p r":       {"r0", "rd1"},
		"p %r":      {"%r0", "%rd1"},
		"print/x o": {"out"},
		"info b":    {"blocks", "barriers", "break"},
		"until k":   {"k"},
		"q x":       nil,
		"nothing ":  nil,
	} {
		if diff := cmp.Diff(want, b.Complete(line)); diff != "" {
			t.Errorf("%q:\n%s", line, diff)
		}
	}
}
