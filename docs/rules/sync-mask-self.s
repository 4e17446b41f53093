//sim:block 32
.entry half()
{
    mov.u32 %r1, %laneid;
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x0000ffff;
    ret;
}
