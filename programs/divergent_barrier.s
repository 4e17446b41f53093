// divergent_barrier: pairs of threads change places through shared memory, with
// a barrier in each arm of a branch.
//
// Shows a barrier of a CTA at which lanes of one warp arrive in two
// branches. Even threads write x, odd threads 2x, each in an arm that ends
// with a barrier; after it every thread reads the value of its neighbour:
//
//     even:  shared[tid] = x;   barrier        odd:  shared[tid] = 2x;  barrier
//                        read shared[tid xor 1]
//
// Both are barrier 0. A warp has arrived when all of its lanes have,
// at either place: so the even lanes wait in their arm until the odd
// ones have arrived in theirs, in this warp and in the other one.
// GPUs since Volta do this, lane by lane. Before, a barrier counted
// warps, and the first arm to arrive counted for all lanes.
//
// barrier.sync without .aligned is meant for this. bar.sync is the same as
// barrier.sync.aligned, which all lanes of a warp must execute together:
// otherwise the behaviour is undefined in PTX and an error in simtrun
// (sync-diverged). A single barrier after the branch is better still.
//
//     instructions            lanes
//     17  up to the branch    32
//      3  even                16
//      3  odd                 16
//      6  behind it, ret      32
//
// 29 instructions for each of two warps: 58. 23*32 + 6*16 = 832 of 29*32 = 928
// lane slots are active, 89.7 %. One divergent branch in each warp.

//sim:grid   1
//sim:block  64
//sim:arg    out = zeros:64:u32
//sim:arg    n   = 64
//sim:dump   out:u32:8

// x is i + 1. Even i gets that of i + 1, twice: 2i + 4; odd i that of i - 1: i.
//sim:expect out[0:16]  == 4 1 8 3 12 5 16 7 20 9 24 11 28 13 32 15
//sim:expect out[16:32] == 36 17 40 19 44 21 48 23 52 25 56 27 60 29 64 31
//sim:expect out[32:48] == 68 33 72 35 76 37 80 39 84 41 88 43 92 45 96 47
//sim:expect out[48:64] == 100 49 104 51 108 53 112 55 116 57 120 59 124 61 128 63

//sim:expect metric warp_instructions == 58
//sim:expect metric lane_instructions == 1664
//sim:expect metric divergent_branches == 2
//sim:expect metric warp_instructions@EVEN_BARRIER == 2
//sim:expect metric lane_instructions@EVEN_BARRIER == 32
//sim:expect metric lane_instructions@ODD_BARRIER == 32

.entry divergent_barrier(
    .param .u64 out,
    .param .u32 n)
.reqntid 64
{
    .shared .align 8 .u32 places[64];           // by thread

    // CTAs past the end, as a whole, have nothing to do: n is a multiple of 64.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i
    ld.param.u32        %r8, [n];
    setp.ge.u32         %p1, %r7, %r8;
    @%p1 bra            DONE;

    mov.u32             %r9, places;
    mad.lo.u32          %r10, %r6, 4, %r9;      // this thread's place
    xor.b32             %r11, %r10, 4;          // its neighbour's
    add.u32             %r12, %r7, 1;           // x
    and.b32             %r13, %r6, 1;
    setp.ne.u32         %p2, %r13, 0;
    @%p2 bra            ODD;

    // even
    st.shared.u32       [%r10], %r12;
EVEN_BARRIER:
    barrier.sync        0;
    bra                 MEET;
    // odd
ODD:
    shl.b32             %r12, %r12, 1;
    st.shared.u32       [%r10], %r12;
ODD_BARRIER:
    barrier.sync        0;
MEET:
    ld.shared.u32       %r14, [%r11];
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd2, %r7, 4, %rd1;
    st.global.u32       [%rd2], %r14;
DONE:
    ret;
}
