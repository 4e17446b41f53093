package cost

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the listings in testdata")

// listed are the kernels with listings in testdata/*.machine: loops of which all or some iterations are joined, loads
// that are, exchanges between lanes, and guarded arms.
var listed = map[string]string{
	"programs_matmul_naive": "../../programs/matmul_naive.s", "programs_attention": "../../programs/attention.s",
	"programs_transpose_naive": "../../programs/transpose_naive.s", "programs_reduce_shuffle": "../../programs/reduce_shuffle.s",
	"workloads_matmul_tiled": "../workloads/workloads.ptx.gz",
}

// TestListingsMatchGoldenFiles: the machine instructions of some kernels are those of testdata/*.machine; -update
// rewrites them.
func TestListingsMatchGoldenFiles(t *testing.T) {
	for name, file := range listed {
		for _, f := range functions(t, file) {
			if !strings.HasSuffix(name, "_"+f.Name) {
				continue
			}
			path := filepath.Join("testdata", name+".machine")
			got := Listing(f, h100())
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
			}
		}
	}
}
