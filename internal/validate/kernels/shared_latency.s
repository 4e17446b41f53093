// shared_latency: cycles that one warp takes for 64 loads from shared memory, each at the
// address that the one before has loaded. Lane i loads word stride*i, so that a stride
// of n, a power of two, has n lanes in each bank that is used.

//sim:icache warm
//sim:block  32
//sim:arg    out    = zeros:1:u32
//sim:arg    stride = 1
//sim:dump   out:u32

.entry shared_latency(
    .param .u64 out,
    .param .u32 stride)
{
    .shared .u32 words[1024];

    ld.param.u64        %rd1, [out];
    ld.param.u32        %r2, [stride];
    mov.u32             %r3, %tid.x;
    mul.lo.u32          %r3, %r3, %r2;
    mov.u32             %r4, words;
    mad.lo.u32          %r5, %r3, 4, %r4;
    st.shared.u32       [%r5], %r5;             // its own address
    bar.sync            0;
    mov.u32             %r6, %clock;
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5]; ld.shared.u32 %r5, [%r5];
    add.u32             %r7, %r5, 0;            // waits for the last
    mov.u32             %r8, %clock;
    sub.u32             %r8, %r8, %r6;
    st.global.u32       [%rd1], %r8;
    ret;
}
