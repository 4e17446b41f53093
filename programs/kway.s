// kway: a branch to k places, for k from 1 to 32: out[32*(k - 1) + i] = i mod k.
//
// Shows the cost of diverging into k groups: k times that of not diverging.
// In round k, lane i goes to place i mod k. The places P0 to P31 are
// equally long, 2 instructions, and only one group can run at a time:
//
//     k              1    2    3    5    8   16   32
//     instructions   2    4    6   10   16   32   64     2k
//     lanes of each 32   16   11    7    4    2    1     or one less: 32/k
//
// So for every k each lane executes 2 instructions there,
// and 64 of 64k lane slots are active: a share of 1/k.
//
// Place p is among those of k = p + 1 and more: it runs in 32 - p rounds, and
// all of them together 1 + 2 + … + 32 = 528 times.
//
// 12 instructions before the loop; in each round 4 up to the branch, 2k, and 6
// from MEET on; 3 at the end: 12 + 32*10 + 2*528 + 3 = 1391. All lanes are active
// in all but those 1056, in which 32*64 lane slots are: 335*32 + 2048 = 12768 of
// 1391*32 = 44512, 28.7 %. 31 divergent branches: k = 1 does not diverge.
//
// With --arg first=5 --arg last=5 there is one round, and 25 + 2*5
// instructions. (The expectations for the other rounds do not hold then.)

//sim:grid   1
//sim:block  32
//sim:arg    out   = fill:1024:u32:99
//sim:arg    first = 1
//sim:arg    last  = 32
//sim:dump   out:u32:96

// k = 1, 2, 3, 5, 8, 16 and 32.
//sim:expect out[0:32] == 0
//sim:expect out[32:64] == 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1
//sim:expect out[64:96] == 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1
//sim:expect out[128:160] == 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1
//sim:expect out[224:256] == 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7
//sim:expect out[480:496] == 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//sim:expect out[496:512] == 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//sim:expect out[992:1008] == 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//sim:expect out[1008:1024] == 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31

//sim:expect metric warp_instructions == 1391
//sim:expect metric lane_instructions == 12768
//sim:expect metric divergent_branches == 31

// The last place of k = 1, 2, 3, 5, 8, 16 and 32: in the rounds of these and of
// all greater k.
//sim:expect metric warp_instructions@P0 == 32
//sim:expect metric warp_instructions@P1 == 31
//sim:expect metric warp_instructions@P2 == 30
//sim:expect metric warp_instructions@P4 == 28
//sim:expect metric warp_instructions@P7 == 25
//sim:expect metric warp_instructions@P15 == 17
//sim:expect metric warp_instructions@P31 == 1

.entry kway(
    .param .u64 out,
    .param .u32 first,
    .param .u32 last)
.reqntid 32
{
    // The first k of this CTA, and how far the next is: the CTAs of the grid.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %nctaid.y;
    mul.lo.u32          %r6, %r2, %r5;
    mov.u32             %r7, %tid.x;            // i
    ld.param.u32        %r8, [first];
    add.u32             %r9, %r8, %r4;          // k
    ld.param.u32        %r10, [last];
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
LOOP:
    setp.gt.u32         %p1, %r9, %r10;
    @%p1 bra            DONE;
    rem.u32             %r11, %r7, %r9;
PLACES:
    .branchtargets      P0, P1, P2, P3, P4, P5, P6, P7,
        P8, P9, P10, P11, P12, P13, P14, P15,
        P16, P17, P18, P19, P20, P21, P22, P23,
        P24, P25, P26, P27, P28, P29, P30, P31;
    brx.idx             %r11, PLACES;
P0:
    mov.u32             %r12, 0;
    bra                 MEET;
P1:
    mov.u32             %r12, 1;
    bra                 MEET;
P2:
    mov.u32             %r12, 2;
    bra                 MEET;
P3:
    mov.u32             %r12, 3;
    bra                 MEET;
P4:
    mov.u32             %r12, 4;
    bra                 MEET;
P5:
    mov.u32             %r12, 5;
    bra                 MEET;
P6:
    mov.u32             %r12, 6;
    bra                 MEET;
P7:
    mov.u32             %r12, 7;
    bra                 MEET;
P8:
    mov.u32             %r12, 8;
    bra                 MEET;
P9:
    mov.u32             %r12, 9;
    bra                 MEET;
P10:
    mov.u32             %r12, 10;
    bra                 MEET;
P11:
    mov.u32             %r12, 11;
    bra                 MEET;
P12:
    mov.u32             %r12, 12;
    bra                 MEET;
P13:
    mov.u32             %r12, 13;
    bra                 MEET;
P14:
    mov.u32             %r12, 14;
    bra                 MEET;
P15:
    mov.u32             %r12, 15;
    bra                 MEET;
P16:
    mov.u32             %r12, 16;
    bra                 MEET;
P17:
    mov.u32             %r12, 17;
    bra                 MEET;
P18:
    mov.u32             %r12, 18;
    bra                 MEET;
P19:
    mov.u32             %r12, 19;
    bra                 MEET;
P20:
    mov.u32             %r12, 20;
    bra                 MEET;
P21:
    mov.u32             %r12, 21;
    bra                 MEET;
P22:
    mov.u32             %r12, 22;
    bra                 MEET;
P23:
    mov.u32             %r12, 23;
    bra                 MEET;
P24:
    mov.u32             %r12, 24;
    bra                 MEET;
P25:
    mov.u32             %r12, 25;
    bra                 MEET;
P26:
    mov.u32             %r12, 26;
    bra                 MEET;
P27:
    mov.u32             %r12, 27;
    bra                 MEET;
P28:
    mov.u32             %r12, 28;
    bra                 MEET;
P29:
    mov.u32             %r12, 29;
    bra                 MEET;
P30:
    mov.u32             %r12, 30;
    bra                 MEET;
P31:
    mov.u32             %r12, 31;
    bra                 MEET;

MEET:
    sub.u32             %r13, %r9, 1;
    mad.lo.u32          %r13, %r13, 32, %r7;
    mad.wide.u32        %rd2, %r13, 4, %rd1;
    st.global.u32       [%rd2], %r12;
    add.u32             %r9, %r9, %r6;
    bra                 LOOP;
DONE:
    ret;
}
