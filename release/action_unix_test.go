//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestActionBuildsCommandLine checks the command that the action's inputs become, with a command simtrun that prints
// its arguments.
func TestActionBuildsCommandLine(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "simtrun"), []byte("#!/bin/sh\nprintf '[%s]' \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		run  string
		env  []string
		want string
	}{
		{"simtrun host ./prog 'a b' $COUNT", []string{"CHECK=race,init", "GPU=a100", "SARIF=s", "JUNIT=j", "COUNT=7"},
			"[host][--github][--fail-on][error][--check][race,init][--sarif][s][--junit][j][--require-launch][--gpu][a100][./prog][a b][7]"},
		{"simtrun host ./prog", []string{"REQUIRE_LAUNCH=false"}, "[host][--github][--fail-on][error][./prog]"},
		{"simtrun test ./...", []string{"FAIL_ON=never"}, "[test][--github][--fail-on][never][./...]"},
		{"simtrun run k.cu", nil, "[run][--github][--fail-on][error][k.cu]"},
		{"simtrun test ./...", []string{"GPU=a100"}, "[test][--github][--fail-on][error][--gpu][a100][./...]"},
		{"./prog", nil, "run is \"./prog\"; it has to begin with simtrun run, simtrun test or simtrun host\n"},
		{"simtrun gpu", nil, "run is \"simtrun gpu\"; it has to begin with simtrun run, simtrun test or simtrun host\n"},
	} {
		cmd := exec.Command("./run")
		cmd.Env = append([]string{"PATH=" + folder + ":" + os.Getenv("PATH"), "RUN=" + c.run}, c.env...)
		out, err := cmd.CombinedOutput()
		if string(out) != c.want || (err != nil) != !strings.HasPrefix(c.want, "[") {
			t.Errorf("%s with %v: %q, %v, want %q", c.run, c.env, out, err, c.want)
		}
	}
}
