package cuda

import (
	"fmt"
	"testing"
)

// TestLimitRegisters checks that -maxrregcount applies to kernels without launch bounds, and to nothing else.
func TestLimitRegisters(t *testing.T) {
	const ptx = `.visible .entry _Z1aPi(
	.param .u64 .ptr .align 1 _Z1aPi_param_0
)
%s{
}
.weak .entry b()
%s{
}
.entry c(
	.param .u32 c_param_0
)
.maxntid 256, 1, 1
.minnctapersm 2
{
}
.visible .func (.param .b32 func_retval0) f(
	.param .b32 f_param_0
)
{
}
`
	for value, directive := range map[string]string{"0": "", "64": ".maxnreg 64\n"} {
		o, err := Parse([]string{"-maxrregcount=" + value, "a.cu"})
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(ptx, directive, directive)
		if got := string(limitRegisters(fmt.Appendf(nil, ptx, "", ""), o.MaxRegisters)); got != want {
			t.Errorf("%s: is\n%s\nnot\n%s", value, got, want)
		}
	}
	if _, err := Parse([]string{"--maxrregcount", "many"}); err == nil || err.Error() != "--maxrregcount many: expected a number of registers" {
		t.Error(err)
	}
}
