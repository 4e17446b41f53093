// Warp 0 waits at barrier 0, warp 1 in part at each of two.
//sim:block 64
.entry deadlock()
{
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 40;
	@%p1 bra IN;
	bar.sync 1;
	bra OUT;
IN:
	bar.sync 0;
OUT:
	ret;
}
