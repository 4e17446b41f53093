// gemm_wgmma: c = a * b on the tensor cores of a Hopper GPU. a and b are .f16, sums
// and c .f32.
//
// Shows wgmma, with which four warps multiply matrices that lie in shared memory.
// A CTA of one warpgroup has a tile of 64x64 of c. For that it brings 64 columns of
// a and 64 rows of b at a time, into one of two stages:
//
//     1. copies of the next tiles begin (cp.async), into the other stage
//     2. a wait for the copies of these; a fence, as wgmma reads them through
//        another proxy than cp.async has written them; and a barrier
//     3. four wgmma, for 16 of k each, and a wait for them
//     4. a barrier: everybody has done with the stage
//
// A row of a's tile is 64 of k, one of b's 64 columns: 128 bytes, 8 chunks of 16.
// Chunk x of row r is at place x xor r%8, which is the swizzle of 128 bytes that
// the descriptors name. So a is K-major, and b N-major: its row is one of k, which
// the last operand of wgmma says. A descriptor has the address, in units of 16
// bytes, the distance of groups of 8 rows, 1024 bytes, and the swizzle. 16 of k
// further on is a 32 bytes further on, and b 16 rows.
//
// The first wgmma does not add to the registers, because they hold no sum yet.
//
// m and n are multiples of 64, k too; rows of a and b are lda and ldb elements
// apart, multiples of 8, as cp.async copies 16 bytes. The grid must cover c; CTAs
// beyond it end at once.
//
// A warp executes 55 instructions before TILE; in each of two tiles 20
// with the copies of the next, 4 up to the barrier, 9 for descriptors,
// 7 of wgmma and 4 after them: 44; 31 for c, and ret: 175. The 16
// warps have 2800, all with 32 lanes and without a divergent branch.

//sim:grid   2x2
//sim:arg    a = iota:1144:f16:-508
//sim:arg    b = iota:1144:f16:-572
//sim:arg    c = zeros:16384:f32
//sim:arg    m = 128
//sim:arg    n = 128
//sim:arg    k = 128
//sim:arg    lda = 8
//sim:arg    ldb = 8
//sim:dump   c:f32:4

// Rows are 8 elements apart, so that they overlap and numbers stay small:
// a[i][l] = 8i + l - 508 and b[l][j] = 8l + j - 572. With 0+1+…+127 = 8128 and
// 0+1+4+…+16129 = 690880, the sum over l is
//
//     c[i][j] = (8i - 508)*(8*8128 + 128*(j - 572)) + 8*690880 + 8128*(j - 572)
//
// and all numbers on the way are whole ones below 2^24, which are exact.
//sim:expect c[0:128]       == iota:128:f32:5039360:-56896
//sim:expect c[128:256]     == iota:128:f32:4973824:-55872
//sim:expect c[8192:8320]   == iota:128:f32:845056:8640
//sim:expect c[16256:16384] == iota:128:f32:-3283712:73152

// In each tile a warp copies 8 times 32 chunks to shared memory, 4
// rows of 8 chunks, in a wavefront each. Reads of wgmma are not
// loads of a warp. A warp stores 16 times 8 rows of 32 bytes of c.
//sim:expect metric warp_instructions == 2800
//sim:expect metric divergent_branches == 0
//sim:expect metric shared_store_requests == 256
//sim:expect metric shared_store_wavefronts == 1024
//sim:expect metric shared_load_requests == 0
//sim:expect metric global_store_sectors == 2048

