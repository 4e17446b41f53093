package sm_test

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// TestPartialWarpsJoinIterations: lanes that have gone to the end of a kernel do not keep the others from issuing
// joined iterations of a loop: loads of four iterations wait for device memory together.
func TestPartialWarpsJoinIterations(t *testing.T) {
	cycles := func(lanes int) int64 {
		timing, _ := timed(t, preset(t, "h100"), 1, 32, 32*1024, kerneltest.Source(t, "testdata/kernels/region.txt", "partial warps join iterations", "$lanes", fmt.Sprint(lanes)), sm.Options{})
		return timing.Cycles
	}
	all, half := cycles(32), cycles(16)
	if half > all+100 || half < all/2 {
		t.Errorf("a loop of 16 lanes takes %d cycles, one of 32 %d", half, all)
	}
}

// TestCodeLoadsWhatWasStored: loads that code executes ahead have the values that the SM has stored since the latest
// exchange, and take the same time as by lane functions.
func TestCodeLoadsWhatWasStored(t *testing.T) {
	const ctas, block = 3, 64
	r := racing{ctas: ctas, block: block, words: ctas * block, unobserved: true, cfg: interp.Config{GPU: few(t, "h100", 2)},
		source: kerneltest.Source(t, "testdata/kernels/region.txt", "loads of what was just stored")}
	r.sameAsEveryCycle(t)
	r.cfg.Compile = interp.CompileAlways
	for i, got := range r.run(t, 0, 1).Memory {
		cta, lane := uint32(i/block), uint32(i%block)
		word, other := uint32(i), (cta*block+(lane^21))*3+5
		for n := range uint32(6) {
			word = (word+1)*(other^n) + n
			word = (word - (other + 9)) ^ 77
		}
		if got != word {
			t.Errorf("thread %d leaves %#x, want %#x", i, got, word)
		}
	}
}

// TestCodeLoadsGenerically: generic loads of shared memory that code executes ahead have the values, places and times
// that they have by lane functions, also if they were of global memory before, where stores wait.
func TestCodeLoadsGenerically(t *testing.T) {
	const ctas, block = 3, 64
	r := racing{ctas: ctas, block: block, words: ctas * block, unobserved: true, cfg: interp.Config{GPU: few(t, "h100", 2)},
		source: kerneltest.Source(t, "testdata/kernels/region.txt", "generic loads of both memories")}
	r.sameAsEveryCycle(t)
	r.cfg.Compile = interp.CompileAlways
	for i, got := range r.run(t, 0, 1).Memory {
		word := uint32(i)
		for n := range uint32(8) {
			from := word
			if n%2 == 1 {
				from = uint32(i)*3 + 5
			}
			word = (from+9)*77 + n
		}
		if got != word {
			t.Errorf("thread %d leaves %#x, want %#x", i, got, word)
		}
	}
}
