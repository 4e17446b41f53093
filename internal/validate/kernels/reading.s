// reading: the threads of as many CTAs as reside read a buffer once, each four vectors of 16
// bytes in a round.

//sim:icache warm
//sim:grid   1
//sim:block  1024
//sim:arg    a      = zeros:16384:f32
//sim:arg    rounds = 1

.entry reading(
    .param .u64 a,
    .param .u32 rounds)
{
    ld.param.u64        %rd1, [a];
    ld.param.u32        %r1, [rounds];
    mov.u32             %r2, %ctaid.x;
    mov.u32             %r3, %ntid.x;
    mov.u32             %r4, %tid.x;
    mad.lo.u32          %r5, %r2, %r3, %r4;
    mad.wide.u32        %rd1, %r5, 16, %rd1;
    mov.u32             %r6, %nctaid.x;
    mul.lo.u32          %r6, %r6, %r3;
    mul.wide.u32        %rd2, %r6, 16;          // bytes that all threads read at a time
    mov.f32             %f0, 0.0;
NEXT:
    add.u64             %rd3, %rd1, %rd2;
    add.u64             %rd4, %rd3, %rd2;
    add.u64             %rd5, %rd4, %rd2;
    ld.global.v4.f32    {%f1, %f2, %f3, %f4}, [%rd1];
    ld.global.v4.f32    {%f5, %f6, %f7, %f8}, [%rd3];
    ld.global.v4.f32    {%f9, %f10, %f11, %f12}, [%rd4];
    ld.global.v4.f32    {%f13, %f14, %f15, %f16}, [%rd5];
    add.f32             %f0, %f0, %f4;
    add.f32             %f0, %f0, %f8;
    add.f32             %f0, %f0, %f12;
    add.f32             %f0, %f0, %f16;
    add.u64             %rd1, %rd5, %rd2;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            NEXT;
    setp.eq.f32         %p2, %f0, 1.2345;
    @%p2 st.global.f32  [%rd1], %f0;            // never
    ret;
}
