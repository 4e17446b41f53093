.address_size 32
.entry k(.param .u32 a, .param .u32 b)
{
	ld.param.u32 %r1, [b];
	st.global.u32 [%r1], 7;
	ret;
}
