package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAccuracySelectsLaunches compares launches that are selected by their names, and draws them.
func TestAccuracySelectsLaunches(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "x.svg")
	got := typed(t, "validate", "--accuracy", "if_e", "goto_ret", "-j", "2", "--plot", picture)
	if got.code != 0 {
		t.Fatalf("%+v", got)
	}
	lines := strings.Split(got.stdout, "\n")
	if !strings.HasPrefix(lines[1], "if_else   ") || !strings.HasPrefix(lines[2], "goto_ret  ") || lines[3] != "" || !strings.Contains(got.stdout, "\nheld out                  1 ") {
		t.Errorf("%s", got.stdout)
	}
	if svg, err := os.ReadFile(picture); err != nil || !strings.HasPrefix(string(svg), "<svg") {
		t.Errorf("%.40s, %v", svg, err)
	}
	for args, says := range map[string]string{
		"--accuracy if_elze":      "no launch if_elze; did you mean if_else?",
		"--accuracy --gpu a100":   "an h100 only, not on a100",
		"--accuracy -j 0":         "-j 0: expected",
		"--accuracy --plot x.pdf": "--plot: x.pdf: a picture is .svg or .png",
		"--plot x.svg":            "--plot needs --accuracy",
	} {
		if got := typed(t, append([]string{"validate"}, strings.Fields(args)...)...); got.code != exitUsage || !strings.Contains(got.stderr, says) {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
