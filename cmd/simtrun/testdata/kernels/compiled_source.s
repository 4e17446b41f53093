.file 1 "k.cu"
.func (.reg .u32 %out) half(.reg .u32 %in)
{
	.loc 1 3 5
	shr.u32 %out, %in, 1;
	ret;
}
.entry k()
{
	.loc 1 11 1
	mov.u32 %r1, %tid.x;
	.loc 1 12 9
	call (%r2), half, (%r1);
	ret;
}
