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

// TestShortRunCollectsNothing checks that a short run does not collect garbage, because that would take longer than
// leaving it. Garbage from before main may be collected.
func TestShortRunCollectsNothing(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], vecadd)
	cmd.Env = append(os.Environ(), asCommand+"=1", "GOGC=", "GODEBUG=gctrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "expect  3 passed") || strings.Contains(string(out), "gc 2 @") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestShortRunAllocatesLittle checks that a run with a clock allocates little more than the registers of its warps, 11
// MB for programs/vecadd.s, and what these have done to memory before their machine instructions are issued. The first
// touch of each page of host memory takes a microsecond or two.
func TestShortRunAllocatesLittle(t *testing.T) {
	made := func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if code := run(t.Context(), []string{vecadd, "-j", "2"}, io.Discard, io.Discard); code != 0 {
			t.Fatalf("exit status %d", code)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	made() // and what is allocated only once
	n := made()
	if n > 30<<20 {
		t.Errorf("%d bytes were made", n)
	}
}
