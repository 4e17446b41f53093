package cuda_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/packed"
)

// TestFilesAreEmbedded: files.txtar.gz has the headers and the sources of the runtime as they are.
func TestFilesAreEmbedded(t *testing.T) {
	var want []txtar.File
	for _, folder := range []string{"include", "rt"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			want = append(want, txtar.File{Name: filepath.ToSlash(path), Data: text})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Compare("files.txtar.gz", want, *update); err != nil {
		t.Error(err)
	}
}
