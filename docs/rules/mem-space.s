//sim:block 1
.entry space()
{
    .shared .u32 s[8];
    mov.u64 %rd1, s;
    ld.global.u32 %r1, [%rd1+4];        // s is in .shared space
    ret;
}
