// strided: each thread loads one word of memory that nobody has touched, stride words behind
// that of the thread before.

//sim:icache warm
//sim:grid   1056
//sim:block  256
//sim:arg    a      = zeros:270336:u32
//sim:arg    stride = 1

.entry strided(
    .param .u64 a,
    .param .u32 stride)
{
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ntid.x;
    mov.u32             %r3, %tid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;
    ld.param.u32        %r5, [stride];
    ld.param.u64        %rd1, [a];
    mul.lo.u32          %r4, %r4, %r5;
    mad.wide.u32        %rd2, %r4, 4, %rd1;
    ld.global.u32       %r6, [%rd2];
    setp.eq.u32         %p1, %r6, 1;
    @%p1 st.global.u32  [%rd2], %r6;            // never
    ret;
}
