// barriers: each one makes all warps of a CTA wait for the slowest.
//
// 512 threads add up 512 elements.
//
//     tree       halves by halves in shared memory, a barrier behind each of
//                10 steps
//     shuffles   each warp its 32 elements by shuffles, which need no barrier;
//                one barrier; the first warp the 16 sums
//
// Element i of x is i: the sum of CTA c is 512*(512c) + 512*511/2, and every
// sum on the way is exact. Each kernel has an input of its own, so that neither
// finds it in L2.

//sim:buffer x      = iota:33792:f32
//sim:buffer w      = iota:33792:f32
//sim:buffer sums   = zeros:66:f32
//sim:buffer others = zeros:66:f32
//sim:launch tree     grid=66 block=512 args=x,sums
//sim:launch shuffles grid=66 block=512 args=w,others
//sim:expect sums   == iota:66:f32:130816:262144
//sim:expect others == iota:66:f32:130816:262144

.entry tree(
    .param .u64 x,
    .param .u64 sums)
{
    .shared .f32 part[512];
    ld.param.u64        %rd1, [x];
    ld.param.u64        %rd2, [sums];
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %tid.x;
    mad.lo.u32          %r3, %r1, 512, %r2;
    mad.wide.u32        %rd3, %r3, 4, %rd1;
    ld.global.f32       %f1, [%rd3];
    mov.u32             %r4, part;
    mad.lo.u32          %r5, %r2, 4, %r4;
    st.shared.f32       [%r5], %f1;
    bar.sync            0;
    setp.lt.u32         %p1, %r2, 256;
    @%p1 ld.shared.f32  %f2, [%r5];
    @%p1 ld.shared.f32  %f3, [%r5+1024];
    @%p1 add.f32        %f2, %f2, %f3;
    @%p1 st.shared.f32  [%r5], %f2;
    bar.sync            0;
    setp.lt.u32         %p1, %r2, 128;
    @%p1 ld.shared.f32  %f2, [%r5];
    @%p1 ld.shared.f32  %f3, [%r5+512];
    @%p1 add.f32        %f2, %f2, %f3;
    @%p1 st.shared.f32  [%r5], %f2;
    bar.sync            0;
    setp.lt.u32         %p1, %r2, 64;
    @%p1 ld.shared.f32  %f2, [%r5];
    @%p1 ld.shared.f32  %f3, [%r5+256];
    @%p1 add.f32        %f2, %f2, %f3;
    @%p1 st.shared.f32  [%r5], %f2;
    bar.sync            0;
    setp.lt.u32         %p1, %r2, 32;
    @%p1 ld.shared.f32  %f2, [%r5];
    @%p1 ld.shared.f32  %f3, [%r5+128];
    @%p1 add.f32        %f2, %f2, %f3;
    @%p1 st.shared.f32  [%r5], %f2;
    bar.sync            0;
    setp.lt.u32         %p1, %r2, 16;
    @%p1 ld.shared.f32  %f2, [%r5];
    @%p1 ld.shared.f32  %f3, [%r5+64];
    @%p1 add.f32        %f2, %f2, %f3;
    @%p1 st.shared.f32  [%r5], %f2;
    bar.sync            0;
    setp.lt.u32         %p1, %r2, 8;
    @%p1 ld.shared.f32  %f2, [%r5];
    @%p1 ld.shared.f32  %f3, [%r5+32];
    @%p1 add.f32        %f2, %f2, %f3;
    @%p1 st.shared.f32  [%r5], %f2;
    bar.sync            0;
    setp.lt.u32         %p1, %r2, 4;
    @%p1 ld.shared.f32  %f2, [%r5];
    @%p1 ld.shared.f32  %f3, [%r5+16];
    @%p1 add.f32        %f2, %f2, %f3;
    @%p1 st.shared.f32  [%r5], %f2;
    bar.sync            0;
    setp.lt.u32         %p1, %r2, 2;
    @%p1 ld.shared.f32  %f2, [%r5];
    @%p1 ld.shared.f32  %f3, [%r5+8];
    @%p1 add.f32        %f2, %f2, %f3;
    @%p1 st.shared.f32  [%r5], %f2;
    bar.sync            0;
    setp.lt.u32         %p1, %r2, 1;
    @%p1 ld.shared.f32  %f2, [%r5];
    @%p1 ld.shared.f32  %f3, [%r5+4];
    @%p1 add.f32        %f2, %f2, %f3;
    @%p1 st.shared.f32  [%r5], %f2;
    bar.sync            0;
    setp.eq.u32         %p2, %r2, 0;
    mad.wide.u32        %rd4, %r1, 4, %rd2;
    @%p2 st.global.f32  [%rd4], %f2;
    ret;
}

.entry shuffles(
    .param .u64 x,
    .param .u64 sums)
{
    .shared .f32 part[16];
    ld.param.u64        %rd1, [x];
    ld.param.u64        %rd2, [sums];
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %tid.x;
    mad.lo.u32          %r3, %r1, 512, %r2;
    mad.wide.u32        %rd3, %r3, 4, %rd1;
    ld.global.f32       %f1, [%rd3];
    mov.u32             %r4, part;
    and.b32             %r5, %r2, 31;
    shr.u32             %r6, %r2, 5;
    mad.lo.u32          %r7, %r6, 4, %r4;
    setp.eq.u32         %p1, %r5, 0;
    shfl.sync.down.b32  %f2, %f1, 16, 31, 0xffffffff;
    add.f32             %f1, %f1, %f2;
    shfl.sync.down.b32  %f2, %f1, 8, 31, 0xffffffff;
    add.f32             %f1, %f1, %f2;
    shfl.sync.down.b32  %f2, %f1, 4, 31, 0xffffffff;
    add.f32             %f1, %f1, %f2;
    shfl.sync.down.b32  %f2, %f1, 2, 31, 0xffffffff;
    add.f32             %f1, %f1, %f2;
    shfl.sync.down.b32  %f2, %f1, 1, 31, 0xffffffff;
    add.f32             %f1, %f1, %f2;
    @%p1 st.shared.f32  [%r7], %f1;
    bar.sync            0;

    // The first warp goes on, with the sums of 16 warps.
    setp.ne.u32         %p2, %r6, 0;
    @%p2 bra            DONE;
    setp.lt.u32         %p3, %r2, 16;
    mad.lo.u32          %r8, %r2, 4, %r4;
    mov.f32             %f1, 0f00000000;
    @%p3 ld.shared.f32  %f1, [%r8];
    shfl.sync.down.b32  %f2, %f1, 16, 31, 0xffffffff;
    add.f32             %f1, %f1, %f2;
    shfl.sync.down.b32  %f2, %f1, 8, 31, 0xffffffff;
    add.f32             %f1, %f1, %f2;
    shfl.sync.down.b32  %f2, %f1, 4, 31, 0xffffffff;
    add.f32             %f1, %f1, %f2;
    shfl.sync.down.b32  %f2, %f1, 2, 31, 0xffffffff;
    add.f32             %f1, %f1, %f2;
    shfl.sync.down.b32  %f2, %f1, 1, 31, 0xffffffff;
    add.f32             %f1, %f1, %f2;
    mad.wide.u32        %rd4, %r1, 4, %rd2;
    @%p1 st.global.f32  [%rd4], %f1;
DONE:
    ret;
}
