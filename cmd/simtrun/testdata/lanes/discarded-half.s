// A comparison of halves that discards its second result keeps the value of %d1 in vector registers.
//sim:block 32
//sim:arg out = zeros:64:u64
.version 8.7
.target sm_90
.address_size 64
.shared .align 8 .b8 s[256];
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<8>;
    .reg .b64 %d<8>;
    .reg .pred %p<4>;
    ld.param.u64 %d0, [out];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %d0, %r1, 8, %d0;
    mul.lo.u32 %r2, %r1, 0x3c013b01;
    mul.lo.u32 %r3, %r2, %r2;
    mov.b64 %d1, {%r2, %r3};
    mov.u32 %r4, s;
    mad.lo.u32 %r4, %r1, 8, %r4;
    bar.sync 0;
    st.shared.u64 [%r4], %d1;
    setp.lt.bf16x2 %p1|_, %r2, %r3;
    sub.u64 %d3, %d1, 7;
    bar.sync 0;
    selp.b64 %d3, %d3, %d1, %p1;
    xor.b64 %d3, %d3, %d1;
    st.global.u64 [%d0], %d3;
    ret;
}
