//sim:block 32
.entry trapped()
{
    mov.u32 %r1, %laneid;
    setp.eq.u32 %p1, %r1, 9;
    @%p1 trap;
    ret;
}
