// gemm_mma: c = a * b on tensor cores. a and b are .f16, sums and c .f32.
//
// Shows mma.sync and how to feed it: ldmatrix, shared memory with
// swizzled chunks, and cp.async, which loads the next tiles while
// these are multiplied. A CTA of 4 warps has a tile of 64x64 of c, a
// warp 32x32 of it: two by four products of 16x8. For that it loads
// 32 columns of a and 32 rows of b at a time, into one of two stages:
//
//     1. copies of the next tiles begin, into the other stage
//     2. a wait for the copies of these, and a barrier: they are complete
//     3. twice, for 16 of k: 4 ldmatrix, which load 4 matrices of 8x8 each, and
//        8 mma
//     4. a barrier: everybody has done with the stage
//
// A row of a's tile is 64 bytes, 4 chunks of 16; chunk x of row r is at place
// x xor (r/2)%4. A row of b's is 128 bytes; chunk x of row r is at place
// x xor r%8. So the 8 rows of a matrix, which are in one column of chunks, are
// in all banks, once each. ldmatrix takes the rows of b's matrices, and .trans
// gives a lane the columns that mma wants.
//
// Steps of two chunks, or 16 of k, change one bit of a place, and so of an
// address: it is a xor, which is why the stages are aligned to 8 KB.
//
// m and n are multiples of 64, k of 32; rows of a and b are lda and ldb elements
// apart, multiples of 8, as cp.async copies 16 bytes. The grid must cover c; CTAs
// beyond it end at once.
//
// A warp executes 109 instructions before TILE; in each of two tiles 18 up
// to the first ldmatrix, 8 ldmatrix and 16 mma, and 4 after them: 46; 31
// for c, and ret: 233. The 16 warps have 3728, all with 32 lanes (a lane
// with a false guard counts as active) and without a divergent branch.

//sim:grid   2x2
//sim:arg    a = iota:1080:f16:-540
//sim:arg    b = iota:632:f16:-316
//sim:arg    c = zeros:16384:f32
//sim:arg    m = 128
//sim:arg    n = 128
//sim:arg    k = 64
//sim:arg    lda = 8
//sim:arg    ldb = 8
//sim:dump   c:f32:4

// Rows are 8 elements apart, so that they overlap and numbers stay small:
// a[i][l] = 8i + l - 540 and b[l][j] = 8l + j - 316. With 0+1+…+63 = 2016 and
// 0+1+4+…+3969 = 85344, the sum over l is
//
//     c[i][j] = 64*(8i - 540)*(j - 316) + 8*2016*(8i - 540) + 2016*(j - 316) + 8*85344
//
// and all numbers on the way are whole ones below 2^24, which are exact.
//sim:expect c[0:128]       == iota:128:f32:2257536:-32544
//sim:expect c[128:256]     == iota:128:f32:2224768:-32032
//sim:expect c[8192:8320]   == iota:128:f32:160384:224
//sim:expect c[16256:16384] == iota:128:f32:-1904000:32480

// In each tile a warp copies 4 times 32 chunks to shared memory, in 4 wavefronts of
// 8 chunks each, and loads 8 times 4 matrices, each in one wavefront. Of c it
// stores 16 times 8 rows of 32 bytes.
//sim:expect metric warp_instructions == 3728
//sim:expect metric divergent_branches == 0
//sim:expect metric shared_store_requests == 128
//sim:expect metric shared_store_wavefronts == 512
//sim:expect metric shared_load_requests == 256
//sim:expect metric shared_load_wavefronts == 1024
//sim:expect metric global_store_sectors == 2048

.entry gemm_mma(
    .param .u64 a,
    .param .u64 b,
    .param .u64 c,
    .param .u32 m,
    .param .u32 n,
    .param .u32 k,
    .param .u32 lda,
    .param .u32 ldb)
