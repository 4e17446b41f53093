//sim:block 1
//sim:arg out = zeros:1:f32
//sim:expect out[0] == 9
.extern .func (.param .b32 r) __nv_powf(.param .b32 x, .param .b32 y);
.entry k(.param .u64 out)
{
	.param .b32 a, b, r;
	st.param.f32 [a], 3.0;
	st.param.f32 [b], 2.0;
	call (r), __nv_powf, (a, b);
	ld.param.f32 %f1, [r];
	ld.param.u64 %rd1, [out];
	st.global.f32 [%rd1], %f1;
	ret;
}
