// local_latency: cycles that one warp takes for 64 loads from local memory, each at the
// address that the one before has loaded.

//sim:icache warm
//sim:block  32
//sim:arg    out = zeros:1:u32
//sim:dump   out:u32

.entry local_latency(
    .param .u64 out)
{
    .local .u32 word;

    ld.param.u64        %rd1, [out];
    mov.u32             %r3, word;
    st.local.u32        [word], %r3;            // its own address
    ld.local.u32        %r3, [%r3];
    xor.b32             %r3, %r3, 0;            // waits for it
    mov.u32             %r1, %clock;
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3]; ld.local.u32 %r3, [%r3];
    add.u32             %r3, %r3, 0;            // waits for the last
    mov.u32             %r2, %clock;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
    ret;
}
