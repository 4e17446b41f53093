//sim:block 32
.entry diverged()
{
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOW;
    bar.sync 0;
    bra END;
LOW:
    bar.sync 0;
END:
    ret;
}
