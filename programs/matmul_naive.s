// matmul_naive: c = a * b, for matrices of n rows and columns.
//
// Shows a grid of two dimensions on data of two. x goes along a row, y from row
// to row, in the block as in the grid:
//
//     col = ctaid.x * ntid.x + tid.x
//     row = ctaid.y * ntid.y + tid.y
//
// Each thread has one element of c and goes along a row of a and down a column
// of b for it. A block of 16x16 is 8 warps of two rows. The grid must cover c;
// 2x2 blocks cover 32x32, and c is 24x24:
//
//     block (0,0)    8 warps with 32 lanes
//     block (1,0)    8 warps with 16 lanes: in both rows columns 24 to 31 are out
//     block (0,1)    4 warps with 32 lanes, 4 with rows 24 to 31, which are out
//     block (1,1)    4 warps with 16 lanes, 4 that are out
//
// The 24 warps that do some work execute 12 instructions up to
// the guard, 14 before LOOP, 24*8 in it, 4 after it and ret:
// 223. The other 8 execute 13. 24*223 + 8*13 = 5456, with 12
// divergent branches, one for each warp with 16 lanes.

//sim:grid   2x2
//sim:block  16x16
//sim:arg    a = iota:576:f32
//sim:arg    b = iota:576:f32
//sim:arg    c = zeros:576:f32
//sim:arg    n = 24
//sim:dump   c:f32:8

// a[i][k] = 24i + k and b[k][j] = 24k + j. The sum over k of their product is
//
//     576*i*S1 + 576*i*j + 24*S2 + j*S1 = 103776 + 158976i + (276 + 576i)*j
//
// as S1, the sum of 0 to 23, is 276, and S2, that of their squares, is 4324.
// The largest, 4071276, is below 2^24, and nothing is negative: all sums on the
// way are exact in f32.
//sim:expect c[0:24]    == iota:24:f32:103776:276
//sim:expect c[24:48]   == iota:24:f32:262752:852
//sim:expect c[360:384] == iota:24:f32:2488416:8916
//sim:expect c[384:408] == iota:24:f32:2647392:9492
//sim:expect c[552:576] == iota:24:f32:3760224:13524

// The 24 warps load twice for each of 24 k.
//sim:expect metric warp_instructions == 5456
//sim:expect metric divergent_branches == 12
//sim:expect metric global_load_requests == 1152

.entry matmul_naive(
    .param .u64 a,
    .param .u64 b,
    .param .u64 c,
    .param .u32 n)
{
    // This thread's element of c.
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ntid.x;
    mov.u32             %r3, %tid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // col
    mov.u32             %r5, %ctaid.y;
    mov.u32             %r6, %ntid.y;
    mov.u32             %r7, %tid.y;
    mad.lo.u32          %r8, %r5, %r6, %r7;     // row

    // Threads to the right of or below c have nothing to do.
    ld.param.u32        %r9, [n];
    setp.ge.u32         %p1, %r4, %r9;
    setp.ge.or.u32      %p2, %r8, %r9, %p1;
    @%p2 bra            DONE;

    ld.param.u64        %rd1, [a];
    ld.param.u64        %rd2, [b];
    ld.param.u64        %rd3, [c];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    cvta.to.global.u64  %rd3, %rd3;

    // a[row][0], b[0][col], and how far it is to the next row.
    mul.lo.u32          %r10, %r8, %r9;
    mul.wide.u32        %rd4, %r10, 4;
    add.u64             %rd5, %rd1, %rd4;
    mul.wide.u32        %rd6, %r4, 4;
    add.u64             %rd7, %rd2, %rd6;
    mul.wide.u32        %rd8, %r9, 4;

    mov.f32             %f1, 0.0;               // sum
    mov.u32             %r11, 0;                // k
LOOP:
    ld.global.f32       %f2, [%rd5];
    ld.global.f32       %f3, [%rd7];
    fma.rn.f32          %f1, %f2, %f3, %f1;
    add.u64             %rd5, %rd5, 4;
    add.u64             %rd7, %rd7, %rd8;
    add.u32             %r11, %r11, 1;
    setp.lt.u32         %p3, %r11, %r9;
    @%p3 bra            LOOP;

    // c[row][col]
    add.u32             %r12, %r10, %r4;
    mul.wide.u32        %rd9, %r12, 4;
    add.u64             %rd10, %rd3, %rd9;
    st.global.f32       [%rd10], %f1;
DONE:
    ret;
}
