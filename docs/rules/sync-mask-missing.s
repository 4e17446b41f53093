//sim:block 32
//sim:divergence stack
.entry one_arm()
{
    mov.u32 %r1, %laneid;
    setp.ge.u32 %p1, %r1, 16;
    @%p1 bra END;
    bar.warp.sync 0xffffffff;           // lanes 16-31 are not here
END:
    ret;
}
