package isa_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
)

// TestWrongFragmentsAreExplained: messages for wrong registers of a matrix.
func TestWrongFragmentsAreExplained(t *testing.T) {
	const mma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
	for text, want := range map[string]string{
		mma + "{%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r5, %r6}, {%f1, %f2, %f3, %f4};":                                  "operand a has 2 registers; it takes 4 registers of .b32",
		mma + "%f1, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};":                                         "operand d must be a vector {…}: it takes 4 registers of .f32",
		mma + "{%f1, _, %f3, _}, {%r1, %r2, 0x3c003c00, 0}, {%r5, %r6}, {1.0, 0f3f800000, %f3, 0.};":                 "",
		mma + "{%f1, %f2, %f3, %f4}, {%r1, _, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};":                          "an element of operand a is a register or constant of .b32",
		mma + "{%f1, 0.0, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};":                        "an element of operand d is a register of .f32, or _",
		mma + "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, 1};":                          "operand c is an integer constant; .f32 takes one like 1.0",
		mma + "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, 1.0}, {%r5, %r6}, {%f1, %f2, %f3, %f4};":                        "operand a is a floating-point constant; .b32 takes an integer",
		mma + "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %tid.x}, {%r5, %r6}, {%f1, %f2, %f3, %f4};":                     "an element of operand a is a register or constant of .b32",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, _, %f3, %f4}, %rd2, %rd1, 1, 1, 1, 0, 0;":           "operand d cannot have _, since it is read too",
		mma + "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%rd5, %r6}, {%f1, %f2, %f3, %f4};":                       "%rd5 is .b64; operand b takes any type of 32 bits",
		mma + "{%fd1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};":                       "%fd1 is .f64; operand d takes .f32 or .b32",
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, %fd3, {%fd4}, {%fd1, %fd2};":                  "",
		"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2}, [%r5];":                                                "operand d has 2 registers; it takes 4 registers of .b32",
		"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [%r5];":                                                       "",
		"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4}, [%rd1];":                            "operand d has 4 registers; it takes 8 registers of .b32",
		"wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%rd1], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, %rd2;": "%rd2 is .b64; operand c takes .b32 .u32 .s32",
		"wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd1];":       "an address",

		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, %rd1, 1, 1, 1, 0;":    "",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd2, %rd1, 1, -1, 1, 0, 1;":                "",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd2, %rd1, 1, 1, 1, 0;":                    "3 operands after scale-d; it takes [imm-scale-a imm-scale-b imm-trans-a imm-trans-b]",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, %rd1, 1, 1, 1, 0, 0;": "4 operands after scale-d; it takes [imm-scale-a imm-scale-b imm-trans-b]",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd2, %rd1, 1, 0, 1, 0, 0;":                 "imm-scale-a is 0; it must be 1 or -1",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd2, %rd1, 1, 1, 1, 0, 2;":               "imm-trans-b is 2; it must be 0 or 1",
		"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%r1, %r2, %r3, %r4}, %rd2, %rd1, 1, 1;":                            "1 operand after scale-d; it takes none",
		"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1, %r2, %r3, %r4}, %rd2, %rd1, 1, 1, 1, 0, 0;":                 "operand d has 4 registers; it takes 2 registers of .b32",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r1, %r2}, %rd1, 1, 1, 1, 0;":              "operand a has 2 registers; it takes 4 registers of .b32",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %r1, %rd1, 1, 1, 1, 0, 0;":                  "%r1 is .b32; operand a takes any type of 64 bits",
		"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r1, %r2, %r3, %r4}, %rd2, %rd1, 1;":                              "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8: ",
		"wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 {%r1, %r2, %r3, %r4}, %rd2, %rd1, %r5, 1, 1;":                    "the sparsity selector is 1; it must be 0",
		"wgmma.wait_group.sync.aligned;": "wgmma.wait_group.sync.aligned has 0 operands; it takes i",
	} {
		_, err := asm.Parse("k.s", []byte(".entry k()\n{\n\t.reg .b32 %r<9>;\n\t.reg .f32 %f<9>;\n\t.reg .b64 %rd<9>;\n\t.reg .f64 %fd<9>;\n\t"+text+"\n\tret;\n}\n"))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
