//sim:block 64
.entry swap(.param .u64 out)
{
	.shared .u32 s[64];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, s;
	add.u32 %r4, %r3, %r2;
	st.shared.u32 [%r4], %r1;
	BARRIER
	xor.b32 %r5, %r4, 128;
	ld.shared.u32 %r6, [%r5];
	ret;
}
