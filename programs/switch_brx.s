// switch_brx: a calculator: out[i] = a + b, a - b, a * b or 0, by op[i].
//
// Shows a switch as one indexed branch. brx.idx goes to the place in
// the list .branchtargets that the register selects, lane by lane, so a
// warp can diverge into as many groups as there are places. The groups
// run one by one and all reconverge at MEET. An index beyond the list
// is not allowed: min.u32 maps it to the last place, the default.
//
// a = i + 10, b = i and op[i] = i/4 mod 8, so four lanes in a row agree:
//
//     op                 lanes                     instructions
//     0  add             0-3                       2
//     1  subtract        4-7                       2
//     2  multiply        8-11                      2
//     3 … 7  default     12-31                     1
//
// The switch costs the warp 7 instructions, though no lane needs more than two.
// 17 up to the branch, 7, and 5 from MEET on: 29. 22*32 + 3*2*4 + 20 = 748 of
// 29*32 = 928 lane slots are active, 80.6 %. One divergent branch: it
// sends the lanes to four places, once.

//sim:grid   1
//sim:block  32
//sim:arg    op  = list:u32:0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3,4,4,4,4,5,5,5,5,6,6,6,6,7,7,7,7
//sim:arg    out = fill:32:u32:99
//sim:arg    n   = 32
//sim:dump   out:u32

// 10 + 2i; 10; i(i + 10); 0.
//sim:expect out[0:12]  == 10 12 14 16 10 10 10 10 144 171 200 231
//sim:expect out[12:32] == 0

//sim:expect metric warp_instructions == 29
//sim:expect metric lane_instructions == 748
//sim:expect metric divergent_branches == 1
//sim:expect metric warp_instructions@SWITCH == 1
//sim:expect metric lane_instructions@DEFAULT == 20

.entry switch_brx(
    .param .u64 op,
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
    mad.lo.u32          %r7, %r4, %r5, %r6;     // b, which is i
    ld.param.u32        %r8, [n];
    setp.ge.u32         %p1, %r7, %r8;
    @%p1 bra            DONE;

    add.u32             %r9, %r7, 10;           // a
    ld.param.u64        %rd1, [op];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd2, %r7, 4, %rd1;
    ld.global.u32       %r10, [%rd2];
    min.u32             %r10, %r10, 3;
CASES:
    .branchtargets      ADD, SUBTRACT, MULTIPLY, DEFAULT;
SWITCH:
    brx.idx             %r10, CASES;
ADD:
    add.u32             %r11, %r9, %r7;
    bra                 MEET;
SUBTRACT:
    sub.u32             %r11, %r9, %r7;
    bra                 MEET;
MULTIPLY:
    mul.lo.u32          %r11, %r9, %r7;
    bra                 MEET;
DEFAULT:
    mov.u32             %r11, 0;

MEET:
    ld.param.u64        %rd3, [out];
    cvta.to.global.u64  %rd3, %rd3;
    mad.wide.u32        %rd4, %r7, 4, %rd3;
    st.global.u32       [%rd4], %r11;
DONE:
    ret;
}
