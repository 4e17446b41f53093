// flash_attention_mma: attention on tensor cores, over tiles of keys, where query i
// sees keys 0 to i alone (a causal mask). Its weights are e^s_j over their sum,
// with the score s_j = q·k_j / 8; rows have 64 numbers of .f16.
//
// attention.s explains m, l and o, and the online softmax. Here a warp has
// 16 queries, a CTA of 4 warps 64, and a tile of keys 32. Both products
// are mma.m16n8k16, on matrices that the lanes hold in fragments:
//
//     scores   s (16x32) = q (16x64) * k^T (64x32)   4*4 mma
//     mean     o (16x64) += p (16x32) * v (32x64)    8*2 mma
//
// Of each 8 columns of a product a lane has four numbers, c0 to c3: columns t and
// t + 1 of row g, then of row g + 8, with g = lane/4 and t = lane%4*2. So four lanes
// have a row, and two shuffles find its largest score. As factors, rows of 16
// numbers go to lanes in the same way: two products side by side, rounded to
// .f16, are the fragment of p, and p never leaves the registers.
//
// ldmatrix loads from shared memory: four matrices of 8 by 8, with
// rows of 16 bytes at addresses given by eight lanes per matrix. q
// stays in registers. Columns of k^T are rows of k, as a fragment
// of the second factor needs; v is loaded transposed (.trans).
//
// A row has 128 bytes, all banks, in 8 chunks of 16. Chunk c of row r is at place
// c ^ r%8, so that neither a row nor eight chunks of a column have bank conflicts.
//
// Tiles come by cp.async, which bypasses registers. There are two places for
// tiles of k and v: while one tile is multiplied, the next is copied. A group of copies is
// waited for by the thread that made it, and a barrier says that all have.
//
// A warp skips tiles of keys that are later than all of its queries.
// Only in its last tile are some scores masked, with -infinity, so that
// their weight is 0. At the end stmatrix writes o/l to the warp's part
// of the tile of queries, from which rows of 128 bytes are stored.
//
// seq is a multiple of 64. Query tiles are numbered consecutively, 2 for each of the 2 heads
// here; a CTA continues with the tile that is ahead by the number of CTAs in the grid.
//
// Tile t of a head, from 0, needs 2t + 2 tiles of keys: the CTAs see 2, 4, 2 and 4,
// and their 16 warps come by 4*12 = 48. Warps 0 and 1 skip the last, so that 40
// are multiplied, and of these the last of each warp, 16, is masked.
//
// A warp executes 67 instructions up to QUERIES, 68 to KEYS, 75 after the
// keys, 2 to find that there are no more queries, and ret: 16 * 213 = 3408.
// It takes 12 to wait for a tile of keys, 48 * 12 = 576; 8 to load the next,
// if there is one, 32 * 8 = 256; and 178 to multiply, 40 * 178 = 7120:
//
//     4 + 4 addresses, 8 + 8 ldmatrix, 16 + 16 mma, 2 to see if it is the last
//     24 for m' (2 rows: 8 max, 2 shuffles with a max), 8 for e^(m-m')
//     32 for p (16 fma, 16 ex2), 16 for l, 32 for o * e^(m-m'), 8 to round p
//
// A mask is 2 + 2*16, 16 * 34 = 544. Together 11904.
//
// Of these 40 * 32 = 1280 are mma, each of 16*8*16 products, and 16*4 + 40*16 = 704
// ldmatrix. Of the 2*128*129/2 pairs of a query and a key that are wanted, each
// with 64 + 64 products, come 2113536; 2621440 are made, and the mask takes the rest.

//sim:grid   4
//sim:arg    q     = rand:16384:f16:1:-2:2
//sim:arg    k     = rand:16384:f16:2:-2:2
//sim:arg    v     = rand:16384:f16:3:-2:2
//sim:arg    out   = zeros:16384:f16
//sim:arg    heads = 2
//sim:arg    seq   = 128
//sim:dump   out:f16:4

// flash_attention_mma.bin is worked out in double precision and in the plain order, from
// the same random numbers, and rounded to .f16; flash_attention_mma_test.go does
// it. Numbers of .f16 have 11 bits: a weight is off by 2^-11 of itself, the mean of
// numbers up to 2 hence by 2^-10, and it is rounded, here and there, by 2^-11: 2^-9
// in all. The first query of a head sees one key, so that its mean is that of v.
//sim:expect out            == @flash_attention_mma.bin abs=0.002
//sim:expect out[0:4]       == -1.546875 0.80078125 0.451171875 -1.708984375
//sim:expect out[8192:8196] == -1.650390625 0.52734375 -1.044921875 -0.66796875

