// Lanes with odd values of data take another side; then all meet again in a loop whose count is uniform.
.entry diverge(.param .u64 x, .param .u32 n)
{
	ld.param.u64 %rd1, [x];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mad.wide.u32 %rd2, %r2, 4, %rd1;
	mov.u32 %r3, 0;
LOOP:
	ld.global.u32 %r4, [%rd2];
	and.b32 %r5, %r4, 1;
	setp.eq.u32 %p1, %r5, 0;
	@%p1 bra EVEN;
	mad.lo.u32 %r4, %r4, 3, 1;
	bra NEXT;
EVEN:
	shr.u32 %r4, %r4, 1;
NEXT:
	st.global.u32 [%rd2], %r4;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p2, %r3, %r1;
	@%p2 bra LOOP;
	ret;
}
