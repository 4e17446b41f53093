// matmul_tiled: c = a * b, as matmul_naive.s does it, but through shared
// memory.
//
// Shows how a CTA reads global memory once for all of its threads. Its 16x16
// elements of c need 16 rows of a and 16 columns of b. These come tile by tile:
//
//     1. each thread brings one element of a's tile and one of b's
//     2. a barrier: both tiles are complete
//     3. each thread multiplies a row of the one with a column of the other
//     4. a barrier: everybody has done with the tiles, the next ones may come
//
// So a warp loads from global memory twice a tile, 4 times in all. In
// matmul_naive.s it does so twice for every k, 48 times.
//
// Matrices of 24x24 are one tile and a half each way. Elements beyond
// the edge count as 0. Guards do this, not branches: all threads stay
// together, as the barriers require. The grid must cover c.
//
// No two lanes want different words of one bank. The two rows of a warp read
// two words of a's tile, 16 words apart; and 16 words in a row of b's, each
// wanted by both rows.
//
// A warp executes 30 instructions before TILE, 20 + 7*16 = 132 for each of two
// tiles, 7 after them and ret: 302. The 32 warps have 9664, all with 32 lanes
// (a lane with a false guard counts as active) and without a divergent branch.

//sim:grid   2x2
//sim:arg    a = iota:576:f32
//sim:arg    b = iota:576:f32
//sim:arg    c = zeros:576:f32
//sim:arg    n = 24
//sim:dump   c:f32:8

// The same as in matmul_naive.s, where it is worked out:
// c[i][j] = 103776 + 158976i + (276 + 576i)*j, and every sum exact.
//sim:expect c[0:24]    == iota:24:f32:103776:276
//sim:expect c[24:48]   == iota:24:f32:262752:852
//sim:expect c[360:384] == iota:24:f32:2488416:8916
//sim:expect c[384:408] == iota:24:f32:2647392:9492
//sim:expect c[552:576] == iota:24:f32:3760224:13524

// For each tile each of 32 warps stores two rows of 16 words twice, and loads
// twice for each of 16 k, always in one wavefront.
//sim:expect metric warp_instructions == 9664
//sim:expect metric divergent_branches == 0
//sim:expect metric shared_store_wavefronts == 128
//sim:expect metric shared_load_requests == 2048
//sim:expect metric shared_load_wavefronts == 2048

.entry matmul_tiled(
    .param .u64 a,
    .param .u64 b,
    .param .u64 c,
    .param .u32 n)
.reqntid 16, 16
{
    .shared .f32 tile_a[256];                   // 16 rows of 16
    .shared .f32 tile_b[256];

    // This thread's element of c.
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %tid.x;
    mad.lo.u32          %r3, %r1, 16, %r2;      // col
    mov.u32             %r4, %ctaid.y;
    mov.u32             %r5, %tid.y;
    mad.lo.u32          %r6, %r4, 16, %r5;      // row

    ld.param.u32        %r7, [n];
    setp.lt.u32         %p1, %r3, %r7;          // a column of c and b
    setp.lt.u32         %p2, %r6, %r7;          // a row of c and a

    // It stores its elements in row tid.y, column tid.x of the tiles.
    mad.lo.u32          %r8, %r5, 16, %r2;
    shl.b32             %r8, %r8, 2;
    mov.u32             %r9, tile_a;
    mov.u32             %r10, tile_b;
    add.u32             %r11, %r9, %r8;
    add.u32             %r12, %r10, %r8;

    // It multiplies row tid.y of tile_a by column tid.x of tile_b.
    mad.lo.u32          %r13, %r5, 64, %r9;
    mad.lo.u32          %r14, %r2, 4, %r10;

    // Where it gets that from: first a[row][tid.x] and b[tid.y][col].
    ld.param.u64        %rd1, [a];
    ld.param.u64        %rd2, [b];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    mad.lo.u32          %r15, %r6, %r7, %r2;
    mul.wide.u32        %rd3, %r15, 4;
    add.u64             %rd4, %rd1, %rd3;
    mad.lo.u32          %r16, %r5, %r7, %r3;
    mul.wide.u32        %rd5, %r16, 4;
    add.u64             %rd6, %rd2, %rd5;
    mul.wide.u32        %rd7, %r7, 64;          // 16 rows of b

    mov.f32             %f1, 0.0;               // sum
    mov.u32             %r17, 0;                // k of the tiles' first elements
TILE:
    // a[row][k + tid.x], 0 beyond the edge
    add.u32             %r18, %r17, %r2;
    setp.lt.and.u32     %p3, %r18, %r7, %p2;
    mov.f32             %f2, 0.0;
    @%p3 ld.global.f32  %f2, [%rd4];
    st.shared.f32       [%r11], %f2;

    // b[k + tid.y][col], 0 beyond the edge
    add.u32             %r19, %r17, %r5;
    setp.lt.and.u32     %p4, %r19, %r7, %p1;
    mov.f32             %f3, 0.0;
    @%p4 ld.global.f32  %f3, [%rd6];
    st.shared.f32       [%r12], %f3;
    bar.sync            0;

    // Along the row and down the column.
    mov.u32             %r20, %r13;
    mov.u32             %r21, %r14;
    add.u32             %r22, %r13, 64;         // the row's end
DOT:
    ld.shared.f32       %f4, [%r20];
    ld.shared.f32       %f5, [%r21];
    fma.rn.f32          %f1, %f4, %f5, %f1;
    add.u32             %r20, %r20, 4;
    add.u32             %r21, %r21, 64;
    setp.ne.u32         %p5, %r20, %r22;
    @%p5 bra            DOT;
    bar.sync            0;

    add.u64             %rd4, %rd4, 64;
    add.u64             %rd6, %rd6, %rd7;
    add.u32             %r17, %r17, 16;
    setp.lt.u32         %p6, %r17, %r7;
    @%p6 bra            TILE;

    // c[row][col], if there is one
    and.pred            %p7, %p1, %p2;
    ld.param.u64        %rd8, [c];
    cvta.to.global.u64  %rd8, %rd8;
    mad.lo.u32          %r23, %r6, %r7, %r3;
    mul.wide.u32        %rd9, %r23, 4;
    add.u64             %rd10, %rd8, %rd9;
    @%p7 st.global.f32  [%rd10], %f1;
    ret;
}
