// conflicts: each block writes a tile of 32 x 32 words row by row, and reads it column by column,
// 16 times. The words of a column are all in one bank: a load takes 32 wavefronts where 1 would do.
//
// 132 blocks of 1024 threads are 4224 warps, and 67584 stores and loads: 67584 and 2162688 wavefronts.

//sim:grid   132
//sim:block  32x32
//sim:arg    out = zeros:135168:u32
//sim:dump   out:u32:4
//sim:expect out[0:4] == 0 32 64 96

.visible .entry conflicts(.param .u64 out)
{
    .shared .align 4 .b8 tile[4096];
    mov.u32         %r1, %tid.x;
    mov.u32         %r2, %tid.y;
    mov.u32         %r3, tile;
    mad.lo.u32      %r4, %r2, 32, %r1;      // word of the row
    mad.lo.u32      %r5, %r1, 32, %r2;      // word of the column
    shl.b32         %r6, %r4, 2;
    shl.b32         %r7, %r5, 2;
    add.u32         %r6, %r6, %r3;
    add.u32         %r7, %r7, %r3;
    mov.u32         %r8, 0;
LOOP:
    st.shared.u32   [%r6], %r4;
    bar.sync        0;
    ld.shared.u32   %r9, [%r7];
    bar.sync        0;
    add.u32         %r8, %r8, 1;
    setp.lt.u32     %p1, %r8, 16;
    @%p1 bra        LOOP;

    mov.u32         %r10, %ctaid.x;
    mad.lo.u32      %r11, %r10, 1024, %r4;
    ld.param.u64    %rd1, [out];
    mul.wide.u32    %rd2, %r11, 4;
    add.u64         %rd2, %rd1, %rd2;
    st.global.u32   [%rd2], %r9;
    ret;
}
