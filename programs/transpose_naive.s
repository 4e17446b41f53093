// transpose_naive: out[j][i] = in[i][j], straight from the one to the other.
//
// Shows the cost of a column. A warp reads along a row of in: 32 contiguous
// words, which are one line of 128 bytes, 4 sectors of 32. It writes down a
// column of out: 32 words with a distance of a row, each in its own sector.
// Memory transfers whole sectors, so 7 of 8 bytes of that traffic are
// wasted. transpose.s and transpose_swizzle.s write along rows instead.
//
// A block of 32x8 threads processes a tile of 32x32 elements in 4
// rounds of 8 rows, one row per warp. CTAs are numbered consecutively,
// and each continues with the tile that is ahead by the number of CTAs
// in the grid, so any grid works. rows and cols are multiples of 32.
//
// A warp executes 17 instructions before TILE, 14 from there to ROW, 4*7 in
// it and 2 to continue with the next tile; there is none here, which takes
// 2 more to find, and ret. 64, and the 48 warps of 6 tiles have 3072.

//sim:grid   6
//sim:arg    in   = iota:6144:u32
//sim:arg    out  = zeros:6144:u32
//sim:arg    rows = 64
//sim:arg    cols = 96
//sim:dump   out:u32:8

// in[i][j] is 96i + j, so row j of out, 64 long, starts with j and continues in
// steps of 96. Rows 31 and 32, 63 and 64 are on both sides of a tile's edge.
//sim:expect out[0:64]      == iota:64:u32:0:96
//sim:expect out[64:128]    == iota:64:u32:1:96
//sim:expect out[1984:2048] == iota:64:u32:31:96
//sim:expect out[2048:2112] == iota:64:u32:32:96
//sim:expect out[4032:4096] == iota:64:u32:63:96
//sim:expect out[4096:4160] == iota:64:u32:64:96
//sim:expect out[6080:6144] == iota:64:u32:95:96

// 48 warps load 4 times each. A row of in is 384 bytes, 3 lines, so a tile's
// row is a whole line. Words of a column of out are 256 bytes apart: 32 sectors
// and 32 lines.
//sim:expect metric warp_instructions == 3072
//sim:expect metric divergent_branches == 0
//sim:expect metric global_load_requests@READ == 192
//sim:expect metric global_load_sectors@READ == 768
//sim:expect metric global_load_lines@READ == 192
//sim:expect metric global_store_requests@WRITE == 192
//sim:expect metric global_store_sectors@WRITE == 6144
//sim:expect metric global_store_lines@WRITE == 6144

.entry transpose_naive(
    .param .u64 in,
    .param .u64 out,
    .param .u32 rows,
    .param .u32 cols)
.reqntid 32, 8
{
    // This CTA's first tile, and how far the next is: the CTAs of the grid.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // tile
    mov.u32             %r5, %nctaid.y;
    mul.lo.u32          %r6, %r2, %r5;

    mov.u32             %r7, %tid.x;
    mov.u32             %r8, %tid.y;
    ld.param.u32        %r9, [rows];
    ld.param.u32        %r10, [cols];
    shr.u32             %r11, %r9, 5;
    shr.u32             %r12, %r10, 5;          // tiles side by side
    mul.lo.u32          %r13, %r11, %r12;       // tiles
    ld.param.u64        %rd1, [in];
    ld.param.u64        %rd2, [out];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;

TILE:
    setp.ge.u32         %p1, %r4, %r13;
    @%p1 bra            DONE;
    div.u32             %r14, %r4, %r12;
    rem.u32             %r15, %r4, %r12;
    mad.lo.u32          %r16, %r14, 32, %r8;    // row
    mad.lo.u32          %r17, %r15, 32, %r7;    // col
    mad.lo.u32          %r18, %r16, %r10, %r17;
    mad.lo.u32          %r19, %r17, %r9, %r16;
    mul.wide.u32        %rd3, %r18, 4;
    mul.wide.u32        %rd4, %r19, 4;
    add.u64             %rd5, %rd1, %rd3;       // place of in[row][col]
    add.u64             %rd6, %rd2, %rd4;       // and of out[col][row]
    mul.wide.u32        %rd7, %r10, 32;         // 8 rows of in, in bytes
    mov.u32             %r20, 0;                // rows done
ROW:
READ:
    ld.global.u32       %r21, [%rd5];
WRITE:
    st.global.u32       [%rd6], %r21;
    add.u64             %rd5, %rd5, %rd7;
    add.u64             %rd6, %rd6, 32;         // 8 words of out
    add.u32             %r20, %r20, 8;
    setp.lt.u32         %p2, %r20, 32;
    @%p2 bra            ROW;

    add.u32             %r4, %r4, %r6;
    bra                 TILE;
DONE:
    ret;
}
