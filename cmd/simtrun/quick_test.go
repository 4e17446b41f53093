//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

const vecadd = "../../programs/vecadd.s"

// TestShortRunCollectsNothing: a run that is over soon collects no garbage, which would take longer than to leave it. What tests make
// before main may be collected.
func TestShortRunCollectsNothing(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], vecadd)
	cmd.Env = append(os.Environ(), asCommand+"=1", "GOGC=", "GODEBUG=gctrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "expect  3 passed") || strings.Contains(string(out), "gc 2 @") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestShortRunMakesLittle: what a run with a clock makes on the heap is the registers of its warps, 11 MB of
// programs/vecadd.s, and not much more. Each page of the host's memory that a run touches first takes a microsecond or two.
func TestShortRunMakesLittle(t *testing.T) {
	made := func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if code := run(t.Context(), []string{vecadd, "-j", "2"}, io.Discard, io.Discard); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	made() // and what is made once
	n := made()
	if n > 26<<20 {
		t.Errorf("%d bytes were made", n)
	}
}
