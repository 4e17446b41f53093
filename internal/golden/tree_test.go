//go:build unix

package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/simtrun/simtrun/internal/golden"
)

// TestLinksStayWithinTree checks that a golden file that is a link is read within the named tree, never outside of it,
// and never written through.
func TestLinksStayWithinTree(t *testing.T) {
	const quiet = "-- dump --\n"
	for name, tt := range map[string]struct {
		link, pattern string
		load          string // error of reading
		update        string // error of rewriting
	}{
		"out of the tree":         {"../victim", "repo", "repo/k.golden: it is a link that leads out of repo, or to nothing", ""},
		"by an absolute path":     {"ABSOLUTE", "repo", "repo/k.golden: it is a link that leads out of repo, or to nothing", ""},
		"to nothing":              {"none", "repo", "repo/k.golden: it is a link that leads out of repo, or to nothing", ""},
		"beside a file":           {"../victim", "repo/k.s", "repo/k.golden: it is a link that leads out of repo, or to nothing", ""},
		"within a larger tree":    {"../victim", "./...", "", "repo/k.golden: it is a symbolic link, and -u does not write to what it leads to"},
		"within the tree":         {"pinned", "repo", "", "repo/k.golden: it is a symbolic link, and -u does not write to what it leads to"},
		"as a link to the folder": {"../elsewhere/pinned", "repo", "repo/k.golden: it is a link that leads out of repo, or to nothing", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := dir(t, map[string]string{"repo/k.s": dumped, "victim": quiet, "repo/pinned": quiet, "elsewhere/pinned": quiet})
			t.Chdir(root)
			if err := os.Symlink(strings.Replace(tt.link, "ABSOLUTE", filepath.Join(root, "victim"), 1), "repo/k.golden"); err != nil {
				t.Fatal(err)
			}
			places, err := golden.Find([]string{tt.pattern})
			if err != nil {
				t.Fatal(err)
			}
			c, err := golden.Load(places[0])
			switch {
			case tt.load != "":
				if err == nil || err.Error() != tt.load {
					t.Errorf("%v, want %s", err, tt.load)
				}
			case err != nil:
				t.Fatal(err)
			default:
				// The section is stale: it lacks the dump.
				o, err := c.Check(t.Context(), golden.Update)
				if err != nil || len(o.Problems) != 1 || o.Updated || !strings.HasPrefix(o.Problems[0].Text, tt.update) {
					t.Errorf("%+v %v, want %s", o, err, tt.update)
				}
			}
			for _, file := range []string{"victim", "repo/pinned", "elsewhere/pinned"} {
				if text := read(t, root, file); text != quiet {
					t.Errorf("%s: %q", file, text)
				}
			}
		})
	}
}

// TestFilesMustBeRegular checks that no file of a case may be a pipe or a device.
func TestFilesMustBeRegular(t *testing.T) {
	root := dir(t, map[string]string{"k.s": parts, "l.s": parts})
	t.Chdir(root)
	for _, name := range []string{"k.golden", "m.s"} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/zero", "n.s"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"k.s": "k.golden is not a regular file", "m.s": "m.s is not a regular file", "n.s": "n.s is not a regular file", "/dev/zero": "/dev/zero is not a regular file",
	} {
		if _, err := golden.Load(place(t, name)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	places, err := golden.Find([]string{"."})
	if err != nil || len(places) != 2 {
		t.Errorf("%v %v, want k.s and l.s", places, err)
	}
}

// TestRewriteIsWhole checks that a golden file is replaced by a new file, so that an open descriptor or a hard link
// keeps the old content.
func TestRewriteIsWhole(t *testing.T) {
	root := dir(t, map[string]string{"k.s": dumped, "k.golden": "-- dump --\n"})
	if err := os.Link(filepath.Join(root, "k.golden"), filepath.Join(root, "other")); err != nil {
		t.Fatal(err)
	}
	c, err := golden.Load(place(t, filepath.Join(root, "k.s")))
	if err != nil {
		t.Fatal(err)
	}
	if o, err := c.Check(t.Context(), golden.Update); err != nil || !o.Updated {
		t.Fatalf("%+v %v", o, err)
	}
	if read(t, root, "k.golden") != "-- dump --\n"+dump || read(t, root, "other") != "-- dump --\n" {
		t.Errorf("%q %q", read(t, root, "k.golden"), read(t, root, "other"))
	}
}
