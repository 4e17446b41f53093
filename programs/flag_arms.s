// flag_arms: lanes in one arm of a branch wait
// for values from lanes in the other arm.
//
//     lanes 0-15     SET:   flags[lane] = i + 1;  out[i] = 0
//     lanes 16-31    WAIT:  while ((x = flags[lane - 16]) == 0) ;  out[i] = x
//
// Shows a branch where one side has to run before the other can end.
// With one PC per warp, everything depends on the order: the side
// that runs first continues to MEET, even if it waits for the other.
//
//     --divergence stack                           first
//         --path-order taken         hangs         WAIT, the branch's target
//         --path-order fallthrough   ends          SET
//         --path-order majority      ends          SET: of 16 and 16, that with the
//                                                  lower PC
//     --divergence minpc             ends          SET: it has the lower PC
//     --divergence its               ends          either: WAIT runs until it has
//                                                  used its time slice, then SET
//
// Where SET is first, WAIT looks once:
//
//     instructions            lanes
//     17  up to the branch    32
//      4  SET                 16
//      3  WAIT                16
//      5  from MEET on        32
//
// 29 instructions. If WAIT runs first, it polls more often, 3 instructions each
// time, and how often depends on the time slices. The stored values do not.

//sim:grid   1
//sim:block  32
//sim:arg    flags = zeros:16:u32
//sim:arg    out   = fill:32:u32:99
//sim:arg    n     = 32
//sim:dump   out:u32

//sim:expect flags      == iota:16:u32:1
//sim:expect out[0:16]  == 0
//sim:expect out[16:32] == 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16

//sim:expect metric divergent_branches == 1
//sim:expect metric warp_instructions@SET == 1
//sim:expect metric lane_instructions@SET == 16
//sim:expect metric lane_instructions@MEET == 32

.entry flag_arms(
    .param .u64 flags,
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

    ld.param.u64        %rd1, [flags];
    cvta.to.global.u64  %rd1, %rd1;
    and.b32             %r9, %r6, 15;           // lane mod 16
    mad.wide.u32        %rd2, %r9, 4, %rd1;     // this lane's flag
    and.b32             %r10, %r6, 16;
    setp.ne.u32         %p2, %r10, 0;
    @%p2 bra            WAIT;

    // lanes 0 to 15
SET:
    add.u32             %r11, %r7, 1;
    st.volatile.global.u32 [%rd2], %r11;
    mov.u32             %r12, 0;
    bra                 MEET;

    // lanes 16 to 31
WAIT:
    ld.volatile.global.u32 %r12, [%rd2];
    setp.eq.u32         %p3, %r12, 0;
    @%p3 bra            WAIT;

MEET:
    ld.param.u64        %rd3, [out];
    cvta.to.global.u64  %rd3, %rd3;
    mad.wide.u32        %rd4, %r7, 4, %rd3;
    st.global.u32       [%rd4], %r12;
DONE:
    ret;
}
