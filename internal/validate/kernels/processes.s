// processes: a kernel whose CTA takes a third of an H100's SM, with a CTA for each SM, in three
// processes side by side, and then alone.

//sim:icache warm
//sim:launch uniform grid=132 block=32 shared=70000 process=1 args=4000
//sim:launch uniform grid=132 block=32 shared=70000 process=2 args=4000
//sim:launch uniform grid=132 block=32 shared=70000 process=3 args=4000
//sim:launch uniform grid=132 block=32 shared=70000 process=1 args=4000

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
