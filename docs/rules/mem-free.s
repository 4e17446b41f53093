//sim:block 1
//sim:arg   x = zeros:8:u32
.extern .func free(.param .b64 p);
.entry twice(.param .u64 x)
{
    ld.param.u64 %rd1, [x];
    {
    .param .b64 p;
    st.param.b64 [p], %rd1;
    call.uni free, (p);                 // x did not come from malloc
    }
    ret;
}
