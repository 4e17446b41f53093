package interp_test

import (
	"context"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestSharedSlots runs code in which a register looks like a copy of a value that never changes, or like one that is
// not needed any more, and is not. The expected results are worked out by hand; registers that can be inspected have
// their own slots, and must give the same results.
func TestSharedSlots(t *testing.T) {
	const functions = `
.func (.reg .u32 %res) seven() {
	mov.u32 %res, 7;
	ret;
}
.func (.reg .u32 %res) same(.reg .u32 %a) {
	add.u32 %res, %a, 0;
	ret;
}
`
	for _, c := range []struct {
		name, src string
		want      func(lane int) uint32
	}{
		{"a chain of copies", `
	mov.u32 %r2, %laneid;
	mov.b32 %r3, %r2;
	mov.u32 %r4, 5;
	add.u32 %r1, %r3, %r4;`, func(lane int) uint32 { return uint32(lane) + 5 }},
		{"a copy that only some lanes make", `
	mov.u32 %r2, %laneid;
	mov.u32 %r1, 7;
	setp.lt.u32 %p1, %r2, 8;
	@%p1 mov.u32 %r1, %r2;`, func(lane int) uint32 { return pick(lane < 8, uint32(lane), 7) }},
		{"a register of which only some lanes have a copy, the others 0", `
	mov.u32 %r2, %laneid;
	setp.lt.u32 %p1, %r2, 8;
	@!%p1 bra SKIP;
	mov.u32 %r1, 9;
SKIP:`, func(lane int) uint32 { return pick(lane < 8, 9, 0) }},
		{"a register that is read before it becomes a copy", `
	mov.u32 %r5, 0;
LOOP:
	add.u32 %r1, %r3, %r5;
	mov.u32 %r3, 40;
	add.u32 %r5, %r5, 1;
	setp.lt.u32 %p1, %r5, 3;
	@%p1 bra LOOP;`, func(int) uint32 { return 42 }},
		{"a copy of what changes", `
	mov.u32 %r2, %laneid;
	add.u32 %r3, %r2, 1;
	mov.u32 %r4, %r3;
	add.u32 %r3, %r3, 10;
	add.u32 %r1, %r4, %r3;`, func(lane int) uint32 { return uint32(2*lane + 12) }},
		{"a copy set in two places", `
	mov.u32 %r2, %laneid;
	setp.lt.u32 %p1, %r2, 16;
	@%p1 bra LOW;
	mov.u32 %r1, 1;
	bra JOIN;
LOW:
	mov.u32 %r1, 2;
JOIN:`, func(lane int) uint32 { return pick(lane < 16, 2, 1) }},
		{"a copy behind its use in the text", `
	mov.u32 %r2, %laneid;
	bra SET;
USE:
	add.u32 %r1, %r3, %r2;
	bra END;
SET:
	mov.u32 %r3, 100;
	bra USE;
END:`, func(lane int) uint32 { return uint32(lane) + 100 }},
		{"a vector that has a copy's register", `
	mov.u32 %r3, 3;
	mov.b64 %rd3, {%r3, %r3};
	mov.b64 {%r4, %r5}, %rd3;
	add.u32 %r1, %r4, %r5;`, func(int) uint32 { return 6 }},
		{"a result, and a register that a call sets too", `
	mov.u32 %r5, 3;
	mov.u32 %r2, %r5;
	call (%r5), seven, ();
	add.u32 %r1, %r5, %r2;`, func(int) uint32 { return 10 }},
		{"what was there before shows where only some lanes write", `
	mov.u32 %r2, %laneid;
	add.u32 %r6, %r2, 50;
	add.u32 %r7, %r6, 1;
	setp.lt.u32 %p1, %r7, 59;
	@%p1 add.u32 %r8, %r2, 1;
	add.u32 %r1, %r8, 3;`, func(lane int) uint32 { return pick(lane < 8, uint32(lane)+4, 3) }},
		{"an argument that nothing else reads", `
	mov.u32 %r2, %laneid;
	add.u32 %r5, %r2, 1;
	add.u32 %r6, %r2, 100;
	call (%r7), same, (%r5);
	add.u32 %r8, %r6, 1000;
	add.u32 %r1, %r8, %r7;`, func(lane int) uint32 { return uint32(2*lane + 1101) }},
		{"a register that is set again for a later part of the code", `
	mov.u32 %r2, %laneid;
	add.u32 %r5, %r2, 1;
	setp.lt.u32 %p1, %r5, 9;
	@%p1 bra LOW;
	add.u32 %r6, %r5, 100;
	add.u32 %r7, %r6, %r5;
	mov.u32 %r1, %r7;
	bra JOIN;
LOW:
	add.u32 %r8, %r2, 7;
	add.u32 %r1, %r8, %r5;
JOIN:`, func(lane int) uint32 { return pick(lane < 8, uint32(2*lane+8), uint32(2*lane+102)) }},
		{"a register that a load sets too", `
	mov.u32 %r1, 3;
	ld.param.u64 %rd3, [out];
	st.global.u32 [%rd3+252], %r1;
	ld.global.u32 %r1, [%rd3+252];
	add.u32 %r1, %r1, 1;`, func(int) uint32 { return 4 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.Kernel{Source: functions + kerneltest.Entry + c.src + kerneltest.StoreR1, Words: []int{64}, Grid: kerneltest.Dim(2, 1)}
			k.Want(t, func(i int) uint32 { return c.want(i % 32) })
			k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
				l.Precise = true
				return functional.Run(context.Background(), m, l)
			}
			k.Want(t, func(i int) uint32 { return c.want(i % 32) })
		})
	}
}
