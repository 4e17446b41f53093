//sim:block 32
//sim:arg out = zeros:32:u32
.entry pick(.param .u64 out)
{
    .local .u32 list[4];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    st.local.u32 [list], %r1;
    st.local.u32 [list+4], 7;
    ld.local.u32 %r3, [list+8];
    mad.wide.u32 %rd1, %r1, 4, %rd1;
    st.global.u32 [%rd1], %r3;
    ret;
}
