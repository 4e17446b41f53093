package launch

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSavedFoldersHaveTheNamesOfKernels checks that folders have the C++ names of the source, so that they can be
// typed, and that no character in them leads to another folder.
func TestSavedFoldersHaveTheNamesOfKernels(t *testing.T) {
	folder := t.TempDir()
	s := &Saves{folder: folder}
	for i, tt := range [][2]string{{"_Z3addPKfS0_Pfi", "0001-add"}, {"plain", "0002-plain"}, {"_Z3sumIfEvPT_", "0003-sum"}, {"$odd/../name", "0004-oddname"}} {
		path, err := s.newFolder(tt[0])
		if err != nil || path != filepath.Join(folder, tt[1]) {
			t.Errorf("launch %d: %s, %v, want %s", i+1, path, err, tt[1])
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
