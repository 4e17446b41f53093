.shared .b8 _ZZ4turnPfE4tile[4096];
.global .b32 _ZN4here5totalE;
.entry _Z4turnPf(.param .u64 x)
{
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 7;
	mov.u32 %r3, _ZZ4turnPfE4tile;
	add.u32 %r3, %r3, %r2;
	st.shared.u32 [%r3], %r1;
	ld.param.u64 %rd1, [x];
	ld.global.u32 %r4, [%rd1];
	st.global.u32 [_ZN4here5totalE], %r4;
	ret;
}
