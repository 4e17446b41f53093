// gemm_cluster: c = a * bᵀ as kernels for a Hopper GPU have it. a and b are .f16, with k along their rows, sums and c
// .f32.
//
// Shows the parts of such a kernel together: tensor maps and
// cp.async.bulk.tensor, with multicast to both CTAs of a cluster, mbarriers
// between a warp that copies and a warpgroup that multiplies, and wgmma.
//
// A CTA has a tile of 64x64 of c. The two CTAs of a cluster are above each other: they need the same 64
// rows of b. 32 of k at a time are loaded into one of two stages of 8 KB: 64 rows of 64 bytes of a, and 64
// of b, where each CTA loads 32 for both. The copies swizzle 64 bytes, as the descriptors of wgmma say.
//
// Warps 0 to 3 are a warpgroup and multiply, one thread of warp 4 has the tiles copied. Each stage has two mbarriers:
//
// full:  one arrival in a phase, that of the CTA's own warp 4, which says that 8192 bytes will come: a quarter
//        of them is the other CTA's to send. It may send them before that.
// empty: two arrivals, of one thread of the warpgroup of each CTA, for which the other one's empty is in
//        shared::cluster. All of a warpgroup has done with a stage when one of its warps has waited for the products.
//
// Tile n is in stage n mod 2, in the phase of parity n/2 mod 2. Warp 4 waits for the phase of empty before
// it, of the other parity: of the first two tiles there is none, and that wait is over at once.
//
// m is a multiple of 128, n of 64, k is 128. The grid must cover c; clusters beyond it end at once.
//
// The barrier of the cluster at the beginning is for the mbarriers, which the other CTA uses; that at the end
// keeps a CTA's shared memory there until the other one does not use it any more.

//sim:grid      1x2
//sim:cluster   1x2
//sim:buffer    a = iota:1144:f16:-572
//sim:buffer    b = iota:632:f16:-316
//sim:tensormap amap = a 128x128 strides=16 box=32x64 swizzle=64
//sim:tensormap bmap = b 128x64 strides=16 box=32x32 swizzle=64
//sim:arg       c = zeros:8192:f32
//sim:arg       m = 128
//sim:arg       n = 64
//sim:dump      c:f32:4

// Rows are 8 elements apart, so that they overlap and numbers stay small:
// a[i][l] = 8i + l - 572 and b[j][l] = 8j + l - 316. With 0+1+…+127 = 8128 and
// 0+1+4+…+16129 = 690880, the sum over l is
//
//     c[i][j] = 128*(8i - 572)*(8j - 316) + 8128*(8i + 8j - 888) + 690880
//
// and all numbers on the way are whole ones below 2^24, which are exact.
//sim:expect c[0:64]      == iota:64:f32:16609472:-520704
//sim:expect c[64:128]    == iota:64:f32:16350912:-512512
//sim:expect c[4096:4160] == iota:64:f32:61632:3584
//sim:expect c[8128:8192] == iota:64:f32:-16227648:519680

// There are 4 tiles in each of 2 CTAs, in which 4 warps multiply. Rows in memory begin at a multiple of 16 bytes,
// every other one in the middle of a sector: such rows of 64 bytes have 3 sectors and the others 2. So a's tile
// has 160, half of b's 80, which are read once for both CTAs. A warp stores 16 times 8 rows of 32 bytes of c.
//sim:expect metric warp_instructions@COPY == 8
//sim:expect metric warp_instructions@PRODUCT == 32
//sim:expect metric global_load_sectors == 1920
//sim:expect metric global_store_sectors == 1024

.visible .entry gemm_cluster(
    .param .align 64 .b8 amap[128],
    .param .align 64 .b8 bmap[128],
    .param .u64 c,
    .param .u32 m,
    .param .u32 n)
.reqntid 160
{
    .reg .pred %p<4>;
    .reg .b16 %h<1>;
    .reg .b32 %r<29>;
    .reg .b64 %rd<9>;
    .reg .f32 %f<32>;
    .shared .align 1024 .b8 stages[16384];
    .shared .b64 full[2];
    .shared .b64 empty[2];

    mov.u32             %r1, %tid.x;
    mov.u32             %r2, %cluster_ctarank;
    mov.u32             %r3, stages;
    mov.u32             %r4, full;
    mov.u32             %r5, empty;
    mov.u32             %r6, 0;                 // the tile
    mov.u32             %r7, %ctaid.y;
    shl.b32             %r7, %r7, 6;            // the first row of a and c
    mov.u32             %r26, %ctaid.x;
    shl.b32             %r26, %r26, 6;          // the first row of b, and column of c
    ld.param.u32        %r27, [m];
    ld.param.u32        %r28, [n];
    setp.ge.u32         %p1, %r7, %r27;
    setp.ge.or.u32      %p1, %r26, %r28, %p1;
    @%p1 ret;
    setp.ne.u32         %p1, %r1, 128;
    @%p1 bra            READY;
    mbarrier.init.shared.b64 [full], 1;
    mbarrier.init.shared.b64 [full+8], 1;
    mbarrier.init.shared.b64 [empty], 2;
    mbarrier.init.shared.b64 [empty+8], 2;
    fence.mbarrier_init.release.cluster;
READY:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    setp.lt.u32         %p1, %r1, 128;
    @%p1 bra            MULTIPLY;

    // Warp 4: one thread has tiles copied.
    setp.ne.u32         %p1, %r1, 128;
    @%p1 bra            END;
    mov.b64             %rd1, amap;
    cvta.param.u64      %rd1, %rd1;
    mov.b64             %rd2, bmap;
    cvta.param.u64      %rd2, %rd2;
    shl.b32             %r8, %r2, 5;
    add.u32             %r8, %r8, %r26;         // the first row of b that this CTA brings
    shl.b32             %r9, %r2, 11;           // and where it goes
    mov.b16             %h0, 3;                 // to both CTAs
FILL:
    and.b32             %r10, %r6, 1;           // the stage
    shl.b32             %r11, %r10, 3;
    add.u32             %r12, %r4, %r11;        // its mbarriers
    add.u32             %r13, %r5, %r11;
    shr.u32             %r14, %r6, 1;
    not.b32             %r14, %r14;
    and.b32             %r14, %r14, 1;          // the parity of the phase before
ROOM:
    mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p2, [%r13], %r14;
    @!%p2 bra           ROOM;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 8192;
    shl.b32             %r15, %r10, 13;
    add.u32             %r15, %r15, %r3;        // a's tile
    add.u32             %r16, %r15, %r9;        // b's, from here on + 4096
    shl.b32             %r17, %r6, 5;           // k
    add.u32             %r16, %r16, 4096;
COPY:
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r15], [%rd1, {%r17, %r7}], [%r12];
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r16], [%rd2, {%r17, %r8}], [%r12], %h0;
    add.u32             %r6, %r6, 1;
    setp.lt.u32         %p3, %r6, 4;
    @%p3 bra            FILL;
    bra                 END;

    // Warps 0 to 3: wgmma.
