.entry k()
{
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra LOW;
	bar.sync 0;
	ret;
LOW:
	bar.sync 0;
	ret;
}
