//sim:grid 2
//sim:block 32
//sim:arg out = zeros:64:u32
.extern .func (.param .b32 done) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 text[10] = {98, 108, 111, 99, 107, 32, 37, 117, 10, 0};
.entry prints(.param .u64 out)
{
	.local .u32 number;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	mov.u32 %r2, %ctaid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd2, %rd1, %rd2;
	st.global.u32 [%rd2], %r2;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra DONE;
	st.local.u32 [number], %r2;
	{
		.param .b64 format;
		.param .b64 values;
		.param .b32 done;
		mov.u64 %rd3, text;
		cvta.global.u64 %rd3, %rd3;
		mov.u64 %rd4, number;
		cvta.local.u64 %rd4, %rd4;
		st.param.b64 [format], %rd3;
		st.param.b64 [values], %rd4;
		call (done), vprintf, (format, values);
	}
DONE:
	st.global.u32 [%rd2+128], %r2;
	ret;
}