MULTIPLY:
    and.b32             %r18, %r1, 127;
    setp.eq.u32         %p1, %r18, 0;           // the thread that says that a stage is empty
    mov.b64             %rd3, 0x8000002000010000; // descriptors: swizzle of 64 bytes, 512 bytes from 8 rows to the next
NEXT:
    and.b32             %r10, %r6, 1;
    shl.b32             %r11, %r10, 3;
    add.u32             %r12, %r4, %r11;
    add.u32             %r13, %r5, %r11;
    shr.u32             %r14, %r6, 1;
    and.b32             %r14, %r14, 1;          // the parity of the phase
HERE:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r12], %r14;
    @!%p2 bra           HERE;
    shl.b32             %r15, %r10, 13;
    add.u32             %r15, %r15, %r3;
    shr.u32             %r15, %r15, 4;          // addresses in descriptors are in units of 16 bytes
    cvt.u64.u32         %rd4, %r15;
    or.b64              %rd4, %rd4, %rd3;
    add.u64             %rd5, %rd4, 256;        // b is 4096 bytes further on
    setp.ne.u32         %p3, %r6, 0;            // the first product does not add to what is in the registers
    wgmma.fence.sync.aligned;
PRODUCT:
    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15, %f16, %f17, %f18, %f19, %f20, %f21, %f22, %f23, %f24, %f25, %f26, %f27, %f28, %f29, %f30, %f31}, %rd4, %rd5, %p3, 1, 1, 0, 0;
    add.u64             %rd4, %rd4, 2;          // 16 of k are 32 bytes
    add.u64             %rd5, %rd5, 2;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15, %f16, %f17, %f18, %f19, %f20, %f21, %f22, %f23, %f24, %f25, %f26, %f27, %f28, %f29, %f30, %f31}, %rd4, %rd5, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    mapa.shared::cluster.u32 %r19, %r13, 0;
    mapa.shared::cluster.u32 %r20, %r13, 1;
    @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r19];
    @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r20];
    add.u32             %r6, %r6, 1;
    setp.lt.u32         %p3, %r6, 4;
    @%p3 bra            NEXT;

    // A lane has of each 8 columns those from 2*(lane%4) on, in rows lane/4 and lane/4+8 of the warp's 16.
    ld.param.u64        %rd6, [c];
    shr.u32             %r21, %r1, 5;
    shl.b32             %r21, %r21, 4;
    add.u32             %r7, %r7, %r21;
    and.b32             %r22, %r1, 31;
    shr.u32             %r23, %r22, 2;
    add.u32             %r7, %r7, %r23;         // the row
    and.b32             %r24, %r22, 3;
    shl.b32             %r24, %r24, 1;
    add.u32             %r24, %r24, %r26;       // the column
    mad.lo.u32          %r25, %r7, %r28, %r24;
    mul.wide.u32        %rd7, %r25, 4;
    add.u64             %rd6, %rd6, %rd7;
    mul.wide.u32        %rd8, %r28, 32;
    add.u64             %rd8, %rd8, %rd6;       // 8 rows further down
STORE:
    st.global.v2.f32    [%rd6+0], {%f0, %f1};
    st.global.v2.f32    [%rd8+0], {%f2, %f3};
    st.global.v2.f32    [%rd6+32], {%f4, %f5};
    st.global.v2.f32    [%rd8+32], {%f6, %f7};
    st.global.v2.f32    [%rd6+64], {%f8, %f9};
    st.global.v2.f32    [%rd8+64], {%f10, %f11};
    st.global.v2.f32    [%rd6+96], {%f12, %f13};
    st.global.v2.f32    [%rd8+96], {%f14, %f15};
    st.global.v2.f32    [%rd6+128], {%f16, %f17};
    st.global.v2.f32    [%rd8+128], {%f18, %f19};
    st.global.v2.f32    [%rd6+160], {%f20, %f21};
    st.global.v2.f32    [%rd8+160], {%f22, %f23};
    st.global.v2.f32    [%rd6+192], {%f24, %f25};
    st.global.v2.f32    [%rd8+192], {%f26, %f27};
    st.global.v2.f32    [%rd6+224], {%f28, %f29};
    st.global.v2.f32    [%rd8+224], {%f30, %f31};
END:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
