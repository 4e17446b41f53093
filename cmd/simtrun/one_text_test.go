//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"

	api "github.com/simtrun/simtrun"
)

// TestRaceHasOneText: simtrun host prints a race with Race.Text, as cuda/driver does, and simtrun run with the same
// words.
func TestRaceHasOneText(t *testing.T) {
	p, err := api.Load("k.s", []byte(racySwap))
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.NewMachine(api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := m.Alloc("out", 4)
	if err != nil {
		t.Fatal(err)
	}
	res, err := m.Launch(t.Context(), api.Launch{Kernel: p.Kernels()[0], Block: api.Dim{X: 64}, Args: []any{x}, Races: true})
	if err != nil || len(res.Races) != 1 {
		t.Fatal(res, err)
	}
	race := &res.Races[0]
	want := fmt.Sprintf("%s: %s: %s\n", race.Later.Place(), race.Severity, race.Text())
	if got := simtrun(t, racySwap, "FILE", "--check", "race", "--arg", "out=zeros:1:u32", "-q"); !strings.HasPrefix(got.stderr, want) {
		t.Errorf("run prints\n%sand host\n%s", got.stderr, want)
	}
}

// TestStatusFollowsFailOn: the output says FAIL if the findings make the run fail.
func TestStatusFollowsFailOn(t *testing.T) {
	writeFiles(t, map[string]string{"k.s": racing})
	for args, status := range map[string]string{
		"--check race":                 "FAIL",
		"--check race --fail-on never": "ok",
		"":                             "ok",
		"--fail-on warning":            "FAIL", // of a division by zero
	} {
		got := typed(t, append([]string{"run", "k.s"}, strings.Fields(args)...)...)
		if failed := strings.Contains(got.stdout, "\nFAIL "); failed != (status == "FAIL") || failed != (got.code != 0) {
			t.Errorf("%s: exit %d, expected %s\n%s", args, got.code, status, got.stdout)
		}
	}
}

// TestHostListsALeakOnce: the line of a single leak has its sum.
func TestHostListsALeakOnce(t *testing.T) {
	const leak = `{"process":7,"leak":{"name":"allocation 1","bytes":3000,"count":3,"place":"leak.cu:4"}}`
	program := hostFolder(t, "echo '"+leak+"' >> $SIMTRUN_SUMMARY\n")
	got := simtrunIn(t.Context(), t.TempDir(), "host", "--check", "leak", program)
	if !strings.Contains(got.stderr, "  leaked 3 allocations, 3000 bytes, of leak.cu:4\n") || strings.Contains(got.stderr, "never freed") {
		t.Errorf("%s", got.stderr)
	}
}
