package profile_test

import (
	"fmt"
	"testing"
)

// TestConflictsBelongToArrays stores a column of one array, with 32 words a row, and a row of another one.
func TestConflictsBelongToArrays(t *testing.T) {
	p := kernel{src: `.entry k() {
		.shared .align 4 .b8 before[64];
		.shared .align 4 .b8 column[4096];
		.shared .align 4 .b8 row[128];
		mov.u32 %r0, %tid.x;
		mov.u32 %r1, column;
		mad.lo.u32 %r2, %r0, 128, %r1;
		st.shared.u32 [%r2], %r0;
		mov.u32 %r3, row;
		mad.lo.u32 %r4, %r0, 4, %r3;
		st.shared.u32 [%r4], %r0;
		ld.shared.u32 %r5, [%r4];
		ret;
	}`}.profile(t)
	got := ""
	for _, a := range p.Arrays {
		got += fmt.Sprintf("%s %d requests %d/%d worst %d\n", a.Name, a.Requests, a.Wavefronts, a.IdealWavefronts, a.WorstConflict)
	}
	if want := "column 1 requests 32/1 worst 32\nrow 2 requests 2/2 worst 1\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
