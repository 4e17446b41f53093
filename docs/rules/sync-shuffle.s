//sim:block 32
//sim:arg out = zeros:1:u32
.entry shuffle(.param .u64 out)
{
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %laneid;
    setp.ge.u32 %p1, %r1, 11;
    @%p1 bra END;
    shfl.sync.down.b32 %r2, %r1, 8, 31, 0x7ff;
    max.u32 %r1, %r1, %r2;
    st.global.u32 [%rd1], %r1;
END:
    ret;
}
