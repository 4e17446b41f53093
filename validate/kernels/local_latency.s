// local_latency: cycles that one warp takes for 64 loads from local memory, each at the
// address that the one before has loaded.

//sim:block  32
//sim:arg    out = zeros:1:u32
//sim:dump   out:u32

.entry local_latency(
    .param .u64 out)
{
    .local .u64 word;

    ld.param.u64        %rd1, [out];
    mov.u64             %rd2, word;
    st.local.u64        [word], %rd2;           // its own address
    ld.local.u64        %rd2, [%rd2];
    mov.u32             %r1, %clock;
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2]; ld.local.u64 %rd2, [%rd2];
    add.u64             %rd2, %rd2, 0;          // waits for the last
    mov.u32             %r2, %clock;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
    ret;
}
