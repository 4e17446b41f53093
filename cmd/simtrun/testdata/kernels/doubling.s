//sim:grid 2
//sim:block 32
//sim:arg x = iota:64:u32
//sim:arg n = 40
.target sm_80
.global .u32 calls;
.entry twice(.param .u64 x, .param .u32 n)
{
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r3, %r1, 32, %r2;
	ld.param.u32 %r4, [n];
	setp.ge.u32 %p1, %r3, %r4;
	@%p1 bra END;
	ld.param.u64 %rd1, [x];
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r5, [%rd1];
	shl.b32 %r5, %r5, 1;
	st.global.u32 [%rd1], %r5;
	red.global.add.u32 [calls], 1;
END:
	ret;
}
