//sim:block 32
//sim:arg out = zeros:32:u32
.func (.param .u32 result) find(.param .u32 x)
{
    ld.param.u32 %r1, [x];
    setp.lt.u32 %p1, %r1, 8;
    @%p1 st.param.u32 [result], %r1;
    ret;
}
.entry search(.param .u64 out)
{
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    {
        .param .u32 x;
        .param .u32 found;
        st.param.u32 [x], %r1;
        call (found), find, (x);
        ld.param.u32 %r2, [found];
    }
    mad.wide.u32 %rd1, %r1, 4, %rd1;
    st.global.u32 [%rd1], %r2;
    ret;
}
