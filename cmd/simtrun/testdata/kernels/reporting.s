//sim:arg out = zeros:8448:u64
//sim:dump out
.entry k(.param .u64 out)
{
	mov.u64 %rd1, %clock64;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %smid;
	mov.u32 %r3, 40;
	mov.u32 %r4, %tid.x;
WAIT:
	sub.u32 %r3, %r3, 1;
	setp.ne.u32 %p1, %r3, 0;
	@%p1 bra WAIT;
	bar.sync 0;
	setp.ne.u32 %p2, %r4, 0;
	@%p2 bra DONE;
	ld.param.u64 %rd2, [out];
	mad.wide.u32 %rd3, %r1, 32, %rd2;
	mov.u64 %rd4, %clock64;
	cvt.u64.u32 %rd5, %r2;
	st.global.u64 [%rd3], %rd1;
	st.global.u64 [%rd3+8], %rd4;
	st.global.u64 [%rd3+16], %rd5;
DONE:
	ret;
}
