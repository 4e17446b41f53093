//sim:block 64
//sim:arg   out = zeros:64:u32
.entry neighbour(.param .u64 out)
{
    .shared .u32 s[64];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, s;
    mad.lo.u32 %r3, %r1, 4, %r2;
    st.shared.u32 [%r3], %r1;
    // bar.sync 0 is missing
    xor.b32 %r4, %r1, 32;
    mad.lo.u32 %r3, %r4, 4, %r2;
    ld.shared.u32 %r5, [%r3];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r5;
    ret;
}
