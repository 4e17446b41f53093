// waves: a grid that is a multiple of what the GPU holds ends together; one
// that is not has a last wave in which most SMs have nothing to do.
//
// 8448 pieces of work are dealt out to the CTAs. Shared memory is such that an
// SM holds 4 of them, the GPU 528: that is a wave.
//
//     grid 792    1.5 waves of CTAs with 10 or 11 pieces: 22 pieces one after
//                 the other
//     grid 528    a wave of CTAs with 16 pieces
//
// A piece is a chain of 64 fma, each of which waits for the one before it: an
// SM that is half full is no faster.

//sim:buffer sums = zeros:8448:f32
//sim:buffer other = zeros:8448:f32
//sim:launch chains grid=792 block=128 shared=56000 args=sums,8448
//sim:launch chains grid=528 block=128 shared=56000 args=other,8448
//sim:expect sums  == fill:8448:f32:64
//sim:expect other == fill:8448:f32:64

.extern .shared .b8 room[];

.entry chains(
    .param .u64 sums,
    .param .u32 pieces)
{
    ld.param.u64        %rd1, [sums];
    ld.param.u32        %r1, [pieces];
    mov.u32             %r2, %ctaid.x;
    mov.u32             %r3, %nctaid.x;
    mov.u32             %r4, %tid.x;
    setp.eq.u32         %p1, %r4, 0;
PIECE:
    mov.f32             %f1, 0f00000000;
    mov.u32             %r5, 0;
CHAIN:
    fma.rn.f32          %f1, %f1, 0f3F800000, 0f3F800000;
    fma.rn.f32          %f1, %f1, 0f3F800000, 0f3F800000;
    fma.rn.f32          %f1, %f1, 0f3F800000, 0f3F800000;
    fma.rn.f32          %f1, %f1, 0f3F800000, 0f3F800000;
    fma.rn.f32          %f1, %f1, 0f3F800000, 0f3F800000;
    fma.rn.f32          %f1, %f1, 0f3F800000, 0f3F800000;
    fma.rn.f32          %f1, %f1, 0f3F800000, 0f3F800000;
    fma.rn.f32          %f1, %f1, 0f3F800000, 0f3F800000;
    add.u32             %r5, %r5, 8;
    setp.lt.u32         %p2, %r5, 64;
    @%p2 bra            CHAIN;
    mad.wide.u32        %rd2, %r2, 4, %rd1;
    @%p1 st.global.f32  [%rd2], %f1;
    add.u32             %r2, %r2, %r3;
    setp.lt.u32         %p3, %r2, %r1;
    @%p3 bra            PIECE;
    ret;
}
