// warps: each warp loads from a line of its own in L2, over and over, each time when the load
// before has come: what it loads is 0.

//sim:icache warm
//sim:block  32
//sim:arg    a = zeros:1024:u64
//sim:arg    rounds = 8

.entry warps(
    .param .u64 a,
    .param .u32 rounds)
{
    ld.param.u64        %rd1, [a];
    ld.param.u32        %r1, [rounds];
    mov.u32             %r2, %tid.x;
    mad.wide.u32        %rd1, %r2, 8, %rd1;
LOOP:
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    ld.global.cg.u64 %rd2, [%rd1]; add.u64 %rd1, %rd1, %rd2;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            LOOP;
    ret;
}
