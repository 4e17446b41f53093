package gpu

import (
	"io/fs"
	"os"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/packed"
)

// TestEmbeddedPresetsAreFresh checks that the archive has the presets as they are in the folder.
func TestEmbeddedPresetsAreFresh(t *testing.T) {
	var want []txtar.File
	folder := os.DirFS("presets")
	err := fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(folder, path)
		want = append(want, txtar.File{Name: path, Data: text})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := packed.Compare("presets.txtar.gz", want, *update); err != nil {
		t.Error(err)
	}
}
