// reduce_tree: out = in[0] + in[1] + … + in[n-1].
//
// Shows how the threads of a CTA add up their sums. They write their sums
// next to each other in shared memory; then the first half adds the other
// half's, a quarter adds the next quarter's, and so on: 8 steps for 256
// threads. A barrier ends each step, so that no thread reads a sum before
// it is written. Thread 0 of each CTA adds the result to out, atomically.
//
// Every thread reaches every barrier: the branch skips the addition,
// not the barrier, and a thread without any elements adds 0.
//
// Sums that are added stand side by side, so whole warps drop out first: of 8
// warps, 4, 2 and 1 are at work in steps 128, 64 and 32. Only the last five
// steps, 16 to 1, make lanes of a warp diverge.
//
// 2048 threads share 10000 elements: warps 0 to 56 of the 64 go 5 times through
// LOOP (56 with half of its lanes, as 10000 = 4*2048 + 56.5*32), the others 4
// times.
//
//     23 for every warp outside of the loops           64*23            1472
//      8 for every round of LOOP, 2 to leave it        313*8 + 64*2     2632
//      6 for every warp and step of the tree           64*8*6           3072
//      5 for every warp that adds in a step            8*(4+2+1+5)*5    480
//      3 for warp 0 of every CTA                       8*3                24
//
// 7680 instructions in all. Divergent branches: 1 in LOOP, 5 in the tree
// of every CTA, and one where thread 0 continues alone: 1 + 8*6 = 49.

//sim:grid   8
//sim:arg    in  = iota:10000:u32
//sim:arg    out = zeros:1:u32
//sim:arg    n   = 10000
//sim:dump   out:u32

// 0 + 1 + … + 9999 = 10000*9999/2, in any order of the additions.
//sim:expect out[0] == 49995000

// 10000 words are 1250 sectors. Each CTA has 9 barriers for 8 warps.
//sim:expect metric warp_instructions == 7680
//sim:expect metric divergent_branches == 49
//sim:expect metric global_load_sectors == 1250
//sim:expect metric global_atomic_requests == 8
//sim:expect metric barriers == 576

.entry reduce_tree(
    .param .u64 in,
    .param .u64 out,
    .param .u32 n)
.reqntid 256
{
    .shared .u32 sums[256];                     // by thread

    // This thread's first element.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i

    // How far the next element is: the threads of the grid.
    mov.u32             %r8, %nctaid.y;
    mul.lo.u32          %r9, %r2, %r8;
    mul.lo.u32          %r10, %r9, %r5;

    ld.param.u32        %r11, [n];
    ld.param.u64        %rd1, [in];
    cvta.to.global.u64  %rd1, %rd1;
    mov.u32             %r12, 0;                // this thread's sum
LOOP:
    setp.ge.u32         %p1, %r7, %r11;
    @%p1 bra            SHARE;
    mul.wide.u32        %rd2, %r7, 4;           // i in bytes
    add.u64             %rd3, %rd1, %rd2;
    ld.global.u32       %r13, [%rd3];
    add.u32             %r12, %r12, %r13;
    add.u32             %r7, %r7, %r10;
    bra                 LOOP;

SHARE:
    mov.u32             %r14, sums;
    shl.b32             %r15, %r6, 2;
    add.u32             %r16, %r14, %r15;       // this thread's place
    st.shared.u32       [%r16], %r12;
    bar.sync            0;

    mov.u32             %r17, 128;              // threads that add in this step
STEP:
    setp.ge.u32         %p2, %r6, %r17;
    @%p2 bra            ADDED;
    shl.b32             %r18, %r17, 2;
    add.u32             %r19, %r16, %r18;       // the other one's place
    ld.shared.u32       %r20, [%r19];
    add.u32             %r12, %r12, %r20;
    st.shared.u32       [%r16], %r12;
ADDED:
    bar.sync            0;
    shr.u32             %r17, %r17, 1;
    setp.ne.u32         %p3, %r17, 0;
    @%p3 bra            STEP;

    // Thread 0 has the CTA's sum.
    setp.ne.u32         %p4, %r6, 0;
    @%p4 bra            DONE;
    ld.param.u64        %rd4, [out];
    cvta.to.global.u64  %rd4, %rd4;
    red.global.add.u32  [%rd4], %r12;
DONE:
    ret;
}
