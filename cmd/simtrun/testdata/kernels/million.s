//sim:grid 264
//sim:block 256
.entry k()
{
	mov.u32 %r1, 0;
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, 1;
LOOP:
	mad.lo.u32 %r4, %r4, %r3, %r2;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, 118;
	@%p1 bra LOOP;
	ret;
}
