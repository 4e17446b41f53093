package simtrun_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-shellwords"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/short"
)

var update = flag.Bool("update", false, "rewrite the examples of the pages")

// TestShownSourcesAreRun checks that the kernels on a page are the same as the files that its commands run.
func TestShownSourcesAreRun(t *testing.T) {
	for name, page := range map[string]string{
		"language/first.s": "language", "language/spaces.s": "language", "language/calls.s": "language", "language/constants.s": "language",
		"language/texture.s": "textures", "language/tensor.s": "tensormaps", "example/blocksum.cu": "first-cuda", "check/reverse.cu": "check",
	} {
		text, src := readFile(t, "docs/"+page+".md"), readFile(t, "docs/"+name)
		if !strings.Contains(text, "```\n"+src+"```\n") {
			t.Errorf("%s is not as docs/%s.md shows it", name, page)
		}
	}
}

// TestReadmeShowsKernelOfAdd: the kernel in README is that of add.cu, which its commands run.
func TestReadmeShowsKernelOfAdd(t *testing.T) {
	_, kernel, _ := strings.Cut(readFile(t, "docs/example/add.cu"), "\n\n")
	kernel, _, _ = strings.Cut(kernel, "\n\n")
	if shown := "\n    " + strings.ReplaceAll(kernel, "\n", "\n    ") + "\n\n"; !strings.Contains(readFile(t, "README.md"), shown) {
		t.Errorf("README.md does not show\n%s", kernel)
	}
}

// TestTutorialQuotesRunOfReadme: each line of the last report in docs/first-cuda.md is in README.md, whose run is
// tested.
func TestTutorialQuotesRunOfReadme(t *testing.T) {
	_, report, found := strings.Cut(readFile(t, "docs/first-cuda.md"), "    simtrun: docs/example/add.cu:6")
	report, _, _ = strings.Cut("    simtrun: docs/example/add.cu:6"+report, "\n\n")
	for line := range strings.SplitSeq(report, "\n") {
		if !found || !strings.Contains(readFile(t, "README.md"), line+"\n") {
			t.Errorf("README.md does not show %q", line)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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

// TestPagesShowRealOutput runs the commands that pages show after "$ simtrun", and compares their output with the
// page's.
func TestPagesShowRealOutput(t *testing.T) {
	binary := build(t)
	for i, page := range []string{"README.md", "docs/first-cuda.md", "docs/check.md", "docs/rules.md", "docs/language.md", "docs/model.md", "docs/occupancy.md", "docs/profile.md", "docs/clock.md", "docs/tensormaps.md", "docs/timeline.md", "docs/sweep.md"} {
		if short.Waits(i, 3) {
			continue
		}
		t.Run(page, func(t *testing.T) { checkPage(t, page, binary) })
	}
}

// pictures are the pictures on pages, and the commands that draw them.
var pictures = map[string][]string{
	"docs/sweep/waves.svg":  {"sweep", "docs/sweep/waves.s", "--grid", "66,132,264,265,396,528,529,792"},
	"docs/sweep/stream.svg": {"sweep", "docs/sweep/stream.s", "--gpu", "h100:1g.10gb", "--grid", "16,32,64,128,192,256,384,512"},
}

// TestPicturesAreFresh draws the pictures on pages again, and compares them.
func TestPicturesAreFresh(t *testing.T) {
	short.Alternates(t, 2, 3)
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

// cudaSource matches a command that compiles CUDA C++.
var cudaSource = regexp.MustCompile(`\.cu( |$)`)

// comparesCUDA reports whether the output of commands that compile CUDA C++ is compared: the pages show what the first
// tested version of clang makes.
func comparesCUDA(t *testing.T) bool {
	t.Helper()
	cudatest.UseCache(t.Setenv)
	clang, err := cuda.Find()
	return err == nil && clang.Version == cuda.TestedClangs[0]
}

func checkPage(t *testing.T, page, binary string) {
	examples, withCUDA := 0, comparesCUDA(t)
	lines := strings.Split(readFile(t, page), "\n")
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "    $ simtrun ")
		if !ok || strings.HasPrefix(command, "host ") { // addresses and times vary: cuda/programs compares these
			continue
		}
		var want []string
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    ") {
			i++
			want = append(want, lines[i][4:])
		}
		examples++
		if !withCUDA && cudaSource.MatchString(command) {
			t.Run("clang", func(t *testing.T) { needs.Skip(t, "clang") })
			continue
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
