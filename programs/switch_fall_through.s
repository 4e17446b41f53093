// switch_fall_through: a switch with cases
// that share labels and fall through.
//
//     x = 0
//     switch i mod 8:
//     case 0:           x = x + 100, and on into
//     case 1, 2:        x = x + 10, and on into
//     case 3:           x = x + 1, break
//     case 8:           x = 999, break
//     default:          x = 7
//
// Shows that brx.idx costs one pass for each place that some lane goes
// to. Cases 1 and 2 go to the same place: one pass for both. No lane goes
// to case 8, since i mod 8 is less: no pass. But the lanes of case 0 fall
// through to those of cases 1 to 3, which run once more for lanes that
// start there: code runs once for each earlier place where lanes start.
//
//     place        lanes                  instructions
//     ADD_100       4: 0, 8, 16, 24       4: 100, 10, 1, break
//     ADD_10        8: 1, 2, 9, 10 …      3: 10, 1, break
//     ADD_1         4: 3, 11, 19, 27      2: 1, break
//     DEFAULT      16: 4-7, 12-15 …       1
//
// 13 instructions up to the branch, 10, and 5 from MEET on: 28. 18*32 + 4*4 +
// 3*8 + 2*4 + 16 = 640 of 28*32 = 896 lane slots are active, 71.4 %. One
// divergent branch: it sends the lanes to four places, once.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:32:u32
//sim:arg    n   = 32
//sim:dump   out:u32

//sim:expect out[0:16]  == 111 11 11 1 7 7 7 7 111 11 11 1 7 7 7 7
//sim:expect out[16:32] == 111 11 11 1 7 7 7 7 111 11 11 1 7 7 7 7

//sim:expect metric warp_instructions == 28
//sim:expect metric lane_instructions == 640
//sim:expect metric divergent_branches == 1
//sim:expect metric warp_instructions@ADD_100 == 1
//sim:expect metric warp_instructions@ADD_10 == 2
//sim:expect metric warp_instructions@ADD_1 == 3
//sim:expect metric lane_instructions@ADD_1 == 16
//sim:expect metric warp_instructions@CASE_8 == 0
//sim:expect metric warp_instructions@DEFAULT == 1

.entry switch_fall_through(
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

    mov.u32             %r9, 0;                 // x
    and.b32             %r10, %r7, 7;
PLACES:
    .branchtargets      ADD_100, ADD_10, ADD_10, ADD_1, DEFAULT, DEFAULT, DEFAULT, DEFAULT, CASE_8;
    brx.idx             %r10, PLACES;
ADD_100:
    add.u32             %r9, %r9, 100;
ADD_10:
    add.u32             %r9, %r9, 10;
ADD_1:
    add.u32             %r9, %r9, 1;
    bra                 MEET;
CASE_8:
    mov.u32             %r9, 999;
    bra                 MEET;
DEFAULT:
    mov.u32             %r9, 7;

MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd2, %r7, 4, %rd1;
    st.global.u32       [%rd2], %r9;
DONE:
    ret;
}
