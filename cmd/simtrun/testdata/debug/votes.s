// The sides of a branch vote with each other, then all lanes spin.
.entry votes()
{
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra LOW;
	add.u32 %r1, %r1, 1;
	vote.sync.any.pred %p2, %p1, 0xffffffff;
	bra OUT;
LOW:
	vote.sync.any.pred %p2, %p1, 0xffffffff;
OUT:
	bra OUT;
}
