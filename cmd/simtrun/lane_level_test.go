//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/jsondoc"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
)

// withLanes runs the command in a process with a value of SIMTRUN_LANES, because a process reads it only once.
func withLanes(t *testing.T, value string, args ...string) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asCommand+"=1", jit.Variable+"="+value), &stdout, &stderr
	_ = cmd.Run()
	return output{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func TestLanesCanBeForced(t *testing.T) {
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

// TestLongKernelsAreCompiled: a kernel that is too long to be compiled as a whole runs without a note.
func TestLongKernelsAreCompiled(t *testing.T) {
	short.Skip(t)
	if jit.Best() == jit.None {
		t.Skip("no compiled code")
	}
	t.Setenv("SIMTRUN_COMPILE", "always")
	file := filepath.Join(t.TempDir(), "long.s")
	source := ".entry long()\n{\n" + strings.Repeat("\tadd.u32 %r1, %r1, 1;\n", 1<<17) + "\tret;\n}\n"
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	got := withLanes(t, jit.Best().String(), file, "--functional")
	if got.code != 0 || got.stderr != "" {
		t.Errorf("code %d, standard error %q", got.code, got.stderr)
	}
	inGo := withLanes(t, "go", file, "--functional")
	if inGo.stderr != "" || inGo.stdout != got.stdout {
		t.Errorf("in Go %+v, else %+v", inGo, got)
	}
}

// TestExitsOfCodeAreSaid: an instruction that leaves compiled code often is in a note of -v. With --json all
// instructions are observed, so that no code is executed, which the JSON object says.
func TestExitsOfCodeAreSaid(t *testing.T) {
	if jit.Best() == jit.None {
		t.Skip("no compiled code")
	}
	t.Setenv("SIMTRUN_COMPILE", "always")
	file := filepath.Join(t.TempDir(), "calls.s")
	source := kernelText(t, "exits_of_code_are_said.s")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	note := file + ":4:4: note: compiled code was left 20000 times at: call f; (calls and returns change the frames of a warp)\n"
	if got := withLanes(t, jit.Best().String(), file, "--functional", "-v"); got.code != 0 || !strings.HasPrefix(got.stderr, note) {
		t.Errorf("%+v, want %q", got, note)
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(withLanes(t, jit.Best().String(), file, "--functional", "--json").stdout), &object); err != nil {
		t.Fatal(err)
	}
	if err := jsondoc.Read(t, "../../docs/json.md")["simtrun.run/v1"].Validate(object); err != nil {
		t.Error(err)
	}
	want := []any{map[string]any{"function": "calls", "only_diverged": false, "observed": true, "reason": "observers see each instruction"}}
	if diff := cmp.Diff(want, object["launches"].([]any)[0].(map[string]any)["not_compiled"]); diff != "" {
		t.Errorf("not_compiled (-want +got):\n%s", diff)
	}
}

// TestProfilesSayWhatLeavesCode: profile -v names the instructions that compiled code leaves in runs without a profile,
// with a clock and without one.
func TestProfilesSayWhatLeavesCode(t *testing.T) {
	if jit.Best() == jit.None {
		t.Skip("no compiled code")
	}
	file := filepath.Join(t.TempDir(), "clock.s")
	source := kernelText(t, "profiles_say_what_leaves_code.s")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"profile", file, "-v"}, {"profile", file, "-v", "--functional"}} {
		got := withLanes(t, jit.Best().String(), args...)
		want := file + ":4:2: note: compiled code leaves this to the interpreter: mov.u32 %r2, %clock; ("
		if n := strings.Count(got.stderr, "leaves this"); got.code != 0 || n != 1 || !strings.Contains(got.stderr, want) {
			t.Errorf("%v: code %d, %q, want %q", args, got.code, got.stderr, want)
		}
		if got := withLanes(t, "go", args...); strings.Contains(got.stderr, "leaves this") {
			t.Errorf("%v, lane functions alone: %q", args, got.stderr)
		}
	}
}

// TestVerifiedLanesPrintTheSame: SIMTRUN_LANES=verify says so, and a program without a fault prints what it prints
// otherwise.
func TestVerifiedLanesPrintTheSame(t *testing.T) {
	const program = "../../programs/vecadd.s"
	got, want := withLanes(t, "verify", program, "--functional", "-v"), withLanes(t, "go", program, "--functional", "-v")
	if jit.Best() == jit.None {
		if got.code != 2 || got.stdout != "" {
			t.Errorf("without compiled code: %+v", got)
		}
		return
	}
	if first, _, _ := strings.Cut(got.stderr, "\n"); got.code != 0 || got.stdout != want.stdout || first != "lanes: "+jit.Best().String()+", verified" {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestUnknownLanesAreRefused(t *testing.T) {
	const wrong = "simtrun: SIMTRUN_LANES=sse: no such level; it takes go, avx2, avx512, verify, and verify-LEVEL\nsee 'simtrun help environment'\n"
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

// TestCompiledFunctionsArePrinted: SIMTRUN_COMPILE=print lists each function that a run compiles, and changes nothing
// else.
func TestCompiledFunctionsArePrinted(t *testing.T) {
	if jit.Best() == jit.None {
		t.Skip("no compiled code")
	}
	args := []string{"../../programs/vecadd.s", "--grid", "132x40", "--functional"}
	want := withLanes(t, jit.Best().String(), args...)
	t.Setenv("SIMTRUN_COMPILE", "print")
	got := withLanes(t, jit.Best().String(), args...)
	if got.code != 0 || got.stdout != want.stdout {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, stage := range []string{"plan of vecadd:", "\nregions of vecadd\n", "\ncode of vecadd:"} {
		if strings.Count(got.stderr, stage) != 1 {
			t.Errorf("standard error has not one %q:\n%.300s", stage, got.stderr)
		}
	}
}

// TestLevelsAgree: programs on which levels once differed, or that could not be compiled, print the same at each level,
// and what they expect of their results holds.
func TestLevelsAgree(t *testing.T) {
	files, err := filepath.Glob("testdata/lanes/*.s")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		args := []string{file, "--functional", "-q", "--dump", "out"}
		want := withLanes(t, "go", args...)
		absent := strings.Contains(file, "absent-lane") || strings.Contains(file, "exits-early")
		if want.code != 0 || want.stdout == "" || absent != strings.Contains(want.stderr, "undefined") {
			t.Errorf("%s: %+v", file, want)
		}
		for level := jit.AVX2; level <= jit.Best(); level++ {
			if diff := cmp.Diff(want, withLanes(t, level.String(), args...), cmp.AllowUnexported(output{})); diff != "" {
				t.Errorf("%s at %v (-go +%v):\n%s", file, level, level, diff)
			}
		}
	}
}
