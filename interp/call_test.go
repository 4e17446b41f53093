package interp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// TestCallsLeaveExpectedValues: the kernels of testdata/calls.txt leave what they should, in both orders of the paths.
func TestCallsLeaveExpectedValues(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/calls.txt", "want") {
		want := wantedWords(t, &c)
		if len(want) != 32 {
			t.Fatalf("%s: %d words, want one for each lane", c.Name, len(want))
		}
		for _, order := range []divergence.Order{divergence.Taken, divergence.FallThrough} {
			t.Run(c.Name+" "+order.String(), func(t *testing.T) {
				kerneltest.Kernel{Source: c.Body, Grid: kerneltest.Dim(2, 1), Words: []int{64}, Config: interp.Config{PathOrder: order}}.Want(t, func(i int) uint32 {
					return want[i%32]
				})
			})
		}
	}
}

// A loop of calls allocates nothing once its frames exist.
func TestCallsDoNotAllocate(t *testing.T) {
	if jit.Verifies() {
		t.Skip("a comparison of compiled code with lane functions allocates memory")
	}
	src := kerneltest.Source(t, "testdata/kernels/call.txt", "calls do not allocate")
	fib := func(n int) uint32 {
		a, b := uint32(0), uint32(1)
		for range n {
			a, b = b, a+b
		}
		return a
	}
	stats := kerneltest.Kernel{Source: src, Words: []int{32}}.Want(t, func(i int) uint32 { return fib(i / 2) })
	allocs := testing.AllocsPerRun(1, func() {
		if _, _, err := (kerneltest.Kernel{Source: src, Words: []int{32}}).Run(t); err != nil {
			t.Fatal(err)
		}
	})
	if stats.WarpInstrs < 20000 || allocs > 3000 {
		t.Errorf("%d instructions with %v allocations", stats.WarpInstrs, allocs)
	}
}

func TestWrongCallsFault(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"endless recursion": {kerneltest.Source(t, "testdata/kernels/call.txt", "endless recursion"), "call stack overflow: 16385 calls are open"},
		"not a function":    {kerneltest.Source(t, "testdata/kernels/call.txt", "not a function"), "0x4d is not the address of a function"},
		"an extern that is called": {`
.extern .func nowhere ();
` + kerneltest.Entry + `
	call nowhere;
	ret;
}`, "nowhere is declared but not defined in any module"},
		"assertion":                        {kerneltest.Source(t, "testdata/kernels/call.txt", "assertion"), "assertion `x!` failed at x!:42 in x! [assert]"},
		"free of what malloc did not give": {kerneltest.Source(t, "testdata/kernels/call.txt", "free of what malloc did not give"), "free of 0x1000"},
	} {
		_, _, err := kerneltest.Kernel{Source: c.src, Words: []int{1}}.Run(t)
		var fault *interp.Fault
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestBranchFollowsIndex(t *testing.T) {
	src := kerneltest.Source(t, "testdata/kernels/call.txt", "branch by index")
	for _, order := range []divergence.Order{divergence.Taken, divergence.FallThrough, divergence.Majority} {
		stats := kerneltest.Kernel{Source: src, Words: []int{32}, Config: interp.Config{PathOrder: order}}.Want(t, func(lane int) uint32 {
			return []uint32{11, 10, 11, 100}[lane%4]
		})
		if stats.DivergentBranches != 1 {
			t.Errorf("%d divergent branches", stats.DivergentBranches)
		}
	}
	_, _, err := kerneltest.Kernel{Source: strings.Replace(src, ", 3;", ", 7;", 1), Words: []int{32}}.Run(t)
	if want := "index 4, but the list has 4 targets [branch-target]"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
