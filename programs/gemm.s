// gemm: c = a * b, with more work for each number that is loaded.
//
// Shows tiles in registers. In matmul_tiled.s a thread has one element of c,
// and loads two numbers from shared memory for each fma: the loads take most
// of the time. Here a thread has 4x4 elements, and loads 4 numbers of a and 4
// of b, two accesses, for 16 fma. A CTA of 16x16 threads has a tile of 64x64,
// for which it brings 8 columns of a and 8 rows of b at a time:
//
//     1. what the threads have loaded of the next tiles goes to shared memory
//     2. a barrier: both tiles are complete
//     3. loads of the tiles after these begin: they are under way while
//     4. 8 times 16 fma
//     5. a barrier: everybody has done with the tiles
//
// a's tile is put down by columns, so that four rows are side by side. Columns
// are 68 words apart, not 64: the four columns that lanes of a warp store to
// are then 0, 8, 16 and 24 banks apart, and their 8 rows fill the gaps.
//
// A warp's tile is 16x32, 4 by 8 lanes: the less it is wide or high, the less
// it loads. Lane l is in row (l&1) + 2*(l/16) of these and in column (l/2)%8, for
// the sake of the loads: lanes n and n xor 2 want the same four rows of a, n and
// n xor 1 the same four columns of b. An access of 16 bytes takes four phases of
// 8 lanes, but two where lanes are alike in such pairs.
//
// m and n are multiples of 64, k of 8. The grid must cover c; CTAs beyond it
// end at once.
//
// A warp executes 63 instructions before TILE; in each of two tiles 10 up to
// K, 4*40 in K and 2 after it; 5 to load the second; 16 for c, and ret: 429.
// The 16 warps have 6864, all with 32 lanes and without a divergent branch.

//sim:grid   1x2
//sim:arg    a = iota:2048:f32:-1024
//sim:arg    b = iota:1024:f32
//sim:arg    c = zeros:8192:f32
//sim:arg    m = 128
//sim:arg    n = 64
//sim:arg    k = 16
//sim:dump   c:f32:4

// a[i][l] = 16i + l - 1024 and b[l][j] = 64l + j. With 0+1+…+15 = 120 and
// 0+1+4+…+225 = 1240, the sum over l is
//
//     c[i][j] = (16i - 1024)*(64*120 + 16j) + 64*1240 + 120j
//
// and all numbers on the way are whole ones below 2^24, which are exact.
//sim:expect c[0:64]      == iota:64:f32:-7784960:-16264
//sim:expect c[64:128]    == iota:64:f32:-7662080:-16008
//sim:expect c[4096:4160] == iota:64:f32:79360:120
//sim:expect c[8128:8192] == iota:64:f32:7820800:16248

// A warp brings, in each tile, 8 rows of 32 bytes and a row of 256 bytes; of c
// it stores 4 rows of 128 bytes 4 times. Its stores to shared memory take 1, 1
// and 2 wavefronts, the loads for each k 2 and 2.
//sim:expect metric warp_instructions == 6864
//sim:expect metric divergent_branches == 0
//sim:expect metric global_load_requests == 64
//sim:expect metric global_load_sectors == 512
//sim:expect metric global_store_sectors == 1024
//sim:expect metric shared_store_wavefronts == 128
//sim:expect metric shared_load_requests == 512
//sim:expect metric shared_load_wavefronts == 1024

.entry gemm(
    .param .u64 a,
    .param .u64 b,
    .param .u64 c,
    .param .u32 m,
    .param .u32 n,
    .param .u32 k)
