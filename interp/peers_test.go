package interp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

func pick(first bool, a, b uint32) uint32 {
	if first {
		return a
	}
	return b
}

// TestDivisionByZeroIsFound: it has a result, and a warning that names the lanes.
func TestDivisionByZeroIsFound(t *testing.T) {
	for _, c := range []struct{ typ, r string }{{"u32", "%r"}, {"s64", "%rd"}, {"u16", "%rs"}} {
		src := fmt.Sprintf("%s\tcvt.%s.u32 %s1, %%laneid;\n\tand.b%s %s2, %s1, 3;\n\tmov.b%s %s3, 7;\n\trem.%s %s4, %s1, %s3;\n\tdiv.%s %s4, %s1, %s2;\n\tret;\n}",
			kerneltest.Entry, c.typ, c.r, c.typ[1:], c.r, c.r, c.typ[1:], c.r, c.typ, c.r, c.r, c.r, c.typ, c.r, c.r, c.r)
		_, stats, err := kerneltest.Kernel{Grid: kerneltest.Dim(3, 1), Source: src, Words: []int{1}}.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		if len(stats.Warnings) != 1 {
			t.Fatalf("%s: %d warnings, want one", c.typ, len(stats.Warnings))
		}
		w := stats.Warnings[0]
		if w.Rule != "div-zero" || w.Place.Code.Line != 7 || w.Count != 3 || !strings.Contains(w.Details()[0], "(11111111)") {
			t.Errorf("%s: %+v", c.typ, w)
		}
	}
}

// TestFaultOfLanesIsOneReport: 16 lanes read past the end; it is one report with all of them,
// nothing is read, and what follows is not executed.
func TestFaultOfLanesIsOneReport(t *testing.T) {
	out, _, err := kerneltest.Kernel{Words: []int{16}, Source: kerneltest.Source(t, "testdata/kernels/peers.txt", "one report")}.Run(t)
	var fault *interp.Fault
	if !errors.As(err, &fault) || !errors.Is(err, memory.ErrBounds) || fault.Where.Lanes != 0xffff0000 || strings.Count(err.Error(), "error:") != 1 {
		t.Errorf("got %v", err)
	}
	if out[0][0] != 0 {
		t.Error("the store behind the fault was executed")
	}
}

// TestDifferentBarrierCountsFault: they are an error, in either order of arrival.
func TestDifferentBarrierCountsFault(t *testing.T) {
	_, _, err := kerneltest.Kernel{Block: kerneltest.Dim(96, 1), Words: []int{1}, Source: kerneltest.Source(t, "testdata/kernels/peers.txt", "barrier counts that differ")}.Run(t)
	if err == nil || !strings.Contains(err.Error(), "[sync-mismatch]") {
		t.Errorf("got %v, want a mismatch", err)
	}
}
