package workloads

import (
	"flag"
	"os"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/packed"
)

var update = flag.Bool("update", false, "rewrite ptx.txtar.gz")

// TestEmbeddedModules checks that the archive has the modules as they are in the folder.
func TestEmbeddedModules(t *testing.T) {
	var want []txtar.File
	for _, set := range Sets {
		text, err := os.ReadFile(set.File)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, txtar.File{Name: set.File, Data: text})
	}
	if err := packed.Compare("ptx.txtar.gz", want, *update); err != nil {
		t.Error(err)
	}
}
