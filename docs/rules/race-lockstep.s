//sim:block 32
//sim:arg   out = zeros:32:u32
.entry handed_on(.param .u64 out)
{
    .shared .u32 s[32];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %laneid;
    mov.u32 %r2, s;
    mad.lo.u32 %r3, %r1, 4, %r2;
    st.shared.u32 [%r3], %r1;
    // bar.warp.sync -1 is missing
    xor.b32 %r4, %r1, 1;
    mad.lo.u32 %r3, %r4, 4, %r2;
    ld.shared.u32 %r5, [%r3];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r5;
    ret;
}
