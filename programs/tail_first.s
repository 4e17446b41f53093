// tail_first: unstructured_tail.s, with the shared tail written before the
// cases that jump to it.
//
// Shows that the tail runs twice here, too, because the control flow is the
// same: lanes reconverge at MEET, the first place that all of them reach, and
// not before. The counts are those of unstructured_tail.s except for the jumps:
// one over the tail, one at its end, and none at the end of the last case.
//
//     instructions            lanes
//     15  up to the branch    32
//      2  case 0               8: 0, 4, 8 …
//      3  TAIL                 8
//      2  the second branch   24
//      2  case 1               8: 1, 5, 9 …
//      3  TAIL, again          8
//      1  the rest            16
//      5  from MEET on        32
//
// 33 instructions: 20*32 + 5*8 + 2*24 + 5*8 + 16 = 784 of 33*32 = 1056 lane
// slots are active, 74.2 %. Two divergent branches.
//
// --divergence minpc runs the tail of unstructured_tail.s once: it comes after
// all the cases, so the lanes with the lowest PC are those that have not reached
// it yet. Here the lanes of case 0 reach the tail at once, because its PC is the
// lowest of all, and those of case 1 arrive too late: 33 instructions again.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:32:u32
//sim:arg    n   = 32
//sim:dump   out:u32

// 2i + 201 for i = 0, 4, 8 …; 2i + 401 for i = 1, 5, 9 …; i + 300 for the
// others.
//sim:expect out[0:16]  == 201 403 302 303 209 411 306 307 217 419 310 311 225 427 314 315
//sim:expect out[16:32] == 233 435 318 319 241 443 322 323 249 451 326 327 257 459 330 331

//sim:expect metric warp_instructions == 33
//sim:expect metric lane_instructions == 784
//sim:expect metric divergent_branches == 2
//sim:expect metric warp_instructions@TAIL == 2
//sim:expect metric lane_instructions@TAIL == 16

.entry tail_first(
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
    and.b32             %r10, %r7, 3;
    bra                 CASES;
TAIL:
    shl.b32             %r9, %r9, 1;
    add.u32             %r9, %r9, 1;
    bra                 MEET;
CASES:
    setp.ne.u32         %p2, %r10, 0;
    @%p2 bra            NOT_0;
    add.u32             %r9, %r9, 100;
    bra                 TAIL;
NOT_0:
    setp.ne.u32         %p3, %r10, 1;
    @%p3 bra            NEITHER;
    add.u32             %r9, %r9, 200;
    bra                 TAIL;
NEITHER:
    add.u32             %r9, %r9, 300;
MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd2, %r7, 4, %rd1;
    st.global.u32       [%rd2], %r9;
DONE:
    ret;
}
