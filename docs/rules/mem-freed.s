//sim:block 1
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.entry late()
{
    {
    .param .b64 n;
    .param .b64 r;
    st.param.b64 [n], 16;
    call.uni (r), malloc, (n);
    ld.param.b64 %rd1, [r];
    }
    {
    .param .b64 p;
    st.param.b64 [p], %rd1;
    call.uni free, (p);
    }
    ld.u32 %r1, [%rd1+4];               // what free took back
    ret;
}
