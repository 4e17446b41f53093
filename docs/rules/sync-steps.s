//sim:block 1
//sim:max-steps 1000
.entry counts()
{
    mov.u32 %r1, 0;
NEXT:
    add.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 5000;
    @%p1 bra NEXT;
    ret;
}