.reqntid 256
{
    .shared .align 16 .f32 tile_a[544];         // 8 columns of 64 and a gap
    .shared .align 16 .f32 tile_b[512];         // 8 rows of 64

    // The CTA's tile of c.
    ld.param.u32        %r1, [m];
    ld.param.u32        %r2, [n];
    ld.param.u32        %r3, [k];
    mov.u32             %r4, %ctaid.y;
    mov.u32             %r5, %ctaid.x;
    shl.b32             %r6, %r4, 6;            // its first row
    shl.b32             %r7, %r5, 6;            // its first column
    setp.ge.u32         %p1, %r6, %r1;
    setp.ge.or.u32      %p1, %r7, %r2, %p1;
    @%p1 bra            DONE;

    // This thread loads two numbers of row tid/4
    // of a's tile, and two of row tid/32 of b's.
    mov.u32             %r8, %tid.x;
    shr.u32             %r9, %r8, 2;
    and.b32             %r10, %r8, 3;
    shl.b32             %r10, %r10, 1;          // column of a
    add.u32             %r11, %r6, %r9;
    mad.lo.u32          %r11, %r11, %r3, %r10;
    ld.param.u64        %rd1, [a];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd1, %r11, 4, %rd1;
    shr.u32             %r12, %r8, 5;
    and.b32             %r13, %r8, 31;
    shl.b32             %r13, %r13, 1;          // column of b
    mad.lo.u32          %r14, %r12, %r2, %r7;
    add.u32             %r14, %r14, %r13;
    ld.param.u64        %rd2, [b];
    cvta.to.global.u64  %rd2, %rd2;
    mad.wide.u32        %rd2, %r14, 4, %rd2;
    shl.b32             %r15, %r2, 5;           // bytes of 8 rows of b

    // Where in shared memory it puts them.
    mov.u32             %r16, tile_a;
    mad.lo.u32          %r17, %r10, 68, %r9;
    mad.lo.u32          %r17, %r17, 4, %r16;
    mov.u32             %r18, tile_b;
    mad.lo.u32          %r19, %r12, 64, %r13;
    mad.lo.u32          %r19, %r19, 4, %r18;

    // Which rows and columns it multiplies, in fours: of 16 and 16.
    and.b32             %r20, %r8, 1;
    shr.u32             %r22, %r8, 4;
    and.b32             %r22, %r22, 1;
    mad.lo.u32          %r20, %r22, 2, %r20;
    shr.u32             %r22, %r8, 6;           // warp/2
    mad.lo.u32          %r20, %r22, 4, %r20;    // row
    shr.u32             %r21, %r8, 1;
    and.b32             %r21, %r21, 7;
    shr.u32             %r22, %r8, 5;
    and.b32             %r22, %r22, 1;          // warp%2
    mad.lo.u32          %r21, %r22, 8, %r21;    // column

    mov.f32             %f1, 0f00000000;
    mov.f32             %f2, 0f00000000;
    mov.f32             %f3, 0f00000000;
    mov.f32             %f4, 0f00000000;
    mov.f32             %f5, 0f00000000;
    mov.f32             %f6, 0f00000000;
    mov.f32             %f7, 0f00000000;
    mov.f32             %f8, 0f00000000;
    mov.f32             %f9, 0f00000000;
    mov.f32             %f10, 0f00000000;
    mov.f32             %f11, 0f00000000;
    mov.f32             %f12, 0f00000000;
    mov.f32             %f13, 0f00000000;
    mov.f32             %f14, 0f00000000;
    mov.f32             %f15, 0f00000000;
    mov.f32             %f16, 0f00000000;
    ld.global.v2.f32    {%f25, %f26}, [%rd1];
    ld.global.v2.f32    {%f27, %f28}, [%rd2];
TILE:
    st.shared.f32       [%r17], %f25;
    st.shared.f32       [%r17+272], %f26;
    st.shared.v2.f32    [%r19], {%f27, %f28};
    bar.sync            0;
    sub.u32             %r3, %r3, 8;
    setp.eq.u32         %p2, %r3, 0;
    @%p2 bra            LAST;
    add.u64             %rd1, %rd1, 32;
    cvt.u64.u32         %rd3, %r15;
    add.u64             %rd2, %rd2, %rd3;
    ld.global.v2.f32    {%f25, %f26}, [%rd1];
    ld.global.v2.f32    {%f27, %f28}, [%rd2];
LAST:
    mad.lo.u32          %r22, %r20, 16, %r16;
    mad.lo.u32          %r23, %r21, 16, %r18;
    add.u32             %r24, %r22, 2176;       // 8 columns on
K:
    ld.shared.v4.f32    {%f17, %f18, %f19, %f20}, [%r22];
    ld.shared.v4.f32    {%f21, %f22, %f23, %f24}, [%r23];
    fma.rn.f32          %f1, %f17, %f21, %f1;
    fma.rn.f32          %f2, %f17, %f22, %f2;
    fma.rn.f32          %f3, %f17, %f23, %f3;
    fma.rn.f32          %f4, %f17, %f24, %f4;
    fma.rn.f32          %f5, %f18, %f21, %f5;
    fma.rn.f32          %f6, %f18, %f22, %f6;
    fma.rn.f32          %f7, %f18, %f23, %f7;
    fma.rn.f32          %f8, %f18, %f24, %f8;
    fma.rn.f32          %f9, %f19, %f21, %f9;
    fma.rn.f32          %f10, %f19, %f22, %f10;
    fma.rn.f32          %f11, %f19, %f23, %f11;
    fma.rn.f32          %f12, %f19, %f24, %f12;
    fma.rn.f32          %f13, %f20, %f21, %f13;
    fma.rn.f32          %f14, %f20, %f22, %f14;
    fma.rn.f32          %f15, %f20, %f23, %f15;
    fma.rn.f32          %f16, %f20, %f24, %f16;
    ld.shared.v4.f32    {%f17, %f18, %f19, %f20}, [%r22+272];
    ld.shared.v4.f32    {%f21, %f22, %f23, %f24}, [%r23+256];
    fma.rn.f32          %f1, %f17, %f21, %f1;
    fma.rn.f32          %f2, %f17, %f22, %f2;
    fma.rn.f32          %f3, %f17, %f23, %f3;
    fma.rn.f32          %f4, %f17, %f24, %f4;
    fma.rn.f32          %f5, %f18, %f21, %f5;
    fma.rn.f32          %f6, %f18, %f22, %f6;
    fma.rn.f32          %f7, %f18, %f23, %f7;
    fma.rn.f32          %f8, %f18, %f24, %f8;
    fma.rn.f32          %f9, %f19, %f21, %f9;
    fma.rn.f32          %f10, %f19, %f22, %f10;
    fma.rn.f32          %f11, %f19, %f23, %f11;
    fma.rn.f32          %f12, %f19, %f24, %f12;
    fma.rn.f32          %f13, %f20, %f21, %f13;
    fma.rn.f32          %f14, %f20, %f22, %f14;
    fma.rn.f32          %f15, %f20, %f23, %f15;
    fma.rn.f32          %f16, %f20, %f24, %f16;
    add.u32             %r22, %r22, 544;
    add.u32             %r23, %r23, 512;
    setp.ne.u32         %p3, %r22, %r24;
    @%p3 bra            K;
    bar.sync            0;
    @!%p2 bra           TILE;

    // Four rows of c.
    shl.b32             %r20, %r20, 2;
    add.u32             %r20, %r20, %r6;
    shl.b32             %r21, %r21, 2;
    add.u32             %r21, %r21, %r7;
    mad.lo.u32          %r20, %r20, %r2, %r21;
    ld.param.u64        %rd4, [c];
    cvta.to.global.u64  %rd4, %rd4;
    mad.wide.u32        %rd4, %r20, 4, %rd4;
    mul.wide.u32        %rd5, %r2, 4;
    st.global.v4.f32    [%rd4], {%f1, %f2, %f3, %f4};
    add.u64             %rd4, %rd4, %rd5;
    st.global.v4.f32    [%rd4], {%f5, %f6, %f7, %f8};
    add.u64             %rd4, %rd4, %rd5;
    st.global.v4.f32    [%rd4], {%f9, %f10, %f11, %f12};
    add.u64             %rd4, %rd4, %rd5;
    st.global.v4.f32    [%rd4], {%f13, %f14, %f15, %f16};
DONE:
    ret;
}
