package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestMoveOf128Bits: a constant becomes the low half and the high half is 0. A guarded copy copies both halves in the
// lanes for which the guard holds.
func TestMoveOf128Bits(t *testing.T) {
	const source = kerneltest.Entry + `
	.reg .b128 %q<3>;
	mov.u32 %r2, %laneid;
	mov.b128 %q0, 0x700000029; // the low half
	cvt.u64.u32 %rd1, %r2;
	add.u64 %rd2, %rd1, 100;
	mov.b128 %q1, {%rd1, %rd2};
	and.b32 %r3, %r2, 1;
	setp.eq.u32 %p1, %r3, 0;
	@%p1 mov.b128 %q0, %q1;
	mov.b128 {%rd3, %rd4}, %q0;
	mad.lo.u64 %rd3, %rd4, 1000, %rd3;
	mov.b64 {%r1, %r4}, %rd3;
	mad.lo.u32 %r1, %r4, 10000000, %r1;` + kerneltest.StoreR1
	kerneltest.Kernel{Source: source, Words: []int{32}}.Want(t, func(lane int) uint32 {
		if lane%2 == 0 {
			return uint32(lane + 1000*(lane+100))
		}
		return 0x29 + 7*10000000
	})
}
