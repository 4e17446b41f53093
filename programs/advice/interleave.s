// interleave: arithmetic that does not need what is being loaded can run
// while it comes.
//
// A thread loads 64 numbers, four at a time, and adds each up 64 times: 8 rounds
// of 32 fma for each four.
//
//     apart    four loads, then the rounds that wait for them: a warp either
//              loads or computes
//     mixed    the rounds of the four before, with the next four loads in
//              between: it does both. A scheduler that issues twice
//              (--dual-issue) finds an fma for each load
//
// With one warp for each scheduler, nobody else hides the latency. All numbers
// are 1, so that the sums are 4096. Each kernel has an input of its own, so that
// neither finds it in L2.

//sim:gpu    v100
//sim:buffer x = fill:696320:f32:1
//sim:buffer w = fill:696320:f32:1
//sim:buffer y = zeros:10240:f32
//sim:buffer z = zeros:10240:f32
//sim:launch apart grid=80 block=128 args=x,y
//sim:launch mixed grid=80 block=128 args=w,z
//sim:expect y == fill:10240:f32:4096
//sim:expect z == fill:10240:f32:4096

.entry apart(
    .param .u64 x,
    .param .u64 y)
{
    ld.param.u64        %rd1, [x];
    ld.param.u64        %rd2, [y];
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ntid.x;
    mov.u32             %r3, %tid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;
    mov.u32             %r5, %nctaid.x;
    mul.lo.u32          %r6, %r5, %r2;
    mul.wide.u32        %rd5, %r6, 4;           // from element to element
    mad.wide.u32        %rd3, %r4, 4, %rd1;
    mad.wide.u32        %rd4, %r4, 4, %rd2;
    mov.f32             %f10, 0f00000000;
    mov.f32             %f11, 0f00000000;
    mov.f32             %f12, 0f00000000;
    mov.f32             %f13, 0f00000000;
    mov.f32             %f14, 0f00000000;
    mov.f32             %f15, 0f00000000;
    mov.f32             %f16, 0f00000000;
    mov.f32             %f17, 0f00000000;
    mov.u32             %r7, 0;
FOUR:
    ld.global.f32       %f1, [%rd3];
    add.u64             %rd3, %rd3, %rd5;
    ld.global.f32       %f2, [%rd3];
    add.u64             %rd3, %rd3, %rd5;
    ld.global.f32       %f3, [%rd3];
    add.u64             %rd3, %rd3, %rd5;
    ld.global.f32       %f4, [%rd3];
    add.u64             %rd3, %rd3, %rd5;
    mov.u32             %r8, 8;
ROUND:
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    sub.u32             %r8, %r8, 1;
    setp.ne.u32         %p2, %r8, 0;
    @%p2 bra            ROUND;
    add.u32             %r7, %r7, 4;
    setp.lt.u32         %p1, %r7, 64;
    @%p1 bra            FOUR;
    add.f32             %f10, %f10, %f11;
    add.f32             %f12, %f12, %f13;
    add.f32             %f14, %f14, %f15;
    add.f32             %f16, %f16, %f17;
    add.f32             %f10, %f10, %f12;
    add.f32             %f14, %f14, %f16;
    add.f32             %f10, %f10, %f14;
    st.global.f32       [%rd4], %f10;
    ret;
}

.entry mixed(
    .param .u64 x,
    .param .u64 y)
{
    ld.param.u64        %rd1, [x];
    ld.param.u64        %rd2, [y];
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ntid.x;
    mov.u32             %r3, %tid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;
    mov.u32             %r5, %nctaid.x;
    mul.lo.u32          %r6, %r5, %r2;
    mul.wide.u32        %rd5, %r6, 4;           // from element to element
    mad.wide.u32        %rd3, %r4, 4, %rd1;
    mad.wide.u32        %rd4, %r4, 4, %rd2;
    mov.f32             %f10, 0f00000000;
    mov.f32             %f11, 0f00000000;
    mov.f32             %f12, 0f00000000;
    mov.f32             %f13, 0f00000000;
    mov.f32             %f14, 0f00000000;
    mov.f32             %f15, 0f00000000;
    mov.f32             %f16, 0f00000000;
    mov.f32             %f17, 0f00000000;
    mov.u32             %r7, 0;
    ld.global.f32       %f1, [%rd3];
    add.u64             %rd3, %rd3, %rd5;
    ld.global.f32       %f2, [%rd3];
    add.u64             %rd3, %rd3, %rd5;
    ld.global.f32       %f3, [%rd3];
    add.u64             %rd3, %rd3, %rd5;
    ld.global.f32       %f4, [%rd3];
    add.u64             %rd3, %rd3, %rd5;
FOUR:
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    ld.global.f32       %f5, [%rd3];
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    add.u64             %rd3, %rd3, %rd5;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    ld.global.f32       %f6, [%rd3];
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    add.u64             %rd3, %rd3, %rd5;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    ld.global.f32       %f7, [%rd3];
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    add.u64             %rd3, %rd3, %rd5;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    ld.global.f32       %f8, [%rd3];
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    add.u64             %rd3, %rd3, %rd5;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    mov.u32             %r8, 7;
ROUND:
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    fma.rn.f32          %f10, %f10, 0f3F800000, %f1;
    fma.rn.f32          %f11, %f11, 0f3F800000, %f2;
    fma.rn.f32          %f12, %f12, 0f3F800000, %f3;
    fma.rn.f32          %f13, %f13, 0f3F800000, %f4;
    fma.rn.f32          %f14, %f14, 0f3F800000, %f1;
    fma.rn.f32          %f15, %f15, 0f3F800000, %f2;
    fma.rn.f32          %f16, %f16, 0f3F800000, %f3;
    fma.rn.f32          %f17, %f17, 0f3F800000, %f4;
    sub.u32             %r8, %r8, 1;
    setp.ne.u32         %p2, %r8, 0;
    @%p2 bra            ROUND;
    mov.f32             %f1, %f5;
    mov.f32             %f2, %f6;
    mov.f32             %f3, %f7;
    mov.f32             %f4, %f8;
    add.u32             %r7, %r7, 4;
    setp.lt.u32         %p1, %r7, 64;
    @%p1 bra            FOUR;
    add.f32             %f10, %f10, %f11;
    add.f32             %f12, %f12, %f13;
    add.f32             %f14, %f14, %f15;
    add.f32             %f16, %f16, %f17;
    add.f32             %f10, %f10, %f12;
    add.f32             %f14, %f14, %f16;
    add.f32             %f10, %f10, %f14;
    st.global.f32       [%rd4], %f10;
    ret;
}
