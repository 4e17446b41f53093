package interp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestFaultInHeaderHasLineOfItsCall: a fault in a function of a header or of libdevice that is called is in the line of
// the user's with the call; one in a function of the user's is in its own line.
func TestFaultInHeaderHasLineOfItsCall(t *testing.T) {
	for _, c := range []struct{ line, call, want string }{
		{"3", "call put, (%rd1);", "/src/k.cu:3:5"},
		{"4", "call own, (%rd1);", "/src/k.cu:9:3"},
		{"5", "call __nv_sincospif, (x, s, c);", "/src/k.cu:5:5"},
	} {
		source := strings.NewReplacer("LINE", c.line, "CALL", c.call).Replace(kerneltest.Source(t, "testdata/kernels/foreign_place.txt", "header calls"))
		k := kerneltest.Kernel{Source: source, Block: kerneltest.Dim(32, 1), Words: []int{1}}
		_, _, err := k.Run(t)
		f, ok := errors.AsType[*interp.Fault](err)
		if !ok {
			t.Errorf("%s: %v", c.call, err)
			continue
		}
		if got := f.Place.String(); got != c.want {
			t.Errorf("%s: the fault is at %s, want %s", c.call, got, c.want)
		}
	}
}
