// grid_barrier: out[i] = the square of n-1-i, which a thread of some other CTA
// has worked out before.
//
// Shows how all CTAs wait for each other. First every thread writes
// squares to tmp. No thread may continue before all have done so:
//
//     all          barrier: this CTA's squares are written
//     thread 0     fence: others can see them
//                  arrived = arrived + 1, atomically
//                  the last to arrive sets go; all read go until it is set
//     all          barrier: thread 0 has seen go
//
// go must be read as volatile, so that each read accesses memory. All
// CTAs must be resident on the GPU at the same time: a waiting CTA does
// not make room, so if another one had to wait for room, both would wait
// for ever. A cooperative launch guarantees this. An H100 has room for 32
// CTAs of 64 threads on each of its 132 SMs, so grids of up to 4224 work.
//
// How often go is read, and so the number of instructions, depends on the order of
// execution. Independent of it, each CTA adds to arrived once, and one sets go.

//sim:grid   8
//sim:arg    tmp     = zeros:1000:u32
//sim:arg    out     = zeros:1000:u32
//sim:arg    arrived = zeros:1:u32
//sim:arg    go      = zeros:1:u32
//sim:arg    n       = 1000
//sim:dump   out:u32:8

// 999*999 = 998001, 998*998 = 996004 …, and up to 0.
//sim:expect out[0:8]      == 998001 996004 994009 992016 990025 988036 986049 984064
//sim:expect out[500]      == 249001
//sim:expect out[992:1000] == 49 36 25 16 9 4 1 0
//sim:expect go[0]         == 1

//sim:expect metric global_atomic_requests@ARRIVE == 8
//sim:expect metric global_atomic_lanes@ARRIVE == 8
//sim:expect metric global_store_requests@GO == 1
//sim:expect metric global_store_lanes@GO == 1

.entry grid_barrier(
    .param .u64 tmp,
    .param .u64 out,
    .param .u64 arrived,
    .param .u64 go,
    .param .u32 n)
.reqntid 64
{
    // This thread's first element.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i

    // How far the next element is: the threads of the grid.
    mov.u32             %r8, %nctaid.y;
    mul.lo.u32          %r9, %r2, %r8;          // ctas
    mul.lo.u32          %r10, %r9, %r5;

    ld.param.u32        %r11, [n];
    ld.param.u64        %rd1, [tmp];
    ld.param.u64        %rd2, [out];
    ld.param.u64        %rd3, [arrived];
    ld.param.u64        %rd4, [go];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    cvta.to.global.u64  %rd3, %rd3;
    cvta.to.global.u64  %rd4, %rd4;

    // tmp[i] = i*i
    mov.u32             %r12, %r7;
SQUARES:
    setp.ge.u32         %p1, %r12, %r11;
    @%p1 bra            WAIT;
    mul.lo.u32          %r13, %r12, %r12;
    mad.wide.u32        %rd5, %r12, 4, %rd1;
    st.global.u32       [%rd5], %r13;
    add.u32             %r12, %r12, %r10;
    bra                 SQUARES;

WAIT:
    bar.sync            0;
    setp.ne.u32         %p2, %r6, 0;
    @%p2 bra            GONE;
    membar.gl;
ARRIVE:
    atom.global.add.u32 %r14, [%rd3], 1;
    add.u32             %r14, %r14, 1;
    setp.ne.u32         %p3, %r14, %r9;
    @%p3 bra            SPIN;
GO:
    st.volatile.global.u32 [%rd4], 1;
SPIN:
    ld.volatile.global.u32 %r15, [%rd4];
    setp.eq.u32         %p4, %r15, 0;
    @%p4 bra            SPIN;
    membar.gl;
GONE:
    bar.sync            0;

    // out[i] = tmp[n-1-i]
    sub.u32             %r16, %r11, 1;
REVERSE:
    setp.ge.u32         %p5, %r7, %r11;
    @%p5 bra            DONE;
    sub.u32             %r17, %r16, %r7;
    mad.wide.u32        %rd6, %r17, 4, %rd1;
    ld.global.u32       %r18, [%rd6];
    mad.wide.u32        %rd7, %r7, 4, %rd2;
    st.global.u32       [%rd7], %r18;
    add.u32             %r7, %r7, %r10;
    bra                 REVERSE;
DONE:
    ret;
}
