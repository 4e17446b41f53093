// streams: a kernel with a CTA for each of half of an H100's SMs, twice side by side, and then
// alone.

//sim:icache warm
//sim:launch uniform grid=66 block=32 shared=120000 stream=1 args=4000
//sim:launch uniform grid=66 block=32 shared=120000 stream=2 args=4000
//sim:launch uniform grid=66 block=32 shared=120000 stream=1 args=4000

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
