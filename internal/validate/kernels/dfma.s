// dfma: a loop of 16 products with sums in double precision, in one chain or in two. The loop's
// counter is compared first, as the assembler does it.

//sim:icache warm
//sim:block  32
//sim:arg    rounds = 200

.entry one_chain(
    .param .u32 rounds)
{
    ld.param.u32        %r1, [rounds];
LOOP:
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    @%p1 bra            LOOP;
    ret;
}

.entry two_chains(
    .param .u32 rounds)
{
    ld.param.u32        %r1, [rounds];
LOOP:
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd2, %fd2, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd2, %fd2, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd2, %fd2, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd2, %fd2, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd2, %fd2, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd2, %fd2, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd2, %fd2, %fd8, %fd9;
    fma.rn.f64          %fd1, %fd1, %fd8, %fd9;
    fma.rn.f64          %fd2, %fd2, %fd8, %fd9;
    @%p1 bra            LOOP;
    ret;
}
