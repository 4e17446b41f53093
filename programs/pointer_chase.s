// pointer_chase: each thread walks a linked list from its own
// start node and adds up the numbers of the nodes on its way.
//
// Shows loads that depend on each other. The next node is known only
// when the current one has been loaded, so a thread has one load under
// way at a time: a walk of k nodes takes k times the latency of memory,
// at any bandwidth. Only other lanes and other warps can use the time.
//
// Node i is followed by node next[i] = i - 32, and a negative number is the
// end. Thread t starts at node 33t and visits 33t, 33t - 32, … down to t, t
// + 1 nodes: lane t leaves the loop in iteration t + 1, and the warp is done
// when its longest walk is. In every iteration but the last one lane leaves.
//
//     instructions            lanes                     rounds
//     14  up to LOOP          32
//      5  LOOP                32, 31, 30, … 1           32
//      5  behind it, ret      32
//
// 14 + 32*5 + 5 = 179 instructions. The lanes of all rounds are 32*33/2 = 528,
// so (19*32 + 5*528) / (179*32) = 56.7 % of the lane slots are active. 31
// divergent branches.

//sim:grid   1
//sim:block  32
//sim:arg    next = iota:1024:s32:-32
//sim:arg    out  = zeros:32:u32
//sim:arg    n    = 32
//sim:dump   out:u32

// The sum of 33t - 32k for k = 0 to t: 33t(t+1) - 16t(t+1) = 17t(t+1).
//sim:expect out[0:16]  == 0 34 102 204 340 510 714 952 1224 1530 1870 2244 2652 3094 3570 4080
//sim:expect out[16:32] == 4624 5202 5814 6460 7140 7854 8602 9384 10200 11050 11934 12852 13804 14790 15810 16864

// In each round the lanes' nodes are 33 words apart: every lane has a sector of
// its own and, as 132 bytes are more than a line, a line of its own.
//sim:expect metric warp_instructions == 179
//sim:expect metric lane_instructions == 3248
//sim:expect metric divergent_branches == 31
//sim:expect metric global_load_requests@CHASE == 32
//sim:expect metric global_load_sectors@CHASE == 528
//sim:expect metric global_load_lines@CHASE == 528

.entry pointer_chase(
    .param .u64 next,
    .param .u64 out,
    .param .u32 n)
{
    // One thread for each list; those past the end have nothing to do.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // t
    ld.param.u32        %r8, [n];
    setp.ge.u32         %p1, %r7, %r8;
    @%p1 bra            DONE;

    ld.param.u64        %rd1, [next];
    cvta.to.global.u64  %rd1, %rd1;
    mul.lo.u32          %r9, %r7, 33;           // node
    mov.u32             %r10, 0;                // sum
LOOP:
    add.u32             %r10, %r10, %r9;
    mad.wide.u32        %rd2, %r9, 4, %rd1;
CHASE:
    ld.global.s32       %r9, [%rd2];
    setp.ge.s32         %p2, %r9, 0;
    @%p2 bra            LOOP;

    ld.param.u64        %rd3, [out];
    cvta.to.global.u64  %rd3, %rd3;
    mad.wide.u32        %rd4, %r7, 4, %rd3;
    st.global.u32       [%rd4], %r10;
DONE:
    ret;
}
