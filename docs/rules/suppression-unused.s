//sim:block 32
//sim:arg x = iota:32:u32
.entry halve(.param .u64 x)
{
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd1, %r1, 4, %rd1;
    ld.global.u32 %r2, [%rd1];
    //sim:allow div-zero the host passes a divisor
    div.u32 %r2, %r2, 2;
    st.global.u32 [%rd1], %r2;
    ret;
}
