package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/interp"
)

// TestLaunchErrorsNameKernelsOfTheSource: a refused launch has the kernel's name in CUDA C++.
func TestLaunchErrorsNameKernelsOfTheSource(t *testing.T) {
	err := &interp.LaunchError{Kernel: "_Z5scaleIfEvPT_S0_i", Msg: "block 2048x1x1: 2048 threads, at most 1024"}
	if got, want := err.Error(), "scale<float>: block 2048x1x1: 2048 threads, at most 1024"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
