package main

import (
	"strings"
	"testing"
)

const callsPow = `//sim:block 1
//sim:arg out = zeros:1:f32
//sim:expect out[0] == 9
.extern .func (.param .b32 r) __nv_powf(.param .b32 x, .param .b32 y);
.entry k(.param .u64 out)
{
	.param .b32 a, b, r;
	st.param.f32 [a], 3.0;
	st.param.f32 [b], 2.0;
	call (r), __nv_powf, (a, b);
	ld.param.f32 %f1, [r];
	ld.param.u64 %rd1, [out];
	st.global.f32 [%rd1], %f1;
	ret;
}
`

// TestLibdevice checks that a file that calls libdevice runs unmodified, with and without a clock, and checks the
// flags and the errors.
func TestLibdevice(t *testing.T) {
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
