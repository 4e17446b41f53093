//sim:block 1
//sim:arg   out = zeros:1:u32
//sim:arg   n = 0
//sim:dump  out
.entry divides(.param .u64 out, .param .u32 n)
{
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    div.u32 %r2, 7, %r1;
    st.global.u32 [%rd1], %r2;
    ret;
}
