package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestProblemsOfFilesAreInWords: the system's message is replaced in the text of an error, and the error stays the same
// for errors.Is.
func TestProblemsOfFilesAreInWords(t *testing.T) {
	t.Chdir(t.TempDir())
	read := func(path string) error { _, err := os.ReadFile(path); return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{read("x.s"), "no file x.s"},
		{fmt.Errorf("k.s:1: %w", read("x.s")), "k.s:1: no file x.s"},
		{read(filepath.Join("gone", "x.s")), "no file gone/x.s: there is no folder gone"},
		{read("."), ". is a folder"},
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}, "no permission for x"},
		{&fs.PathError{Op: "open", Path: "x", Err: errors.New("too many links")}, "x: too many links"},
		{errors.New("open x"), "open x"},
	} {
		got := Explain(c.err)
		if got.Error() != c.want || !errors.Is(got, c.err) {
			t.Errorf("%v: %v, want %s", c.err, got, c.want)
		}
		if again := Explain(got); again.Error() != c.want {
			t.Errorf("%v, explained again: %v", got, again)
		}
	}
	if Explain(nil) != nil {
		t.Error("nil has a text")
	}
}
