// throughput: loops of 256 instructions, in four chains. Two CTAs of 1024 threads
// fill an SM; the kernel's cycles are those of an SM for 64 * 256 * rounds of them.

//sim:grid   2
//sim:block  1024
//sim:arg    rounds = 16
//sim:regs   32

.entry fma_f32(
    .param .u32 rounds)
{
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
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
    fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; fma.rn.f32 %f3, %f3, %f0, %f0; fma.rn.f32 %f4, %f4, %f0, %f0;
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
    ret;
}

.entry fma_f16x2(
    .param .u32 rounds)
{
    ld.param.u32        %r1, [rounds];
LOOP:
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    fma.rn.f16x2 %r11, %r11, %r10, %r10; fma.rn.f16x2 %r12, %r12, %r10, %r10; fma.rn.f16x2 %r13, %r13, %r10, %r10; fma.rn.f16x2 %r14, %r14, %r10, %r10;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            LOOP;
    ret;
}

.entry fma_f64(
    .param .u32 rounds)
{
    ld.param.u32        %r1, [rounds];
LOOP:
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    fma.rn.f64 %fd1, %fd1, %fd0, %fd0; fma.rn.f64 %fd2, %fd2, %fd0, %fd0; fma.rn.f64 %fd3, %fd3, %fd0, %fd0; fma.rn.f64 %fd4, %fd4, %fd0, %fd0;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            LOOP;
    ret;
}

.entry xor_b32(
    .param .u32 rounds)
{
    ld.param.u32        %r1, [rounds];
LOOP:
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    xor.b32 %r11, %r11, %r10; xor.b32 %r12, %r12, %r10; xor.b32 %r13, %r13, %r10; xor.b32 %r14, %r14, %r10;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            LOOP;
    ret;
}
