//sim:block 32
//sim:arg x = zeros:1024:u32
.entry k(.param .u64 x)
{
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 128;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r1;
	call far, (%rd1);
	ret;
}
