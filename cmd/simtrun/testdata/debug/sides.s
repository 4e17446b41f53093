// Lanes 16 to 31 go another way than lanes 0 to 15, which meet them at JOIN.
//sim:arg out = zeros:32:u32
.entry sides(.param .u64 out)
{
	mov.u32 %r3, %laneid;
	mul.lo.u32 %r5, %r3, 4;
	setp.gt.u32 %p0, %r3, 15;
	@%p0 bra ELSE;
	add.u32 %r5, %r5, 1;
	bra JOIN;
ELSE:
	add.u32 %r5, %r5, 2;
	sub.u32 %r6, 0, %r5;
JOIN:
	ld.param.u64 %rd1, [out];
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r5;
	setp.eq.u32 %p1, %r3, 31;
	@%p1 exit;
	ret;
}
