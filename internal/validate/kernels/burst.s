// burst: each warp of a CTA issues 9 loads that wait for nothing and hit L1. How long
// each was issued after the one before is the time that warps spend on its line.

//sim:icache warm
//sim:block  32
//sim:arg    buf = zeros:4096:u32

.entry burst(
    .param .u64 buf)
{
    ld.param.u64        %rd1, [buf];
    mov.u32             %r1, %tid.x;
    mad.wide.u32        %rd1, %r1, 4, %rd1;
    ld.global.u32       %r2, [%rd1];            // brings the line
    add.u32             %r2, %r2, 0;
    bar.sync            0;
    ld.global.u32       %r11, [%rd1];
    ld.global.u32       %r12, [%rd1];
    ld.global.u32       %r13, [%rd1];
    ld.global.u32       %r14, [%rd1];
    ld.global.u32       %r15, [%rd1];
    ld.global.u32       %r16, [%rd1];
    ld.global.u32       %r17, [%rd1];
    ld.global.u32       %r18, [%rd1];
    ld.global.u32       %r19, [%rd1];
    ret;
}