// cp.async loads 16 bytes per lane, 16 sectors per warp, and stores them
// in 4 wavefronts of 8 lanes: 16*4 of q, and 48*4 of k and v. ldmatrix has
// a wavefront for each matrix: 704*4, and the stored rows 16*4*4. Barriers
// are after q, at each tile of keys, and at the end: 16 + 48 + 16.
//sim:expect metric warp_instructions == 11904
//sim:expect metric divergent_branches == 0
//sim:expect metric barriers == 80
//sim:expect metric global_load_requests == 256
//sim:expect metric global_load_sectors == 4096
//sim:expect metric global_store_sectors == 1024
//sim:expect metric shared_load_requests == 768
//sim:expect metric shared_load_wavefronts == 3072
//sim:expect metric shared_store_wavefronts == 1280
//sim:expect metric warp_instructions@SCORE == 40
//sim:expect metric warp_instructions@MEAN == 40
//sim:expect metric warp_instructions@MASK == 16
//sim:expect metric shared_load_wavefronts@LOAD_Q == 64
//sim:expect metric shared_load_wavefronts@LOAD_K == 160
//sim:expect metric shared_load_wavefronts@LOAD_V == 160
//sim:expect metric shared_store_wavefronts@COPY_KV == 128
//sim:expect metric shared_store_wavefronts@STORE_O == 64

.entry flash_attention_mma(
    .param .u64 q,
    .param .u64 k,
    .param .u64 v,
    .param .u64 out,
    .param .u32 heads,
    .param .u32 seq)
