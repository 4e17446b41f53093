//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/lanes/jit"
)

// withLanes is the command as a process with a value of SIMTRUN_LANES, which a
// process reads once.
func withLanes(t *testing.T, value string, args ...string) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asCommand+"=1", jit.Variable+"="+value), &stdout, &stderr
	_ = cmd.Run()
	return output{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func TestLanesForced(t *testing.T) {
	const program = "../../programs/vecadd.s"
	want := withLanes(t, "go", program, "--functional", "-v")
	if want.code != 0 || !strings.HasPrefix(want.stderr, "lanes: go") {
		t.Errorf("go: %+v", want)
	}
	for _, level := range []jit.Level{jit.AVX2, jit.AVX512} {
		got := withLanes(t, level.String(), program, "--functional", "-v")
		if level > jit.Best() {
			if wrong := "simtrun: SIMTRUN_LANES=" + level.String() + ": "; got.code != 2 || got.stdout != "" || !strings.HasPrefix(got.stderr, wrong) {
				t.Errorf("%v where %v is best: %+v", level, jit.Best(), got)
			}
			continue
		}
		if got.code != 0 || got.stdout != want.stdout || !strings.HasPrefix(got.stderr, "lanes: "+level.String()+"\n") {
			t.Errorf("%v: %+v, and in Go %+v", level, got, want)
		}
		if got := withLanes(t, level.String(), "version"); !strings.HasSuffix(got.stdout, "\nlanes: "+level.String()+"\n") {
			t.Errorf("%v: %+v", level, got)
		}
	}
}

func TestLanesMistaken(t *testing.T) {
	const wrong = "simtrun: SIMTRUN_LANES=sse: no such level; it takes go, avx2, avx512\nsee 'simtrun help environment'\n"
	const program = "../../programs/vecadd.s"
	for _, args := range [][]string{{program}, {"asm", program}, {"version"}, {"profile", program, "--json"}} {
		got := withLanes(t, "sse", args...)
		if got.code != 2 || got.stderr != wrong {
			t.Errorf("%v: %+v", args, got)
		}
		if asked := args[len(args)-1] == "--json"; asked && decode(t, got).Summary.Exit != 2 || !asked && got.stdout != "" {
			t.Errorf("%v: standard output %q", args, got.stdout)
		}
	}
	for _, args := range [][]string{nil, {"help"}, {"help", "environment"}, {"run", "--help"}, {"completion", "bash"}, {"__complete", "--gr"}} {
		if got := withLanes(t, "sse", args...); got.code != 0 || got.stdout == "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
