// stream: each thread reads one element of 8 bytes, or writes one. 6 KB of shared memory
// and a carve-out with room for two CTAs keep others from the SM.

//sim:icache warm
//sim:grid   1
//sim:block  1024
//sim:arg    a = zeros:1024:f64

.entry read(
    .param .u64 a)
{
    .shared .align 8 .b8 room[6144];

    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ntid.x;
    mov.u32             %r3, %tid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;
    ld.param.u64        %rd1, [a];
    mad.wide.u32        %rd2, %r4, 8, %rd1;
    ld.global.f64       %fd1, [%rd2];
    setp.eq.f64         %p1, %fd1, 1.2345;
    @%p1 st.global.f64  [%rd2], %fd1;           // never
    ret;
}

.entry write(
    .param .u64 a)
{
    .shared .align 8 .b8 room[6144];

    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ntid.x;
    mov.u32             %r3, %tid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;
    ld.param.u64        %rd1, [a];
    mad.wide.u32        %rd2, %r4, 8, %rd1;
    mov.f64             %fd1, 1.2345;
    st.global.f64       [%rd2], %fd1;
    ret;
}
