// attention: each query's weighted mean of the rows of v. Key j of n has the
// weight e^s_j / (e^s_0 + … + e^s_n-1), with the score s_j = q·k_j / sqrt(32).
//
// Shows an online softmax. The weights need the sum over all
// keys, but the keys are loaded in tiles of 32, and storing
// all scores would take too much memory. So each query keeps
//
//     m   the largest score so far
//     l   the sum of e^(s-m) so far
//     o   the sum of e^(s-m) * v so far
//
// and when a tile raises m to m', l and o are first multiplied by
// e^(m-m'). At the end the mean is o/l. Scores are multiplied by log2
// e together with q, so that powers are of 2, which ex2 computes.
//
// A warp has a query, a CTA of 8 warps a tile of 8 queries. All use the tiles
// of keys and values that the CTA brings to shared memory. Lanes change their
// part:
//
//     scores     lane = key      s = sum over d of q[d] * k[lane][d]
//     softmax    all lanes       the largest and the sum, by shuffles
//     mean       lane = column   o += sum over j of p_j * v[j][lane]
//
// Lane j has p_j, the e^(s-m) of its key, and passes it to all lanes by a
// shuffle. Rows of 32 numbers are 33 words apart in tile_k, so lanes that each
// read a row have no bank conflicts. In tile_v they read along one row together.
//
// queries is a multiple of 8, keys of 32, and rows have 32
// numbers. Query tiles are numbered consecutively; a CTA continues
// with the tile that is ahead by the number of CTAs in the grid.
//
// A warp executes 31 instructions up to QUERIES, 15 to KEYS, 505 for each of
// three tiles of keys (18 to load it, 4 + 32*7 for the score, 27 for m, p
// and l, 3 + 32*7 for the mean, 5 to continue), 5 after them, 3 to find that
// there are no more queries, and ret: 1570, so the 16 warps execute 25120.

//sim:grid   2
//sim:arg    q       = rand:512:f32:1:-2:2
//sim:arg    k       = rand:3072:f32:2:-2:2
//sim:arg    v       = rand:3072:f32:3:-2:2
//sim:arg    out     = zeros:512:f32
//sim:arg    queries = 16
//sim:arg    keys    = 96
//sim:dump   out:f32:4

// attention.bin is worked out in double precision and in the plain order, from
// the same random numbers: all 96 scores of a query, their exponentials, the
// sum, the mean; attention_test.go does it. Its first four numbers are those of
// the second line.
//sim:expect out      == @attention.bin abs=2e-6
//sim:expect out[0:4] == -0.270486 0.287637 0.451811 0.129032 abs=2e-6

// Each of 16 warps reads 128 bytes of q, and 3*8 times 128 bytes of k
// and v. The tiles have no bank conflicts: per tile of keys 8 stores,
// 32*2 loads for the score and 32 for the mean. One store is of q.
//sim:expect metric warp_instructions == 25120
//sim:expect metric divergent_branches == 0
//sim:expect metric global_load_requests == 400
//sim:expect metric global_load_sectors == 1600
//sim:expect metric shared_load_requests == 4608
//sim:expect metric shared_load_wavefronts == 4608
//sim:expect metric shared_store_wavefronts == 400
//sim:expect metric shared_load_wavefronts@SCORE == 1536
//sim:expect metric shared_load_wavefronts@SCORE_K == 1536
//sim:expect metric shared_load_wavefronts@MEAN_V == 1536
//sim:expect metric global_load_sectors@READ_K == 192

.entry attention(
    .param .u64 q,
    .param .u64 k,
    .param .u64 v,
    .param .u64 out,
    .param .u32 queries,
    .param .u32 keys)
