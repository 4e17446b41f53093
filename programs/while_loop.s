// while_loop: out[i] = the length of i in bits.
//
// Shows a loop that is tested before its body. The lanes that have finished
// wait at MEET. The body is executed as often as the longest lane needs it, and
// the test once more than that, because the last lanes execute it to leave.
//
//     trips                0    1    2    3    4    5
//     lanes                1    1    2    4    8   16     bits of 0; 1; 2, 3; 4-7 …
//
//     round                1    2    3    4    5    6    sum
//     lanes at LOOP       32   31   30   28   24   16    161    2 instructions
//     lanes at BODY       31   30   28   24   16    0    129    3
//
// The body runs 5 times, with 129/5 = 25.8 lanes on average: the trips of all
// lanes over those of the longest.
//
// 12 instructions before the loop, 6*2 + 5*3 = 27 in it, 6 from
// MEET on: 45. 18*32 + 2*161 + 3*129 = 1285 of 45*32 = 1440 lane
// slots are active, 89.2 %. In rounds 1 to 5 some leave and some
// stay: 5 divergent branches. In round 6 all remaining lanes leave.

//sim:grid   1
//sim:block  32
//sim:arg    out = fill:32:u32:99
//sim:arg    n   = 32
//sim:dump   out:u32

//sim:expect out[0:16]  == 0 1 2 2 3 3 3 3 4 4 4 4 4 4 4 4
//sim:expect out[16:32] == 5

//sim:expect metric warp_instructions == 45
//sim:expect metric lane_instructions == 1285
//sim:expect metric divergent_branches == 5
//sim:expect metric warp_instructions@LOOP == 6
//sim:expect metric warp_instructions@BODY == 5
//sim:expect metric active_lanes_per_instruction@BODY == 25.8

.entry while_loop(
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
    // while x != 0: x = x/2, one bit more
LOOP:
    setp.eq.u32         %p2, %r9, 0;
    @%p2 bra            MEET;
BODY:
    shr.u32             %r9, %r9, 1;
    add.u32             %r10, %r10, 1;
    bra                 LOOP;

MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mul.wide.u32        %rd2, %r7, 4;
    add.u64             %rd3, %rd1, %rd2;
    st.global.u32       [%rd3], %r10;
DONE:
    ret;
}
