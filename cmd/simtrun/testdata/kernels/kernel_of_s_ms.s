//sim:arg out = zeros:64:u32
//sim:dump out:u32:1
.entry k(.param .u64 out)
{
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %nsmid;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %nctaid.x;
	mul.wide.u32 %rd2, %r2, 4;
	mul.wide.u32 %rd3, %r3, 4;
	add.u64 %rd2, %rd2, %rd1;
	add.u64 %rd3, %rd3, %rd1;
	st.volatile.global.u32 [%rd2], %r1;
WAIT:
	ld.volatile.global.u32 %r4, [%rd3+-4];
	setp.eq.u32 %p1, %r4, 0;
	@%p1 bra WAIT;
	ret;
}
