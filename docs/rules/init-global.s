//sim:block 32
//sim:buffer x = uninit:32:u32
//sim:arg x = x
//sim:arg out = zeros:32:u32
.entry copy(.param .u64 x, .param .u64 out)
{
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd1, %r1, 4, %rd1;
    mad.wide.u32 %rd2, %r1, 4, %rd2;
    ld.global.u32 %r2, [%rd1];
    st.global.u32 [%rd2], %r2;
    ret;
}