.reqntid 128
{
    .shared .align 128 .b8 tiles[24576];        // 64 rows of q, and twice 32 of k and 32 of v
    .reg .b32 %q<16>;                           // the fragments of q: four registers for each 16 columns
    .reg .f32 %s<16>;                           // scores, then weights: four for each 8 keys
    .reg .b32 %w<8>;                            // the weights as .f16: four for each 16 keys
    .reg .f32 %o<32>;                           // the mean: four for each 8 columns
    .reg .b32 %b<4>;                            // fragments of k or v
    .reg .b32 %fq<4>, %fk<4>, %fv<4>;           // where this lane's rows of fragments are

    // This CTA's first tile of queries, how far the next is, and how many there are.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // tile
    mov.u32             %r5, %nctaid.y;
    mul.lo.u32          %r6, %r2, %r5;          // tiles to the next
    ld.param.u32        %r7, [seq];
    shr.u32             %r7, %r7, 6;            // tiles of a head
    ld.param.u32        %r8, [heads];
    mul.lo.u32          %r8, %r8, %r7;          // tiles

    // Where this thread copies chunk tid%8 of row tid/8 to, and from.
    mov.u32             %r9, %tid.x;
    shr.u32             %r10, %r9, 3;           // row
    xor.b32             %r11, %r9, %r10;
    and.b32             %r11, %r11, 7;
    shl.b32             %r11, %r11, 4;
    mad.lo.u32          %r11, %r10, 128, %r11;
    mov.u32             %r12, tiles;
    add.u32             %r13, %r12, %r11;       // to
    ld.param.u64        %rd1, [q];
    ld.param.u64        %rd2, [k];
    ld.param.u64        %rd3, [v];
    ld.param.u64        %rd4, [out];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    cvta.to.global.u64  %rd3, %rd3;
    cvta.to.global.u64  %rd4, %rd4;
    mad.wide.u32        %rd1, %r9, 16, %rd1;
    mad.wide.u32        %rd2, %r9, 16, %rd2;
    mad.wide.u32        %rd3, %r9, 16, %rd3;

    // Fragments of q and v: row lane%16, chunk lane/16. The warp has rows warp*16
    // on of q. Two chunks on is an xor of 32.
    and.b32             %r14, %r9, 31;          // lane
    shr.u32             %r15, %r9, 5;           // warp
    and.b32             %r16, %r14, 7;
    and.b32             %r17, %r14, 15;
    shr.u32             %r18, %r14, 4;
    xor.b32             %r19, %r18, %r16;
    shl.b32             %r19, %r19, 4;
    mad.lo.u32          %r19, %r17, 128, %r19;
    add.u32             %r20, %r12, %r19;       // of rows 0 on
    mad.lo.u32          %fq0, %r15, 2048, %r20;
    xor.b32             %fq1, %fq0, 32;
    xor.b32             %fq2, %fq0, 64;
    xor.b32             %fq3, %fq0, 96;
    // Fragments of k: row lane%8 + lane/16*8, chunk lane/8%2.
    mad.lo.u32          %r21, %r18, 8, %r16;    // row
    shr.u32             %r22, %r14, 3;
    and.b32             %r23, %r22, 1;
    xor.b32             %r23, %r23, %r16;
    shl.b32             %r23, %r23, 4;
    mad.lo.u32          %r23, %r21, 128, %r23;
    add.u32             %r23, %r12, %r23;
    // Stored: rows lane/8, + 4, + 8 and + 12 of the warp's, chunk lane%8.
    xor.b32             %r24, %r14, %r22;
    and.b32             %r24, %r24, 7;
    shl.b32             %r24, %r24, 4;
    mad.lo.u32          %r24, %r22, 128, %r24;
    mad.lo.u32          %r24, %r15, 2048, %r24;
    add.u32             %r24, %r12, %r24;       // rows lane/8 and + 8
    xor.b32             %r25, %r24, 64;         // rows lane/8 + 4 and + 12
    shl.b32             %r26, %r15, 11;
    mad.lo.u32          %r26, %r14, 16, %r26;
    cvt.u64.u32         %rd5, %r26;
    add.u64             %rd4, %rd4, %rd5;
    // Row lane/4 of the warp's less column lane%4*2, where the lane's
    // fragments of scores begin. The warp's last tile of keys is the
    // first or second one after those of earlier tiles of queries.
    shr.u32             %r27, %r14, 2;
    mad.lo.u32          %r27, %r15, 16, %r27;
    and.b32             %r28, %r14, 3;
    mad.lo.u32          %r28, %r28, -2, %r27;   // row - column
    shr.u32             %r29, %r15, 1;
    add.u32             %r29, %r29, 1;          // tiles of keys, of its own
    mov.f32             %f1, 0f00000000;

QUERIES:
    setp.ge.u32         %p1, %r4, %r8;
    @%p1 bra            DONE;
    div.u32             %r30, %r4, %r7;         // head
    mul.lo.u32          %r30, %r30, %r7;        // the head's first tile
    sub.u32             %r31, %r4, %r30;        // tile of the head
    mul.wide.u32        %rd6, %r4, 8192;
    mul.wide.u32        %rd7, %r30, 8192;
    add.u64             %rd8, %rd1, %rd6;
    add.u64             %rd9, %rd2, %rd7;
    add.u64             %rd10, %rd3, %rd7;
COPY_Q:
    cp.async.cg.shared.global [%r13], [%rd8], 16;
    cp.async.cg.shared.global [%r13+2048], [%rd8+2048], 16;
    cp.async.cg.shared.global [%r13+4096], [%rd8+4096], 16;
    cp.async.cg.shared.global [%r13+6144], [%rd8+6144], 16;
    cp.async.commit_group;
    cp.async.cg.shared.global [%r13+8192], [%rd9], 16;
    cp.async.cg.shared.global [%r13+10240], [%rd9+2048], 16;
    cp.async.cg.shared.global [%r13+12288], [%rd10], 16;
    cp.async.cg.shared.global [%r13+14336], [%rd10+2048], 16;
    cp.async.commit_group;

    shl.b32             %r32, %r31, 1;
    add.u32             %r33, %r32, %r29;       // tiles of keys for the warp
    add.u32             %r32, %r32, 2;          // tiles of keys for the CTA
    mad.lo.u32          %r34, %r31, 64, %r28;   // query - key, in tile 0 of keys
    mov.u32             %r35, 0;                // tile of keys
    mov.u32             %r36, 8192;             // its place
    mov.f32             %f2, 0fFF800000;        // m = -inf, of rows lane/4 and lane/4 + 8
    mov.f32             %f3, 0fFF800000;
    mov.f32             %f4, 0f00000000;        // l
    mov.f32             %f5, 0f00000000;
    mov.f32             %o0, 0f00000000;
    mov.f32             %o1, 0f00000000;
    mov.f32             %o2, 0f00000000;
    mov.f32             %o3, 0f00000000;
    mov.f32             %o4, 0f00000000;
    mov.f32             %o5, 0f00000000;
    mov.f32             %o6, 0f00000000;
    mov.f32             %o7, 0f00000000;
    mov.f32             %o8, 0f00000000;
    mov.f32             %o9, 0f00000000;
    mov.f32             %o10, 0f00000000;
    mov.f32             %o11, 0f00000000;
    mov.f32             %o12, 0f00000000;
    mov.f32             %o13, 0f00000000;
    mov.f32             %o14, 0f00000000;
    mov.f32             %o15, 0f00000000;
    mov.f32             %o16, 0f00000000;
    mov.f32             %o17, 0f00000000;
    mov.f32             %o18, 0f00000000;
    mov.f32             %o19, 0f00000000;
    mov.f32             %o20, 0f00000000;
    mov.f32             %o21, 0f00000000;
    mov.f32             %o22, 0f00000000;
    mov.f32             %o23, 0f00000000;
    mov.f32             %o24, 0f00000000;
    mov.f32             %o25, 0f00000000;
    mov.f32             %o26, 0f00000000;
    mov.f32             %o27, 0f00000000;
    mov.f32             %o28, 0f00000000;
    mov.f32             %o29, 0f00000000;
    mov.f32             %o30, 0f00000000;
    mov.f32             %o31, 0f00000000;

    // q is there when all groups but the latest one are, of all threads.
    cp.async.wait_group 1;
    bar.sync            0;
LOAD_Q:
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%q0, %q1, %q2, %q3}, [%fq0];
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%q4, %q5, %q6, %q7}, [%fq1];
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%q8, %q9, %q10, %q11}, [%fq2];
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%q12, %q13, %q14, %q15}, [%fq3];

