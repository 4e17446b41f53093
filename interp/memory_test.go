package interp_test

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

func TestStatePlaces(t *testing.T) {
	for name, k := range map[string]kerneltest.Kernel{
		"const with initialiser": {Source: `.const .u32 c[4] = {3, 5, 7};
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 3;
	mov.u64 %rd1, c;
	mad.wide.u32 %rd1, %r2, 4, %rd1;
	ld.const.u32 %r1, [%rd1];` + kerneltest.StoreR1},
		"bytes of a pointer in an initialiser": {Source: `.global .u32 c[4] = {3, 5, 7};
.global .align 1 .u8 p[9] = {9, 0xFF(generic(c)), 0xFF00(generic(c)), 0xFF0000(generic(c)), 0xFF000000(generic(c)), 0xFF00000000(generic(c)), 0xFF0000000000(generic(c)), 0xFF000000000000(generic(c)), 0xFF00000000000000(generic(c))};
` + kerneltest.Entry + `
	mov.u64 %rd2, 0;
	mov.u64 %rd4, p;
	mov.u32 %r2, 8;
BYTE:
	cvt.u64.u32 %rd3, %r2;
	add.u64 %rd3, %rd3, %rd4;
	ld.global.u8 %rd3, [%rd3];
	shl.b64 %rd2, %rd2, 8;
	or.b64 %rd2, %rd2, %rd3;
	sub.u32 %r2, %r2, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra BYTE;
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 3;
	mad.wide.u32 %rd1, %r2, 4, %rd2;
	ld.u32 %r1, [%rd1];` + kerneltest.StoreR1},
		"pointer in an initialiser": {Source: `.global .u32 c[4] = {3, 5, 7};
.global .u64 p = generic(c);
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 3;
	ld.global.u64 %rd1, [p];
	mad.wide.u32 %rd1, %r2, 4, %rd1;
	ld.u32 %r1, [%rd1];` + kerneltest.StoreR1},
		"shared through a generic address": {Source: kerneltest.Entry + `
	.shared .align 16 .b8 pad[16];
	.shared .u32 s[4];
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 3;
	mov.u64 %rd1, s;
	cvta.shared.u64 %rd1, %rd1;
	mad.wide.u32 %rd1, %r2, 4, %rd1;
	shl.b32 %r3, %r2, 1;
	add.u32 %r3, %r3, 3;
	setp.eq.u32 %p1, %r2, 3;
	selp.b32 %r3, 0, %r3, %p1;
	st.u32 [%rd1], %r3;
	atom.add.u32 %r4, [%rd1], 0;
	ld.u32 %r1, [%rd1];` + kerneltest.StoreR1},
		"local, the same address in every lane": {Source: kerneltest.Entry + `
	.local .align 8 .b8 depot[24];
	mov.u64 %rd1, depot;
	cvta.local.u64 %rd2, %rd1;
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 3;
	shl.b32 %r3, %r2, 1;
	add.u32 %r3, %r3, 3;
	setp.eq.u32 %p1, %r2, 3;
	selp.b32 %r3, 0, %r3, %p1;
	st.local.u32 [%rd1+20], %r3;
	ld.u32 %r1, [%rd2+20];` + kerneltest.StoreR1},
		"bytes and halves": {Source: kerneltest.Entry + `
	.shared .u32 s[32];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	setp.eq.u32 %p1, %r3, 3;
	selp.b32 %r4, 0, %r4, %p1;
	shl.b32 %r5, %r2, 2;
	mov.u32 %r6, s;
	add.u32 %r6, %r6, %r5;
	st.shared.u16 [%r6+2], %r4;
	ld.shared.u8 %rs1, [%r6+2];
	cvt.u32.u16 %r1, %rs1;` + kerneltest.StoreR1},
		"vectors": {Source: kerneltest.Entry + `
	.shared .align 16 .b8 s[512];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	setp.eq.u32 %p1, %r3, 3;
	selp.b32 %r4, 0, %r4, %p1;
	shl.b32 %r5, %r2, 4;
	mov.u32 %r6, s;
	add.u32 %r6, %r6, %r5;
	st.shared.v4.u32 [%r6], {1, 2, %r4, 4};
	ld.shared.v2.u32 {%r1, _}, [%r6+8];` + kerneltest.StoreR1},
		"32-bit addresses wrap": {Source: kerneltest.Entry + `
	.shared .u32 pad[8];
	.shared .u32 s[4];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	setp.eq.u32 %p1, %r3, 3;
	selp.b32 %r4, 0, %r4, %p1;
	shl.b32 %r5, %r3, 2;
	sub.u32 %r6, %r5, 64;
	st.shared.u32 [%r6+96], %r4;
	ld.shared.u32 %r1, [%r6+96];` + kerneltest.StoreR1},
		"constants beside wide registers in a vector": {Source: kerneltest.Entry + `
	.shared .align 16 .b8 s[512];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	cvt.u64.u32 %rd4, %r4;
	setp.eq.u32 %p1, %r3, 3;
	mov.u32 %r5, s;
	mad.lo.u32 %r5, %r2, 16, %r5;
	st.shared.v4.u32 [%r5], {%rd4, 0, 7, %rd4};
	@%p1 add.u32 %r5, %r5, 4;
	ld.shared.u32 %r1, [%r5];` + kerneltest.StoreR1},
		"a vector of bytes, with a sink": {Source: kerneltest.Entry + `
	.shared .align 4 .b8 s[128];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	setp.eq.u32 %p1, %r3, 3;
	selp.b32 %r4, 0, %r4, %p1;
	neg.s32 %r4, %r4;
	mov.u32 %r5, s;
	mad.lo.u32 %r5, %r2, 4, %r5;
	st.shared.v2.u8 [%r5], {9, %r4};
	ld.shared.v2.s8 {_, %r1}, [%r5];
	neg.s32 %r1, %r1;` + kerneltest.StoreR1},
		"dynamic shared arrays start together": {Shared: 128, Source: `.extern .shared .align 8 .b8 x[];
.extern .shared .u32 y[];
` + kerneltest.Entry + `
	.shared .u32 static[3];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	setp.eq.u32 %p1, %r3, 3;
	selp.b32 %r4, 0, %r4, %p1;
	shl.b32 %r5, %r2, 2;
	mov.u32 %r6, x;
	add.u32 %r6, %r6, %r5;
	st.shared.u32 [static], 1;
	st.shared.u32 [%r6], %r4;
	mov.u32 %r7, y;
	add.u32 %r7, %r7, %r5;
	ld.shared.u32 %r1, [%r7];` + kerneltest.StoreR1},
	} {
		t.Run(name, func(t *testing.T) {
			k.Words = []int{32}
			k.Want(t, func(lane int) uint32 { return []uint32{3, 5, 7, 0}[lane%4] })
		})
	}
}

