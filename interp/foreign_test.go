package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestFormsThatLibrariesUse runs statements of FlashInfer, LLVM's tests and others; the expected values follow from the
// formats.
func TestFormsThatLibrariesUse(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want uint32
	}{
		"row sums by mma": {"mov.b32 %r2, 0;\nmov.f32 %f1, 5.0;\nmov.f32 %f2, 6.0;\n" +
			"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f3, _, %f4, _}, {%r2,%r2,%r2,%r2}, {%r2,%r2}, {%f1, 0., %f2, 0.};\nmov.b32 %r1, %f3;", 0x40a00000},
		"mma on zeros": {"mov.b32 %r2, 0;\n" +
			"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f3,%f4,%f5,%f6}, {%r2,%r2}, {%r2}, {0f00000000, 0f00000000, 0f00000000, 0f40000000};\nmov.b32 %r1, %f6;", 0x40000000},
		"fourth element":       {"mov.u32 %r1, %tid.w;", 0},
		"constant of 128 bits": {".reg .b128 %q1;\nmov.b128 %q1, 41;\nmov.b128 {%rd2, %rd3}, %q1;\nadd.u64 %rd2, %rd2, %rd3;\ncvt.u32.u64 %r1, %rd2;", 41},
		"4 bits to bfloat16":   {".reg .b8 %c1;\nmov.b16 %rs1, 0x43;\ncvt.u8.u16 %c1, %rs1;\ncvt.rn.bf16x2.e2m1x2 %r1, %c1;", 0x40003fc0},
		"halves to 4 bits":     {".reg .b8 %c1;\nmov.b32 %r2, 0x40003e00;\ncvt.rn.satfinite.e2m1x2.f16x2 %c1, %r2;\ncvt.u32.u8 %r1, %c1;", 0x43},
		"bfloat16 to 4 bits":   {".reg .b8 %c1;\nmov.b32 %r2, 0xc0003fc0;\ncvt.rn.satfinite.e2m1x2.bf16x2 %c1, %r2;\ncvt.u32.u8 %r1, %c1;", 0xc3},
		"8 bits to bfloat16":   {"mov.b16 %rs1, 0x3cc0;\ncvt.rn.bf16x2.e4m3x2 %r1, %rs1;", 0x3fc0c000},
		"bfloat16 to 8 bits":   {"mov.b32 %r2, 0x3fc0c000;\ncvt.rn.satfinite.e4m3x2.bf16x2 %rs1, %r2;\ncvt.u32.u16 %r1, %rs1;", 0x3cc0},
		"bfloat16 to 6 bits":   {"mov.b32 %r2, 0x3fc0c000;\ncvt.rn.satfinite.e3m2x2.bf16x2 %rs1, %r2;\ncvt.u32.u16 %r1, %rs1;", 0x0e30},
		"relu, and beyond 6.0": {".reg .b8 %c1;\nmov.b32 %r2, 0x7f80c000;\ncvt.rn.satfinite.relu.e2m1x2.bf16x2 %c1, %r2;\ncvt.u32.u8 %r1, %c1;", 0x70},
		"infinity of 8 bits":   {"mov.b16 %rs1, 0x7cfc;\ncvt.rn.bf16x2.e5m2x2 %r1, %rs1;", 0x7f80ff80},
		"ldmatrix, half of it": {".shared .align 16 .b8 s[512];\nmov.u32 %r3, s;\nmov.u32 %r4, %laneid;\nmad.lo.u32 %r3, %r4, 16, %r3;\nst.shared.v4.u32 [%r3], {1, 2, 3, 4};\nbar.warp.sync -1;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {_, %r5, _, %r6}, [%r3];\nsub.u32 %r1, %r5, %r6;", 0},
	} {
		k := kerneltest.Kernel{Source: kerneltest.Entry + c.body + kerneltest.StoreR1, Words: []int{32}}
		out, _, err := k.Run(t)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if out[0][0] != c.want {
			t.Errorf("%s: %#x, want %#x", name, out[0][0], c.want)
		}
	}
}
