// saxpy: y[i] = a * x[i] + y[i].
//
// Shows a grid that does not fit its data: 8 CTAs of 128 threads are 1024
// threads for 1000 elements. In the last warp, which has elements 992 to 1023,
// the lanes diverge at the guard:
//
//     lanes 0-7     992 to 999     do the work
//     lanes 8-31    1000 and up    wait at DONE, where all 32 reconverge
//
// fma.rn.f32 multiplies and adds with one rounding; mul.f32 and add.f32 would
// round twice.
//
// A warp executes 18 instructions before LOOP, 10 in it and ret: 29, and the 32
// warps 928, with one divergent branch. Of the last warp's 29, the 18 between
// the guard and DONE have 8 lanes, so 928*32 - 18*24 of 928*32 lane slots are
// active: 98.5 %.

//sim:grid   8
//sim:block  128
//sim:arg    a = 2
//sim:arg    x = iota:1000:f32
//sim:arg    y = fill:1000:f32:1
//sim:arg    n = 1000
//sim:dump   y:f32:8

// x[i] is i and y[i] was 1, so y[i] is 2i + 1, at most 1999: exact in f32.
//sim:expect y[0:8] == 1 3 5 7 9 11 13 15
//sim:expect y[999] == 1999
//sim:expect y      == iota:1000:f32:1:2

//sim:expect metric warp_instructions == 928
//sim:expect metric lane_instructions == 29264
//sim:expect metric divergent_branches == 1

.entry saxpy(
    .param .f32 a,
    .param .u64 x,
    .param .u64 y,
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

    ld.param.f32        %f1, [a];
    ld.param.u64        %rd1, [x];
    ld.param.u64        %rd2, [y];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;

LOOP:
    mul.wide.u32        %rd3, %r7, 4;           // i in bytes
    add.u64             %rd4, %rd1, %rd3;
    ld.global.f32       %f2, [%rd4];
    add.u64             %rd5, %rd2, %rd3;
    ld.global.f32       %f3, [%rd5];
    fma.rn.f32          %f4, %f1, %f2, %f3;
    st.global.f32       [%rd5], %f4;

    add.u32             %r7, %r7, %r11;
    setp.lt.u32         %p2, %r7, %r8;
    @%p2 bra            LOOP;
DONE:
    ret;
}
