// uniform: each warp counts down, and takes as long as any other that has an issue slot
// whenever it wants one.

//sim:icache warm
//sim:grid   1
//sim:block  32
//sim:arg    rounds = 1000

.extern .shared .b8 room[];

.entry uniform(
    .param .u32 rounds)
{
    ld.param.u32        %r1, [rounds];
LOOP:
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            LOOP;
    ret;
}
