package interp_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestWarpgroupWaitsForAllWarps: a wait is over when all four warps have computed their rows.
func TestWarpgroupWaitsForAllWarps(t *testing.T) {
	for name, driver := range map[string]func(*interp.Machine, interp.Launch) (interp.Stats, error){"functional": nil, "timed": withClock} {
		out, _, err := kerneltest.Kernel{Source: strings.ReplaceAll(kerneltest.Source(t, "testdata/kernels/warpgroup.txt", "late warp"), "%LATE%", ""), Block: isa.Dim{X: 128, Y: 1, Z: 1}, Words: []int{128}, Driver: driver}.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range out[0] {
			if got != 16 {
				t.Fatalf("%s: thread %d has %d, want 16", name, i, got)
			}
		}
	}
}

// TestWarpgroupHangNamesMissingWarps: a warp that waits for others which never come says for which.
func TestWarpgroupHangNamesMissingWarps(t *testing.T) {
	_, _, err := kerneltest.Kernel{Source: strings.ReplaceAll(kerneltest.Source(t, "testdata/kernels/warpgroup.txt", "late warp"), "%LATE%", "bar.sync 1, 64;"), Block: isa.Dim{X: 128, Y: 1, Z: 1}, Words: []int{128}}.Run(t)
	hang, ok := errors.AsType[*interp.Hang](err)
	if !ok {
		t.Fatalf("got %v, want a hang", err)
	}
	const want = "for products of the warpgroup, which warp 3 has yet to execute"
	if !slices.ContainsFunc(hang.Involved, func(i interp.Involved) bool { return i.For == want }) {
		t.Errorf("got %+v, want lanes that wait %s", hang.Involved, want)
	}
}
