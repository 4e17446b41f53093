// transpose_swizzle: out[j][i] = in[i][j], through a swizzled tile in shared
// memory.
//
// Shows how to avoid bank conflicts without padding. As in transpose.s, a warp
// puts rows of in into a tile of shared memory and takes columns from it, so
// that it reads and writes global memory along rows. The tile's rows are 32
// words long here, and a column would be in one bank. But word x of row y lies
// at place x xor y of its row:
//
//     y \ x    0  1  2  3  4 …
//     0        0  1  2  3  4
//     1        1  0  3  2  5        place within the row, which is the bank
//     2        2  3  0  1  6
//     3        3  2  1  0  7
//
// Along a row (y the same) and down a column (x the same) the banks x xor y of
// 32 lanes are all different: xor with a constant only reorders 0 to 31.
// Nothing is wasted: the tile is 4096 bytes, where the padded one is 4224, and
// rows of 128 bytes stay aligned for wider accesses.
//
// A block of 32x8 threads processes a tile in 4 rounds of 8 rows, one row per warp. CTAs
// are numbered consecutively, and each continues with the tile that is ahead by the
// number of CTAs in the grid. rows and cols are multiples of 32. The second barrier of a
// tile is for the next one: no thread may overwrite elements that others still need.
//
// A warp executes 18 instructions before TILE, 8 to LOAD, 4*12 in it,
// 3 to STORE, 4*12 in it, 3 to continue with the next tile, 2 to find
// that there is none and ret: 131. The 48 warps of 6 tiles have 6288.

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

// 48 warps have 4 rounds each way. Rows of in are 384 bytes, rows of out 256,
// so each access to global memory is a whole line, 4 sectors. Each one to
// shared memory touches every bank once.
//sim:expect metric warp_instructions == 6288
//sim:expect metric divergent_branches == 0
//sim:expect metric global_load_sectors@READ == 768
//sim:expect metric global_store_sectors@WRITE == 768
//sim:expect metric shared_store_wavefronts@PUT == 192
//sim:expect metric shared_load_wavefronts@TAKE == 192
//sim:expect metric shared_load_conflict_degree@TAKE == 1

.entry transpose_swizzle(
    .param .u64 in,
    .param .u64 out,
    .param .u32 rows,
    .param .u32 cols)
.reqntid 32, 8
{
    .shared .u32 tile[1024];                    // 32 rows of 32

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
    mov.u32             %r14, tile;
    ld.param.u64        %rd1, [in];
    ld.param.u64        %rd2, [out];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;

TILE:
    setp.ge.u32         %p1, %r4, %r13;
    @%p1 bra            DONE;
    div.u32             %r15, %r4, %r12;
    rem.u32             %r16, %r4, %r12;
    shl.b32             %r15, %r15, 5;          // the tile's first row of in
    shl.b32             %r16, %r16, 5;          // and first column
    add.u32             %r17, %r16, %r7;        // col
    mov.u32             %r18, %r8;              // y
    // Read: in[row][col] goes to word tid.x of row y.
LOAD:
    add.u32             %r19, %r15, %r18;       // row
    mad.lo.u32          %r20, %r19, %r10, %r17;
    mul.wide.u32        %rd3, %r20, 4;
    add.u64             %rd4, %rd1, %rd3;
READ:
    ld.global.u32       %r21, [%rd4];
    xor.b32             %r22, %r7, %r18;        // its place in the row
    mad.lo.u32          %r23, %r18, 32, %r22;
    mad.lo.u32          %r24, %r23, 4, %r14;
PUT:
    st.shared.u32       [%r24], %r21;
    add.u32             %r18, %r18, 8;
    setp.lt.u32         %p2, %r18, 32;
    @%p2 bra            LOAD;
    bar.sync            0;

    // Write: word y of row tid.x goes to out[row][col], where rows and columns
    // have changed places.
    add.u32             %r25, %r15, %r7;        // col
    mov.u32             %r26, %r8;              // y
STORE:
    xor.b32             %r27, %r26, %r7;        // its place in the row
    mad.lo.u32          %r28, %r7, 32, %r27;
    mad.lo.u32          %r29, %r28, 4, %r14;
TAKE:
    ld.shared.u32       %r30, [%r29];
    add.u32             %r31, %r16, %r26;       // row
    mad.lo.u32          %r32, %r31, %r9, %r25;
    mul.wide.u32        %rd5, %r32, 4;
    add.u64             %rd6, %rd2, %rd5;
WRITE:
    st.global.u32       [%rd6], %r30;
    add.u32             %r26, %r26, 8;
    setp.lt.u32         %p3, %r26, 32;
    @%p3 bra            STORE;
    bar.sync            0;

    add.u32             %r4, %r4, %r6;
    bra                 TILE;
DONE:
    ret;
}
