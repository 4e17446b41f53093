// barrier_pipeline: each chunk of 32 numbers of out is that of in, reversed.
// One warp brings the chunks, another one takes them away.
//
// Shows warps with different tasks that wait for each other only where
// they must. Two buffers in shared memory have two barriers each:
//
//     buffer         0    1
//     full           1    2     the producer arrives, the consumer waits
//     empty          3    4     the consumer arrives, the producer waits
//
// bar.arrive counts this warp as arrived and lets it continue; bar.sync
// waits until both warps have arrived. Each barrier is for 64 threads, two
// warps, in either role. So the producer may be at most two chunks ahead:
//
//     producer                      consumer
//     fill 0, arrive at full 0
//     fill 1, arrive at full 1      sync at full 0, take 0, arrive at empty 0
//     sync at empty 0, fill 0 …     sync at full 1, take 1, arrive at empty 1
//
// Barrier 0, which all warps of the CTA share, is not used at all.
//
// The producer does not wait for the first two chunks, because both buffers
// are empty. The consumer does not arrive at empty for the last two,
// because no warp will wait for them: every arrival has a matching wait.
//
// 2 CTAs share 8 chunks alternately. With another grid, a CTA continues
// with the chunk that is ahead by the number of CTAs in the grid.
//
// The producer executes 13 + 3 instructions up to PRODUCE, 16 for each of 4
// chunks, 2 to see that there are no more, and ret: 83. The consumer 13 + 5,
// 4*17, 2 and ret: 89. The two CTAs have 344, and no branch diverges.

//sim:grid   2
//sim:arg    in     = iota:256:u32
//sim:arg    out    = zeros:256:u32
//sim:arg    chunks = 8
//sim:dump   out:u32:8

// Chunk c is 32c + 31 down to 32c.
//sim:expect out[0:32]    == iota:32:u32:31:-1
//sim:expect out[32:64]   == iota:32:u32:63:-1
//sim:expect out[64:96]   == iota:32:u32:95:-1
//sim:expect out[96:128]  == iota:32:u32:127:-1
//sim:expect out[128:160] == iota:32:u32:159:-1
//sim:expect out[160:192] == iota:32:u32:191:-1
//sim:expect out[192:224] == iota:32:u32:223:-1
//sim:expect out[224:256] == iota:32:u32:255:-1

// For each chunk one store and one load of 32 words, in order or reversed: one
// wavefront.
//sim:expect metric warp_instructions == 344
//sim:expect metric divergent_branches == 0
//sim:expect metric shared_store_wavefronts == 8
//sim:expect metric shared_load_wavefronts == 8
//sim:expect metric warp_instructions@PRODUCE == 10
//sim:expect metric warp_instructions@CONSUME == 10

.entry barrier_pipeline(
    .param .u64 in,
    .param .u64 out,
    .param .u32 chunks)
.reqntid 64
{
    .shared .u32 buffers[64];                   // two of 32

    // This CTA's first chunk, and how far the next is: the CTAs of the grid.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // chunk
    mov.u32             %r5, %nctaid.y;
    mul.lo.u32          %r6, %r2, %r5;
    ld.param.u32        %r7, [chunks];

    mov.u32             %r8, %tid.x;
    and.b32             %r9, %r8, 31;           // lane
    mov.u32             %r10, buffers;
    mov.u32             %r11, 0;                // chunks done by this warp
    setp.ge.u32         %p1, %r8, 32;
    @%p1 bra            CONSUMER;

    // Warp 0: word lane of in goes to word lane of the buffer.
    ld.param.u64        %rd1, [in];
    cvta.to.global.u64  %rd1, %rd1;
    mad.lo.u32          %r12, %r9, 4, %r10;
PRODUCE:
    setp.ge.u32         %p2, %r4, %r7;
    @%p2 bra            DONE;
    and.b32             %r13, %r11, 1;          // buffer
    add.u32             %r14, %r13, 1;          // full
    add.u32             %r15, %r13, 3;          // empty
    setp.ge.u32         %p3, %r11, 2;
    mad.lo.u32          %r16, %r4, 32, %r9;
    mad.wide.u32        %rd2, %r16, 4, %rd1;
    ld.global.u32       %r17, [%rd2];
    mad.lo.u32          %r18, %r13, 128, %r12;
    @%p3 bar.sync       %r15, 64;
    st.shared.u32       [%r18], %r17;
    bar.arrive          %r14, 64;
    add.u32             %r11, %r11, 1;
    add.u32             %r4, %r4, %r6;
    bra                 PRODUCE;

CONSUMER:
    // Warp 1: word 31 - lane of the buffer goes to word lane of out.
    ld.param.u64        %rd3, [out];
    cvta.to.global.u64  %rd3, %rd3;
    sub.u32             %r19, 31, %r9;
    mad.lo.u32          %r20, %r19, 4, %r10;
    shl.b32             %r21, %r6, 1;           // two chunks ahead
CONSUME:
    setp.ge.u32         %p4, %r4, %r7;
    @%p4 bra            DONE;
    and.b32             %r22, %r11, 1;          // buffer
    add.u32             %r23, %r22, 1;          // full
    add.u32             %r24, %r22, 3;          // empty
    add.u32             %r25, %r4, %r21;
    setp.lt.u32         %p5, %r25, %r7;         // it will be filled again
    mad.lo.u32          %r26, %r22, 128, %r20;
    mad.lo.u32          %r27, %r4, 32, %r9;
    mad.wide.u32        %rd4, %r27, 4, %rd3;
    bar.sync            %r23, 64;
    ld.shared.u32       %r28, [%r26];
    @%p5 bar.arrive     %r24, 64;
    st.global.u32       [%rd4], %r28;
    add.u32             %r11, %r11, 1;
    add.u32             %r4, %r4, %r6;
    bra                 CONSUME;
DONE:
    ret;
}
