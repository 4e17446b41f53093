.version 8.3
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	.loc 1 1 1
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	.loc 1 2 3, function_name $L__info_string0+NEXT, inlined_at 1 4 9
	mov.u32 %r2, 7;
	.loc 1 3 5, function_name $L__info_string0, inlined_at 1 2 3
	st.global.u32 [%rd3], %r2;
	ret;
}
	.file 1 "FILE"
	.section .debug_str
	{
$L__info_string0:
STORE
	}
