// Two blocks of two warps: a call, shared memory and a barrier.
//sim:grid 2
//sim:block 64
//sim:arg out = zeros:64:u32
.func (.reg .u32 r) twice(.reg .u32 a)
{
	add.u32 r, a, a;
	ret;
}
.entry block(.param .u64 out)
{
	.shared .u32 buf[64];
	mov.u32 %r1, %tid.x;
	mov.u32 %r9, buf;
	mad.lo.u32 %r8, %r1, 4, %r9;
	call (%r2), twice, (%r1);
	st.shared.u32 [%r8], %r2;
	bar.sync 0;
	ld.shared.u32 %r3, [%r9+8];
	ld.param.u64 %rd1, [out];
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r3;
	ret;
}
