.version 8.3
.target sm_80
.address_size 64
.func (.param .b32 r) _Z1fi(.param .b32 _Z1fi_param_0)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [_Z1fi_param_0];
	add.s32 %r2, %r1, 1;
	st.param.b32 [r], %r2;
	ret;
}
.func (.param .b32 r) _Z1ff(.param .b32 _Z1ff_param_0)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [_Z1ff_param_0];
	shl.b32 %r2, %r1, 1;
	st.param.b32 [r], %r2;
	ret;
}
.visible .entry _Z1kPj(.param .u64 _Z1kPj_param_0)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	.param .b32 x;
	.param .b32 y;
	ld.param.u64 %rd1, [_Z1kPj_param_0];
	mov.u32 %r1, %tid.x;
	st.param.b32 [x], %r1;
	call.uni (y), _Z1fi, (x);
	ld.param.b32 %r2, [y];
	st.param.b32 [x], %r2;
	call.uni (y), _Z1ff, (x);
	ld.param.b32 %r3, [y];
	st.global.u32 [%rd1], %r3;
	ret;
}
