// lognormal: CTAs whose loops have different trip counts: 1 + e^(4 + 0.8 z) for a normal
// z. An SM has one of them at a time.

//sim:icache warm
//sim:buffer u     = rand:2112:f32:2026
//sim:buffer trips = zeros:1056:u32
//sim:launch draw grid=33 block=32 args=u,trips
//sim:launch work grid=1056 block=32 shared=120000 args=trips
//sim:dump   trips:u32

// draw makes a normal number of two uniform ones (Box and Muller).
.entry draw(
    .param .u64 u,
    .param .u64 trips)
{
    ld.param.u64        %rd1, [u];
    ld.param.u64        %rd2, [trips];
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ntid.x;
    mov.u32             %r3, %tid.x;
    mad.lo.u32          %r1, %r1, %r2, %r3;
    mad.wide.u32        %rd3, %r1, 8, %rd1;
    ld.global.v2.f32    {%f1, %f2}, [%rd3];
    sub.f32             %f1, 1.0, %f1;          // above 0
    lg2.approx.f32      %f1, %f1;
    mul.f32             %f1, %f1, -1.3862944;   // -2 ln 2
    sqrt.approx.f32     %f1, %f1;
    mul.f32             %f2, %f2, 6.2831853;    // 2 pi
    cos.approx.f32      %f2, %f2;
    mul.f32             %f1, %f1, %f2;
    fma.rn.f32          %f1, %f1, 0.8, 4.0;
    mul.f32             %f1, %f1, 1.442695;     // 1 / ln 2
    ex2.approx.f32      %f1, %f1;
    cvt.rzi.u32.f32     %r4, %f1;
    add.u32             %r4, %r4, 1;
    mad.wide.u32        %rd4, %r1, 4, %rd2;
    st.global.u32       [%rd4], %r4;
    ret;
}

.extern .shared .b8 room[];

.entry work(
    .param .u64 trips)
{
    ld.param.u64        %rd1, [trips];
    mov.u32             %r1, %ctaid.x;
    mad.wide.u32        %rd1, %r1, 4, %rd1;
    ld.global.u32       %r2, [%rd1];
LOOP:
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;
    sub.u32             %r2, %r2, 1;
    setp.ne.u32         %p1, %r2, 0;
    @%p1 bra            LOOP;
    ret;
}
