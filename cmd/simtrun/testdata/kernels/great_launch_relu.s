//sim:grid 108544
//sim:block 128
//sim:arg x = iota:13893632:f32:-6946816
//sim:expect x[6946814:6946820] == 0 0 0 1 2 3
.entry relu(.param .u64 x)
{
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r1, %r2, %r3;
	mul.wide.u32 %rd2, %r4, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.f32 %f1, [%rd3];
	max.f32 %f1, %f1, 0f00000000;
	st.global.f32 [%rd3], %f1;
	ret;
}
