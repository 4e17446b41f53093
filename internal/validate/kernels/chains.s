// chains: cycles that one warp takes for 128 instructions of which each waits for
// the one before: 127 latencies.

//sim:icache warm
//sim:block  32
//sim:arg    out = zeros:1:u32
//sim:dump   out:u32

.entry add_f32(
    .param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %clock;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    mov.u32             %r2, %clock;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
    ret;
}

.entry xor_b32(
    .param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %clock;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4; xor.b32 %r3, %r3, %r4;
    mov.u32             %r2, %clock;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
    ret;
}

.entry mad_s32(
    .param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %clock;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4; mad.lo.s32 %r3, %r3, %r4, %r4;
    mov.u32             %r2, %clock;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
    ret;
}

.entry fma_f16x2(
    .param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %clock;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4; fma.rn.f16x2 %r3, %r3, %r4, %r4;
    mov.u32             %r2, %clock;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
    ret;
}

.entry fma_f64(
    .param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %clock;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2; fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
    mov.u32             %r2, %clock;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
    ret;
}

.entry bfind_u32(
    .param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %clock;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3; bfind.u32 %r3, %r3;
    mov.u32             %r2, %clock;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
    ret;
}

.entry ex2_f32(
    .param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %clock;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f1, %f1;
    mov.u32             %r2, %clock;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
    ret;
}

.entry shfl_bfly(
    .param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %clock;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
    mov.u32             %r2, %clock;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
    ret;
}

.entry mma_f16(
    .param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r7, %clock;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    mov.u32             %r8, %clock;
    sub.u32             %r8, %r8, %r7;
    st.global.u32       [%rd1], %r8;
    ret;
}
