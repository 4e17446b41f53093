package native_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// fmaOfBrains is a kernel with fma.rn.bf16x2 on random words of which code makes a, b and c: %r5 to %r7.
func fmaOfBrains(code string) string {
	hash := func(r, salt int) string {
		return fmt.Sprintf("\tmad.lo.u32 %%r%d, %%r2, 0x9e3779b1, %d;\n\tmad.lo.u32 %%r%[1]d, %%r3, 0x85ebca77, %%r%[1]d;\n\tshr.u32 %%r8, %%r%[1]d, 15;\n\txor.b32 %%r%[1]d, %%r%[1]d, %%r8;\n"+
			"\tmul.lo.u32 %%r%[1]d, %%r%[1]d, 0x2c1b3c6d;\n\tshr.u32 %%r8, %%r%[1]d, 12;\n\txor.b32 %%r%[1]d, %%r%[1]d, %%r8;\n\tmul.lo.u32 %%r%[1]d, %%r%[1]d, 0x297a2d39;\n\tshr.u32 %%r8, %%r%[1]d, 15;\n\txor.b32 %%r%[1]d, %%r%[1]d, %%r8;\n", r, salt)
	}
	return kerneltest.Entry + "\tmov.u32 %r2, %laneid;\n\tmov.u32 %r3, 0;\n\tmov.u32 %r1, 0;\nLOOP:\n" + hash(5, 1) + hash(6, 0x1234567) + hash(7, 0x7654321) + code +
		"\tfma.rn.bf16x2 %r4, %r5, %r6, %r7;\n\tmad.lo.u32 %r1, %r1, 31, %r4;\n\tadd.u32 %r3, %r3, 1;\n\tsetp.lt.u32 %p1, %r3, 3000;\n\t@%p1 bra LOOP;\n" + kerneltest.StoreR1
}

// TestTemplateOfBrainFMARoundsOnce: sums close to the middle between two numbers are rounded as by the lane function,
// also sums of subnormal numbers with bits below those of .f32.
func TestTemplateOfBrainFMARoundsOnce(t *testing.T) {
	const pairs = "\tand.b32 %%r%d, %%r%[1]d, 0x%x;\n\tor.b32 %%r%[1]d, %%r%[1]d, 0x%x;\n"
	for name, code := range map[string]string{
		"any bits":                   "",
		"numbers close to 1":         fmt.Sprintf(pairs+pairs+pairs, 5, 0x81ff81ff, 0x3e003e00, 6, 0x81ff81ff, 0x3e003e00, 7, 0x83ff83ff, 0x3c003c00),
		"a small c":                  fmt.Sprintf(pairs+pairs+pairs, 5, 0x80ff80ff, 0x3f003f00, 6, 0x80ff80ff, 0x3f003f00, 7, 0x8fff8fff, 0x10001000),
		"a small product":            fmt.Sprintf(pairs+pairs+pairs, 5, 0x83ff83ff, 0x2c002c00, 6, 0x83ff83ff, 0x2c002c00, 7, 0x80ff80ff, 0x3f003f00),
		"products below all numbers": fmt.Sprintf(pairs+pairs+pairs, 5, 0x80ff80ff, 0x08000800, 6, 0x80ff80ff, 0x34003400, 7, 0x80038003, 0),
		"products close to overflow": fmt.Sprintf(pairs+pairs+pairs, 5, 0x80ff80ff, 0x5f005f00, 6, 0x80ff80ff, 0x5f005f00, 7, 0x80ff80ff, 0x7f007f00),
	} {
		run := func(cfg interp.Config) [][]uint32 {
			out, _, err := kerneltest.Kernel{Source: fmaOfBrains(code), Words: []int{32}, Config: cfg}.Run(t)
			if err != nil {
				t.Fatal(name, err)
			}
			return out
		}
		want := run(interp.Config{Compile: interp.CompileNever})
		for _, level := range kerneltest.Levels() {
			if got := run(interp.Config{Compile: interp.CompileAlways, Lanes: level}); !cmp.Equal(want, got) {
				t.Errorf("%s, %v: %s", name, level, cmp.Diff(want, got))
			}
		}
	}
}
