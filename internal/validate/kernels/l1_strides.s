// l1_strides: two CTAs of 1024 threads fill an SM; each warp loads from L1 in a loop of 16
// loads, lane i element stride*i from 16 lines in turn.

//sim:icache warm
//sim:grid   2
//sim:block  1024
//sim:arg    buf    = zeros:4096:f32
//sim:arg    stride = 1
//sim:arg    rounds = 8
//sim:regs   32

.entry l1_strides(
    .param .u64 buf,
    .param .u32 stride,
    .param .u32 rounds)
{
    ld.param.u64        %rd1, [buf];
    ld.param.u32        %r1, [stride];
    ld.param.u32        %r2, [rounds];
    mov.u32             %r3, %laneid;
    mul.lo.u32          %r3, %r3, %r1;
    mad.wide.u32        %rd1, %r3, 4, %rd1;
LOOP:
    sub.u32             %r2, %r2, 1;
    setp.ne.u32         %p1, %r2, 0;
    ld.global.f32       %f0, [%rd1+0];
    ld.global.f32       %f1, [%rd1+128];
    ld.global.f32       %f2, [%rd1+256];
    ld.global.f32       %f3, [%rd1+384];
    ld.global.f32       %f4, [%rd1+512];
    ld.global.f32       %f5, [%rd1+640];
    ld.global.f32       %f6, [%rd1+768];
    ld.global.f32       %f7, [%rd1+896];
    ld.global.f32       %f8, [%rd1+1024];
    ld.global.f32       %f9, [%rd1+1152];
    ld.global.f32       %f10, [%rd1+1280];
    ld.global.f32       %f11, [%rd1+1408];
    ld.global.f32       %f12, [%rd1+1536];
    ld.global.f32       %f13, [%rd1+1664];
    ld.global.f32       %f14, [%rd1+1792];
    ld.global.f32       %f15, [%rd1+1920];
    add.f32             %f16, %f16, %f0;
    add.f32             %f16, %f16, %f1;
    add.f32             %f16, %f16, %f2;
    add.f32             %f16, %f16, %f3;
    add.f32             %f16, %f16, %f4;
    add.f32             %f16, %f16, %f5;
    add.f32             %f16, %f16, %f6;
    add.f32             %f16, %f16, %f7;
    add.f32             %f16, %f16, %f8;
    add.f32             %f16, %f16, %f9;
    add.f32             %f16, %f16, %f10;
    add.f32             %f16, %f16, %f11;
    add.f32             %f16, %f16, %f12;
    add.f32             %f16, %f16, %f13;
    add.f32             %f16, %f16, %f14;
    add.f32             %f16, %f16, %f15;
    @%p1 bra            LOOP;
    ret;
}
