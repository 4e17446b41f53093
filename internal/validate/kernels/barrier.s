// barrier: cycles that a CTA takes for 64 barriers in a row, as its first warp sees them.

//sim:icache warm
//sim:block  32
//sim:arg    out = zeros:1:u32
//sim:dump   out:u32

.entry barrier(
    .param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r3, %tid.x;
    setp.ne.u32         %p1, %r3, 0;
    bar.sync            0;
    mov.u32             %r1, %clock;
    bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;
    bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;
    bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;
    bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;
    bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;
    bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;
    bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;
    bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;
    mov.u32             %r2, %clock;
    @%p1 bra            DONE;
    sub.u32             %r2, %r2, %r1;
    st.global.u32       [%rd1], %r2;
DONE:
    ret;
}
