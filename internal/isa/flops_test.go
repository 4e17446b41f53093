package isa_test

import (
	"testing"

	"github.com/simtrun/simtrun/asm"
)

// TestFLOPsCountSumsAndProducts: sums and products count, and only on floating-point types.
func TestFLOPsCountSumsAndProducts(t *testing.T) {
	for text, want := range map[string]int{
		"add.f32 %f1, %f1, %f1;":             1,
		"sub.f64 %fd1, %fd1, %fd1;":          1,
		"mul.f32 %f1, %f1, %f1;":             1,
		"fma.rn.f32 %f1, %f1, %f1, %f1;":     2,
		"mad.rn.f64 %fd1, %fd1, %fd1, %fd1;": 2,
		"fma.rn.f16x2 %r1, %r1, %r1, %r1;":   4,
		"add.s32 %r1, %r1, %r1;":             0,
		"mad.lo.u32 %r1, %r1, %r1, %r1;":     0,
		"max.f32 %f1, %f1, %f1;":             0,
		"mov.f32 %f1, %f1;":                  0,
		// 2*m*n*k of the warp, m8n8k4 on .f16 four times.
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};": 128,
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, %fd3, {%fd4}, {%fd1, %fd2};":                                       16,
		"mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8}, {%r1, %r2, %r3, %r4};":             64,
		"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};":                                            0,
	} {
		mod, err := asm.Parse("k.s", []byte(".entry k() { "+text+" }"))
		if err != nil {
			t.Fatal(err)
		}
		if got := mod.Funcs[0].Code[0].FLOPs(); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
