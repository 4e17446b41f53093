//sim:block 64
.entry halves()
{
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 exit;
    bar.sync 1, 64;
    ret;
}
