// goto_ret: early_exit.s with a jump to the ret at the end in place of exit.
//
// Shows the cost of a jump to the end compared with an exit. For the machine
// DONE is a place like any other, where lanes can reconverge: it is the first
// place that all lanes of the branch on odd reach, while MEET is not. The
// lanes that reach MEET execute it separately, first one side, then the other.
//
//     instructions            lanes                        active mask
//     14  up to the branch    32                           ffffffff
//      2  odd, with the jump  16: 1, 3, 5 … 31             aaaaaaaa
//      1  still there          8: 1, 3, 5 … 15             0000aaaa
//      5  MEET                 8                           0000aaaa
//      5  MEET, again         16: even                     55555555
//      1  DONE                32                           ffffffff
//
// 28 instructions, where early_exit needs 23; 15*32 + 2*16 + 8 + 5*8 + 5*16 =
// 640 of 28*32 = 896 lane slots are active, 71.4 %. Two divergent branches. A
// ret in place of the jump, with a guard, is as good as exit.

//sim:grid   1
//sim:block  32
//sim:arg    out = fill:32:u32:999
//sim:arg    n   = 32
//sim:dump   out:u32

// Elements of threads that jumped to the end keep the buffer's initial value.
//sim:expect out[0:16]  == 0 101 2 103 4 105 6 107 8 109 10 111 12 113 14 115
//sim:expect out[16:32] == 16 999 18 999 20 999 22 999 24 999 26 999 28 999 30 999

//sim:expect metric warp_instructions == 28
//sim:expect metric lane_instructions == 640
//sim:expect metric divergent_branches == 2
//sim:expect metric warp_instructions@MEET == 2
//sim:expect metric lane_instructions@MEET == 24
//sim:expect metric warp_instructions@DONE == 1

.entry goto_ret(
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

    // if i is odd: to the end from 16 up, otherwise add 100
    mov.u32             %r9, %r7;
    and.b32             %r10, %r7, 1;
    setp.eq.u32         %p2, %r10, 0;
    @%p2 bra            MEET;
    setp.ge.u32         %p3, %r7, 16;
    @%p3 bra            DONE;
    add.u32             %r9, %r9, 100;

MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mul.wide.u32        %rd2, %r7, 4;
    add.u64             %rd3, %rd1, %rd2;
    st.global.u32       [%rd3], %r9;
DONE:
    ret;
}
