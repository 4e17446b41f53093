package interp_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
)

// verified is a kernel with a loop, a shuffle, two sides of a branch and stores to shared and global memory.
const verified = `
.shared .align 4 .b8 s[256];
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<6>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 8;
	add.u64 %rd3, %rd1, %rd2;
	mov.u32 %r2, 0;
	mov.u32 %r3, %r1;
LOOP:
	mad.lo.u32 %r3, %r3, 5, 3;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, 4;
	@%p1 bra LOOP;
	and.b32 %r4, %r3, 4;
	setp.eq.u32 %p2, %r4, 0;
	@%p2 bra EVEN;
	mul.lo.u32 %r5, %r3, 7;
	xor.b32 %r5, %r5, %r1;
	shr.u32 %r5, %r5, 1;
	st.global.u32 [%rd3+4], %r5;
	bra JOIN;
EVEN:
	add.u32 %r5, %r3, 11;
	not.b32 %r5, %r5;
	st.global.u32 [%rd3+4], %r1;
JOIN:
	shl.b32 %r6, %r1, 2;
	mov.u32 %r7, s;
	add.u32 %r6, %r6, %r7;
	.loc 1 7 3
	st.shared.u32 [%r6], %r5;
	.loc 1 8 3
	bar.warp.sync -1;
	ld.shared.u32 %r8, [%r6];
	st.global.u32 [%rd3], %r8;
	ret;
}
.file 1 "k.cu"
`

// opOf returns the lowered instruction of f whose text contains pattern.
func opOf(t *testing.T, f *program.Func, pattern string) *lanes.Op {
	t.Helper()
	for pc := range f.Src.Code {
		if regexp.MustCompile(pattern).MatchString(f.Src.Text(pc)) {
			return &f.Ops[pc]
		}
	}
	t.Fatalf("no instruction %s", pattern)
	return nil
}

// TestVerifyFindsDifferences changes what lane functions execute after a kernel was compiled: the next launch finds
// that code does something else, and says what.
func TestVerifyFindsDifferences(t *testing.T) {
	fn := func(from string) func(*testing.T, *program.Func, *lanes.Op) {
		return func(t *testing.T, f *program.Func, op *lanes.Op) { op.Fn = opOf(t, f, from).Fn }
	}
	imm := func(by uint64) func(*testing.T, *program.Func, *lanes.Op) {
		return func(_ *testing.T, _ *program.Func, op *lanes.Op) { op.Imm += by }
	}
	for _, c := range []struct {
		name, instr string
		change      func(t *testing.T, f *program.Func, op *lanes.Op)
		want        string
	}{
		{"arithmetic in a loop", "^mad.lo", fn("^mul.lo"), `%r3 is 0x.* in lane 0, by lane functions 0x`},
		{"arithmetic before a loop", "^mul.wide", fn("^add.u64"), `differs from lane functions`},
		{"arithmetic on one side", "^not", fn("^add.u32 %r5"), `%r5 is 0x.* in lane \d+, by lane functions 0x`},
		{"a place in global memory", `^st.global.u32 \[%rd3\]`, imm(4), `buffer 0 \+0x.* has 0x`},
		{"a place that only lane functions store to", `^st.global.u32 \[%rd3\+4\], %r5`, imm(512), `buffer 0 \+0x.* has 0x`},
		{"a value in shared memory", "^st.shared", func(t *testing.T, f *program.Func, op *lanes.Op) { *op = withValueOf(t, f, op) }, `shared memory \+0x. has 0x[0-9a-f]+, by lane functions 0x[0-9a-f]+, which k.cu:7:3 .*writes last`},
		{"the end of a loop", "^setp.lt", func(_ *testing.T, f *program.Func, op *lanes.Op) { op.A, op.B = op.B, op.A }, `it exits with lanes ffffffff at PC 6, and lane functions with lanes ffffffff at PC 10`},
		{"the sides of a branch", "^@%p2 bra", func(_ *testing.T, f *program.Func, op *lanes.Op) { op.Guard ^= 1 }, `differs from lane functions`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, level := range kerneltest.Levels() {
				if level == jit.None {
					t.Skip("no compiled code")
				}
				for _, model := range []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack} {
					if model == divergence.ReconvergenceStack && c.name == "the sides of a branch" {
						continue // the engine executes branches at which lanes diverge
					}
					k := kerneltest.Kernel{Source: verified, Block: kerneltest.Dim(48, 1), Words: []int{512},
						Config: interp.Config{Verify: true, Lanes: level, Compile: interp.CompileAlways, Divergence: model}}
					k.Driver = func(m *interp.Machine, l interp.Launch) (stats interp.Stats, err error) {
						if stats, err = functional.Run(context.Background(), m, l); err != nil {
							return stats, err
						}
						m.ChangeKernels(func(f *program.Func) { c.change(t, f, opOf(t, f, c.instr)) })
						wrong := kerneltest.Miscompilation(func() { functional.Run(context.Background(), m, l) })
						if wrong == nil {
							t.Errorf("%v, %v: no difference was found", level, model)
						} else if !regexp.MustCompile(c.want).MatchString(wrong.Error()) {
							t.Errorf("%v, %v: %s, want %s", level, model, wrong.What, c.want)
						} else if !regexp.MustCompile(`(?m)^ +[0-9a-f]+  v?[a-z]`).MatchString(wrong.Listing) {
							t.Errorf("%v, %v: no listing in %s", level, model, wrong)
						}
						return stats, nil
					}
					if _, _, err := k.Run(t); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// TestVerifyKnowsSharedAreas: code makes an access whose lanes have not been anywhere yet if it shares an area with one
// whose lanes have: that is no difference.
func TestVerifyKnowsSharedAreas(t *testing.T) {
	for _, level := range kerneltest.Levels() {
		k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/verify.txt", "verify knows shared areas"), Grid: kerneltest.Dim(3, 1), Block: kerneltest.Dim(32, 1), Words: []int{64},
			Config: interp.Config{Verify: true, Lanes: level, Compile: interp.CompileAlways}}
		if wrong := kerneltest.Miscompilation(func() {
			if out, _, err := k.Run(t); err != nil || out[0][7] != 1 {
				t.Errorf("%v: %v, %v", level, out, err)
			}
		}); wrong != nil {
			t.Errorf("%v: %v", level, wrong)
		}
	}
}

// TestVerifyMovesMatricesOfInlinedCalls: the access of a matrix is found in a function in which other instructions
// stand in place of a call.
func TestVerifyMovesMatricesOfInlinedCalls(t *testing.T) {
	for _, level := range kerneltest.Levels() {
		k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/verify.txt", "verify moves matrices of functions that inline calls"), Block: kerneltest.Dim(32, 1), Words: []int{32},
			Config: interp.Config{Verify: true, Lanes: level, Compile: interp.CompileAlways}}
		if wrong := kerneltest.Miscompilation(func() {
			if out, _, err := k.Run(t); err != nil || out[0][8] != 2+7 { // the first word of row 2
				t.Errorf("%v: %v, %v", level, out, err)
			}
		}); wrong != nil {
			t.Errorf("%v: %v", level, wrong)
		}
	}
}

// withValueOf returns a store of another register's value.
func withValueOf(t *testing.T, f *program.Func, op *lanes.Op) lanes.Op {
	changed := *op
	changed.B = opOf(t, f, "^and.b32").D
	return changed
}
