
.global .u32 total;
.entry add(.param .u64 x, .param .u32 by)
{
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd1, %r1, 4;
	ld.param.u64 %rd2, [x];
	add.u64 %rd3, %rd2, %rd1;
	ld.param.u32 %r2, [by];
	ld.global.u32 %r3, [%rd3];
	add.u32 %r3, %r3, %r2;
	st.global.u32 [%rd3], %r3;
	ld.global.u32 %r4, [total];
	add.u32 %r4, %r4, 1;
	st.global.u32 [total], %r4;
	ret;
}
