// Lanes 7 to 10 read lanes 11 to 14, which are not in the mask: standard error says so at every level.
//sim:block 32
//sim:arg out = zeros:32:u32
//sim:dump out:u32:16
.entry shuffle(.param .u64 out)
{
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %laneid;
    mov.u32 %r5, 0;
    setp.ge.u32 %p1, %r1, 11;
    @%p1 bra END;
L:
    shfl.sync.down.b32 %r2, %r1, 4, 31, 0x7ff;
    max.u32 %r1, %r1, %r2;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, 400;
    @%p2 bra L;
    mul.wide.u32 %rd2, %r1, 4;
    st.global.u32 [%rd1], %r1;
END:
    ret;
}
