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

// TestCopiesOfUnwrittenMemoryAreFound: a copy to the host is a finding if it has no written byte. Copies of memory of
// which a part was written are none, and neither are those of results that another rule names.
func TestCopiesOfUnwrittenMemoryAreFound(t *testing.T) {
	library := cudatest.Library(t)
	program := filepath.Join(t.TempDir(), "program")
	cudatest.Build(t, "-g", "testdata/unwritten_copies.cu", "-L"+library, "-o", program)
	for _, c := range []struct{ name, copied, rule string }{
		{"other buffer", "1024 bytes of allocation 3", "init-copy"},
		{"failed launch", "1024 bytes of allocation 3", "init-copy"},
		{"asynchronous", "1020 bytes of allocation 2", "init-copy"},
		{"box", "256 bytes of allocation 2", "init-copy"},
		{"copied within the device", "1024 bytes of allocation 2", "init-copy"},
		{"rest of a buffer", "512 bytes of allocation 2", "init-copy"},
		{"changed in place", "", "init-global"},
		{"padding", "", ""},
		{"selected elements", "", ""},
		{"interior", "", ""},
		{"fill", "", ""},
		{"nothing", "", ""},
	} {
		out := cudatest.ExecuteIn(t, []string{"LD_LIBRARY_PATH=" + library, cuda.EnvCheck + "=init"}, program, c.name)
		var rules []string
		for _, m := range regexp.MustCompile(`\[(init-[a-z]+)\]`).FindAllStringSubmatch(out, -1) {
			rules = append(rules, m[1])
		}
		if diff := cmp.Diff(c.rule, strings.Join(rules, " ")); diff != "" || !strings.Contains(out, c.copied) {
			t.Errorf("%s (-want +got):\n%s\n%s", c.name, diff, out)
		}
	}
}