KEYS:
    // The tile of keys is loaded, and the previous one
    // is no longer used: there is space for the next.
    cp.async.wait_group 0;
    bar.sync            0;
    add.u32             %r37, %r35, 1;          // the next
    xor.b32             %r38, %r36, 24576;      // its place: 8192 or 16384
    setp.ge.u32         %p2, %r37, %r32;
    @%p2 bra            COPIED;
    add.u64             %rd9, %rd9, 4096;
    add.u64             %rd10, %rd10, 4096;
    add.u32             %r39, %r13, %r38;
COPY_KV:
    cp.async.cg.shared.global [%r39], [%rd9], 16;
    cp.async.cg.shared.global [%r39+2048], [%rd9+2048], 16;
    cp.async.cg.shared.global [%r39+4096], [%rd10], 16;
    cp.async.cg.shared.global [%r39+6144], [%rd10+2048], 16;
    cp.async.commit_group;
COPIED:
    setp.ge.u32         %p3, %r35, %r33;        // are all keys later than all queries?
    @%p3 bra            NEXT;

    // Scores: 16 queries, 32 keys, over 64 columns.
    add.u32             %fk0, %r23, %r36;
    xor.b32             %fk1, %fk0, 32;
    xor.b32             %fk2, %fk0, 64;
    xor.b32             %fk3, %fk0, 96;
LOAD_K:
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%b0, %b1, %b2, %b3}, [%fk0];
SCORE:
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s0, %s1, %s2, %s3}, {%q0, %q1, %q2, %q3}, {%b0, %b1}, {%f1, %f1, %f1, %f1};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s4, %s5, %s6, %s7}, {%q0, %q1, %q2, %q3}, {%b2, %b3}, {%f1, %f1, %f1, %f1};
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%b0, %b1, %b2, %b3}, [%fk0+2048];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s8, %s9, %s10, %s11}, {%q0, %q1, %q2, %q3}, {%b0, %b1}, {%f1, %f1, %f1, %f1};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s12, %s13, %s14, %s15}, {%q0, %q1, %q2, %q3}, {%b2, %b3}, {%f1, %f1, %f1, %f1};
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%b0, %b1, %b2, %b3}, [%fk1];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s0, %s1, %s2, %s3}, {%q4, %q5, %q6, %q7}, {%b0, %b1}, {%s0, %s1, %s2, %s3};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s4, %s5, %s6, %s7}, {%q4, %q5, %q6, %q7}, {%b2, %b3}, {%s4, %s5, %s6, %s7};
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%b0, %b1, %b2, %b3}, [%fk1+2048];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s8, %s9, %s10, %s11}, {%q4, %q5, %q6, %q7}, {%b0, %b1}, {%s8, %s9, %s10, %s11};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s12, %s13, %s14, %s15}, {%q4, %q5, %q6, %q7}, {%b2, %b3}, {%s12, %s13, %s14, %s15};
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%b0, %b1, %b2, %b3}, [%fk2];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s0, %s1, %s2, %s3}, {%q8, %q9, %q10, %q11}, {%b0, %b1}, {%s0, %s1, %s2, %s3};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s4, %s5, %s6, %s7}, {%q8, %q9, %q10, %q11}, {%b2, %b3}, {%s4, %s5, %s6, %s7};
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%b0, %b1, %b2, %b3}, [%fk2+2048];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s8, %s9, %s10, %s11}, {%q8, %q9, %q10, %q11}, {%b0, %b1}, {%s8, %s9, %s10, %s11};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s12, %s13, %s14, %s15}, {%q8, %q9, %q10, %q11}, {%b2, %b3}, {%s12, %s13, %s14, %s15};
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%b0, %b1, %b2, %b3}, [%fk3];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s0, %s1, %s2, %s3}, {%q12, %q13, %q14, %q15}, {%b0, %b1}, {%s0, %s1, %s2, %s3};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s4, %s5, %s6, %s7}, {%q12, %q13, %q14, %q15}, {%b2, %b3}, {%s4, %s5, %s6, %s7};
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%b0, %b1, %b2, %b3}, [%fk3+2048];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s8, %s9, %s10, %s11}, {%q12, %q13, %q14, %q15}, {%b0, %b1}, {%s8, %s9, %s10, %s11};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s12, %s13, %s14, %s15}, {%q12, %q13, %q14, %q15}, {%b2, %b3}, {%s12, %s13, %s14, %s15};

    // In the warp's last tile keys are later than queries.
    setp.ne.u32         %p4, %r37, %r33;
    @%p4 bra            SOFTMAX;
    mad.lo.s32          %r40, %r35, -32, %r34;
    add.s32             %r41, %r40, 8;
