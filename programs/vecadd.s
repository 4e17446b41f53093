// vecadd: c[i] = a[i] + b[i].
//
// Shows how threads find their data. The vectors have one dimension, the grid
// two (132x4 is 4 rows of 132 CTAs), so CTAs are numbered row by row and
// threads straight through them:
//
//     cta = ctaid.y * nctaid.x + ctaid.x
//     i   = cta * ntid.x + tid.x
//
// 528 CTAs of 128 threads are 67584 threads, one for each element.
// With another grid, a thread continues with the element that is ahead
// by the number of threads in the grid, until there are no more.
//
// The lanes of a warp have consecutive i: each load and store of a warp is 32
// words in a row, 128 bytes.
//
// A warp executes 19 instructions before LOOP, 11 in its one iteration and ret:
// 31, and the 2112 warps 65472, all with 32 lanes.

//sim:grid   132x4
//sim:block  128
//sim:arg    a = iota:67584:f32
//sim:arg    b = iota:67584:f32:0:2
//sim:arg    c = zeros:67584:f32
//sim:arg    n = 67584
//sim:dump   c:f32:8

// a[i] is i and b[i] is 2i, so c[i] is 3i. The largest, 3 * 67583 = 202749, is
// below 2^24: f32 holds every one exactly.
//sim:expect c[0:8]   == 0 3 6 9 12 15 18 21
//sim:expect c[67583] == 202749
//sim:expect c        == iota:67584:f32:0:3

.entry vecadd(
    .param .u64 a,
    .param .u64 b,
    .param .u64 c,
    .param .u32 n)
{
    // This thread's first element.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i

    // Threads past the end have nothing to do.
    ld.param.u32        %r8, [n];
    setp.ge.u32         %p1, %r7, %r8;
    @%p1 bra            DONE;

    // How far the next element is: the threads of the grid.
    mov.u32             %r9, %nctaid.y;
    mul.lo.u32          %r10, %r2, %r9;
    mul.lo.u32          %r11, %r10, %r5;

    // Pointers are passed as generic addresses; ld.global takes global ones.
    ld.param.u64        %rd1, [a];
    ld.param.u64        %rd2, [b];
    ld.param.u64        %rd3, [c];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    cvta.to.global.u64  %rd3, %rd3;

LOOP:
    mul.wide.u32        %rd4, %r7, 4;           // i in bytes
    add.u64             %rd5, %rd1, %rd4;
    ld.global.f32       %f1, [%rd5];
    add.u64             %rd6, %rd2, %rd4;
    ld.global.f32       %f2, [%rd6];
    add.f32             %f3, %f1, %f2;
    add.u64             %rd7, %rd3, %rd4;
    st.global.f32       [%rd7], %f3;

    add.u32             %r7, %r7, %r11;
    setp.lt.u32         %p2, %r7, %r8;
    @%p2 bra            LOOP;
DONE:
    ret;
}
