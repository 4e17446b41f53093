package simtrun_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-shellwords"
)

var update = flag.Bool("update", false, "rewrite the examples of the pages")

// TestShownSources checks that the kernels on a page are the same as the files that its commands run.
func TestShownSources(t *testing.T) {
	for name, page := range map[string]string{"first": "language", "spaces": "language", "calls": "language", "texture": "textures", "tensor": "tensormaps"} {
		text, err := os.ReadFile("docs/" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		src, err := os.ReadFile("docs/language/" + name + ".s")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "```\n"+string(src)+"```\n") {
			t.Errorf("%s.s is not as docs/%s.md shows it", name, page)
		}
	}
}

// build builds the command.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "simtrun")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/simtrun").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// TestPages runs the commands that pages show after "$ simtrun", and compares their output with the page's.
func TestPages(t *testing.T) {
	binary := build(t)
	for _, page := range []string{"README.md", "docs/check.md", "docs/rules.md", "docs/language.md", "docs/model.md", "docs/occupancy.md", "docs/profile.md", "docs/clock.md", "docs/tensormaps.md", "docs/timeline.md", "docs/sweep.md"} {
		t.Run(page, func(t *testing.T) { checkPage(t, page, binary) })
	}
}

// pictures are the pictures on pages, and the commands that draw them.
var pictures = map[string][]string{
	"docs/sweep/waves.svg":  {"sweep", "docs/sweep/waves.s", "--grid", "66,132,264,265,396,528,529,792"},
	"docs/sweep/stream.svg": {"sweep", "docs/sweep/stream.s", "--gpu", "h100:1g.10gb", "--grid", "16,32,64,128,192,256,384,512"},
}

// TestPictures draws the pictures on pages again, and compares them.
func TestPictures(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors may round places in pictures otherwise")
	}
	binary := build(t)
	for path, args := range pictures {
		drawn := filepath.Join(t.TempDir(), "drawn.svg")
		if *update {
			drawn = path
		}
		if out, err := exec.Command(binary, append(args, "--plot", drawn)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, out)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(drawn); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what simtrun %s draws: %v", path, strings.Join(args, " "), err)
		}
	}
}

func checkPage(t *testing.T, page, binary string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "    $ simtrun ")
		if !ok {
			continue
		}
		var want []string
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    ") {
			i++
			want = append(want, lines[i][4:])
		}
		words, err := shellwords.Parse(command)
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		out, err := exec.Command(binary, words...).CombinedOutput()
		if _, failed := err.(*exec.ExitError); err != nil && !failed {
			t.Fatal(err)
		}
		got := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
		if *update {
			for n := range got {
				got[n] = "    " + got[n]
			}
			lines = slices.Replace(lines, i+1-len(want), i+1, got...)
			i += len(got) - len(want)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("simtrun %s (-page +now):\n%s", command, diff)
		}
		examples++
	}
	if *update {
		if err := os.WriteFile(page, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if examples == 0 {
		t.Errorf("%s shows no example", page)
	}
}