.reqntid 128
{
    .reg .b32 %a<8>, %b<8>;
    .shared .align 8192 .b8 stages[16384];      // two: 4 KB of a, and 4 of b

    // This CTA's tile of c.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %ctaid.x;
    shl.b32             %r1, %r1, 6;            // its first row
    shl.b32             %r2, %r2, 6;            // and column
    ld.param.u32        %r3, [m];
    ld.param.u32        %r4, [n];
    ld.param.u32        %r5, [k];
    ld.param.u32        %r6, [lda];
    ld.param.u32        %r7, [ldb];
    setp.ge.u32         %p1, %r1, %r3;
    setp.ge.or.u32      %p1, %r2, %r4, %p1;
    @%p1 exit;

    // The two chunks of a that this thread copies: chunk tid%4 of rows tid/4 and
    // 32 rows on.
    mov.u32             %r8, %tid.x;
    shr.u32             %r9, %r8, 2;            // row
    and.b32             %r10, %r8, 3;           // chunk
    add.u32             %r11, %r1, %r9;
    mul.lo.u32          %r11, %r11, %r6;
    shl.b32             %r12, %r10, 3;
    add.u32             %r11, %r11, %r12;
    ld.param.u64        %rd1, [a];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd1, %r11, 2, %rd1;
    mul.wide.u32        %rd2, %r6, 64;          // 32 rows
    add.u64             %rd2, %rd1, %rd2;
    shr.u32             %r13, %r9, 1;           // where they go
    xor.b32             %r13, %r13, %r10;
    and.b32             %r13, %r13, 3;
    shl.b32             %r13, %r13, 4;
    mad.lo.u32          %r13, %r9, 64, %r13;
    mov.u32             %r14, stages;
    add.u32             %r13, %r13, %r14;

    // And of b: chunk tid%8 of rows tid/8 and 16 rows on.
    shr.u32             %r15, %r8, 3;
    and.b32             %r16, %r8, 7;
    shl.b32             %r17, %r16, 3;
    add.u32             %r17, %r17, %r2;
    mad.lo.u32          %r17, %r15, %r7, %r17;
    ld.param.u64        %rd3, [b];
    cvta.to.global.u64  %rd3, %rd3;
    mad.wide.u32        %rd3, %r17, 2, %rd3;
    mul.wide.u32        %rd4, %r7, 32;          // 16 rows
    add.u64             %rd4, %rd3, %rd4;
    mul.wide.u32        %rd5, %r7, 64;          // the next tile
    xor.b32             %r18, %r15, %r16;
    and.b32             %r18, %r18, 7;
    shl.b32             %r18, %r18, 4;
    mad.lo.u32          %r18, %r15, 128, %r18;
    add.u32             %r18, %r18, %r14;

    // The first tiles.
    cp.async.cg.shared.global [%r13], [%rd1], 16;
    cp.async.cg.shared.global [%r13+2048], [%rd2], 16;
    cp.async.cg.shared.global [%r18+4096], [%rd3], 16;
    cp.async.cg.shared.global [%r18+6144], [%rd4], 16;
    cp.async.commit_group;

    // This warp's part of the tiles, and the rows that this lane has the addresses
    // of: in a row lane%16, in its chunk lane/16; in b row lane%16 of k.
    mov.u32             %r20, %laneid;
    shr.u32             %r21, %r8, 5;           // warp
    and.b32             %r22, %r21, 1;
    shl.b32             %r22, %r22, 5;          // its first row
    shr.u32             %r23, %r21, 1;
    shl.b32             %r23, %r23, 5;          // and column
    and.b32             %r24, %r20, 15;
    shr.u32             %r25, %r20, 4;
    shr.u32             %r26, %r20, 1;
    and.b32             %r26, %r26, 3;
    xor.b32             %r26, %r26, %r25;
    add.u32             %r27, %r22, %r24;
    shl.b32             %r27, %r27, 6;
    mad.lo.u32          %r27, %r26, 16, %r27;
    add.u32             %r27, %r27, %r14;       // a
    shr.u32             %r28, %r23, 3;
    add.u32             %r28, %r28, %r25;
    and.b32             %r29, %r20, 7;
    xor.b32             %r28, %r28, %r29;
    shl.b32             %r28, %r28, 4;
    mad.lo.u32          %r28, %r24, 128, %r28;
    add.u32             %r28, %r28, %r14;
    add.u32             %r28, %r28, 4096;       // b

    // Sums.
    mov.f32             %f0, 0.0;
    mov.f32             %f1, 0.0;
    mov.f32             %f2, 0.0;
    mov.f32             %f3, 0.0;
    mov.f32             %f4, 0.0;
    mov.f32             %f5, 0.0;
    mov.f32             %f6, 0.0;
    mov.f32             %f7, 0.0;
    mov.f32             %f8, 0.0;
    mov.f32             %f9, 0.0;
    mov.f32             %f10, 0.0;
    mov.f32             %f11, 0.0;
    mov.f32             %f12, 0.0;
    mov.f32             %f13, 0.0;
    mov.f32             %f14, 0.0;
    mov.f32             %f15, 0.0;
    mov.f32             %f16, 0.0;
    mov.f32             %f17, 0.0;
    mov.f32             %f18, 0.0;
    mov.f32             %f19, 0.0;
    mov.f32             %f20, 0.0;
    mov.f32             %f21, 0.0;
    mov.f32             %f22, 0.0;
    mov.f32             %f23, 0.0;
    mov.f32             %f24, 0.0;
    mov.f32             %f25, 0.0;
    mov.f32             %f26, 0.0;
    mov.f32             %f27, 0.0;
    mov.f32             %f28, 0.0;
    mov.f32             %f29, 0.0;
    mov.f32             %f30, 0.0;
    mov.f32             %f31, 0.0;

    mov.u32             %r30, 32;               // k behind these tiles
    mov.u32             %r31, 0;                // this stage
TILE:
    // Copies of the next tiles begin.
    setp.lt.u32         %p2, %r30, %r5;
    add.u64             %rd1, %rd1, 64;
    add.u64             %rd2, %rd2, 64;
    add.u64             %rd3, %rd3, %rd5;
    add.u64             %rd4, %rd4, %rd5;
    xor.b32             %r13, %r13, 8192;
    xor.b32             %r18, %r18, 8192;
    @%p2 cp.async.cg.shared.global [%r13], [%rd1], 16;
    @%p2 cp.async.cg.shared.global [%r13+2048], [%rd2], 16;
    @%p2 cp.async.cg.shared.global [%r18+4096], [%rd3], 16;
    @%p2 cp.async.cg.shared.global [%r18+6144], [%rd4], 16;
    cp.async.commit_group;
    cp.async.wait_group 1;
    bar.sync            0;

    add.u32             %r40, %r27, %r31;
    add.u32             %r41, %r28, %r31;
    xor.b32             %r42, %r40, 32;         // 16 of k on
    xor.b32             %r43, %r41, 32;         // 16 columns on
    // k = 0 to 15 of the tiles
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%r40];
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a4, %a5, %a6, %a7}, [%r40+1024];
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b0, %b1, %b2, %b3}, [%r41];
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b4, %b5, %b6, %b7}, [%r43];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%f0, %f1, %f2, %f3};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%a0, %a1, %a2, %a3}, {%b2, %b3}, {%f4, %f5, %f6, %f7};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f8, %f9, %f10, %f11}, {%a0, %a1, %a2, %a3}, {%b4, %b5}, {%f8, %f9, %f10, %f11};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f12, %f13, %f14, %f15}, {%a0, %a1, %a2, %a3}, {%b6, %b7}, {%f12, %f13, %f14, %f15};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f16, %f17, %f18, %f19}, {%a4, %a5, %a6, %a7}, {%b0, %b1}, {%f16, %f17, %f18, %f19};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f20, %f21, %f22, %f23}, {%a4, %a5, %a6, %a7}, {%b2, %b3}, {%f20, %f21, %f22, %f23};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f24, %f25, %f26, %f27}, {%a4, %a5, %a6, %a7}, {%b4, %b5}, {%f24, %f25, %f26, %f27};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f28, %f29, %f30, %f31}, {%a4, %a5, %a6, %a7}, {%b6, %b7}, {%f28, %f29, %f30, %f31};
    // k = 16 to 31 of the tiles
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%r42];
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a4, %a5, %a6, %a7}, [%r42+1024];
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b0, %b1, %b2, %b3}, [%r41+2048];
    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%b4, %b5, %b6, %b7}, [%r43+2048];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%f0, %f1, %f2, %f3};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%a0, %a1, %a2, %a3}, {%b2, %b3}, {%f4, %f5, %f6, %f7};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f8, %f9, %f10, %f11}, {%a0, %a1, %a2, %a3}, {%b4, %b5}, {%f8, %f9, %f10, %f11};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f12, %f13, %f14, %f15}, {%a0, %a1, %a2, %a3}, {%b6, %b7}, {%f12, %f13, %f14, %f15};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f16, %f17, %f18, %f19}, {%a4, %a5, %a6, %a7}, {%b0, %b1}, {%f16, %f17, %f18, %f19};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f20, %f21, %f22, %f23}, {%a4, %a5, %a6, %a7}, {%b2, %b3}, {%f20, %f21, %f22, %f23};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f24, %f25, %f26, %f27}, {%a4, %a5, %a6, %a7}, {%b4, %b5}, {%f24, %f25, %f26, %f27};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f28, %f29, %f30, %f31}, {%a4, %a5, %a6, %a7}, {%b6, %b7}, {%f28, %f29, %f30, %f31};

    bar.sync            0;
    xor.b32             %r31, %r31, 8192;
    add.u32             %r30, %r30, 32;
    @%p2 bra            TILE;

    // Lane l has columns l%4*2 and the next one of rows l/4 and l/4 + 8 of each
    // product.
    shr.u32             %r44, %r20, 2;
    add.u32             %r44, %r44, %r22;
    add.u32             %r44, %r44, %r1;
    and.b32             %r45, %r20, 3;
    shl.b32             %r45, %r45, 1;
    add.u32             %r45, %r45, %r23;
    add.u32             %r45, %r45, %r2;
    mad.lo.u32          %r45, %r44, %r4, %r45;
    ld.param.u64        %rd20, [c];
    cvta.to.global.u64  %rd20, %rd20;
    mad.wide.u32        %rd20, %r45, 4, %rd20;
    mul.wide.u32        %rd6, %r4, 32;          // 8 rows
    add.u64             %rd21, %rd20, %rd6;
    add.u64             %rd22, %rd21, %rd6;
    add.u64             %rd23, %rd22, %rd6;
    st.global.v2.f32    [%rd20], {%f0, %f1};
    st.global.v2.f32    [%rd20+32], {%f4, %f5};
    st.global.v2.f32    [%rd20+64], {%f8, %f9};
    st.global.v2.f32    [%rd20+96], {%f12, %f13};
    st.global.v2.f32    [%rd21], {%f2, %f3};
    st.global.v2.f32    [%rd21+32], {%f6, %f7};
    st.global.v2.f32    [%rd21+64], {%f10, %f11};
    st.global.v2.f32    [%rd21+96], {%f14, %f15};
    st.global.v2.f32    [%rd22], {%f16, %f17};
    st.global.v2.f32    [%rd22+32], {%f20, %f21};
    st.global.v2.f32    [%rd22+64], {%f24, %f25};
    st.global.v2.f32    [%rd22+96], {%f28, %f29};
    st.global.v2.f32    [%rd23], {%f18, %f19};
    st.global.v2.f32    [%rd23+32], {%f22, %f23};
    st.global.v2.f32    [%rd23+64], {%f26, %f27};
    st.global.v2.f32    [%rd23+96], {%f30, %f31};
    ret;
}
