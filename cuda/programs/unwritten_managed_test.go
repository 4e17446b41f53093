package programs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
)

// TestUsesOfUnwrittenManagedMemoryAreFound: uses of managed memory that neither kernels, calls nor the host's own
// stores have written are findings. Memory that the host has written, even with the byte 0xab, is none.
func TestUsesOfUnwrittenManagedMemoryAreFound(t *testing.T) {
	findsUnwritten(t, "testdata/unwritten_managed.cu", "init", []unwrittenCase{
		{"branch", "init-global", "a branch depends on managed memory 2"},
		{"index", "init-global", "an address depends on managed memory 2"},
		{"atomic", "init-global", "an atomic operation depends on managed memory 2"},
		{"atomic, then reset", "init-global", "an atomic operation depends on managed memory 2"},
		{"printf", "init-global", "an argument of printf depends on managed memory 2"},
		{"copied out", "init-copy", "1024 bytes of managed memory 2"},
		{"changed", "init-global", "a result in global memory depends on managed memory 2"},
		{"changed and freed", "init-global", "a result in global memory depends on managed memory 2"},
		{"changed and copied out", "init-global", "a result in global memory depends on managed memory 2"},
		{"changed and used", "init-global init-global", "a branch depends on managed memory 2"},
		{"copied by a kernel and used", "init-global", "+0x4..0x7, which"},
		{"half", "init-global", "+0x200..0x203, which"},
		{"half cudaMemset", "init-global", "+0x200..0x203, which"},
		{"cudaMemcpy of unwritten memory", "init-global", "managed memory 2"},
		{"cudaMemcpy to device memory", "init-global", "global memory allocation"},
		{"prefetch", "init-global", "a branch depends on managed memory 2"},
		{"member", "init-global", "+0x10..0x17, which"},
		{"allocated again", "init-global", "a branch depends on managed memory"},
		{"pinned result", "init-global init-global", "managed memory 2"},
		{"changed, later written", "", ""},
		{"changed, later written by a kernel", "", ""},
		{"copied by a kernel", "", ""},
		{"other half", "", ""},
		{"host", "", ""},
		{"kernel", "", ""},
		{"cudaMemset", "", ""},
		{"cudaMemcpy", "", ""},
		{"cudaMemcpy of written memory", "", ""},
		{"memcpy", "", ""},
		{"bytes 0xab", "", ""},
		{"rows of an image", "", ""},
		{"single bytes", "", ""},
		{"between launches", "", ""},
		{"padding", "", ""},
		{"while the kernel runs", "", ""},
		{"variable", "", ""},
	})
}

// unwrittenCase is a case of a program that uses memory that was written or not: its argument, the rules init-… of the
// findings, and a part of the report.
type unwrittenCase struct{ name, rules, says string }

// findsUnwritten builds a program and compares the findings of its cases.
func findsUnwritten(t *testing.T, source, checks string, cases []unwrittenCase) {
	t.Helper()
	library := cudatest.Library(t)
	program := filepath.Join(t.TempDir(), "program")
	cudatest.Build(t, "-g", source, "-L"+library, "-lcuda", "-o", program)
	for _, c := range cases {
		out := cudatest.ExecuteIn(t, []string{"LD_LIBRARY_PATH=" + library, cuda.EnvCheck + "=" + checks}, program, c.name)
		var rules []string
		for _, m := range regexp.MustCompile(`\[(init-[a-z]+)\]`).FindAllStringSubmatch(out, -1) {
			rules = append(rules, m[1])
		}
		if diff := cmp.Diff(c.rules, strings.Join(rules, " ")); diff != "" || !strings.Contains(out, c.says) {
			t.Errorf("%s (-want +got):\n%s\n%s", c.name, diff, out)
		}
	}
}
