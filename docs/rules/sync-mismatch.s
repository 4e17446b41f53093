//sim:block 32
.entry mismatch()
{
    mov.u32 %r1, %laneid;
    and.b32 %r1, %r1, 1;
    bar.sync %r1;                       // even lanes at barrier 0, odd ones at 1
    ret;
}
