package debugger

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
)

// TestLongRegistersAreShownInFull checks that 128-bit registers are shown in full, and cannot be set.
func TestLongRegistersAreShownInFull(t *testing.T) {
	b := newBench(t, `.entry k(.param .u64 out)
{
	.reg .b128 %q<3>;
	mov.u32 %r1, %tid.x;
	cvt.u64.u32 %rd1, %r1;
	mov.b128 %q1, {3, 0x8000000000000001};
	mov.b128 %q2, {%rd1, %rd1};
	ld.param.u64 %rd2, [out];
	st.global.b128 [%rd2], %q2;
	ret;
}
`, 32, divergence.IndependentThreads)
	for _, c := range [][2]string{
		{"b k.s:9", "break 1"},
		{"run", "=> 9"},
		{"print %q1", "%q1 b128   all: 0x80000000000000010000000000000003"},
		{"print %q2", "0x00000000000000000000000000000000"},
		{"print %q2", "0x000000000000001f000000000000001f"},
		{"set %q1 = 5", "%q1 has 128 bits, which no value has; set the registers that are packed into it"},
	} {
		if got := b.do(c[0]); !strings.Contains(got, c[1]) {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}
