//sim:block 64
//sim:arg x = zeros:192:u32
.entry racing(.param .u64 x)
{
	.shared .b32 s[64];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, s;
	add.u32 %r2, %r2, %r3;
	st.shared.u32 [%r2], %r1;
	ld.shared.u32 %r4, [s+128];
	div.u32 %r5, %r1, 0;
	mov.u32 %r3, %ctaid.x;
	mad.lo.u32 %r1, %r3, 64, %r1;
	ld.param.u64 %rd1, [x];
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	st.global.u32 [%rd1], %r4;
	ret;
}