.entry gemm_wgmma(
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
    .shared .align 32768 .b8 stages[32768];     // two: 8 KB of a, and 8 of b

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

    // The four chunks of a that this thread copies: chunk tid%8 of rows tid/8, and 16,
    // 32 and 48 rows on.
    mov.u32             %r8, %tid.x;
    shr.u32             %r9, %r8, 3;            // row
    and.b32             %r10, %r8, 7;           // chunk
    add.u32             %r11, %r1, %r9;
    mul.lo.u32          %r11, %r11, %r6;
    shl.b32             %r12, %r10, 3;
    add.u32             %r11, %r11, %r12;
    ld.param.u64        %rd1, [a];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd1, %r11, 2, %rd1;
    mul.wide.u32        %rd10, %r6, 32;         // 16 rows
    add.u64             %rd2, %rd1, %rd10;
    add.u64             %rd3, %rd2, %rd10;
    add.u64             %rd4, %rd3, %rd10;

    // And of b.
    add.u32             %r13, %r2, %r12;
    mad.lo.u32          %r13, %r9, %r7, %r13;
    ld.param.u64        %rd5, [b];
    cvta.to.global.u64  %rd5, %rd5;
    mad.wide.u32        %rd5, %r13, 2, %rd5;
    mul.wide.u32        %rd11, %r7, 32;         // 16 rows
    add.u64             %rd6, %rd5, %rd11;
    add.u64             %rd7, %rd6, %rd11;
    add.u64             %rd8, %rd7, %rd11;
    mul.wide.u32        %rd9, %r7, 128;         // the next tile: 64 rows

    // Where they go. 16 rows on the place in a row is the same.
    xor.b32             %r14, %r9, %r10;
    and.b32             %r14, %r14, 7;
    shl.b32             %r14, %r14, 4;
    mad.lo.u32          %r14, %r9, 128, %r14;
    mov.u32             %r15, stages;
    add.u32             %r14, %r14, %r15;

    // The first tiles.
    cp.async.cg.shared.global [%r14], [%rd1], 16;
    cp.async.cg.shared.global [%r14+2048], [%rd2], 16;
    cp.async.cg.shared.global [%r14+4096], [%rd3], 16;
    cp.async.cg.shared.global [%r14+6144], [%rd4], 16;
    cp.async.cg.shared.global [%r14+8192], [%rd5], 16;
    cp.async.cg.shared.global [%r14+10240], [%rd6], 16;
    cp.async.cg.shared.global [%r14+12288], [%rd7], 16;
    cp.async.cg.shared.global [%r14+14336], [%rd8], 16;
    cp.async.commit_group;

    // The halves of a's descriptor: the address / 16, and a leading offset that a
    // swizzled one does not use; groups of 8 rows 1024 / 16 apart, 128 bytes.
    shr.u32             %r16, %r15, 4;
    or.b32              %r16, %r16, 0x10000;
    mov.u32             %r17, 0x40000040;
    mov.u32             %r20, 0;                // k before this tile
TILE:
    // Copies of the next tiles begin.
    add.u32             %r21, %r20, 64;
    setp.lt.u32         %p2, %r21, %r5;
    setp.ne.u32         %p3, %r20, 0;
    add.u64             %rd1, %rd1, 128;
    add.u64             %rd2, %rd2, 128;
    add.u64             %rd3, %rd3, 128;
    add.u64             %rd4, %rd4, 128;
    add.u64             %rd5, %rd5, %rd9;
    add.u64             %rd6, %rd6, %rd9;
    add.u64             %rd7, %rd7, %rd9;
    add.u64             %rd8, %rd8, %rd9;
    xor.b32             %r14, %r14, 16384;
    @%p2 cp.async.cg.shared.global [%r14], [%rd1], 16;
    @%p2 cp.async.cg.shared.global [%r14+2048], [%rd2], 16;
    @%p2 cp.async.cg.shared.global [%r14+4096], [%rd3], 16;
    @%p2 cp.async.cg.shared.global [%r14+6144], [%rd4], 16;
    @%p2 cp.async.cg.shared.global [%r14+8192], [%rd5], 16;
    @%p2 cp.async.cg.shared.global [%r14+10240], [%rd6], 16;
    @%p2 cp.async.cg.shared.global [%r14+12288], [%rd7], 16;
    @%p2 cp.async.cg.shared.global [%r14+14336], [%rd8], 16;
    cp.async.commit_group;
    cp.async.wait_group 1;
    fence.proxy.async;
    bar.sync            0;

    // Descriptors of a and b for each 16 of k.
    add.u32             %r18, %r16, 512;        // b is 8 KB behind a
    mov.b64             %rd20, {%r16, %r17};
    mov.b64             %rd21, {%r18, %r17};
    add.u64             %rd22, %rd20, 2;
    add.u64             %rd23, %rd21, 128;
    add.u64             %rd24, %rd20, 4;
    add.u64             %rd25, %rd21, 256;
    add.u64             %rd26, %rd20, 6;
    add.u64             %rd27, %rd21, 384;

    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
        {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15,
        %f16, %f17, %f18, %f19, %f20, %f21, %f22, %f23, %f24, %f25, %f26, %f27, %f28, %f29, %f30, %f31},
        %rd20, %rd21, %p3, 1, 1, 0, 1;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
        {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15,
        %f16, %f17, %f18, %f19, %f20, %f21, %f22, %f23, %f24, %f25, %f26, %f27, %f28, %f29, %f30, %f31},
        %rd22, %rd23, 1, 1, 1, 0, 1;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
        {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15,
        %f16, %f17, %f18, %f19, %f20, %f21, %f22, %f23, %f24, %f25, %f26, %f27, %f28, %f29, %f30, %f31},
        %rd24, %rd25, 1, 1, 1, 0, 1;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
        {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15,
        %f16, %f17, %f18, %f19, %f20, %f21, %f22, %f23, %f24, %f25, %f26, %f27, %f28, %f29, %f30, %f31},
        %rd26, %rd27, 1, 1, 1, 0, 1;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    bar.sync            0;
    xor.b32             %r16, %r16, 1024;       // the other stage
    mov.u32             %r20, %r21;
    @%p2 bra            TILE;

    // Warp w has rows 16w on; lane l of it columns l%4*2 and the next one, of each 8, of
    // rows l/4 and l/4 + 8.
    mov.u32             %r22, %laneid;
    shr.u32             %r23, %r8, 5;           // warp
    shl.b32             %r23, %r23, 4;
    shr.u32             %r24, %r22, 2;
    add.u32             %r23, %r23, %r24;
    add.u32             %r23, %r23, %r1;
    and.b32             %r24, %r22, 3;
    shl.b32             %r24, %r24, 1;
    add.u32             %r24, %r24, %r2;
    mad.lo.u32          %r24, %r23, %r4, %r24;
    ld.param.u64        %rd30, [c];
    cvta.to.global.u64  %rd30, %rd30;
    mad.wide.u32        %rd30, %r24, 4, %rd30;
    mul.wide.u32        %rd31, %r4, 32;         // 8 rows
    add.u64             %rd31, %rd30, %rd31;
    st.global.v2.f32    [%rd30], {%f0, %f1};
    st.global.v2.f32    [%rd30+32], {%f4, %f5};
    st.global.v2.f32    [%rd30+64], {%f8, %f9};
    st.global.v2.f32    [%rd30+96], {%f12, %f13};
    st.global.v2.f32    [%rd30+128], {%f16, %f17};
    st.global.v2.f32    [%rd30+160], {%f20, %f21};
    st.global.v2.f32    [%rd30+192], {%f24, %f25};
    st.global.v2.f32    [%rd30+224], {%f28, %f29};
    st.global.v2.f32    [%rd31], {%f2, %f3};
    st.global.v2.f32    [%rd31+32], {%f6, %f7};
    st.global.v2.f32    [%rd31+64], {%f10, %f11};
    st.global.v2.f32    [%rd31+96], {%f14, %f15};
    st.global.v2.f32    [%rd31+128], {%f18, %f19};
    st.global.v2.f32    [%rd31+160], {%f22, %f23};
    st.global.v2.f32    [%rd31+192], {%f26, %f27};
    st.global.v2.f32    [%rd31+224], {%f30, %f31};
    ret;
}