MASK:
    setp.lt.s32         %p5, %r40, 0;
    @%p5 mov.f32        %s0, 0fFF800000;
    setp.lt.s32         %p5, %r40, 1;
    @%p5 mov.f32        %s1, 0fFF800000;
    setp.lt.s32         %p5, %r41, 0;
    @%p5 mov.f32        %s2, 0fFF800000;
    setp.lt.s32         %p5, %r41, 1;
    @%p5 mov.f32        %s3, 0fFF800000;
    setp.lt.s32         %p5, %r40, 8;
    @%p5 mov.f32        %s4, 0fFF800000;
    setp.lt.s32         %p5, %r40, 9;
    @%p5 mov.f32        %s5, 0fFF800000;
    setp.lt.s32         %p5, %r41, 8;
    @%p5 mov.f32        %s6, 0fFF800000;
    setp.lt.s32         %p5, %r41, 9;
    @%p5 mov.f32        %s7, 0fFF800000;
    setp.lt.s32         %p5, %r40, 16;
    @%p5 mov.f32        %s8, 0fFF800000;
    setp.lt.s32         %p5, %r40, 17;
    @%p5 mov.f32        %s9, 0fFF800000;
    setp.lt.s32         %p5, %r41, 16;
    @%p5 mov.f32        %s10, 0fFF800000;
    setp.lt.s32         %p5, %r41, 17;
    @%p5 mov.f32        %s11, 0fFF800000;
    setp.lt.s32         %p5, %r40, 24;
    @%p5 mov.f32        %s12, 0fFF800000;
    setp.lt.s32         %p5, %r40, 25;
    @%p5 mov.f32        %s13, 0fFF800000;
    setp.lt.s32         %p5, %r41, 24;
    @%p5 mov.f32        %s14, 0fFF800000;
    setp.lt.s32         %p5, %r41, 25;
    @%p5 mov.f32        %s15, 0fFF800000;

