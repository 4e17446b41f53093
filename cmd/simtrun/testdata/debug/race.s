// Threads read what their neighbours in another warp write, without a barrier in between.
//sim:block 64
//sim:arg out = zeros:64:u32
.entry race(.param .u64 out)
{
	.shared .u32 box[64];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, box;
	mad.lo.u32 %r3, %r1, 4, %r2;
	st.shared.u32 [%r3], %r1;
	xor.b32 %r4, %r1, 32;
	mad.lo.u32 %r5, %r4, 4, %r2;
	ld.shared.u32 %r6, [%r5];
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	st.global.u32 [%rd2], %r6;
	ret;
}
