.entry calls()
{
	mov.u32 %r1, 0;
L:	call f, ();
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, 20000;
	@%p1 bra L;
	ret;
}
.func f() { ret; ret; }
