.entry k()
{
	.shared .b64 bar;
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared.b64 [bar], 32;
	bar.sync 0;
	mbarrier.arrive.shared.b64 %rd1, [bar];
	ret;
}
