// if_else: one step of Collatz' sequence, n/2 for even and 3n + 1 for odd n.
//
// Shows the cost of a branch at which lanes diverge. A warp executes
// one instruction at a time: it runs the side of the even lanes with
// the odd ones masked, then the side of the odd lanes, and continues
// with all of them at MEET, the branch's reconvergence PC. The order of
// the sides (--path-order) changes neither the result nor the counts.
//
//     instructions            lanes                        active mask
//     13  up to the branch    32                           ffffffff
//      2  even                16: 0, 2, 4 …                55555555
//      1  odd                 16: 1, 3, 5 …                aaaaaaaa
//      6  from MEET on        32                           ffffffff
//
// 22 instructions for the warp, though each lane needs only 20 or 21 of them;
// 19*32 + 3*16 = 656 of 22*32 = 704 lane slots are active, 93.2 %. One
// divergent branch.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:32:u32
//sim:arg    n   = 32
//sim:dump   out:u32

// Element 2k is k and element 2k+1 is 3(2k+1) + 1 = 6k + 4.
//sim:expect out[0:16]  == 0 4 1 10 2 16 3 22 4 28 5 34 6 40 7 46
//sim:expect out[16:32] == 8 52 9 58 10 64 11 70 12 76 13 82 14 88 15 94

//sim:expect metric warp_instructions == 22
//sim:expect metric lane_instructions == 656
//sim:expect metric divergent_branches == 1

.entry if_else(
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

    // if i is even
    and.b32             %r9, %r7, 1;
    setp.ne.u32         %p2, %r9, 0;
    @%p2 bra            ODD;
    shr.u32             %r10, %r7, 1;
    bra                 MEET;
    // else
ODD:
    mad.lo.u32          %r10, %r7, 3, 1;

MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mul.wide.u32        %rd2, %r7, 4;
    add.u64             %rd3, %rd1, %rd2;
    st.global.u32       [%rd3], %r10;
DONE:
    ret;
}