func TestAtomics(t *testing.T) {
	for op, want := range map[string][2]uint32{ // the cell before and after 32 lanes with the operand 1 + lane
		"add.u32": {5, 5 + 32*33/2}, "min.u32": {5, 1}, "max.s32": {5, 32}, "or.b32": {0, 63}, "xor.b32": {0, 32},
		"and.b32": {7, 0}, "exch.b32": {0, 32},
	} {
		t.Run(op, func(t *testing.T) {
			kerneltest.Kernel{Source: kerneltest.Entry + fmt.Sprintf(`
	mov.u32 %%r2, %%laneid;
	add.u32 %%r2, %%r2, 1;
	ld.param.u64 %%rd1, [out];
	st.global.u32 [%%rd1], %d;
	atom.global.%s %%r3, [%%rd1], %%r2;
	ret;
}`, want[0], op), Words: []int{1}}.Want(t, func(int) uint32 { return want[1] })
		})
	}
	t.Run("inc wraps", func(t *testing.T) {
		kerneltest.Kernel{Source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	atom.global.inc.u32 %r3, [%rd1], 9;
	ret;
}`, Words: []int{1}}.Want(t, func(int) uint32 { return 2 }) // 32 counts through 0..9
	})
	t.Run("dec wraps", func(t *testing.T) {
		kerneltest.Kernel{Source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	atom.global.dec.u32 %r3, [%rd1], 9;
	ret;
}`, Words: []int{1}}.Want(t, func(int) uint32 { return 8 }) // 0, 9 .. 0, three times and 2 more
	})
	t.Run("cas returns the old value", func(t *testing.T) {
		kerneltest.Kernel{Source: kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	ld.param.u64 %rd1, [out];
	add.u32 %r4, %r2, 1;
	atom.global.cas.b32 %r3, [%rd1+128], %r2, %r4;
	setp.eq.u32 %p1, %r3, %r2;   // each lane found its own number in turn
	selp.b32 %r1, 1, 0, %p1;` + kerneltest.StoreR1, Words: []int{33}}.Want(t, func(i int) uint32 {
			if i == 32 {
				return 32
			}
			return 1
		})
	})
}

// TestGenericNames: in an access that names no space a variable's name means its generic address, in every space.
func TestGenericNames(t *testing.T) {
	kerneltest.Kernel{Words: []int{32}, Source: `.shared .b64 bar;
` + kerneltest.Entry + `
	.shared .b32 s[4];
	.local .b32 l[4];
	mov.u32 %r2, %laneid;
	setp.eq.u32 %p1, %r2, 0;
	st.u32 [l+4], %r2;
	ld.local.u32 %r3, [l+4];
	@%p1 st.u32 [s+8], 1000;
	bar.sync 0;
	ld.shared.u32 %r4, [s+8];
	add.u32 %r1, %r3, %r4;
	atom.max.u32 %r5, [s+8], 500;
	add.u32 %r1, %r1, %r5;
	ld.u64 %rd1, [out];
	ld.param.u64 %rd2, [out];
	setp.ne.u64 %p2, %rd1, %rd2;
	@%p2 mov.u32 %r1, 0;
	@%p1 mbarrier.init.b64 [bar], 32;
	bar.sync 0;
	mbarrier.arrive.b64 %rd3, [bar];` + kerneltest.StoreR1}.Want(t, func(i int) uint32 { return uint32(2000 + i) })
}
