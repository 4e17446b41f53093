// constants: cycles that one warp takes for 64 loads of constants, each at the address that
// the one before has loaded. Lane i loads word i mod n.

//sim:icache warm
//sim:block  32
//sim:arg    out = zeros:1:u32
//sim:arg    n   = 1
//sim:dump   out:u32

.const .u64 words[32] = {
    words, words+8, words+16, words+24, words+32, words+40, words+48, words+56,
    words+64, words+72, words+80, words+88, words+96, words+104, words+112, words+120,
    words+128, words+136, words+144, words+152, words+160, words+168, words+176, words+184,
    words+192, words+200, words+208, words+216, words+224, words+232, words+240, words+248
};

.entry constants(
    .param .u64 out,
    .param .u32 n)
{
    ld.param.u64        %rd1, [out];
    ld.param.u32        %r1, [n];
    mov.u32             %r2, %tid.x;
    rem.u32             %r2, %r2, %r1;
    mov.u64             %rd2, words;
    mad.wide.u32        %rd2, %r2, 8, %rd2;
    ld.const.u64        %rd2, [%rd2];           // brings the lines
    xor.b64             %rd2, %rd2, 0;          // waits for them
    mov.u32             %r3, %clock;
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2]; ld.const.u64 %rd2, [%rd2];
    add.u64             %rd2, %rd2, 0;          // waits for the last
    mov.u32             %r4, %clock;
    sub.u32             %r4, %r4, %r3;
    st.global.u32       [%rd1], %r4;
    ret;
}
