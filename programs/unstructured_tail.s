// unstructured_tail: two of three cases go on to one and the same tail, by
// goto.
//
//     x = i
//     if i mod 4 == 0:   x = x + 100;  goto TAIL
//     if i mod 4 == 1:   x = x + 200;  goto TAIL
//     x = x + 300;  goto MEET
//     TAIL:  x = 2x;  x = x + 1
//     MEET:  out[i] = x
//
// Shows where reconvergence at the immediate postdominator is late. The
// lanes of both cases reach TAIL, but not all lanes of either branch
// do, so TAIL cannot be the branch's reconvergence PC. That is MEET,
// the first place on every path to the end. The tail runs once for the
// lanes of the first case and once more for those of the second:
//
//     instructions            lanes
//     14  up to the branch    32
//      2  case 0               8: 0, 4, 8 …
//      2  TAIL                 8
//      2  the second branch   24
//      2  case 1               8: 1, 5, 9 …
//      2  TAIL, again          8
//      2  the rest            16
//      5  from MEET on        32
//
// 31 instructions: 19*32 + 4*8 + 2*24 + 4*8 + 2*16 = 752 of 31*32 = 992 lane
// slots are active, 75.8 %. Two divergent branches. Were the tail written out
// in both cases, the counts would be the same: sharing its text saves no time.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:32:u32
//sim:arg    n   = 32
//sim:dump   out:u32

// 2i + 201 for i = 0, 4, 8 …; 2i + 401 for i = 1, 5, 9 …; i + 300 for the
// others.
//sim:expect out[0:16]  == 201 403 302 303 209 411 306 307 217 419 310 311 225 427 314 315
//sim:expect out[16:32] == 233 435 318 319 241 443 322 323 249 451 326 327 257 459 330 331

//sim:expect metric warp_instructions == 31
//sim:expect metric lane_instructions == 752
//sim:expect metric divergent_branches == 2
//sim:expect metric warp_instructions@TAIL == 2
//sim:expect metric lane_instructions@TAIL == 16

.entry unstructured_tail(
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
    bra                 MEET;
TAIL:
    shl.b32             %r9, %r9, 1;
    add.u32             %r9, %r9, 1;
MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd2, %r7, 4, %rd1;
    st.global.u32       [%rd2], %r9;
DONE:
    ret;
}
