// ballot_compaction: out = the multiples of 3 in in, without gaps, in any
// order; count = how many.
//
// Shows how lanes agree on places without asking each other one by one. Each
// lane knows whether it keeps its number. vote.sync.ballot gives all of them
// the mask of the lanes that do. Then:
//
//     mask        ballot              as an example    1001 0010
//     kept        bits of mask                         3
//     before      bits of mask below this lane's       lanes 1, 4, 7: 0, 1, 2
//
// Lane 0 adds kept to count, atomically; the previous
// value is the warp's first place, which a shuffle passes
// to all lanes. One atomic operation serves 32 lanes.
//
// The order of the warps' parts depends on the order of execution. To make
// the result checkable, the CTA that finishes last counts how often each
// multiple of 3 is in out: each CTA adds to done when its numbers are
// written, and the one that finds all others counted is the last. Only then
// do its threads read out: the fence and the barrier ensure this order.
//
// 4 CTAs have 32 warps for 1000 numbers: the last has 8. With another grid, a warp
// continues with the numbers that are ahead by the number of threads in the grid.
//
//     21 for every warp up to LOOP
//     20 in its one round, 2 to see that there is no other
//     13 from WRITTEN on, with ret
//     56 for each of 32 warps                          32*56           1792
//      4 for each warp of the last CTA                  8*4              32
//      9 for every round of SEE, 2 to leave it          11*9 + 8*2      115
//
// 1939 instructions: 334 numbers are one round of SEE for 256 threads and a
// second one for 78, warps 0, 1 and 14 lanes of warp 2. These 14 are the one
// group that diverges from its warp: 1 divergent branch.

//sim:grid   4
//sim:arg    in    = iota:1000:u32
//sim:arg    out   = fill:1000:u32:4294967295
//sim:arg    count = zeros:1:u32
//sim:arg    done  = zeros:1:u32
//sim:arg    seen  = zeros:334:u32
//sim:arg    n     = 1000
//sim:dump   count:u32

// 0, 3, … 999 are 334 numbers. x is counted in seen[x/3], so
// each must be present once, and out must contain nothing else.
//sim:expect count[0]     == 334
//sim:expect seen         == fill:334:u32:1
//sim:expect out[334:1000] == 4294967295

// Each warp adds to count once, each CTA to done; and each round of SEE adds to
// seen.
//sim:expect metric warp_instructions == 1939
//sim:expect metric divergent_branches == 1
//sim:expect metric global_atomic_requests@CLAIM == 32
//sim:expect metric global_atomic_lanes@CLAIM == 32
//sim:expect metric global_store_lanes@KEEP == 334
//sim:expect metric global_atomic_requests == 47

.entry ballot_compaction(
    .param .u64 in,
    .param .u64 out,
    .param .u64 count,
    .param .u64 done,
    .param .u64 seen,
    .param .u32 n)
.reqntid 256
{
    .shared .u32 finished;                      // CTAs, before this one

    // This thread's first number, and that of its lane 0.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i
    and.b32             %r8, %r6, 31;           // lane
    sub.u32             %r9, %r7, %r8;
    setp.eq.u32         %p1, %r8, 0;

    // How far the next number is: the threads of the grid.
    mov.u32             %r10, %nctaid.y;
    mul.lo.u32          %r11, %r2, %r10;        // ctas
    mul.lo.u32          %r12, %r11, %r5;

    ld.param.u32        %r13, [n];
    ld.param.u64        %rd1, [in];
    ld.param.u64        %rd2, [out];
    ld.param.u64        %rd3, [count];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    cvta.to.global.u64  %rd3, %rd3;
    mov.u32             %r14, %lanemask_lt;
LOOP:
    setp.ge.u32         %p2, %r9, %r13;         // the same for all lanes
    @%p2 bra            WRITTEN;
    setp.lt.u32         %p3, %r7, %r13;
    mad.wide.u32        %rd4, %r7, 4, %rd1;
    mov.u32             %r15, 1;                // what is not there is not kept
    @%p3 ld.global.u32  %r15, [%rd4];
    rem.u32             %r16, %r15, 3;
    setp.eq.u32         %p4, %r16, 0;           // keep it
    vote.sync.ballot.b32 %r17, %p4, 0xffffffff;
    popc.b32            %r18, %r17;             // kept
CLAIM:
    @%p1 atom.global.add.u32 %r19, [%rd3], %r18;
    shfl.sync.idx.b32   %r19, %r19, 0, 31, 0xffffffff;
    and.b32             %r20, %r17, %r14;
    popc.b32            %r21, %r20;             // before
    add.u32             %r22, %r19, %r21;
    mad.wide.u32        %rd5, %r22, 4, %rd2;
KEEP:
    @%p4 st.global.u32  [%rd5], %r15;
    add.u32             %r7, %r7, %r12;
    add.u32             %r9, %r9, %r12;
    bra                 LOOP;

WRITTEN:
    // Is this the last CTA?
    membar.gl;
    bar.sync            0;
    setp.eq.u32         %p5, %r6, 0;
    ld.param.u64        %rd6, [done];
    cvta.to.global.u64  %rd6, %rd6;
    @%p5 atom.global.add.u32 %r23, [%rd6], 1;
    @%p5 st.shared.u32  [finished], %r23;
    bar.sync            0;
    ld.shared.u32       %r24, [finished];
    add.u32             %r24, %r24, 1;
    setp.ne.u32         %p6, %r24, %r11;
    @%p6 bra            DONE;

    // It is the last: count the numbers in out.
    membar.gl;
    ld.volatile.global.u32 %r25, [%rd3];        // count
    ld.param.u64        %rd7, [seen];
    cvta.to.global.u64  %rd7, %rd7;
SEE:
    setp.ge.u32         %p7, %r6, %r25;
    @%p7 bra            DONE;
    mad.wide.u32        %rd8, %r6, 4, %rd2;
    ld.volatile.global.u32 %r26, [%rd8];
    div.u32             %r27, %r26, 3;
    mad.wide.u32        %rd9, %r27, 4, %rd7;
    red.global.add.u32  [%rd9], 1;
    add.u32             %r6, %r6, %r5;
    bra                 SEE;
DONE:
    ret;
}
