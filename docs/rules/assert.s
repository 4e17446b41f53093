//sim:block 1
.extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 charsize);
.global .b8 text[6] = {110, 32, 62, 32, 48, 0};  // "n > 0"
.entry asserts()
{
    mov.u64 %rd1, text;
    cvta.global.u64 %rd1, %rd1;
    {
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 p2;
    .param .b64 p3;
    .param .b64 p4;
    st.param.b64 [p0], %rd1;
    st.param.b64 [p1], %rd1;
    st.param.b32 [p2], 7;
    st.param.b64 [p3], %rd1;
    st.param.b64 [p4], 1;
    call.uni __assertfail, (p0, p1, p2, p3, p4);
    }
    ret;
}
