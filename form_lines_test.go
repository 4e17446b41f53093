package simtrun_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is the limit of CONTRIBUTING.md for a comment, as for the pages that the tests in docs check.
const mostColumns = 120

// TestCommentsAreNarrow: no line of a comment in Go, C, CUDA or assembly has more than mostColumns characters. Comments
// after code are as long as they need to be.
func TestCommentsAreNarrow(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "node_modules" || path == filepath.Join("cuda", "lib")):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		if !slices.Contains([]string{".go", ".c", ".h", ".cu", ".cuh", ".s"}, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, n := range longComments(string(text)) {
			t.Errorf("%s:%d: more than %d characters", path, n, mostColumns)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// longComments finds the numbers of the lines that are too long. Code in a comment and directives are not prose.
func longComments(text string) (all []int) {
	for i, line := range strings.Split(text, "\n") {
		text, comment := strings.CutPrefix(strings.TrimLeft(line, "\t "), "//")
		if code := strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "sim:"); comment && !code && utf8.RuneCountInString(line) > mostColumns {
			all = append(all, i+1)
		}
	}
	return all
}
