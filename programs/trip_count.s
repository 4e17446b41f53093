// trip_count: out[i] = 0 + 1 + … + i, added up in a loop of i + 1 rounds.
//
// Shows a loop with a trip count that differs from lane to lane. The warp diverges
// at its branch in every iteration: lanes that are done wait at MEET, and the others
// iterate again, so the warp executes as many iterations as its longest lane.
//
//     instructions            lanes                        active mask
//     12  up to LOOP          32                           ffffffff
//      4  round 1             32                           ffffffff
//      4  round 2             31: all but 0                fffffffe
//      …
//      4  round 32             1: 31                       80000000
//      6  from MEET on        32                           ffffffff
//
// 12 + 32*4 + 6 = 146 instructions; 18*32 + 4*(32 + 31 + … + 1) =
// 576 + 2112 = 2688 of 146*32 = 4672 lane slots are active, 57.5
// %. Rounds 1 to 31 lose one lane each: 31 divergent branches. In
// round 32 the last lane leaves alone, without divergence.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:32:u32
//sim:arg    n   = 32
//sim:dump   out:u32

// The triangular numbers i(i + 1)/2.
//sim:expect out[0:16]  == 0 1 3 6 10 15 21 28 36 45 55 66 78 91 105 120
//sim:expect out[16:32] == 136 153 171 190 210 231 253 276 300 325 351 378 406 435 465 496

//sim:expect metric warp_instructions == 146
//sim:expect metric lane_instructions == 2688
//sim:expect metric divergent_branches == 31

.entry trip_count(
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

    mov.u32             %r9, 0;                 // sum
    mov.u32             %r10, 0;                // k
    // do sum += k while ++k <= i
LOOP:
    add.u32             %r9, %r9, %r10;
    add.u32             %r10, %r10, 1;
    setp.le.u32         %p2, %r10, %r7;
    @%p2 bra            LOOP;

MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mul.wide.u32        %rd2, %r7, 4;
    add.u64             %rd3, %rd1, %rd2;
    st.global.u32       [%rd3], %r9;
DONE:
    ret;
}
