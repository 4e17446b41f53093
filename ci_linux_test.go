package simtrun_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checks is a folder with the scripts of .ci that run steps, steps of its own, and commands instead of Debian's.
type checks struct {
	t            *testing.T
	dir, skipped string
}

// newChecks makes a folder with a README and steps, whose text comes after the line that reads .ci/lib. The tool "tool"
// is missing, and Debian has it or not; no installation succeeds.
func newChecks(t *testing.T, readme, hasTool string, steps map[string]string) *checks {
	c := &checks{t: t, dir: t.TempDir()}
	c.skipped = filepath.Join(c.dir, "skipped")
	files := map[string]string{"README.md": readme, ".ci/tools": "tool missing-tool package\n",
		"bin/apt-get": "#!/bin/sh\ncase \"$*\" in\nupdate|*' update') ;;\n*simulate*) " + hasTool + " ;;\n*) echo no network; exit 100 ;;\nesac\n",
		"bin/id":      "#!/bin/sh\necho 0\n"}
	for name, text := range steps {
		files[".ci/steps/"+name] = "#!/usr/bin/env bash\nsource \"$(dirname \"$0\")/../lib\"\n" + text
	}
	for _, name := range []string{".ci/run", ".ci/lib", ".ci/steps/30-test"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, made := files[name]; !made && (readme != "" || name != ".ci/steps/30-test") {
			files[name] = string(text)
		}
	}
	for name, text := range files {
		path := filepath.Join(c.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// run runs a script of the folder, and returns what it prints and whether it succeeds.
func (c *checks) run(script string, env ...string) (string, bool) {
	cmd := exec.Command(filepath.Join(c.dir, script))
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(c.dir, "bin")+":"+os.Getenv("PATH"), "CI=", "CI_SKIPS="+c.skipped)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// TestReadmeWithoutCommandFails: the step that runs the README's test command fails if there is none.
func TestReadmeWithoutCommandFails(t *testing.T) {
	c := newChecks(t, "Run the tests: `go test ./...`\n", "true", nil)
	if out, ok := c.run(".ci/steps/30-test"); ok || !strings.HasPrefix(out, "README.md has no test command") {
		t.Errorf("it succeeds: %t, and prints %q", ok, out)
	}
}

// TestMissingToolsFailInCI: a check whose tool could have been installed fails under CI=true, and is recorded as left
// out otherwise, or if Debian does not have the tool.
func TestMissingToolsFailInCI(t *testing.T) {
	for _, c := range []struct{ name, ci, hasTool, want string }{
		{"in CI", "CI=true", "true", "50-x: tool could not be installed\n"},
		{"elsewhere", "CI=", "true", ""},
		{"not in Debian", "CI=true", "exit 100", ""},
	} {
		checks := newChecks(t, "", c.hasTool, map[string]string{"50-x": "need tool || exit 0\necho checked\n"})
		out, ok := checks.run(".ci/steps/50-x", c.ci)
		skipped, _ := os.ReadFile(checks.skipped)
		if c.want != "" && (ok || !strings.HasSuffix(out, c.want)) || c.want == "" && (!ok || !strings.HasPrefix(string(skipped), "50-x: no tool here")) || strings.Contains(out, "checked") {
			t.Errorf("%s: it succeeds: %t, prints %q and records %q", c.name, ok, out, skipped)
		}
	}
}

// TestAllStepsAreListed: .ci/run goes on after a step that fails, lists each step with its seconds and what was left
// out, and fails.
func TestAllStepsAreListed(t *testing.T) {
	c := newChecks(t, "", "exit 100", map[string]string{"10-fails": "false\n", "50-left-out": "need tool || exit 0\n", "51-runs": "echo checked\n"})
	out, ok := c.run(".ci/run")
	const seconds = ` +[0-9.]+ s +[0-9.]+ s of CPU  `
	want := `(?s)\nchecked\n.*== All steps, \d+ s\nFAIL` + seconds + "10-fails\nok  " + seconds + "50-left-out\nok  " + seconds + "51-runs\nLeft out:\n  50-left-out: no tool here.*\n$"
	if ok || !regexp.MustCompile(want).MatchString(out) {
		t.Errorf("it succeeds: %t, and prints\n%s", ok, out)
	}
	c = newChecks(t, "", "true", map[string]string{"10-runs": "true\n"})
	if out, ok := c.run(".ci/run"); !ok || !strings.HasSuffix(out, "  10-runs\nLeft out: nothing\n") {
		t.Errorf("it succeeds: %t, and prints\n%s", ok, out)
	}
}

// TestFilesThatStepsLeaveFail: the last step fails if another one leaves a file, also one that git ignores, and
// passes if the file was there before.
func TestFilesThatStepsLeaveFail(t *testing.T) {
	text, err := os.ReadFile(".ci/steps/50-tree")
	if err != nil {
		t.Fatal(err)
	}
	_, tree, found := strings.Cut(string(text), "/../lib\"\n")
	if !found {
		t.Fatal("50-tree does not read .ci/lib")
	}
	c := newChecks(t, "", "true", map[string]string{"30-leaves": "mkdir -p node_modules && touch left.prof node_modules/x\n", "50-tree": tree})
	if err := os.WriteFile(filepath.Join(c.dir, ".gitignore"), []byte("*.prof\nnode_modules/\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", c.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, ok := c.run(".ci/run"); ok || !strings.Contains(out, "50-tree: tests or steps left these files, or changed them:\n!! left.prof\n") || strings.Contains(out, "node_modules") {
		t.Errorf("it succeeds: %t, and prints\n%s", ok, out)
	}
	if out, ok := c.run(".ci/run"); !ok {
		t.Errorf("it fails for a file that was there before:\n%s", out)
	}
}
