package interp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestStackOverflowFaults: an allocation beyond a thread's local memory is an error.
func TestStackOverflowFaults(t *testing.T) {
	for _, bytes := range []string{"0x1000000", "-1"} {
		_, _, err := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/stack.txt", "stack overflow", "$bytes", bytes), Words: []int{32}}.Run(t)
		var fault *interp.Fault
		if !errors.As(err, &fault) || fault.Rule != interp.RuleCallDepth || !strings.Contains(err.Error(), "stack overflow") {
			t.Errorf("%s bytes: %v", bytes, err)
		}
	}
}
