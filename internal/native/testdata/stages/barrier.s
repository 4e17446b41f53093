// A step of a reduction in shared memory, by neighbours 1 apart after a barrier, and a shuffle.
.entry barrier(.param .u64 x)
{
	.shared .u32 s[128];
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, s;
	mad.lo.u32 %r3, %r1, 4, %r2;
	st.shared.u32 [%r3], %r1;
	bar.sync 0;
	xor.b32 %r4, %r1, 1;
	mad.lo.u32 %r5, %r4, 4, %r2;
	ld.shared.u32 %r6, [%r5];
	add.u32 %r7, %r6, %r1;
	shfl.sync.bfly.b32 %r8, %r7, 2, 31, -1;
	add.u32 %r7, %r7, %r8;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	st.global.u32 [%rd2], %r7;
	ret;
}
