.version 8.3
.target sm_80
.address_size 64
.visible .entry KERNEL(
	.param .u64 KERNEL_param_0
)
{
	.reg .b32 	%r<8>;
	.reg .b64 	%rd<4>;
	.shared .align 4 .b8 smem[256];
	.loc	1 2 5
	ld.param.u64 	%rd1, [KERNEL_param_0];
	mov.u32 	%r1, %tid.x;
	shl.b32 	%r2, %r1, 2;
	mov.u32 	%r3, smem;
	add.s32 	%r4, %r3, %r2;
	st.shared.u32 	[%r4], %r1;
	.loc	1 3 5
	xor.b32  	%r5, %r2, 128;
	add.s32 	%r6, %r3, %r5;
	ld.shared.u32 	%r7, [%r6];
	st.global.u32 	[%rd1], %r7;
	ret;
}
	.file	1 "FILE"
