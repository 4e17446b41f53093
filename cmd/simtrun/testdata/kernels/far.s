.visible .func far(.param .u64 p)
{
	ld.param.u64 %rd1, [p];
	ld.global.u32 %r1, [%rd1];
	mov.u32 %r3, %tid.x;
	setp.lt.u32 %p1, %r3, 7;
	@%p1 bra L;
	add.u32 %r1, %r1, 1;
L:
	st.global.u32 [%rd1], %r1;
	ret;
}