SOFTMAX:
    // m' of a row, combined from four lanes
    max.f32             %f6, %f2, %s0;
    max.f32             %f6, %f6, %s1;
    max.f32             %f6, %f6, %s4;
    max.f32             %f6, %f6, %s5;
    max.f32             %f6, %f6, %s8;
    max.f32             %f6, %f6, %s9;
    max.f32             %f6, %f6, %s12;
    max.f32             %f6, %f6, %s13;
    shfl.sync.bfly.b32  %f8, %f6, 1, 31, 0xffffffff;
    max.f32             %f6, %f6, %f8;
    shfl.sync.bfly.b32  %f8, %f6, 2, 31, 0xffffffff;
    max.f32             %f6, %f6, %f8;
    max.f32             %f7, %f3, %s2;
    max.f32             %f7, %f7, %s3;
    max.f32             %f7, %f7, %s6;
    max.f32             %f7, %f7, %s7;
    max.f32             %f7, %f7, %s10;
    max.f32             %f7, %f7, %s11;
    max.f32             %f7, %f7, %s14;
    max.f32             %f7, %f7, %s15;
    shfl.sync.bfly.b32  %f8, %f7, 1, 31, 0xffffffff;
    max.f32             %f7, %f7, %f8;
    shfl.sync.bfly.b32  %f8, %f7, 2, 31, 0xffffffff;
    max.f32             %f7, %f7, %f8;
    // e^(m-m'), and -m' as an exponent of 2
    mul.f32             %f10, %f6, 0fBE38AA3B;  // -log2 e / 8
    fma.rn.f32          %f12, %f2, 0f3E38AA3B, %f10;
    ex2.approx.f32      %f12, %f12;
    mov.f32             %f2, %f6;
    mul.f32             %f11, %f7, 0fBE38AA3B;
    fma.rn.f32          %f13, %f3, 0f3E38AA3B, %f11;
    ex2.approx.f32      %f13, %f13;
    mov.f32             %f3, %f7;
    // p, and the lane's part of l
    fma.rn.f32          %s0, %s0, 0f3E38AA3B, %f10;
    ex2.approx.f32      %s0, %s0;
    fma.rn.f32          %s1, %s1, 0f3E38AA3B, %f10;
    ex2.approx.f32      %s1, %s1;
    fma.rn.f32          %s2, %s2, 0f3E38AA3B, %f11;
    ex2.approx.f32      %s2, %s2;
    fma.rn.f32          %s3, %s3, 0f3E38AA3B, %f11;
    ex2.approx.f32      %s3, %s3;
    fma.rn.f32          %s4, %s4, 0f3E38AA3B, %f10;
    ex2.approx.f32      %s4, %s4;
    fma.rn.f32          %s5, %s5, 0f3E38AA3B, %f10;
    ex2.approx.f32      %s5, %s5;
    fma.rn.f32          %s6, %s6, 0f3E38AA3B, %f11;
    ex2.approx.f32      %s6, %s6;
    fma.rn.f32          %s7, %s7, 0f3E38AA3B, %f11;
    ex2.approx.f32      %s7, %s7;
    fma.rn.f32          %s8, %s8, 0f3E38AA3B, %f10;
    ex2.approx.f32      %s8, %s8;
    fma.rn.f32          %s9, %s9, 0f3E38AA3B, %f10;
    ex2.approx.f32      %s9, %s9;
    fma.rn.f32          %s10, %s10, 0f3E38AA3B, %f11;
    ex2.approx.f32      %s10, %s10;
    fma.rn.f32          %s11, %s11, 0f3E38AA3B, %f11;
    ex2.approx.f32      %s11, %s11;
    fma.rn.f32          %s12, %s12, 0f3E38AA3B, %f10;
    ex2.approx.f32      %s12, %s12;
    fma.rn.f32          %s13, %s13, 0f3E38AA3B, %f10;
    ex2.approx.f32      %s13, %s13;
    fma.rn.f32          %s14, %s14, 0f3E38AA3B, %f11;
    ex2.approx.f32      %s14, %s14;
    fma.rn.f32          %s15, %s15, 0f3E38AA3B, %f11;
    ex2.approx.f32      %s15, %s15;
    fma.rn.f32          %f4, %f4, %f12, %s0;
    add.f32             %f4, %f4, %s1;
    add.f32             %f4, %f4, %s4;
    add.f32             %f4, %f4, %s5;
    add.f32             %f4, %f4, %s8;
    add.f32             %f4, %f4, %s9;
    add.f32             %f4, %f4, %s12;
    add.f32             %f4, %f4, %s13;
    fma.rn.f32          %f5, %f5, %f13, %s2;
    add.f32             %f5, %f5, %s3;
    add.f32             %f5, %f5, %s6;
    add.f32             %f5, %f5, %s7;
    add.f32             %f5, %f5, %s10;
    add.f32             %f5, %f5, %s11;
    add.f32             %f5, %f5, %s14;
    add.f32             %f5, %f5, %s15;
    mul.f32             %o0, %o0, %f12;
    mul.f32             %o1, %o1, %f12;
    mul.f32             %o2, %o2, %f13;
    mul.f32             %o3, %o3, %f13;
    mul.f32             %o4, %o4, %f12;
    mul.f32             %o5, %o5, %f12;
    mul.f32             %o6, %o6, %f13;
    mul.f32             %o7, %o7, %f13;
    mul.f32             %o8, %o8, %f12;
    mul.f32             %o9, %o9, %f12;
    mul.f32             %o10, %o10, %f13;
    mul.f32             %o11, %o11, %f13;
    mul.f32             %o12, %o12, %f12;
    mul.f32             %o13, %o13, %f12;
    mul.f32             %o14, %o14, %f13;
    mul.f32             %o15, %o15, %f13;
    mul.f32             %o16, %o16, %f12;
    mul.f32             %o17, %o17, %f12;
    mul.f32             %o18, %o18, %f13;
    mul.f32             %o19, %o19, %f13;
    mul.f32             %o20, %o20, %f12;
    mul.f32             %o21, %o21, %f12;
    mul.f32             %o22, %o22, %f13;
    mul.f32             %o23, %o23, %f13;
    mul.f32             %o24, %o24, %f12;
    mul.f32             %o25, %o25, %f12;
    mul.f32             %o26, %o26, %f13;
    mul.f32             %o27, %o27, %f13;
    mul.f32             %o28, %o28, %f12;
    mul.f32             %o29, %o29, %f12;
    mul.f32             %o30, %o30, %f13;
    mul.f32             %o31, %o31, %f13;
    // The second operand of cvt is the lower half.
    cvt.rn.f16x2.f32    %w0, %s1, %s0;
    cvt.rn.f16x2.f32    %w1, %s3, %s2;
    cvt.rn.f16x2.f32    %w2, %s5, %s4;
    cvt.rn.f16x2.f32    %w3, %s7, %s6;
    cvt.rn.f16x2.f32    %w4, %s9, %s8;
    cvt.rn.f16x2.f32    %w5, %s11, %s10;
    cvt.rn.f16x2.f32    %w6, %s13, %s12;
    cvt.rn.f16x2.f32    %w7, %s15, %s14;

    // The mean: 16 queries, 64 columns, over 32 keys.
    add.u32             %fv0, %r20, %r36;
    xor.b32             %fv1, %fv0, 32;
    xor.b32             %fv2, %fv0, 64;
    xor.b32             %fv3, %fv0, 96;
