//sim:arg n = 4000000000
//sim:arg x = zeros:1:u8
.entry k(.param .u64 x, .param .u32 n)
{
	ld.param.u32 %r1, [n];
again:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %r1;
	@%p1 bra again;
	ret;
}
