package wholefile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/simtrun/simtrun/internal/wholefile"
)

// only checks that a folder has exactly one file, with this content.
func only(t *testing.T, dir, name, content string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != name {
		t.Fatalf("%v %v, want %s alone", entries, err, name)
	}
	if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != content {
		t.Errorf("%q %v, want %q", text, err, content)
	}
}

// TestWriteReplacesWholeFiles: a new file, a replaced file, which keeps its mode, and a file left unchanged because
// the context has ended.
func TestWriteReplacesWholeFiles(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := wholefile.Write(t.Context(), root, "f", []byte("old")); err != nil {
		t.Fatal(err)
	}
	only(t, dir, "f", "old")
	if err := root.Chmod("f", 0o604); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(t.Context(), root, "f", []byte("new")); err != nil {
		t.Fatal(err)
	}
	only(t, dir, "f", "new")
	if info, err := root.Stat("f"); err != nil || info.Mode().Perm() != 0o604 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := wholefile.Write(ended, root, "f", []byte("newer")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	only(t, dir, "f", "new")
}

// TestFailureLeavesOldContent: if the disk is full, or a folder is in the file's place, the old content remains.
func TestFailureLeavesOldContent(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "f"), 0o777); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := wholefile.Write(t.Context(), root, "f", []byte("new")); err == nil {
		t.Error("a folder is replaced")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
}
