// shared_wavefronts: a warp loads from shared memory once, lane i element stride*i.

//sim:icache warm
//sim:block  32
//sim:arg    stride = 1

.entry bytes4(
    .param .u32 stride)
{
    .shared .align 16 .b8 bytes[16912];

    mov.u32             %r1, %laneid;
    ld.param.u32        %r2, [stride];
    mul.lo.u32          %r1, %r1, %r2;
    mov.u32             %r3, bytes;
    mad.lo.u32          %r3, %r1, 4, %r3;
    ld.shared.u32       %r4, [%r3];
    ret;
}

.entry bytes8(
    .param .u32 stride)
{
    .shared .align 16 .b8 bytes[16912];

    mov.u32             %r1, %laneid;
    ld.param.u32        %r2, [stride];
    mul.lo.u32          %r1, %r1, %r2;
    mov.u32             %r3, bytes;
    mad.lo.u32          %r3, %r1, 8, %r3;
    ld.shared.u64       %rd1, [%r3];
    ret;
}

.entry bytes16(
    .param .u32 stride)
{
    .shared .align 16 .b8 bytes[16912];

    mov.u32             %r1, %laneid;
    ld.param.u32        %r2, [stride];
    mul.lo.u32          %r1, %r1, %r2;
    mov.u32             %r3, bytes;
    mad.lo.u32          %r3, %r1, 16, %r3;
    ld.shared.v4.u32    {%r4, %r5, %r6, %r7}, [%r3];
    ret;
}
