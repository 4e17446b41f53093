// persistent: pieces of work that each read a table of 32 KB. Either each has a CTA of its
// own, or a CTA on each SM claims one after the other, each while it does the one before.

//sim:icache warm
//sim:grid   132
//sim:block  256
//sim:arg    table = zeros:8192:f32
//sim:arg    out   = zeros:337920:f32

.extern .shared .b8 room[];

.entry each(
    .param .u64 table,
    .param .u64 out)
{
    ld.param.u64        %rd1, [table];
    ld.param.u64        %rd2, [out];
    mov.u32             %r1, %tid.x;
    mov.u32             %r4, %ctaid.x;          // piece
    mov.u32             %r5, 4;                 // quarters of the table
    mad.wide.u32        %rd3, %r1, 4, %rd1;
READ:
    ld.global.f32       %f1, [%rd3+0];
    ld.global.f32       %f2, [%rd3+1024];
    ld.global.f32       %f3, [%rd3+2048];
    ld.global.f32       %f4, [%rd3+3072];
    ld.global.f32       %f5, [%rd3+4096];
    ld.global.f32       %f6, [%rd3+5120];
    ld.global.f32       %f7, [%rd3+6144];
    ld.global.f32       %f8, [%rd3+7168];
    add.f32             %f0, %f0, %f1;
    add.f32             %f0, %f0, %f2;
    add.f32             %f0, %f0, %f3;
    add.f32             %f0, %f0, %f4;
    add.f32             %f0, %f0, %f5;
    add.f32             %f0, %f0, %f6;
    add.f32             %f0, %f0, %f7;
    add.f32             %f0, %f0, %f8;
    add.u64             %rd3, %rd3, 8192;
    sub.u32             %r5, %r5, 1;
    setp.ne.u32         %p1, %r5, 0;
    @%p1 bra            READ;
    mad.lo.u32          %r6, %r4, 256, %r1;
    mad.wide.u32        %rd4, %r6, 4, %rd2;
    st.global.f32       [%rd4], %f0;
    ret;
}

.global .u32 claims;

.entry claimed(
    .param .u64 table,
    .param .u64 out)
{
    .shared .u32 piece;

    ld.param.u64        %rd1, [table];
    ld.param.u64        %rd2, [out];
    mov.u32             %r1, %tid.x;
    setp.eq.u32         %p2, %r1, 0;
    @%p2 atom.global.add.u32 %r7, [claims], 1;
NEXT:
    @%p2 st.shared.u32  [piece], %r7;
    bar.sync            0;
    ld.shared.u32       %r4, [piece];
    setp.ge.u32         %p3, %r4, 1320;
    @%p3 bra            DONE;
    @%p2 atom.global.add.u32 %r7, [claims], 1;
    mov.u32             %r5, 4;                 // quarters of the table
    mad.wide.u32        %rd3, %r1, 4, %rd1;
READ:
    ld.global.f32       %f1, [%rd3+0];
    ld.global.f32       %f2, [%rd3+1024];
    ld.global.f32       %f3, [%rd3+2048];
    ld.global.f32       %f4, [%rd3+3072];
    ld.global.f32       %f5, [%rd3+4096];
    ld.global.f32       %f6, [%rd3+5120];
    ld.global.f32       %f7, [%rd3+6144];
    ld.global.f32       %f8, [%rd3+7168];
    add.f32             %f0, %f0, %f1;
    add.f32             %f0, %f0, %f2;
    add.f32             %f0, %f0, %f3;
    add.f32             %f0, %f0, %f4;
    add.f32             %f0, %f0, %f5;
    add.f32             %f0, %f0, %f6;
    add.f32             %f0, %f0, %f7;
    add.f32             %f0, %f0, %f8;
    add.u64             %rd3, %rd3, 8192;
    sub.u32             %r5, %r5, 1;
    setp.ne.u32         %p1, %r5, 0;
    @%p1 bra            READ;
    mad.lo.u32          %r6, %r4, 256, %r1;
    mad.wide.u32        %rd4, %r6, 4, %rd2;
    st.global.f32       [%rd4], %f0;
    bar.sync            0;                      // all have read what piece this was
    bra                 NEXT;
DONE:
    ret;
}
