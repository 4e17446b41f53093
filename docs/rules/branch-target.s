//sim:block 4
.entry table()
{
    mov.u32 %r1, %tid.x;
list: .branchtargets A, B, C;
    brx.idx %r1, list;                  // thread 3 has no target
A:
B:
C:
    ret;
}
