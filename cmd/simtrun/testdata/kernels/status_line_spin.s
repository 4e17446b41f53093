.shared .u32 s;
.entry k()
{
again:
	ld.volatile.shared.u32 %r1, [s];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra again;
	ret;
}
