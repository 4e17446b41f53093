package isa_test

import (
	"testing"

	"github.com/simtrun/simtrun/asm"
)

// TestFLOPs: sums and products count, on floating-point types alone.
func TestFLOPs(t *testing.T) {
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
