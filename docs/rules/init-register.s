//sim:block 32
//sim:arg out = zeros:32:u32
.entry sum(.param .u64 out)
{
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    add.u32 %r3, %r1, %r2;
    mad.wide.u32 %rd1, %r1, 4, %rd1;
    st.global.u32 [%rd1], %r3;
    ret;
}
