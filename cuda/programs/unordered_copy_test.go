package programs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
)

// TestUnrolledStoresAreOneStreamRace: the stores that a compiler makes of one line race with a copy as one.
func TestUnrolledStoresAreOneStreamRace(t *testing.T) {
	library := cudatest.Library(t)
	program := filepath.Join(t.TempDir(), "program")
	cudatest.Build(t, "-g", "testdata/unordered_copy.cu", "-L"+library, "-o", program)
	out := cudatest.ExecuteIn(t, []string{"LD_LIBRARY_PATH=" + library, cuda.EnvCheck + "=stream"}, program)
	if n := strings.Count(out, "[stream-race]"); n != 1 || !strings.Contains(out, "4096 bytes from byte 0 of") {
		t.Errorf("%d findings:\n%s", n, out)
	}
}
