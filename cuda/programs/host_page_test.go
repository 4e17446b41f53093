package programs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/needs"
)

// TestDebugSessionOfHostPageIsReal runs the two commands before the session in docs/host.md, types what the session
// types, and checks that the debugger answers as the page shows.
func TestDebugSessionOfHostPageIsReal(t *testing.T) {
	library, _ := cudatest.Library(t), cudatest.Compiler(t)
	page, err := os.ReadFile("../../docs/host.md")
	if err != nil {
		t.Fatal(err)
	}
	begin := regexp.MustCompile(`(?m)^    simtrun cc (.*)\n    simtrun (host --debug .*)\n`).FindSubmatchIndex(page)
	if begin == nil {
		t.Fatal("docs/host.md has no commands before a session")
	}
	compile, run, rest := string(page[begin[2]:begin[3]]), string(page[begin[4]:begin[5]]), string(page[begin[1]:])
	shown := regexp.MustCompile(`(?m)(^    .*\n)+`).FindString(rest)
	shown = strings.ReplaceAll(shown[4:], "\n    ", "\n")
	var args []string
	for _, m := range regexp.MustCompile(`(?m)^\(simt.*?\) (.*)$`).FindAllStringSubmatch(shown, -1) {
		args = append(args, "-e", m[1])
	}
	if len(args) < 8 {
		t.Fatalf("the session is\n%s", shown)
	}

	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	simtrun := func(args ...string) string {
		out, err := builtCommand(t, folder, library, args...)
		if err != nil {
			t.Fatalf("simtrun %v: %v\n%s", args, err, out)
		}
		return out
	}
	simtrun(append([]string{"cc"}, strings.Fields(strings.ReplaceAll(compile, "docs/", root+"/docs/"))...)...)
	words := strings.Fields(run)
	got := simtrun(append(append(words[:2:2], args...), words[2:]...)...)
	if !strings.HasPrefix(got, shown) || !strings.Contains(got, "x[70] = 210\n") {
		t.Errorf("got\n%s\nwant\n%s", got, shown)
	}
}

// TestFindingsOfHostPageAreReal: the runs in docs/host.md, of add.cu with its error mended and of a program in Python,
// and the run of add.cu in README, print what the page shows, apart from addresses and times.
func TestFindingsOfHostPageAreReal(t *testing.T) {
	library, _ := cudatest.Library(t), cudatest.Compiler(t)
	needs.Tool(t, "python3")
	page, err := os.ReadFile("../../docs/host.md")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../docs/example/add.cu")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "docs/example"), 0o777); err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile(`(?m)^    import ctypes\n(    .*\n)+`).FindString(string(page))
	for name, text := range map[string]string{"devices.py": strings.ReplaceAll(script, "    ", ""), "docs/example/add.cu": string(source), "fixed.cu": strings.Replace(string(source), "    c[i] =", "    if (i < n) c[i] =", 1)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	varying := regexp.MustCompile(`0x[0-9a-f]+|[0-9.]+ ms`)
	shown := regexp.MustCompile(`(?m)^    \$ simtrun (host .*\.(?:cu|py))\n((?:    .*\n)+)`).FindAllStringSubmatch(string(page)+string(readme), -1)
	if len(shown) != 4 {
		t.Fatalf("%d runs in docs/host.md and README.md", len(shown))
	}
	lines := func(text string) string { // sorted: on a terminal the program prints its line earlier than to a pipe
		return strings.Join(slices.Sorted(strings.Lines(varying.ReplaceAllString(text, ""))), "")
	}
	for _, run := range shown {
		got, _ := builtCommand(t, folder, library, strings.Fields(run[1])...)
		want := strings.ReplaceAll(run[2][4:], "\n    ", "\n")
		if lines(got) != lines(want) {
			t.Errorf("simtrun %s prints\n%s\nand the page shows\n%s", run[1], got, want)
		}
	}
}

// TestFixedExampleIsClean checks that docs/example/add_fixed.cu has no finding of any check, and differs from add.cu by
// the condition and by freeing its memory. Packages contain both.
func TestFixedExampleIsClean(t *testing.T) {
	library, _ := cudatest.Library(t), cudatest.Compiler(t)
	source, err := os.ReadFile("../../docs/example/add.cu")
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := os.ReadFile("../../docs/example/add_fixed.cu")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(string(source), "    c[i] = a[i] + b[i]; // wrong: the last threads have i >= n\n", "    if (i < n)\n        c[i] = a[i] + b[i];\n", 1)
	want = strings.Replace(want, "    return ", "    cudaFree(a);\n    cudaFree(b);\n    cudaFree(c);\n    return ", 1)
	if string(fixed) != want {
		t.Errorf("add_fixed.cu is\n%s\nwant\n%s", fixed, want)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "add_fixed.cu"), fixed, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := builtCommand(t, folder, library, "host", "--check", "all", "--require-launch", "--fail-on", "warning", "add_fixed.cu")
	if err != nil || !strings.HasPrefix(out, "c[10] = 30\n") || strings.Contains(out, "warning") {
		t.Errorf("%v\n%s", err, out)
	}
}

// builtCommand runs simtrun, built in a folder, in that folder, and returns its output.
func builtCommand(t *testing.T, folder, library string, args ...string) (string, error) {
	t.Helper()
	command := filepath.Join(folder, "simtrun")
	if _, err := os.Stat(command); err != nil {
		if out, err := exec.Command("go", "build", "-o", command, "../../cmd/simtrun").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	cmd := exec.CommandContext(t.Context(), command, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), cuda.EnvLibrary+"="+library)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
