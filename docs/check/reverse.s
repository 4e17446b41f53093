// reverse: 64 threads turn an array around by way of shared memory. There is no
// barrier between the writes and the reads.
//sim:block  64
//sim:arg    x = iota:64:u32
//sim:dump   x:u32:4
.entry reverse(.param .u64 x)
{
    .shared .u32 place[64];
    ld.param.u64   %rd1, [x];
    mov.u32        %r1, %tid.x;
    mad.wide.u32   %rd2, %r1, 4, %rd1;
    ld.global.u32  %r2, [%rd2];
    mov.u32        %r3, place;
    mad.lo.u32     %r4, %r1, 4, %r3;
    st.shared.u32  [%r4], %r2;
    sub.u32        %r5, 63, %r1;
    mad.lo.u32     %r6, %r5, 4, %r3;
    ld.shared.u32  %r7, [%r6];
    st.global.u32  [%rd2], %r7;
    ret;
}
