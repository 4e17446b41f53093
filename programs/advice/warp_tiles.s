// warp_tiles: a barrier of the CTA is not needed where a warp uses only what
// its own lanes have put into shared memory.
//
// Each warp reverses rows of 32 numbers by way of shared memory. Number l of
// row r is l + 29r%64, made by as many additions, so that some warps of a CTA are
// later than others, in each round others.
//
//     of_cta     bar.sync: all 8 warps wait for the slowest, twice in each round
//     of_warp    bar.warp.sync: the lanes of a warp wait for each other
//
// Rows 1 and 2 begin with 29+31 and 58+31, row 16895 with 29*16895%64 + 31 = 66.

//sim:buffer y = zeros:540672:u32
//sim:buffer z = zeros:540672:u32
//sim:launch of_cta  grid=132 block=256 args=y,16
//sim:launch of_warp grid=132 block=256 args=z,16
//sim:expect y[0:32]   == iota:32:u32:31:-1
//sim:expect y[32:64]  == iota:32:u32:60:-1
//sim:expect z[0:32]   == iota:32:u32:31:-1
//sim:expect z[32:64]  == iota:32:u32:60:-1
//sim:expect z[540640:540672] == iota:32:u32:66:-1

.entry of_cta(
    .param .u64 to,
    .param .u32 rounds)
{
    .shared .u32 rows[256];

    ld.param.u64        %rd1, [to];
    ld.param.u32        %r1, [rounds];
    mov.u32             %r2, %ctaid.x;
    mov.u32             %r3, %tid.x;
    and.b32             %r4, %r3, 31;           // lane
    shr.u32             %r5, %r3, 5;            // warp
    mad.lo.u32          %r6, %r2, 8, %r5;       // row
    mov.u32             %r7, rows;
    mad.lo.u32          %r8, %r3, 4, %r7;
    xor.b32             %r9, %r3, 31;
    mad.lo.u32          %r9, %r9, 4, %r7;
ROUND:
    mul.lo.u32          %r10, %r6, 29;
    and.b32             %r10, %r10, 63;
    mov.u32             %r11, %r4;
WORK:
    setp.eq.u32         %p1, %r10, 0;
    @%p1 bra            READY;
    add.u32             %r11, %r11, 1;
    sub.u32             %r10, %r10, 1;
    bra                 WORK;
READY:
    st.shared.u32       [%r8], %r11;
    bar.sync            0;
    ld.shared.u32       %r12, [%r9];
    bar.sync            0;
    mad.lo.u32          %r13, %r6, 32, %r4;
    mad.wide.u32        %rd2, %r13, 4, %rd1;
    st.global.u32       [%rd2], %r12;
    add.u32             %r6, %r6, 1056;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p2, %r1, 0;
    @%p2 bra            ROUND;
    ret;
}

.entry of_warp(
    .param .u64 to,
    .param .u32 rounds)
{
    .shared .u32 rows[256];

    ld.param.u64        %rd1, [to];
    ld.param.u32        %r1, [rounds];
    mov.u32             %r2, %ctaid.x;
    mov.u32             %r3, %tid.x;
    and.b32             %r4, %r3, 31;           // lane
    shr.u32             %r5, %r3, 5;            // warp
    mad.lo.u32          %r6, %r2, 8, %r5;       // row
    mov.u32             %r7, rows;
    mad.lo.u32          %r8, %r3, 4, %r7;
    xor.b32             %r9, %r3, 31;
    mad.lo.u32          %r9, %r9, 4, %r7;
ROUND:
    mul.lo.u32          %r10, %r6, 29;
    and.b32             %r10, %r10, 63;
    mov.u32             %r11, %r4;
WORK:
    setp.eq.u32         %p1, %r10, 0;
    @%p1 bra            READY;
    add.u32             %r11, %r11, 1;
    sub.u32             %r10, %r10, 1;
    bra                 WORK;
READY:
    st.shared.u32       [%r8], %r11;
    bar.warp.sync       0xffffffff;
    ld.shared.u32       %r12, [%r9];
    bar.warp.sync       0xffffffff;
    mad.lo.u32          %r13, %r6, 32, %r4;
    mad.wide.u32        %rd2, %r13, 4, %rd1;
    st.global.u32       [%rd2], %r12;
    add.u32             %r6, %r6, 1056;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p2, %r1, 0;
    @%p2 bra            ROUND;
    ret;
}
