package native_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// fragmentMoves are accesses to matrices: %rd4 has the address of one, and %rd5 that of a lane's row; %r6 and %r7 are
// the same in shared memory, and %r8 is a distance of 40 elements. The last are in memory that the instruction's space,
// or its hint, is not of.
var fragmentMoves = []string{
	"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r7+16];",
	"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r10, %r12}, [%r7];",
	"ldmatrix.sync.aligned.m8n8.x4.trans.b16 {%r10, %r11, %r12, %r13}, [%rd5+32];",
	"ldmatrix.sync.aligned.m8n8.x1.b16 {%r11}, [%rd5];",
	"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r7+16], {%r10, %r11, %r12, %r13};",
	"stmatrix.sync.aligned.m8n8.x2.trans.b16 [%rd5], {%r12, %r10};",
	"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%r6+32], %r8;",
	"wmma.load.a.sync.aligned.col.m16n16k16.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%rd4], %r8;",
	"wmma.load.b.sync.aligned.row.m8n32k16.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%rd4], %r8;",
	"wmma.load.b.sync.aligned.col.m32n8k16.global.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%rd2+64], %r8;",
	"wmma.load.a.sync.aligned.row.m32n8k16.s8 {%r10, %r11, %r12, %r13}, [%rd4], %r9;",
	"wmma.load.b.sync.aligned.row.m8n32k16.u8 {%r10, %r11, %r12, %r13}, [%rd4];",
	"wmma.load.c.sync.aligned.row.m16n16k16.f32 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%rd4], %r8;",
	"wmma.load.c.sync.aligned.col.m16n16k16.f16 {%r10, %r11, %r12, %r13}, [%rd4], %r8;",
	"wmma.load.a.sync.aligned.row.m16n16k8.tf32 {%r10, %r11, %r12, %r13}, [%rd4], %r8;",
	"wmma.load.b.sync.aligned.col.m8n8k4.shared.f64 {%rd6}, [%r6];",
	"wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r6], {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, %r8;",
	"wmma.store.d.sync.aligned.col.m8n32k16.f16 [%rd4], {%r10, %r11, %r12, %r13}, %r8;",
	"wmma.store.d.sync.aligned.row.m32n8k16.global.s32 [%rd2], {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, %r8;",
	"wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd4], {%rd6, %rd4}, %r8;",
	"wmma.load.c.sync.aligned.row.m16n16k16.f32 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%rd7], %r8;",
	"wmma.store.d.sync.aligned.row.m16n16k16.f32 [%rd7], {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, 8;",
}

// moveKernel returns a kernel that executes an access four times. Some lanes have diverged before, and all have
// reconverged. The kernel adds up all its registers and the shared memory.
func moveKernel(access string) string {
	var s strings.Builder
	s.WriteString(kerneltest.Entry + `	.shared .align 128 .b8 mem[4096];
	ld.param.u64 %rd1, [out];
	cvta.to.global.u64 %rd2, %rd1;
	mov.u32 %r1, %laneid;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, 0;
	mov.u32 %r6, mem;
	mov.u64 %rd3, mem;
	cvta.shared.u64 %rd4, %rd3;
	mad.lo.u32 %r7, %r1, 80, %r6;
	mad.wide.u32 %rd5, %r1, 112, %rd4;
	mov.u32 %r8, 40;
	mov.u32 %r9, 48;
	mad.wide.u32 %rd6, %r1, 7, %rd5;
	add.u64 %rd2, %rd2, 2048;
FILL:
	shl.b32 %r20, %r3, 7;
	add.u32 %r20, %r20, %r6;
	shl.b32 %r21, %r1, 2;
	add.u32 %r20, %r20, %r21;
	mul.lo.u32 %r21, %r20, 0x9e3779b1;
	xor.b32 %r21, %r21, %r2;
	st.shared.u32 [%r20], %r21;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 32;
	@%p1 bra FILL;
	bar.sync 0;
	mov.u32 %r3, 0;
`)
	for i := 10; i < 18; i++ {
		fmt.Fprintf(&s, "\tmad.lo.u32 %%r%d, %%r1, %d, %%r2;\n", i, 0x1234567*i)
	}
	s.WriteString(`LOOP:
	and.b32 %r4, %r3, 1;
	setp.eq.u32 %p2, %r4, 1;
	selp.b64 %rd7, %rd2, %rd4, %p2;
	and.b32 %r4, %r1, 5;
	add.u32 %r4, %r4, %r2;
	setp.eq.u32 %p1, %r4, 6;
	setp.eq.and.u32 %p2, %r3, 2, %p1;
	@%p2 bra JOIN;
	add.u32 %r14, %r14, %r3;
JOIN:
	` + access + `
	add.u32 %r6, %r6, 64;
	add.u32 %r7, %r7, 16;
	add.u64 %rd5, %rd5, 16;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 4;
	@%p1 bra LOOP;
	cvt.u32.u64 %r5, %rd6;
`)
	for i := 10; i < 18; i++ {
		fmt.Fprintf(&s, "\tmad.lo.u32 %%r5, %%r5, 31, %%r%d;\n", i)
	}
	s.WriteString(`	mov.u32 %r3, 0;
	mov.u32 %r6, mem;
SUM:
	shl.b32 %r20, %r3, 7;
	add.u32 %r20, %r20, %r6;
	shl.b32 %r21, %r1, 2;
	add.u32 %r20, %r20, %r21;
	ld.shared.u32 %r21, [%r20];
	mad.lo.u32 %r5, %r5, 31, %r21;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 32;
	@%p1 bra SUM;
	mov.u32 %r1, %r5;
`)
	return s.String() + kerneltest.StoreR1
}

// TestCompiledMatrixAccessesAgree: accesses of a whole warp to matrices in compiled code, at each level, and evaluated,
// do what lane functions do.
func TestCompiledMatrixAccessesAgree(t *testing.T) {
	for i, access := range fragmentMoves {
		run := func(cfg interp.Config) [][]uint32 {
			cfg.Divergence = kerneltest.Models[i%3]
			out, _, err := kerneltest.Kernel{Source: moveKernel(access), Grid: kerneltest.Dim(2, 1), Words: []int{2048}, Config: cfg}.Run(t)
			if err != nil {
				t.Fatal(access, err)
			}
			return out
		}
		want := run(interp.Config{Compile: interp.CompileNever})
		for _, level := range kerneltest.Levels() {
			if got := run(interp.Config{Compile: interp.CompileAlways, Lanes: level, Verify: i%3 != 0}); !cmp.Equal(want, got) {
				t.Errorf("%s, %v: %s", access, level, kerneltest.Diff(want, got))
			}
		}
		level := kerneltest.EvaluatedLevels[i%len(kerneltest.EvaluatedLevels)]
		if got := run(interp.Config{Compile: interp.CompileAlways, Lanes: level, Evaluate: kerneltest.NewCPU}); !cmp.Equal(want, got) {
			t.Errorf("%s, %v, evaluated: %s", access, level, kerneltest.Diff(want, got))
		}
	}
}
