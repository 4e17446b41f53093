.shared .u32 s;
.entry k()
{
	mov.u32 %r1, %tid.x;
	st.shared.u32 [s], %r1;
	ret;
}
