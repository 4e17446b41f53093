package asm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse: no source makes Parse panic, and what it accepts survives
// formatting.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/odd.ptx", "testdata/*.s"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
			for line := range strings.Lines(string(src)) { // small sources mutate better
				f.Add([]byte(line))
				f.Add([]byte(".entry k() { " + line + " }"))
			}
		}
	}
	for _, src := range []string{
		".entry k() { mov.u32 %r1, (1 + 2) * 3 ? WARP_SZ : ~0; }",
		".global .v2 .u32 x[][2] = {{{1, 2}}, {{3}}};",
		".func (.reg .v2 .f32 r) f(.reg .u32 a) { .reg .v4 .b32 q; mov.b32 a, q.x; }",
		".entry k() { { .reg .b32 a; call a, (a), a$1; } { .reg .b32 a; mov.u32 a, %clock; } }",
		".entry k() { .loc 1 2 3, function_name x+4, inlined_at 1 2 3 ret; }",
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if m, err := Parse("x.s", src); err == nil {
			checkIdentity(t, m)
		}
	})
}
