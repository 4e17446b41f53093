// pipeline: each number of out is three times that of in. One thread has chunks copied to shared
// memory, and a warp computes with those that are there.
//
// Shows bulk copies and mbarriers as kernels for Hopper have them: warps with different work, and
// two buffers of 512 bytes, each with an mbarrier for when it is full, and one for when it is
// empty.
//
// full:  one arrival in a phase, that of the producer, which also says that 512 bytes will come.
//        The phase is complete when they are there.
// empty: 32 arrivals, those of the lanes of the consumer, which have read the buffer.
//
// Chunk n of a CTA is in buffer n mod 2, for the (n div 2)th time, k, in a phase of parity k mod 2. The consumer waits
// for that phase of full, the producer for the phase of empty before it, of the other parity: when k is
// 0 there is none before, and a wait for it is over at once.
//
// 2 CTAs share 8 chunks, in turn.

//sim:grid   2
//sim:arg    in     = iota:1024:u32
//sim:arg    out    = zeros:1024:u32
//sim:arg    chunks = 8
//sim:dump   out:u32:8

//sim:expect out == iota:1024:u32:0:3

// There are 4 chunks in each of 2 CTAs, of 512 bytes in 16 sectors. The copies read them, and
// as many are stored. Lanes load 16 bytes each: 4 wavefronts per chunk, without conflicts.
//sim:expect metric warp_instructions@COPY == 8
//sim:expect metric warp_instructions@TAKE == 8
//sim:expect metric global_load_sectors == 128
//sim:expect metric global_store_sectors == 128
//sim:expect metric shared_load_wavefronts@TAKE == 32

.entry pipeline(
    .param .u64 in,
    .param .u64 out,
    .param .u32 chunks)
.reqntid 64
{
    .shared .align 128 .b8 buffers[1024];
    .shared .b64 full[2];
    .shared .b64 empty[2];

    ld.param.u64        %rd1, [in];
    ld.param.u64        %rd2, [out];
    ld.param.u32        %r1, [chunks];
    mov.u32             %r2, %ctaid.x;
    mov.u32             %r3, %nctaid.x;
    mov.u32             %r8, %ctaid.y;
    mad.lo.u32          %r2, %r8, %r3, %r2;     // the chunk: the CTA's number
    mov.u32             %r8, %nctaid.y;
    mul.lo.u32          %r3, %r3, %r8;          // how many CTAs there are
    mov.u32             %r4, 0;                 // n
    mov.u32             %r5, buffers;
    mov.u32             %r6, full;
    mov.u32             %r7, empty;

    mov.u32             %r8, %tid.x;
    setp.eq.u32         %p1, %r8, 0;
    @%p1 mbarrier.init.shared.b64 [full], 1;
    @%p1 mbarrier.init.shared.b64 [full+8], 1;
    @%p1 mbarrier.init.shared.b64 [empty], 32;
    @%p1 mbarrier.init.shared.b64 [empty+8], 32;
    @%p1 fence.proxy.async.shared::cta;
    bar.sync            0;
    setp.ge.u32         %p2, %r8, 32;
    @%p2 bra            CONSUMER;

    elect.sync          _|%p3, -1;
    @!%p3 exit;
PRODUCER:
    setp.ge.u32         %p4, %r2, %r1;
    @%p4 exit;
    and.b32             %r9, %r4, 1;            // the buffer
    shr.u32             %r10, %r4, 1;
    and.b32             %r10, %r10, 1;          // parity
    mad.lo.u32          %r11, %r9, 8, %r6;      // its full
    mad.lo.u32          %r12, %r9, 8, %r7;      // and empty
    mad.lo.u32          %r13, %r9, 512, %r5;
    xor.b32             %r10, %r10, 1;
UNTIL_EMPTY:
    mbarrier.try_wait.parity.shared.b64 %p5, [%r12], %r10;
    @!%p5 bra           UNTIL_EMPTY;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 512;
    mad.wide.u32        %rd3, %r2, 512, %rd1;
COPY:
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r13], [%rd3], 512, [%r11];
    add.u32             %r2, %r2, %r3;
    add.u32             %r4, %r4, 1;
    bra                 PRODUCER;

CONSUMER:
    mov.u32             %r14, %laneid;
    shl.b32             %r14, %r14, 4;          // 16 bytes for each lane
NEXT:
    setp.ge.u32         %p4, %r2, %r1;
    @%p4 exit;
    and.b32             %r9, %r4, 1;
    shr.u32             %r10, %r4, 1;
    and.b32             %r10, %r10, 1;
    mad.lo.u32          %r11, %r9, 8, %r6;
    mad.lo.u32          %r12, %r9, 8, %r7;
    mad.lo.u32          %r13, %r9, 512, %r14;
    add.u32             %r13, %r13, %r5;
UNTIL_FULL:
    mbarrier.try_wait.parity.shared.b64 %p5, [%r11], %r10;
    @!%p5 bra           UNTIL_FULL;
TAKE:
    ld.shared.v4.u32    {%r20, %r21, %r22, %r23}, [%r13];
    mbarrier.arrive.shared.b64 _, [%r12];
    mul.lo.u32          %r20, %r20, 3;
    mul.lo.u32          %r21, %r21, 3;
    mul.lo.u32          %r22, %r22, 3;
    mul.lo.u32          %r23, %r23, 3;
    mad.wide.u32        %rd3, %r2, 512, %rd2;
    cvt.u64.u32         %rd4, %r14;
    add.u64             %rd3, %rd3, %rd4;
    st.global.v4.u32    [%rd3], {%r20, %r21, %r22, %r23};
    add.u32             %r2, %r2, %r3;
    add.u32             %r4, %r4, 1;
    bra                 NEXT;
}
