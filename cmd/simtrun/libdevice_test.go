package main

import (
	_ "embed"
	"strings"
	"testing"
)

//go:embed testdata/kernels/calls_pow.s
var callsPow string

// TestLibdeviceCallersRunUnmodified checks that a file that calls libdevice runs unmodified, with and without a clock,
// and checks the flags and the errors.
func TestLibdeviceCallersRunUnmodified(t *testing.T) {
	for _, c := range []struct {
		source string
		args   []string
		code   int
		want   string
	}{
		{callsPow, []string{"FILE"}, 0, "ok "},
		{callsPow, []string{"FILE", "--functional"}, 0, "ok "},
		{callsPow, []string{"profile", "FILE"}, 0, "ok "},
		{callsPow, []string{"debug", "FILE", "--batch", "-e", "step 20"}, 0, ""},
		{callsPow, []string{"FILE", "--no-libdevice"}, 3, ":4:31: __nv_powf is declared but not defined in any module, and --no-libdevice leaves it undefined"},
		{callsPow, []string{"FILE", "--no-libdevice=false"}, 0, "ok "},
		{"//sim:no-libdevice\n" + callsPow, []string{"FILE"}, 3, "a header may not leave libdevice out; that is for scripts and flags"},
		{strings.ReplaceAll(callsPow, "__nv_powf", "__nv_pow"), []string{"FILE"}, 3, "__nv_pow: parameter 1 is declared with 4 bytes; libdevice has double __nv_pow(double, double)"},
		{strings.ReplaceAll(callsPow, "__nv_powf", "__nv_powff"), []string{"FILE"}, 3, "__nv_powff is not defined, and libdevice has no such function; did you mean __nv_powf?"},
	} {
		got := simtrun(t, c.source, c.args...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d\n%s%swant %s", c.args, got.code, c.code, got.stdout, got.stderr, c.want)
		}
	}
}
