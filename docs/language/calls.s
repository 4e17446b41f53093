//sim:block  4
//sim:arg    out = zeros:4:u32
//sim:dump   out:u32
.func (.reg .u32 result) square(.reg .u32 n)
{
    mul.lo.u32      result, n, n;
    ret;
}
.func (.param .b32 result) cube(.param .b32 n)
{
    .reg .u32 a, b;
    ld.param.u32    a, [n];
    call            (b), square, (a);
    mul.lo.u32      b, b, a;
    st.param.b32    [result], b;
    ret;
}
.entry calls(.param .u64 out)
{
    .reg .u32 a, b;
    ld.param.u64    %rd1, [out];
    mov.u32         a, %tid.x;
    {                                       // as compilers write it
    .param .b32 n;
    .param .b32 r;
    st.param.b32    [n], a;
    call.uni        (r), cube, (n);
    ld.param.b32    b, [r];
    }
    mad.wide.u32    %rd2, a, 4, %rd1;
    st.global.u32   [%rd2], b;
    ret;
}
