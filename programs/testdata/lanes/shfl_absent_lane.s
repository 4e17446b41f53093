// A butterfly of 31, in a warp of 32 lanes and in one of 3. Lanes 0 to 2 of the latter read lanes 31 to 29, which the block does
// not have: PTX leaves their value open, and simtrun reads 0.
//sim:grid   2048
//sim:block  35
//sim:arg    out = zeros:35:u32
//sim:expect out == 248 240 232 224 216 208 200 192 184 176 168 160 152 144 136 128 120 112 104 96 88 80 72 64 56 48 40 32 24 16 8 0 0 0 0
.entry k(.param .u64 out)
{
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %laneid;
    mov.u32 %r2, 0;
    mov.u32 %r5, 0;
L:
    shfl.sync.bfly.b32 %r3, %r1, 31, 31, -1;
    add.u32 %r5, %r5, %r3;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 8;
    @%p1 bra L;
    mov.u32 %r6, %tid.x;
    mad.wide.u32 %rd2, %r6, 4, %rd1;
    st.global.u32 [%rd2], %r5;
    ret;
}
