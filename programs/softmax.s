// softmax: each row of y is e^x of the row of x, divided by their sum.
//
// Shows a row for each warp, and sums that all lanes need: shfl.sync.bfly gives
// each lane the value of lane l xor d, for d = 16, 8, 4, 2, 1. Both add the
// same two values, so after five steps every lane has the whole sum, which
// spares a broadcast. No shared memory and no barrier is needed.
//
//     1. the row's largest x, m
//     2. e^(x-m) = 2^((x-m) * log2 e), and its sum. The factor e^-m goes out
//        again in step 3, but keeps e^x from growing beyond what f32 holds: it
//        would be infinite from x = 88.8 on, and inf/inf is NaN.
//     3. each divided by the sum
//
// Rows have 128 elements, four for each lane, which one 16-byte access
// loads or stores. Warps are numbered consecutively, 4 in a CTA; a warp
// continues with the row that is ahead by the number of warps in the grid.
//
// 4 CTAs have 16 warps, one for each row. A warp executes 16
// instructions up to ROW, 6 to load, 3 + 5*2 for the maximum, 4*3 + 3 +
// 5*2 for the sum, 1 + 4 + 2 for the quotients and 2 to continue; 2 to
// find that there is no other row, and ret: 72, and the 16 warps 1152.

//sim:grid   4
//sim:block  128
//sim:arg    x    = iota:2048:f32:0:0.125
//sim:arg    y    = zeros:2048:f32
//sim:arg    rows = 16
//sim:dump   y:f32:4

// Elements go up by 1/8 along each row and from row to row: x - m is -k/8, with
// k counted from the row's end, in every row, though x reaches 256. So the sum
// is geometric, (1 - e^-16) / (1 - e^(-1/8)) = 8.5104130, and
//
//     y = e^(-k/8) * 0.11750310
//
// 0.1175031 times 1, 0.8824969, its square 0.7788008 = e^-0.25 and so on. The
// products (x-m) * log2 e, up to 23, are rounded to 24 bits, which e^x passes
// on as a relative error of 1e-6.
//sim:expect y[120:128]   == 0.04898258 0.05550454 0.06289488 0.07126924 0.08075863 0.09151151 0.1036961 0.1175031 rel=2e-6
//sim:expect y[2040:2048] == 0.04898258 0.05550454 0.06289488 0.07126924 0.08075863 0.09151151 0.1036961 0.1175031 rel=2e-6
//sim:expect y[0:4]       == 1.498389e-08 1.697897e-08 1.923969e-08 2.180143e-08 rel=2e-6
//sim:expect y[1920:1924] == 1.498389e-08 1.697897e-08 1.923969e-08 2.180143e-08 rel=2e-6

// Each access is of 512 bytes, 16 sectors in 4 lines.
//sim:expect metric warp_instructions == 1152
//sim:expect metric divergent_branches == 0
//sim:expect metric global_load_requests@READ == 16
//sim:expect metric global_load_sectors@READ == 256
//sim:expect metric global_load_lines@READ == 64
//sim:expect metric global_store_sectors@WRITE == 256

.entry softmax(
    .param .u64 x,
    .param .u64 y,
    .param .u32 rows)
.reqntid 128
{
    // This warp's first row, and how far the next is: the warps of the grid.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %tid.x;
    shr.u32             %r6, %r5, 5;
    mad.lo.u32          %r7, %r4, 4, %r6;       // row
    mov.u32             %r8, %nctaid.y;
    mul.lo.u32          %r9, %r2, %r8;
    shl.b32             %r10, %r9, 2;

    ld.param.u32        %r11, [rows];
    ld.param.u64        %rd1, [x];
    ld.param.u64        %rd2, [y];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    and.b32             %r12, %r5, 31;          // lane
ROW:
    setp.ge.u32         %p1, %r7, %r11;
    @%p1 bra            DONE;
    mad.lo.u32          %r13, %r7, 32, %r12;    // its four elements
    mul.wide.u32        %rd3, %r13, 16;
    add.u64             %rd4, %rd1, %rd3;
READ:
    ld.global.v4.f32    {%f1, %f2, %f3, %f4}, [%rd4];

    // 1. The largest.
    max.f32             %f5, %f1, %f2;
    max.f32             %f6, %f3, %f4;
    max.f32             %f5, %f5, %f6;
    shfl.sync.bfly.b32  %f6, %f5, 16, 31, 0xffffffff;
    max.f32             %f5, %f5, %f6;
    shfl.sync.bfly.b32  %f6, %f5, 8, 31, 0xffffffff;
    max.f32             %f5, %f5, %f6;
    shfl.sync.bfly.b32  %f6, %f5, 4, 31, 0xffffffff;
    max.f32             %f5, %f5, %f6;
    shfl.sync.bfly.b32  %f6, %f5, 2, 31, 0xffffffff;
    max.f32             %f5, %f5, %f6;
    shfl.sync.bfly.b32  %f6, %f5, 1, 31, 0xffffffff;
    max.f32             %f5, %f5, %f6;

    // 2. The exponentials and their sum.
    sub.f32             %f1, %f1, %f5;
    sub.f32             %f2, %f2, %f5;
    sub.f32             %f3, %f3, %f5;
    sub.f32             %f4, %f4, %f5;
    mul.f32             %f1, %f1, 0f3FB8AA3B;   // log2 e = 1.442695
    mul.f32             %f2, %f2, 0f3FB8AA3B;
    mul.f32             %f3, %f3, 0f3FB8AA3B;
    mul.f32             %f4, %f4, 0f3FB8AA3B;
    ex2.approx.f32      %f1, %f1;
    ex2.approx.f32      %f2, %f2;
    ex2.approx.f32      %f3, %f3;
    ex2.approx.f32      %f4, %f4;
    add.f32             %f7, %f1, %f2;
    add.f32             %f8, %f3, %f4;
    add.f32             %f7, %f7, %f8;
    shfl.sync.bfly.b32  %f8, %f7, 16, 31, 0xffffffff;
    add.f32             %f7, %f7, %f8;
    shfl.sync.bfly.b32  %f8, %f7, 8, 31, 0xffffffff;
    add.f32             %f7, %f7, %f8;
    shfl.sync.bfly.b32  %f8, %f7, 4, 31, 0xffffffff;
    add.f32             %f7, %f7, %f8;
    shfl.sync.bfly.b32  %f8, %f7, 2, 31, 0xffffffff;
    add.f32             %f7, %f7, %f8;
    shfl.sync.bfly.b32  %f8, %f7, 1, 31, 0xffffffff;
    add.f32             %f7, %f7, %f8;

    // 3. The quotients.
    rcp.rn.f32          %f9, %f7;
    mul.f32             %f1, %f1, %f9;
    mul.f32             %f2, %f2, %f9;
    mul.f32             %f3, %f3, %f9;
    mul.f32             %f4, %f4, %f9;
    add.u64             %rd5, %rd2, %rd3;
WRITE:
    st.global.v4.f32    [%rd5], {%f1, %f2, %f3, %f4};

    add.u32             %r7, %r7, %r10;
    bra                 ROW;
DONE:
    ret;
}
