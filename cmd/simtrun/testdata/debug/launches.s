// The second of two launches stores past the end of x, in lanes 8 to 31.
//sim:buffer x = zeros:8:u32
//sim:launch fill args=x,8
//sim:launch fill args=x,32
.entry fill(.param .u64 p, .param .u32 n)
{
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r2, [n];
	mov.u32 %r1, %laneid;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	setp.lt.u32 %p1, %r1, %r2;
	@%p1 st.global.u32 [%rd1], %r1;
	ret;
}
