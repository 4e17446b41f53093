// vote_both_arms: lanes in both arms of a branch take part in one vote.
//
// Shows the purpose of the mask of vote.sync, shfl.sync and similar
// instructions. It names the participating lanes, at any PC: each
// waits until all of them have arrived at a vote with this mask, even
// at another place in the program. Without .sync, as before Volta, it
// was a vote of the lanes that happened to be active together.
//
//     lanes 0-15     vote at LOW_VOTE: is my lane odd?
//     lanes 16-31    vote at HIGH_VOTE: is my lane 24 or more?
//
// Lanes in one arm arrive at their vote and wait; then the others run and arrive
// at theirs, and all 32 votes are in. Both places give every lane the same answer:
//
//     bits 0-15      1, 3, 5 … 15    aaaa
//     bits 16-31     24 … 31         ff00        ff00aaaa
//
// With one PC for the warp, lanes 16-31 would have to wait for 0-15 at MEET,
// and these for them at LOW_VOTE.
//
//     13  up to the branch    32
//      4  LOW                 16: 0-15, the vote among them
//      2  HIGH                16: 16-31, the vote among them
//      5  from MEET on        32
//
// 24 instructions; 18*32 + 6*16 = 672 of 24*32 = 768 lane slots are active,
// 87.5 %. One divergent branch. Waiting costs no instruction.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:32:u32
//sim:arg    n   = 32
//sim:dump   out:u32:4

// 0xff00aaaa in decimal.
//sim:expect out == fill:32:u32:4278233770

//sim:expect metric warp_instructions == 24
//sim:expect metric lane_instructions == 672
//sim:expect metric divergent_branches == 1
//sim:expect metric lane_instructions@LOW_VOTE == 16
//sim:expect metric lane_instructions@HIGH_VOTE == 16

.entry vote_both_arms(
    .param .u64 out,
    .param .u32 n)
{
    // One thread for each element; those past the end have nothing to do.
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

    and.b32             %r9, %r6, 31;           // lane
    setp.ge.u32         %p2, %r9, 16;
    @%p2 bra            HIGH;

    // lanes 0 to 15
    and.b32             %r10, %r9, 1;
    setp.ne.u32         %p3, %r10, 0;
LOW_VOTE:
    vote.sync.ballot.b32 %r11, %p3, 0xffffffff;
    bra                 MEET;

    // lanes 16 to 31
HIGH:
    setp.ge.u32         %p4, %r9, 24;
HIGH_VOTE:
    vote.sync.ballot.b32 %r11, %p4, 0xffffffff;

MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd2, %r7, 4, %rd1;
    st.global.u32       [%rd2], %r11;
DONE:
    ret;
}
