// nested_if: FizzBuzz. Multiples of 3 become 100, of 5 200, of both 300; other
// numbers stay as they are.
//
// Shows nested divergence. The warp diverges at the branch on 3, and each
// side again at the branch on 5. Lanes reconverge in the reverse order: those
// of the inner "if" at FIZZ, then all at MEET. MEET is also the reconvergence
// PC of the inner "if else", because no instruction is in between.
//
//     instructions            lanes                        active mask
//     15  up to the branch    32                           ffffffff
//      2  by 3                11: 0, 3, 6 … 30             49249249
//      1    and by 5           3: 0, 15, 30                40008001
//      1    both (FIZZ)       11                           49249249
//      1  not by 3            21                           b6db6db6
//      2    but by 5           4: 5, 10, 20, 25            02100420
//      1    nor by 5          17                           b4cb6996
//      6  from MEET on        32                           ffffffff
//
// 29 instructions; 21*32 + 33 + 3 + 21 + 8 + 17 = 754 of 29*32 = 928 lane slots
// are active, 81.2 %. Three divergent branches.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:32:u32
//sim:arg    n   = 32
//sim:dump   out:u32

//sim:expect out[0:16]  == 300 1 2 100 4 200 100 7 8 100 200 11 100 13 14 300
//sim:expect out[16:32] == 16 17 100 19 200 100 22 23 100 200 26 100 28 29 300 31

//sim:expect metric warp_instructions == 29
//sim:expect metric lane_instructions == 754
//sim:expect metric divergent_branches == 3

.entry nested_if(
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

    rem.u32             %r9, %r7, 3;
    rem.u32             %r10, %r7, 5;
    setp.eq.u32         %p2, %r9, 0;            // by 3
    setp.eq.u32         %p3, %r10, 0;           // by 5

    // if by 3: 100, and if by 5: 200 more
    @!%p2 bra           NOT_BY_3;
    mov.u32             %r11, 100;
    @!%p3 bra           FIZZ;
    add.u32             %r11, %r11, 200;
FIZZ:
    bra                 MEET;

    // else if by 5: 200, else i
NOT_BY_3:
    @!%p3 bra           PLAIN;
    mov.u32             %r11, 200;
    bra                 MEET;
PLAIN:
    mov.u32             %r11, %r7;

MEET:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mul.wide.u32        %rd2, %r7, 4;
    add.u64             %rd3, %rd1, %rd2;
    st.global.u32       [%rd3], %r11;
DONE:
    ret;
}
