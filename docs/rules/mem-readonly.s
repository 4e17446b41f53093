//sim:block 1
.const .u32 c = 5;
.entry readonly()
{
    mov.u64 %rd1, c;
    cvta.const.u64 %rd1, %rd1;
    st.u32 [%rd1], 6;
    ret;
}