LOAD_V:
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b0, %b1, %b2, %b3}, [%fv0+4096];
MEAN:
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o0, %o1, %o2, %o3}, {%w0, %w1, %w2, %w3}, {%b0, %b1}, {%o0, %o1, %o2, %o3};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o4, %o5, %o6, %o7}, {%w0, %w1, %w2, %w3}, {%b2, %b3}, {%o4, %o5, %o6, %o7};
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b0, %b1, %b2, %b3}, [%fv1+4096];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o8, %o9, %o10, %o11}, {%w0, %w1, %w2, %w3}, {%b0, %b1}, {%o8, %o9, %o10, %o11};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o12, %o13, %o14, %o15}, {%w0, %w1, %w2, %w3}, {%b2, %b3}, {%o12, %o13, %o14, %o15};
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b0, %b1, %b2, %b3}, [%fv2+4096];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o16, %o17, %o18, %o19}, {%w0, %w1, %w2, %w3}, {%b0, %b1}, {%o16, %o17, %o18, %o19};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o20, %o21, %o22, %o23}, {%w0, %w1, %w2, %w3}, {%b2, %b3}, {%o20, %o21, %o22, %o23};
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b0, %b1, %b2, %b3}, [%fv3+4096];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o24, %o25, %o26, %o27}, {%w0, %w1, %w2, %w3}, {%b0, %b1}, {%o24, %o25, %o26, %o27};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o28, %o29, %o30, %o31}, {%w0, %w1, %w2, %w3}, {%b2, %b3}, {%o28, %o29, %o30, %o31};
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b0, %b1, %b2, %b3}, [%fv0+6144];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o0, %o1, %o2, %o3}, {%w4, %w5, %w6, %w7}, {%b0, %b1}, {%o0, %o1, %o2, %o3};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o4, %o5, %o6, %o7}, {%w4, %w5, %w6, %w7}, {%b2, %b3}, {%o4, %o5, %o6, %o7};
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b0, %b1, %b2, %b3}, [%fv1+6144];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o8, %o9, %o10, %o11}, {%w4, %w5, %w6, %w7}, {%b0, %b1}, {%o8, %o9, %o10, %o11};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o12, %o13, %o14, %o15}, {%w4, %w5, %w6, %w7}, {%b2, %b3}, {%o12, %o13, %o14, %o15};
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b0, %b1, %b2, %b3}, [%fv2+6144];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o16, %o17, %o18, %o19}, {%w4, %w5, %w6, %w7}, {%b0, %b1}, {%o16, %o17, %o18, %o19};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o20, %o21, %o22, %o23}, {%w4, %w5, %w6, %w7}, {%b2, %b3}, {%o20, %o21, %o22, %o23};
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b0, %b1, %b2, %b3}, [%fv3+6144];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o24, %o25, %o26, %o27}, {%w4, %w5, %w6, %w7}, {%b0, %b1}, {%o24, %o25, %o26, %o27};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o28, %o29, %o30, %o31}, {%w4, %w5, %w6, %w7}, {%b2, %b3}, {%o28, %o29, %o30, %o31};