.reqntid 256
{
    .shared .f32 tile_q[256];                   // 8 rows of 32
    .shared .f32 tile_k[1056];                  // 32 rows of 33
    .shared .f32 tile_v[1024];                  // 32 rows of 32

    // This CTA's first query tile, and how far the next is.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // tile
    mov.u32             %r5, %nctaid.y;
    mul.lo.u32          %r6, %r2, %r5;

    // This thread's places: row warp, column lane, to bring things to; rows of
    // tile_q and tile_k and a column of tile_v, to read.
    mov.u32             %r7, %tid.x;
    and.b32             %r8, %r7, 31;           // lane
    shr.u32             %r9, %r7, 5;            // warp
    mov.u32             %r10, tile_q;
    mov.u32             %r11, tile_k;
    mov.u32             %r12, tile_v;
    mad.lo.u32          %r13, %r7, 4, %r10;     // to tile_q
    mad.lo.u32          %r14, %r9, 132, %r11;
    mad.lo.u32          %r14, %r8, 4, %r14;     // to tile_k
    mad.lo.u32          %r15, %r7, 4, %r12;     // to tile_v
    mad.lo.u32          %r16, %r9, 128, %r10;   // row warp of tile_q
    mad.lo.u32          %r17, %r8, 132, %r11;   // row lane of tile_k
    mad.lo.u32          %r18, %r8, 4, %r12;     // column lane of tile_v

    ld.param.u32        %r19, [queries];
    ld.param.u32        %r20, [keys];
    ld.param.u64        %rd1, [q];
    ld.param.u64        %rd2, [k];
    ld.param.u64        %rd3, [v];
    ld.param.u64        %rd4, [out];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    cvta.to.global.u64  %rd3, %rd3;
    cvta.to.global.u64  %rd4, %rd4;
    mad.wide.u32        %rd2, %r7, 4, %rd2;
    mad.wide.u32        %rd3, %r7, 4, %rd3;

QUERIES:
    shl.b32             %r21, %r4, 3;           // the tile's first query
    setp.ge.u32         %p1, %r21, %r19;
    @%p1 bra            DONE;
    mad.lo.u32          %r22, %r4, 256, %r7;
    mul.wide.u32        %rd5, %r22, 4;
    add.u64             %rd6, %rd1, %rd5;
    ld.global.f32       %f1, [%rd6];
    mul.f32             %f1, %f1, 0f3E8293EE;   // log2 e / sqrt(32)
    st.shared.f32       [%r13], %f1;

    mov.f32             %f2, 0fFF800000;        // m = -inf
    mov.f32             %f3, 0f00000000;        // l
    mov.f32             %f4, 0f00000000;        // o
    mov.u64             %rd7, %rd2;
    mov.u64             %rd8, %rd3;
    mov.u32             %r23, 0;                // keys done
KEYS:
    // Rows warp, warp + 8, + 16 and + 24 of k and v, when the tiles are free
    bar.sync            0;
READ_K:
    ld.global.f32       %f5, [%rd7];
    ld.global.f32       %f6, [%rd7+1024];
    ld.global.f32       %f7, [%rd7+2048];
    ld.global.f32       %f8, [%rd7+3072];
    st.shared.f32       [%r14], %f5;
    st.shared.f32       [%r14+1056], %f6;
    st.shared.f32       [%r14+2112], %f7;
    st.shared.f32       [%r14+3168], %f8;
    ld.global.f32       %f5, [%rd8];
    ld.global.f32       %f6, [%rd8+1024];
    ld.global.f32       %f7, [%rd8+2048];
    ld.global.f32       %f8, [%rd8+3072];
    st.shared.f32       [%r15], %f5;
    st.shared.f32       [%r15+1024], %f6;
    st.shared.f32       [%r15+2048], %f7;
    st.shared.f32       [%r15+3072], %f8;
    bar.sync            0;

    // The score of key lane.
    mov.f32             %f9, 0f00000000;
    mov.u32             %r24, %r16;
    mov.u32             %r25, %r17;
    add.u32             %r26, %r16, 128;        // the row's end
SCORE:
    ld.shared.f32       %f10, [%r24];
SCORE_K:
    ld.shared.f32       %f11, [%r25];
    fma.rn.f32          %f9, %f10, %f11, %f9;
    add.u32             %r24, %r24, 4;
    add.u32             %r25, %r25, 4;
    setp.ne.u32         %p2, %r24, %r26;
    @%p2 bra            SCORE;

    // m' and e^(m-m')
    shfl.sync.bfly.b32  %f12, %f9, 16, 31, 0xffffffff;
    max.f32             %f13, %f9, %f12;
    shfl.sync.bfly.b32  %f12, %f13, 8, 31, 0xffffffff;
    max.f32             %f13, %f13, %f12;
    shfl.sync.bfly.b32  %f12, %f13, 4, 31, 0xffffffff;
    max.f32             %f13, %f13, %f12;
    shfl.sync.bfly.b32  %f12, %f13, 2, 31, 0xffffffff;
    max.f32             %f13, %f13, %f12;
    shfl.sync.bfly.b32  %f12, %f13, 1, 31, 0xffffffff;
    max.f32             %f13, %f13, %f12;
    max.f32             %f13, %f13, %f2;
    sub.f32             %f14, %f2, %f13;
    ex2.approx.f32      %f14, %f14;
    mov.f32             %f2, %f13;

    // p, and their sum
    sub.f32             %f15, %f9, %f13;
    ex2.approx.f32      %f15, %f15;
    shfl.sync.bfly.b32  %f12, %f15, 16, 31, 0xffffffff;
    add.f32             %f16, %f15, %f12;
    shfl.sync.bfly.b32  %f12, %f16, 8, 31, 0xffffffff;
    add.f32             %f16, %f16, %f12;
    shfl.sync.bfly.b32  %f12, %f16, 4, 31, 0xffffffff;
    add.f32             %f16, %f16, %f12;
    shfl.sync.bfly.b32  %f12, %f16, 2, 31, 0xffffffff;
    add.f32             %f16, %f16, %f12;
    shfl.sync.bfly.b32  %f12, %f16, 1, 31, 0xffffffff;
    add.f32             %f16, %f16, %f12;
    fma.rn.f32          %f3, %f3, %f14, %f16;

    // o, column lane
    mul.f32             %f4, %f4, %f14;
    mov.u32             %r27, %r18;
    mov.u32             %r28, 0;                // j
MEAN:
    shfl.sync.idx.b32   %f17, %f15, %r28, 31, 0xffffffff;
MEAN_V:
    ld.shared.f32       %f18, [%r27];
    fma.rn.f32          %f4, %f17, %f18, %f4;
    add.u32             %r27, %r27, 128;
    add.u32             %r28, %r28, 1;
    setp.lt.u32         %p3, %r28, 32;
    @%p3 bra            MEAN;

    add.u64             %rd7, %rd7, 4096;       // 32 rows
    add.u64             %rd8, %rd8, 4096;
    add.u32             %r23, %r23, 32;
    setp.lt.u32         %p4, %r23, %r20;
    @%p4 bra            KEYS;

    div.rn.f32          %f4, %f4, %f3;
    add.u64             %rd9, %rd4, %rd5;
    st.global.f32       [%rd9], %f4;
    add.u32             %r4, %r4, %r6;
    bra                 QUERIES;
DONE:
    ret;
}
