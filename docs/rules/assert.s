//sim:block 1
.extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 charsize);
.global .b8 text[6] = {110, 32, 62, 32, 48, 0};  // "n > 0"
.global .b8 file[5] = {107, 46, 99, 117, 0};  // "k.cu"
.global .b8 function[8] = {97, 115, 115, 101, 114, 116, 115, 0};  // "asserts"
.entry asserts()
{
    mov.u64 %rd1, text;
    cvta.global.u64 %rd1, %rd1;
    mov.u64 %rd2, file;
    cvta.global.u64 %rd2, %rd2;
    mov.u64 %rd3, function;
    cvta.global.u64 %rd3, %rd3;
    {
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 p2;
    .param .b64 p3;
    .param .b64 p4;
    st.param.b64 [p0], %rd1;
    st.param.b64 [p1], %rd2;
    st.param.b32 [p2], 7;
    st.param.b64 [p3], %rd3;
    st.param.b64 [p4], 1;
    call.uni __assertfail, (p0, p1, p2, p3, p4);
    }
    ret;
}
