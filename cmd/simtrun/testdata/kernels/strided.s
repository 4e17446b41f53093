//sim:arg x = zeros:4096:u32
//sim:arg n = 1
.entry k(.param .u64 x, .param .u32 n)
{
	.shared .align 4 .b8 s[4352];
	ld.param.u64 %rd1, [x];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mul.lo.u32 %r3, %r1, %r2;
	shl.b32 %r3, %r3, 2;
	cvt.u64.u32 %rd2, %r3;
	add.u64 %rd2, %rd2, %rd1;
GLOBAL:
	ld.global.u32 %r4, [%rd2];
	mov.u32 %r5, s;
	add.u32 %r5, %r5, %r3;
SHARED:
	ld.shared.u32 %r6, [%r5];
	ret;
}
