//go:build unix

package interp_test

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// benchedInstructions are instructions that BenchmarkInstructions executes. %r1 is the thread's number in the block,
// [%rd2] its word of global memory, [%rd3] one that is only read, and [%r4] one of shared memory; # is an offset of its
// own for each copy. Each copy depends on the one before, or has an effect, so that the compiler leaves none out.
var benchedInstructions = []struct{ name, instr string }{
	{"add.u32", "add.u32 %r5, %r5, %r1;"},
	{"mad.lo.u32", "mad.lo.u32 %r5, %r5, %r1, %r1;"},
	{"mul.hi.u32", "mul.hi.u32 %r5, %r5, %r1;"},
	{"add.u64", "add.u64 %rd5, %rd5, %rd2;"},
	{"div.u32", "div.u32 %r5, %r5, %r6;"},
	{"fma.f32", "fma.rn.f32 %f1, %f1, %f2, %f2;"},
	{"fma.f64", "fma.rn.f64 %fd1, %fd1, %fd2, %fd2;"},
	{"fma.f16x2", "fma.rn.f16x2 %r5, %r5, %r1, %r1;"},
	{"ex2", "ex2.approx.f32 %f1, %f1;"},
	{"sqrt", "sqrt.rn.f32 %f1, %f1;"},
	{"two cvt", "cvt.rn.f32.u32 %f1, %r5;\n\tcvt.rzi.u32.f32 %r5, %f1;"},
	{"setp and selp", "setp.lt.u32 %p2, %r5, %r1;\n\tselp.u32 %r5, %r1, %r6, %p2;"},
	{"shuffle", "shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;"},
	{"vote", "vote.sync.ballot.b32 %r5, %p1, -1;"},
	{"global load and add", "ld.global.u32 %r5, [%rd3+#];\n\tadd.u32 %r8, %r8, %r5;"},
	{"global store", "st.global.u32 [%rd2+#], %r1;"},
	{"shared load and add", "ld.shared.u32 %r5, [%r4+#];\n\tadd.u32 %r8, %r8, %r5;"},
	{"global reduction", "red.global.add.u32 [%rd1], 1;"},
	{"shared atomic", "atom.shared.add.u32 %r5, [%r4], 1;"},
	{"barrier", "bar.sync 0;"},
	{"mma f16", product("m16n8k16.row.col.f32.f16.f16.f32", "%f1, %f2, %f3, %f4")},
	{"mma f16 to f16", product("m16n8k16.row.col.f16.f16.f16.f16", "%r10, %r11")},
	{"mma bf16", product("m16n8k16.row.col.f32.bf16.bf16.f32", "%f1, %f2, %f3, %f4")},
	{"mma tf32", product("m16n8k8.row.col.f32.tf32.tf32.f32", "%f1, %f2, %f3, %f4")},
	{"mma e4m3", product("m16n8k32.row.col.f32.e4m3.e4m3.f32", "%f1, %f2, %f3, %f4")},
	{"mma s8", product("m16n8k32.row.col.s32.s8.s8.s32", "%r10, %r11, %r12, %r13")},
	{"ldmatrix", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r7];"},
}

// product is a product of matrices that is added to registers.
func product(kind, sum string) string {
	return "mma.sync.aligned." + kind + " {" + sum + "}, {%r6, %r6, %r6, %r6}, {%r6, %r6}, {" + sum + "};"
}

// BenchmarkInstructions measures the CPU time of an instruction of a warp, 16 of them in a loop with an addition, a
// comparison and a branch, without a clock.
func BenchmarkInstructions(b *testing.B) {
	const copies, rounds, ctas, threads = 16, 64, 16, 256
	for _, c := range benchedInstructions {
		b.Run(c.name, func(b *testing.B) {
			var all strings.Builder
			for i := range copies {
				all.WriteString("\t" + strings.ReplaceAll(c.instr, "#", strconv.Itoa(4*i)) + "\n")
			}
			mod, err := asm.Parse("k.s", []byte(".global .b32 table[272];\n"+kerneltest.Entry+`
	.shared .align 16 .b32 words[272];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd2, %rd2, %rd1;
	mov.u64 %rd3, table;
	mad.wide.u32 %rd3, %r1, 4, %rd3;
	mov.u32 %r7, words;
	mad.lo.u32 %r4, %r1, 4, %r7;
	mov.u32 %r6, 0x3c003800;
	mov.f32 %f2, 0f3f400000;
	mov.u32 %r9, 0;
L:
`+all.String()+`	add.u32 %r9, %r9, 1;
	setp.lt.u32 %p1, %r9, 64;
	@%p1 bra L;
	add.u32 %r5, %r5, %r8;
	cvt.rn.f32.f64 %f2, %fd1;
	add.f32 %f1, %f1, %f2;
	st.global.f32 [%rd2], %f1;
	st.global.u32 [%rd2], %r5;
	st.global.u64 [%rd1], %rd5;
	ret;
}`))
			if err != nil {
				b.Fatal(err)
			}
			m, err := kerneltest.New(mod, interp.Config{})
			if err != nil {
				b.Fatal(err)
			}
			out, err := m.Alloc("out", 4*(threads+copies))
			if err != nil {
				b.Fatal(err)
			}
			best := math.Inf(1)
			l := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(ctas, 1), Block: kerneltest.Dim(threads, 1), Params: binary.LittleEndian.AppendUint64(nil, out.Base)}
			for b.Loop() {
				began := cpuTime()
				if _, err := functional.Run(context.Background(), m, l); err != nil {
					b.Fatal(err)
				}
				best = min(best, cpuTime()-began)
			}
			b.ReportMetric(best*1e9/(copies*rounds*ctas*threads/32), "ns/instr")
			b.ReportMetric(0, "ns/op")
		})
	}
}
