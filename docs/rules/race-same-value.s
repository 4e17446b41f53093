//sim:block 64
//sim:arg   found = zeros:1:u32
.entry flag(.param .u64 found)
{
    ld.param.u64 %rd1, [found];
    st.global.u32 [%rd1], 1;            // all threads store the same
    ret;
}
