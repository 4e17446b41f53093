.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .align 1 .b8 format[8] = {99, 116, 97, 32, 37, 100, 10, 0};
.entry talk()
{
	.local .align 8 .b8 values[8];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra done;
	mov.u64 %rd1, values;
	cvta.local.u64 %rd2, %rd1;
	st.local.u32 [%rd1], %r1;
	mov.u64 %rd3, format;
	cvta.global.u64 %rd4, %rd3;
	{
		.param .b64 a;
		.param .b64 b;
		.param .b32 r;
		st.param.b64 [a], %rd4;
		st.param.b64 [b], %rd2;
		call.uni (r), vprintf, (a, b);
	}
done:
	ret;
}
