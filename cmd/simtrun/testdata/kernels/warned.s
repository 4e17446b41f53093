//sim:block 64
//sim:arg out = zeros:1:u32
.entry k(.param .u64 out)
{
	.shared .u32 s;
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 st.shared.u32 [s], 7;
	setp.eq.u32 %p1, %r1, 32;
	@!%p1 ret;
	ld.shared.u32 %r2, [s];
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], %r2;
	ret;
}
