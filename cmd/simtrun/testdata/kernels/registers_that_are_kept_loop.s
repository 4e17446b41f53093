.entry f(.param .u64 a, .param .u64 b, .param .u32 n)
{
	ld.param.u64 %rd22, [a];
	ld.param.u64 %rd2, [b];
	ld.param.u32 %r11, [n];
	mov.u32 %r26, %tid.x;
	mov.u32 %r27, 0;
	mov.f32 %f21, 0f00000000;
LOOP:
	add.s32 %r21, %r11, %r26;
	ld.global.f32 %f11, [%rd22];
	ld.global.f32 %f14, [%rd22+4];
	mul.wide.u32 %rd14, %r26, 4;
	mul.wide.u32 %rd16, %r21, 4;
	add.s64 %rd15, %rd2, %rd14;
	add.s32 %r27, %r27, 2;
	add.s64 %rd22, %rd22, 8;
	ld.global.f32 %f12, [%rd15];
	add.s64 %rd17, %rd2, %rd16;
	setp.eq.s32 %p3, %r27, 8;
	add.s32 %r26, %r26, %r11;
	ld.global.f32 %f15, [%rd17];
	fma.rn.f32 %f13, %f11, %f12, %f21;
	fma.rn.f32 %f21, %f14, %f15, %f13;
	@!%p3 bra LOOP;
	KEPT
	st.global.f32 [%rd2], %f21;
	exit;
}
