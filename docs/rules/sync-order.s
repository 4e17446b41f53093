//sim:block 64
//sim:arg out = zeros:64:u32
.entry order(.param .u64 out)
{
    .shared .u32 sums[2];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    mov.u32 %r3, sums;
    mad.lo.u32 %r4, %r2, 4, %r3;
    st.shared.u32 [%r4], %r1;
    bar.sync 0;
    ld.shared.u32 %r5, [sums+4];
    st.shared.u32 [%r4], %r2;
    ld.param.u64 %rd1, [out];
    mad.wide.u32 %rd1, %r1, 4, %rd1;
    st.global.u32 [%rd1], %r5;
    ret;
}
