// Lane i adds lane by lane what square gives for 0 to i%4: a loop that lanes
// leave at different times, with a call in it.
//sim:grid 2
//sim:block 48
//sim:arg out = zeros:48:u32
.func (.reg .u32 r) square(.reg .u32 a)
{
	mul.lo.u32 r, a, a;
	ret;
}
.func (.reg .u32 r) add(.reg .u32 sum, .reg .u32 a)
{
	.reg .u32 q;
	call (q), square, (a);
	add.u32 r, sum, q;
	ret;
}
.entry loop(.param .u64 out)
{
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 3;
	mov.u32 %r3, 0;
	mov.u32 %r4, 0;
NEXT:
	call (%r4), add, (%r4, %r3);
	add.u32 %r3, %r3, 1;
	setp.le.u32 %p1, %r3, %r2;
	@%p1 bra NEXT;
	bar.sync 0;
	ld.param.u64 %rd1, [out];
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r4;
	ret;
}
