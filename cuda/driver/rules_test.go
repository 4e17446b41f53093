package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checksOf are the checks that find the faults of the programs in testdata/rules.
const checksOf = "SIMTRUN_CHECK=api,init,leak,stream"

// TestRuleExamplesMatchPage runs the programs of testdata/rules, and looks for what they print in docs/rules.md.
func TestRuleExamplesMatchPage(t *testing.T) {
	dir := libraryDir(t)
	page, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("testdata/rules/*.c")
	if len(files) == 0 {
		t.Fatal("no programs")
	}
	for _, file := range files {
		rule := strings.TrimSuffix(filepath.Base(file), ".c")
		t.Run(rule, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), compile(t, dir, file, "-L"+dir, "-lcuda"))
			c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, checksOf)
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			found := false
			for line := range strings.Lines(string(out)) {
				if !strings.Contains(line, "["+rule+"]") { // of another rule, or a detail
					continue
				}
				found = true
				if line = strings.ReplaceAll(line, "testdata/rules/", ""); !strings.Contains(string(page), "    "+line) {
					t.Errorf("docs/rules.md lacks\n%s", line)
				}
			}
			if !found {
				t.Errorf("no %s in\n%s", rule, out)
			}
		})
	}
}
