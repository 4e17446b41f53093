.entry k()
{
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 32;
	@%p1 bra on;
	bar.sync 0;
	ret;
on:
	bar.sync 1;
	ret;
}