NEXT:
    mov.u32             %r35, %r37;
    mov.u32             %r36, %r38;
    setp.lt.u32         %p6, %r35, %r32;
    @%p6 bra            KEYS;

    // l of the row, combined from four lanes; then o/l replaces q
    shfl.sync.bfly.b32  %f8, %f4, 1, 31, 0xffffffff;
    add.f32             %f4, %f4, %f8;
    shfl.sync.bfly.b32  %f8, %f4, 2, 31, 0xffffffff;
    add.f32             %f4, %f4, %f8;
    rcp.rn.f32          %f4, %f4;
    shfl.sync.bfly.b32  %f8, %f5, 1, 31, 0xffffffff;
    add.f32             %f5, %f5, %f8;
    shfl.sync.bfly.b32  %f8, %f5, 2, 31, 0xffffffff;
    add.f32             %f5, %f5, %f8;
    rcp.rn.f32          %f5, %f5;
    mul.f32             %o0, %o0, %f4;
    mul.f32             %o1, %o1, %f4;
    mul.f32             %o2, %o2, %f5;
    mul.f32             %o3, %o3, %f5;
    mul.f32             %o4, %o4, %f4;
    mul.f32             %o5, %o5, %f4;
    mul.f32             %o6, %o6, %f5;
    mul.f32             %o7, %o7, %f5;
    mul.f32             %o8, %o8, %f4;
    mul.f32             %o9, %o9, %f4;
    mul.f32             %o10, %o10, %f5;
    mul.f32             %o11, %o11, %f5;
    mul.f32             %o12, %o12, %f4;
    mul.f32             %o13, %o13, %f4;
    mul.f32             %o14, %o14, %f5;
    mul.f32             %o15, %o15, %f5;
    mul.f32             %o16, %o16, %f4;
    mul.f32             %o17, %o17, %f4;
    mul.f32             %o18, %o18, %f5;
    mul.f32             %o19, %o19, %f5;
    mul.f32             %o20, %o20, %f4;
    mul.f32             %o21, %o21, %f4;
    mul.f32             %o22, %o22, %f5;
    mul.f32             %o23, %o23, %f5;
    mul.f32             %o24, %o24, %f4;
    mul.f32             %o25, %o25, %f4;
    mul.f32             %o26, %o26, %f5;
    mul.f32             %o27, %o27, %f5;
    mul.f32             %o28, %o28, %f4;
    mul.f32             %o29, %o29, %f4;
    mul.f32             %o30, %o30, %f5;
    mul.f32             %o31, %o31, %f5;
    cvt.rn.f16x2.f32    %b0, %o1, %o0;
    cvt.rn.f16x2.f32    %b1, %o3, %o2;
    cvt.rn.f16x2.f32    %b2, %o5, %o4;
    cvt.rn.f16x2.f32    %b3, %o7, %o6;
STORE_O:
    stmatrix.sync.aligned.m8n8.x4.shared.b16 [%fq0], {%b0, %b1, %b2, %b3};
    cvt.rn.f16x2.f32    %b0, %o9, %o8;
    cvt.rn.f16x2.f32    %b1, %o11, %o10;
    cvt.rn.f16x2.f32    %b2, %o13, %o12;
    cvt.rn.f16x2.f32    %b3, %o15, %o14;
    stmatrix.sync.aligned.m8n8.x4.shared.b16 [%fq1], {%b0, %b1, %b2, %b3};
    cvt.rn.f16x2.f32    %b0, %o17, %o16;
    cvt.rn.f16x2.f32    %b1, %o19, %o18;
    cvt.rn.f16x2.f32    %b2, %o21, %o20;
    cvt.rn.f16x2.f32    %b3, %o23, %o22;
    stmatrix.sync.aligned.m8n8.x4.shared.b16 [%fq2], {%b0, %b1, %b2, %b3};
    cvt.rn.f16x2.f32    %b0, %o25, %o24;
    cvt.rn.f16x2.f32    %b1, %o27, %o26;
    cvt.rn.f16x2.f32    %b2, %o29, %o28;
    cvt.rn.f16x2.f32    %b3, %o31, %o30;
    stmatrix.sync.aligned.m8n8.x4.shared.b16 [%fq3], {%b0, %b1, %b2, %b3};
    bar.warp.sync       0xffffffff;
    add.u64             %rd11, %rd4, %rd6;
STORE_ROWS:
    ld.shared.v4.b32    {%b0, %b1, %b2, %b3}, [%r24];
    st.global.v4.b32    [%rd11], {%b0, %b1, %b2, %b3};
    ld.shared.v4.b32    {%b0, %b1, %b2, %b3}, [%r25+512];
    st.global.v4.b32    [%rd11+512], {%b0, %b1, %b2, %b3};
    ld.shared.v4.b32    {%b0, %b1, %b2, %b3}, [%r24+1024];
    st.global.v4.b32    [%rd11+1024], {%b0, %b1, %b2, %b3};
    ld.shared.v4.b32    {%b0, %b1, %b2, %b3}, [%r25+1536];
    st.global.v4.b32    [%rd11+1536], {%b0, %b1, %b2, %b3};
    bar.sync            0;                      // the tiles are free
    add.u32             %r4, %r4, %r6;
    bra                 QUERIES;
DONE:
    ret;
}
