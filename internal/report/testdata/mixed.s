// Every kind of row that the summary has. 2 CTAs of 48 threads: 2 warps, of 32
// and of 16 lanes; 4 warps in all. Worked out by hand, for one CTA:
//
//   line  what                                       warp 0      warp 1
//    30   8 of the lanes of warp 0 go to FEW         24 | 8      16
//   32-33 two instructions of the others             24 lanes    16
//    35   one of the few                             8 lanes     not run
//    39   words 8 bytes apart: sectors, ideal        8, 4        4, 2
//    43   a column of rows of 32 words: wavefronts   32          16
//    46   all lanes add to one word                  32 in turn  16
//    47   a constant for each 8 lanes                4 words     2 words
//    49   the even lanes end                         16 | 16     8 | 8
//   50-51 two instructions of the odd ones           16 lanes    8
//
// Lines 24 to 30 are 7 instructions, 37 to 49 another 14. Warp 0 executes
// 7 + 2 + 1 + 14 + 2 = 26, warp 1 7 + 2 + 14 + 2 = 25: 51 per CTA, 102 in all.
// Lanes: 32*21 + 24*2 + 8 + 16*2 = 760 and 16*23 + 8*2 = 384: 2288 in all.
// Lost: 102*32 - 2288 = 976. To line 30: 2*(2*8 + 24) = 80. To line 49:
// 2*(2*16 + 2*8) = 96. To the block: 2*25*16 = 800.

.const .u32 table[6] = {1, 2, 3, 4, 5, 6};
.visible .entry mixed(.param .u64 in, .param .u64 sum) {
    .shared .align 4 .b8 tile[8192];
    mov.u32         %r0, %tid.x;
    ld.param.u64    %rd0, [in];
    mul.wide.u32    %rd1, %r0, 8;
    add.u64         %rd2, %rd0, %rd1;
    ld.param.u64    %rd3, [sum];
    setp.lt.u32     %p1, %r0, 8;
    @%p1 bra        FEW;
    // the others
    add.u32         %r1, %r0, 1;
    bra             MEET;
FEW:
    add.u32         %r1, %r0, 2;
MEET:
    mov.u32         %r2, tile;
    shl.b32         %r3, %r0, 7;
    ld.global.u32   %r4, [%rd2];
    add.u32         %r5, %r2, %r3;
    // a column of the tile
    bar.sync        0;
    st.shared.u32   [%r5], %r4;
    shr.u32         %r6, %r0, 3;
    mov.u64         %rd5, table;
    red.global.add.u32 [%rd3], 1;
    mad.wide.u32    %rd6, %r6, 4, %rd5; ld.const.u32 %r7, [%rd6];
    and.b32         %r8, %r0, 1; setp.eq.u32 %p2, %r8, 0;
    @%p2 exit;
    add.u32         %r1, %r1, %r7;
    ret;
}
