//sim:arg p = zeros:256:f32
.entry k(.param .u64 p)
{
	.reg .f32 %c<8>;
	ld.param.u64 %rd1, [p];
	wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, [%rd1], 16;
	ret;
}
