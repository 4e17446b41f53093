// persistent_queue: as many CTAs as the GPU has SMs share 1000 items of work of
// very different length: item k repeats an addition k mod 8 + 1 times for each
// of 64 elements.
//
// Shows dynamic distribution of work. Thread 0 of a CTA takes
// the next number from a counter in global memory, atomically,
// and writes it to shared memory for the others. A CTA with
// short items is back sooner for more. On a GPU, the assignment
// of items to CTAs differs from run to run; the result does not.
//
//     thread 0    item = next++                 the others wait
//     barrier     item is there
//     all         read item
//     barrier     all have read it: thread 0 may take the next one
//     all         work on it
//
// Without the second barrier a fast warp 0 could overwrite item before warp 1
// has read it.
//
// Each CTA finds out that the queue is empty by claiming once more: 132 CTAs
// claim 1000 + 132 times. For each of the two warps of a CTA:
//
//      7 up to CLAIM, and ret                          132*8            1056
//      7 from CLAIM to the branch                      1132*7           7924
//      8 to begin and finish an item                   1000*8           8000
//      5 for an addition after the first               3500*5          17500
//
// because 8 consecutive items have 0 + 1 + … + 7 = 28 such additions,
// and 125*28 = 3500. Two warps have 2*34480 = 68960 instructions, with
// any assignment of items. All threads of a CTA take the same branches.

//sim:grid   132
//sim:arg    next  = zeros:1:u32
//sim:arg    out   = zeros:64000:u32
//sim:arg    items = 1000
//sim:dump   out:u32:8

// i added up k mod 8 + 1 times. Item k has elements 64k to 64k + 63: items 0,
// 1, 7 and 8, and the last one, 999 = 8*124 + 7.
//sim:expect out[0:64]        == iota:64:u32
//sim:expect out[64:128]      == iota:64:u32:128:2
//sim:expect out[448:512]     == iota:64:u32:3584:8
//sim:expect out[512:576]     == iota:64:u32:512
//sim:expect out[63936:64000] == iota:64:u32:511488:8

// A claim is one atomic operation of one lane and has two barriers for both
// warps.
//sim:expect metric warp_instructions == 68960
//sim:expect metric divergent_branches == 0
//sim:expect metric global_atomic_requests@CLAIM == 1132
//sim:expect metric global_atomic_lanes@CLAIM == 1132
//sim:expect metric warp_instructions@WORK == 9000

.entry persistent_queue(
    .param .u64 next,
    .param .u64 out,
    .param .u32 items)
.reqntid 64
{
    .shared .u32 item;

    mov.u32             %r1, %tid.x;
    setp.eq.u32         %p1, %r1, 0;
    ld.param.u32        %r2, [items];
    ld.param.u64        %rd1, [next];
    ld.param.u64        %rd2, [out];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
CLAIM:
    @%p1 atom.global.add.u32 %r3, [%rd1], 1;
    @%p1 st.shared.u32  [item], %r3;
    bar.sync            0;
    ld.shared.u32       %r4, [item];
    bar.sync            0;
    setp.ge.u32         %p2, %r4, %r2;
    @%p2 bra            DONE;

    mad.lo.u32          %r5, %r4, 64, %r1;      // i
    and.b32             %r6, %r4, 7;            // additions after the first
    mov.u32             %r7, %r5;
WORK:
    setp.eq.u32         %p3, %r6, 0;
    @%p3 bra            FINISHED;
    add.u32             %r7, %r7, %r5;
    sub.u32             %r6, %r6, 1;
    bra                 WORK;
FINISHED:
    mad.wide.u32        %rd3, %r5, 4, %rd2;
    st.global.u32       [%rd3], %r7;
    bra                 CLAIM;
DONE:
    ret;
}
