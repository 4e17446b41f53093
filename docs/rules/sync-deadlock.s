//sim:block 64
.entry two_barriers()
{
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bar.sync 1;                    // warp 0 waits here,
    @!%p1 bar.sync 2;                   // warp 1 here
    ret;
}
