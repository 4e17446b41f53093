// two_warps: warp 0 and one other warp execute 4 chains of fma, alone on their SM.
// Of five warps, 0 and 4 are on one scheduler.

//sim:icache warm
//sim:block  160
//sim:arg    other  = 4
//sim:arg    rounds = 64

.entry two_warps(
    .param .u32 other,
    .param .u32 rounds)
{
    mov.u32             %r2, %tid.x;
    shr.u32             %r2, %r2, 5;            // warp
    ld.param.u32        %r3, [other];
    setp.ne.u32         %p1, %r2, 0;
    setp.ne.u32         %p2, %r2, %r3;
    and.pred            %p1, %p1, %p2;
    @%p1 bra            DONE;
    ld.param.u32        %r1, [rounds];
LOOP:
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            LOOP;
DONE:
    ret;
}
