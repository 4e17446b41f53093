//sim:block 1
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);
.global .b8 text[4] = {37, 81, 10, 0};  // "%Q\n"
.entry prints()
{
    mov.u64 %rd1, text;
    cvta.global.u64 %rd1, %rd1;
    mov.u64 %rd2, 0;
    {
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 r0;
    st.param.b64 [p0], %rd1;
    st.param.b64 [p1], %rd2;
    call.uni (r0), vprintf, (p0, p1);
    }
    ret;
}
