.file 1 "k.cu"
.shared .b8 s[8192];
.entry k()
{
	.loc 1 4 0
	.loc 1 5 3
	mov.u32 %r1, %tid.x;
	shl.b32 %r1, %r1, 7;
	mov.u32 %r2, s;
	add.u32 %r2, %r2, %r1;
	.loc 1 7 9
	st.shared.u32 [%r2], 1;
	.loc 1 7 20
	st.shared.u32 [%r2+4], 2;
	.loc 1 8 1
	ret;
}