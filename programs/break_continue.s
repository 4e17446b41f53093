// break_continue: out[i] = the two lowest set bits of i.
//
// Shows both ways out of a loop's body. A lane goes through bits 0 to 4 of its
// i: it skips a bit that is 0 (continue), keeps one that is 1, and has done
// once it has two (break).
//
//     continue    its lanes wait at NEXT for the others, in every round
//     break       its lanes wait at MEET, until the loop is over
//
// The break is tested at the head of the loop, before the continue, so a
// lane that passes it always reaches NEXT. A break after the second kept
// bit would lead past NEXT, and the reconvergence PC would be MEET: lanes
// that skip a bit and lanes that keep it would then execute all later
// iterations separately, in 15 groups with 184 instructions instead of 69.
//
//     round (bit)               0    1    2    3    4    sum
//     lanes at LOOP            32   32   32   24   16    136    2 instructions
//     lanes past the break     32   32   24   16   10    114    3 and, at NEXT, 3
//     lanes that keep the bit  16   16   12    8    5     57    2
//
// Of the 2^b values that the b bits below have, b + 1 have less than two set:
// 2/2, 3/4, 4/8 and 5/16 of the lanes pass the break in rounds 1 to 4. Half of
// those keep the bit.
//
// 13 instructions before the loop, 5*(2 + 3 + 2 + 3) = 50 in it, 6 from MEET on:
// 69. 19*32 + 2*136 + 6*114 + 2*57 = 1678 of 69*32 = 2208 lane slots are active,
// 76.0 %. The continue diverges in all five rounds, the break in rounds 2, 3
// and 4: 8 divergent branches.

//sim:grid   1
//sim:block  32
//sim:arg    out = fill:32:u32:99
//sim:arg    n   = 32
//sim:dump   out:u32

// Up to 6 and where i has two set bits or less, out[i] is i. 7 keeps 1 and 2,
// 14 keeps 2 and 4, 28 keeps 4 and 8.
//sim:expect out[0:16]  == 0 1 2 3 4 5 6 3 8 9 10 3 12 5 6 3
//sim:expect out[16:32] == 16 17 18 3 20 5 6 3 24 9 10 3 12 5 6 3

//sim:expect metric warp_instructions == 69
//sim:expect metric lane_instructions == 1678
//sim:expect metric divergent_branches == 8

.entry break_continue(
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

    mov.u32             %r9, 0;                 // bits kept
    mov.u32             %r10, 0;                // how many
    mov.u32             %r11, 1;                // the bit of this round
LOOP:
    // if there are two: break
    setp.eq.u32         %p2, %r10, 2;
    @%p2 bra            MEET;

    // if the bit is 0: continue
    and.b32             %r12, %r7, %r11;
    setp.eq.u32         %p3, %r12, 0;
    @%p3 bra            NEXT;

    or.b32              %r9, %r9, %r11;
    add.u32             %r10, %r10, 1;
NEXT:
    shl.b32             %r11, %r11, 1;
    setp.lt.u32         %p4, %r11, 32;
    @%p4 bra            LOOP;

MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mul.wide.u32        %rd2, %r7, 4;
    add.u64             %rd3, %rd1, %rd2;
    st.global.u32       [%rd3], %r9;
DONE:
    ret;
}
