// double_tail: a chain of 500 products and sums of doubles in each thread, one after the other.
// A block takes 100000 bytes of shared memory, so that two reside on an SM; 265 blocks are one
// more than an H100 holds at once, and all its SMs but one wait for that block.
//
// 265 blocks of 128 threads are 1060 warps; each does 500 FMAs of 32 lanes, 32000 FLOP.

//sim:grid   265
//sim:block  128
//sim:shared 100000
//sim:arg    out = zeros:33920:f64
//sim:dump   out:f64:2
//sim:expect out[0:2] == 999 999

.visible .entry double_tail(.param .u64 out)
{
    mov.f64         %fd1, 0d0000000000000000;
    mov.f64         %fd2, 0d3ff0000000000000;   // 1
    mov.u32         %r1, 0;
LOOP:
    fma.rn.f64      %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64      %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64      %fd1, %fd1, %fd2, %fd2;
    fma.rn.f64      %fd1, %fd1, %fd2, %fd2;
    add.u32         %r1, %r1, 4;
    setp.lt.u32     %p1, %r1, 500;
    @%p1 bra        LOOP;

    add.f64         %fd1, %fd1, %fd1;
    sub.f64         %fd1, %fd1, %fd2;
    mov.u32         %r2, %ctaid.x;
    mov.u32         %r3, %tid.x;
    mad.lo.u32      %r4, %r2, 128, %r3;
    ld.param.u64    %rd1, [out];
    mul.wide.u32    %rd2, %r4, 8;
    add.u64         %rd2, %rd1, %rd2;
    st.global.f64   [%rd2], %fd1;
    ret;
}
