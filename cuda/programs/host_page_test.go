package programs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
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

	folder := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(folder, "simtrun")
	if out, err := exec.Command("go", "build", "-o", command, "../../cmd/simtrun").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	simtrun := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), command, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), cuda.EnvLibrary+"="+library)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("simtrun %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	simtrun(append([]string{"cc"}, strings.Fields(strings.ReplaceAll(compile, "docs/", root+"/docs/"))...)...)
	words := strings.Fields(run)
	got := simtrun(append(append(words[:2:2], args...), words[2:]...)...)
	if !strings.HasPrefix(got, shown) || !strings.Contains(got, "x[70] = 210\n") {
		t.Errorf("got\n%s\nwant\n%s", got, shown)
	}
}
