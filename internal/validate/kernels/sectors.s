// sectors: a warp loads from global memory once, lane i element stride*i, from a number of
// bytes behind the start of a line.

//sim:icache warm
//sim:block  32
//sim:arg    buf    = zeros:16384:u8
//sim:arg    stride = 1
//sim:arg    offset = 0

.entry bytes4(
    .param .u64 buf,
    .param .u32 stride,
    .param .u32 offset)
{
    mov.u32             %r1, %laneid;
    ld.param.u32        %r2, [stride];
    ld.param.u32        %r3, [offset];
    ld.param.u64        %rd1, [buf];
    mul.lo.u32          %r1, %r1, %r2;
    mad.lo.u32          %r1, %r1, 4, %r3;
    cvt.u64.u32         %rd2, %r1;
    add.u64             %rd1, %rd1, %rd2;
    ld.global.u32       %r4, [%rd1];
    ret;
}

.entry bytes8(
    .param .u64 buf,
    .param .u32 stride,
    .param .u32 offset)
{
    mov.u32             %r1, %laneid;
    ld.param.u32        %r2, [stride];
    ld.param.u32        %r3, [offset];
    ld.param.u64        %rd1, [buf];
    mul.lo.u32          %r1, %r1, %r2;
    mad.lo.u32          %r1, %r1, 8, %r3;
    cvt.u64.u32         %rd2, %r1;
    add.u64             %rd1, %rd1, %rd2;
    ld.global.u64       %rd3, [%rd1];
    ret;
}

.entry bytes16(
    .param .u64 buf,
    .param .u32 stride,
    .param .u32 offset)
{
    mov.u32             %r1, %laneid;
    ld.param.u32        %r2, [stride];
    ld.param.u32        %r3, [offset];
    ld.param.u64        %rd1, [buf];
    mul.lo.u32          %r1, %r1, %r2;
    mad.lo.u32          %r1, %r1, 16, %r3;
    cvt.u64.u32         %rd2, %r1;
    add.u64             %rd1, %rd1, %rd2;
    ld.global.v4.u32    {%r4, %r5, %r6, %r7}, [%rd1];
    ret;
}
