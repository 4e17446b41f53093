// transpose: out[j][i] = in[i][j], through a padded tile in shared memory.
//
// Shows why a detour pays. A warp that reads along a row of in would have to
// write down a column of out, to 32 places a row apart. So a CTA takes a tile
// of 32x32: each warp reads along rows of in and puts them into shared memory;
// after the barrier it takes columns from there and writes them along rows of
// out. Both times the lanes' places in global memory are side by side.
//
// Shared memory has 32 banks, and words 32 apart are in the same one. Were the
// tile's rows 32 words long, a column would be in one bank, and its 32 words
// would come one after the other. One word of padding makes rows 33 long: lane
// l takes word 33*l + column, which is in bank (l + column) mod 32, one for
// each lane.
//
// A block of 32x8 threads goes over its tile in 4 rounds of 8 rows, a warp a
// row. The grid has a block for each tile: 3x2 of them for 48 rows and 80
// columns, with guards where tiles reach beyond the edge.
//
// A warp executes 17 instructions before LOAD, 4*10 in it, 9 before STORE, 4*10
// in it and ret: 107. The 48 warps have 5136, without a divergent branch.

//sim:grid   3x2
//sim:arg    in   = iota:3840:u32
//sim:arg    out  = zeros:3840:u32
//sim:arg    rows = 48
//sim:arg    cols = 80
//sim:dump   out:u32:8

// in[i][j] is 80i + j, so row j of out, 48 long, starts with j and continues in
// steps of 80. Rows 31 and 32, 63 and 64 are on both sides of a tile's edge.
//sim:expect out[0:48]      == iota:48:u32:0:80
//sim:expect out[48:96]     == iota:48:u32:1:80
//sim:expect out[1488:1536] == iota:48:u32:31:80
//sim:expect out[1536:1584] == iota:48:u32:32:80
//sim:expect out[3024:3072] == iota:48:u32:63:80
//sim:expect out[3072:3120] == iota:48:u32:64:80
//sim:expect out[3792:3840] == iota:48:u32:79:80

// Rows of in are 80 words, 10 sectors, in tiles of 32, 32 and 16: 3
// loads for each of 48 rows. Rows of out are 48 words, 6 sectors: 2
// stores for each of 80. (Warps beyond the edge load and store nothing:
// a request has at least one lane.) Shared memory has no bank conflicts.
//sim:expect metric warp_instructions == 5136
//sim:expect metric divergent_branches == 0
//sim:expect metric global_load_requests == 144
//sim:expect metric global_load_sectors == 480
//sim:expect metric global_store_requests == 160
//sim:expect metric global_store_sectors == 480
//sim:expect metric shared_store_wavefronts == 144
//sim:expect metric shared_load_wavefronts == 160

.entry transpose(
    .param .u64 in,
    .param .u64 out,
    .param .u32 rows,
    .param .u32 cols)
.reqntid 32, 8
{
    .shared .u32 tile[1056];                    // 32 rows of 33

    mov.u32             %r1, %tid.x;
    mov.u32             %r2, %tid.y;
    mov.u32             %r3, %ctaid.x;
    mov.u32             %r4, %ctaid.y;
    shl.b32             %r5, %r3, 5;            // the tile's first column of in
    shl.b32             %r6, %r4, 5;            // and first row
    ld.param.u32        %r7, [rows];
    ld.param.u32        %r8, [cols];
    mov.u32             %r9, tile;

    // Read: in[row][col] goes to tile[y][tid.x], from y = tid.y in steps of 8.
    ld.param.u64        %rd1, [in];
    cvta.to.global.u64  %rd1, %rd1;
    add.u32             %r10, %r5, %r1;         // col
    add.u32             %r11, %r6, %r2;         // row
    setp.lt.u32         %p1, %r10, %r8;
    mad.lo.u32          %r12, %r2, 33, %r1;
    mad.lo.u32          %r13, %r12, 4, %r9;     // place of tile[y][tid.x]
    add.u32             %r14, %r6, 32;          // the row behind the tile
LOAD:
    setp.lt.and.u32     %p2, %r11, %r7, %p1;    // within in
    mad.lo.u32          %r16, %r11, %r8, %r10;
    mul.wide.u32        %rd2, %r16, 4;
    add.u64             %rd3, %rd1, %rd2;
    @%p2 ld.global.u32  %r15, [%rd3];
    @%p2 st.shared.u32  [%r13], %r15;
    add.u32             %r11, %r11, 8;
    add.u32             %r13, %r13, 1056;       // 8 rows of 33 words
    setp.lt.u32         %p3, %r11, %r14;
    @%p3 bra            LOAD;
    bar.sync            0;

    // Write: tile[tid.x][y] goes to out[row][col], where rows and columns have
    // changed places.
    ld.param.u64        %rd4, [out];
    cvta.to.global.u64  %rd4, %rd4;
    add.u32             %r17, %r6, %r1;         // col
    add.u32             %r18, %r5, %r2;         // row
    setp.lt.u32         %p4, %r17, %r7;
    mad.lo.u32          %r19, %r1, 33, %r2;
    mad.lo.u32          %r20, %r19, 4, %r9;     // place of tile[tid.x][y]
    add.u32             %r21, %r5, 32;          // the row behind the tile
STORE:
    setp.lt.and.u32     %p5, %r18, %r8, %p4;    // within out
    mad.lo.u32          %r22, %r18, %r7, %r17;
    mul.wide.u32        %rd5, %r22, 4;
    add.u64             %rd6, %rd4, %rd5;
    @%p5 ld.shared.u32  %r23, [%r20];
    @%p5 st.global.u32  [%rd6], %r23;
    add.u32             %r18, %r18, 8;
    add.u32             %r20, %r20, 32;         // 8 words
    setp.lt.u32         %p6, %r18, %r21;
    @%p6 bra            STORE;
    ret;
}
