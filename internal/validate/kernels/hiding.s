// hiding: each warp loads a line of its own from memory that nobody has touched, and has four
// additions for each load, which wait for it: nothing but other warps can use the time. The loads are volatile, so that
// the assembler keeps their order.

//sim:icache warm
//sim:block  32
//sim:arg    a = zeros:1048576:u32
//sim:regs   32

.entry hiding(
    .param .u64 a)
{
    ld.param.u64        %rd1, [a];
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ntid.x;
    mov.u32             %r3, %tid.x;
    mad.lo.u32          %r1, %r1, %r2, %r3;
    and.b32             %r4, %r1, 31;
    shr.u32             %r1, %r1, 5;            // warp
    shl.b32             %r1, %r1, 11;           // of 64 lines
    add.u32             %r1, %r1, %r4;
    mad.wide.u32        %rd1, %r1, 4, %rd1;
    mov.u32             %r5, 4;
LOOP:
    ld.volatile.global.f32 %f1, [%rd1+0]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+128]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+256]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+384]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+512]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+640]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+768]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+896]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+1024]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+1152]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+1280]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+1408]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+1536]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+1664]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+1792]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    ld.volatile.global.f32 %f1, [%rd1+1920]; add.f32 %f2, %f1, %f0; add.f32 %f3, %f1, %f0; add.f32 %f4, %f1, %f0; add.f32 %f5, %f1, %f0;
    add.u64             %rd1, %rd1, 2048;
    sub.u32             %r5, %r5, 1;
    setp.ne.u32         %p1, %r5, 0;
    @%p1 bra            LOOP;
    ret;
}
