package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestStreamProgramsHaveExpectedFindings runs the programs of testdata/streams, whose verdicts were worked out from
// CUDA's documentation. No findings are expected without the check.
func TestStreamProgramsHaveExpectedFindings(t *testing.T) {
	dir := libraryDir(t)
	program := compile(t, dir, "testdata/streams/streams.c", "-L"+dir, "-lcuda")
	run := func(check string, args ...string) (stdout, stderr string) {
		c := exec.CommandContext(t.Context(), program, args...)
		c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "SIMTRUN_CHECK="+check)
		var out, errors bytes.Buffer
		c.Stdout, c.Stderr = &out, &errors
		if err := c.Run(); err != nil {
			t.Errorf("%v\n%s%s", err, out.String(), errors.String())
		}
		return out.String(), errors.String()
	}
	list, _ := run("")
	cases := 0
	for line := range strings.Lines(list) {
		cases++
		name, verdict, _ := strings.Cut(strings.TrimSpace(line), " ")
		t.Run(name, func(t *testing.T) {
			_, stderr := run("stream", name)
			got := ""
			switch {
			case strings.Contains(stderr, "[stream-race]"):
				got = "race"
			case strings.Contains(stderr, "[stream-host]"):
				got = "host"
			}
			if got != verdict || got == "" && stderr != "" {
				t.Errorf("%q, want %q:\n%s", got, verdict, stderr)
			}
		})
	}
	if cases < 50 {
		t.Errorf("%d cases", cases)
	}
}
