// ways: lane i of a warp goes to place i mod k. In each place is a chain of dependent
// additions, of equal length.

//sim:icache warm
//sim:block  32
//sim:arg    k      = 2
//sim:arg    rounds = 1000

.entry ways(
    .param .u32 k,
    .param .u32 rounds)
{
    ld.param.u32        %r2, [k];
    ld.param.u32        %r3, [rounds];
    mov.u32             %r1, %laneid;
    rem.u32             %r1, %r1, %r2;
    brx.idx             %r1, PLACES;
P0:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P0;
    bra                 MEET;
P1:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P1;
    bra                 MEET;
P2:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P2;
    bra                 MEET;
P3:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P3;
    bra                 MEET;
P4:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P4;
    bra                 MEET;
P5:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P5;
    bra                 MEET;
P6:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P6;
    bra                 MEET;
P7:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P7;
    bra                 MEET;
P8:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P8;
    bra                 MEET;
P9:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P9;
    bra                 MEET;
P10:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P10;
    bra                 MEET;
P11:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P11;
    bra                 MEET;
P12:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P12;
    bra                 MEET;
P13:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P13;
    bra                 MEET;
P14:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P14;
    bra                 MEET;
P15:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P15;
    bra                 MEET;
P16:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P16;
    bra                 MEET;
P17:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P17;
    bra                 MEET;
P18:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P18;
    bra                 MEET;
P19:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P19;
    bra                 MEET;
P20:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P20;
    bra                 MEET;
P21:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P21;
    bra                 MEET;
P22:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P22;
    bra                 MEET;
P23:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P23;
    bra                 MEET;
P24:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P24;
    bra                 MEET;
P25:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P25;
    bra                 MEET;
P26:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P26;
    bra                 MEET;
P27:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P27;
    bra                 MEET;
P28:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P28;
    bra                 MEET;
P29:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P29;
    bra                 MEET;
P30:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P30;
    bra                 MEET;
P31:
    add.f32             %f1, %f1, %f2;
    sub.u32             %r3, %r3, 1;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            P31;
    bra                 MEET;
MEET:
    ret;
PLACES:
    .branchtargets P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15,
        P16, P17, P18, P19, P20, P21, P22, P23, P24, P25, P26, P27, P28, P29, P30, P31;
}
