package profile_test

import (
	"fmt"
	"testing"
)

// TestSectorsBelongToBuffers loads a column of x, with 128 bytes a row, and stores a row to y and to a variable.
func TestSectorsBelongToBuffers(t *testing.T) {
	p := kernel{src: `.global .align 4 .b8 table[4096];
	.entry k() {
		.reg .b64 %rd<5>;
		mov.u32 %r0, %tid.x;
		mul.wide.u32 %rd1, %r0, 128;
		mov.u64 %rd2, table;
		add.u64 %rd1, %rd1, %rd2;
		ld.global.u32 %r1, [%rd1];
		ld.global.u32 %r1, [%rd1];
		mul.wide.u32 %rd3, %r0, 4;
		mov.u64 %rd2, row;
		add.u64 %rd3, %rd3, %rd2;
		st.global.u32 [%rd3], %r1;
		ret;
	}
	.global .align 4 .b8 unused[4];
	.global .align 128 .b8 row[128];`}.profile(t)
	got := ""
	for _, b := range p.Buffers {
		got += fmt.Sprintf("%s %d requests %d/%d\n", b.Name, b.Requests, b.Sectors, b.IdealSectors)
	}
	if want := "table 2 requests 64/8\nrow 1 requests 4/4\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
