//sim:block 32
//sim:arg   x = zeros:20:u32
.entry oob(.param .u64 x)
{
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r1;          // 32 threads, 20 elements
    ret;
}
