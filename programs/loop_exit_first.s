// loop_exit_first: while_loop.s, with the code after the loop written before it.
//
// Shows that the reconvergence PC does not depend on the order of the
// text. All paths out of the loop lead to MEET, above or below it: lanes
// that have finished wait there, at the reconvergence PC, as in
// while_loop.s, and the counts are the same except for one jump over MEET.
//
//     12  before the jump      32
//      1  the jump to LOOP     32
//     12  LOOP, 6 rounds       32, 31, 30, 28, 24, 16
//     15  BODY, 5 rounds       31, 30, 28, 24, 16
//      6  from MEET on         32
//
// 46 instructions; 19*32 + 2*161 + 3*129 = 1317 of 46*32 = 1472 lane slots are
// active, 89.5 %. 5 divergent branches.
//
// With --divergence minpc the order matters. There the lanes with the
// lowest PC run, and lanes that leave the loop have a lower one than
// those within: so they do not wait, but run the 6 instructions from
// MEET on as they arrive, in 6 groups: 46 + 5*6 = 76 instructions.
// This is why a compiler places the code that follows a loop after it.

//sim:grid   1
//sim:block  32
//sim:arg    out = fill:32:u32:99
//sim:arg    n   = 32
//sim:dump   out:u32

//sim:expect out[0:16]  == 0 1 2 2 3 3 3 3 4 4 4 4 4 4 4 4
//sim:expect out[16:32] == 5

//sim:expect metric warp_instructions == 46
//sim:expect metric lane_instructions == 1317
//sim:expect metric divergent_branches == 5
//sim:expect metric warp_instructions@MEET == 1
//sim:expect metric lane_instructions@MEET == 32

.entry loop_exit_first(
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

    mov.u32             %r9, %r7;               // x
    mov.u32             %r10, 0;                // its length
    bra                 LOOP;

MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mul.wide.u32        %rd2, %r7, 4;
    add.u64             %rd3, %rd1, %rd2;
    st.global.u32       [%rd3], %r10;
DONE:
    ret;

    // while x != 0: x = x/2, one bit more
LOOP:
    setp.eq.u32         %p2, %r9, 0;
    @%p2 bra            MEET;
    shr.u32             %r9, %r9, 1;
    add.u32             %r10, %r10, 1;
    bra                 LOOP;
}
