package validate_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/packed"
)

var update = flag.Bool("update", false, "rewrite kernels.txtar.gz")

// TestEmbeddedKernelsAreFresh checks that the command has the kernels as they are in the folder.
func TestEmbeddedKernelsAreFresh(t *testing.T) {
	paths, err := filepath.Glob("kernels/*.s*")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	var want []txtar.File
	for _, path := range paths {
		text, err := packed.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, txtar.File{Name: strings.TrimSuffix(filepath.Base(path), ".gz"), Data: text})
	}
	if err := packed.Compare("kernels.txtar.gz", want, *update); err != nil {
		t.Error(err)
	}
}
