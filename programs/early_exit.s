// early_exit: out[i] = i for even i, i + 100 for odd i below 16; other threads
// end before they write.
//
// Shows lanes that exit while the rest of their warp continues. The warp masks them
// from there on and does not wait for them: an exit within one side of a branch
// does not change the branch's reconvergence PC; fewer lanes will arrive there.
//
//     instructions            lanes                        active mask
//     14  up to the branch    32                           ffffffff
//      2  odd, with the exit  16: 1, 3, 5 … 31             aaaaaaaa
//      1  still there          8: 1, 3, 5 … 15             0000aaaa
//      6  from MEET on        24: all but 17, 19 … 31      5555ffff
//
// 23 instructions; 14*32 + 2*16 + 8 + 6*24 = 632 of 23*32 = 736 lane slots are
// active, 85.9 %. One divergent branch: an exit is none.

//sim:grid   1
//sim:block  32
//sim:arg    out = fill:32:u32:999
//sim:arg    n   = 32
//sim:dump   out:u32

// Elements of threads that exited early keep the buffer's initial value.
//sim:expect out[0:16]  == 0 101 2 103 4 105 6 107 8 109 10 111 12 113 14 115
//sim:expect out[16:32] == 16 999 18 999 20 999 22 999 24 999 26 999 28 999 30 999

//sim:expect metric warp_instructions == 23
//sim:expect metric lane_instructions == 632
//sim:expect metric divergent_branches == 1

.entry early_exit(
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

    // if i is odd: exit from 16 up, otherwise add 100
    mov.u32             %r9, %r7;
    and.b32             %r10, %r7, 1;
    setp.eq.u32         %p2, %r10, 0;
    @%p2 bra            MEET;
    setp.ge.u32         %p3, %r7, 16;
    @%p3 exit;
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
