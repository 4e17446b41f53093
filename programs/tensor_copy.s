// tensor_copy: out is in transposed, tile by tile: 60 rows of 100 numbers become 100 rows of 60.
//
// Shows cp.async.bulk.tensor: a tensor map gives the address of a matrix, its size, and the size
// of its tiles, so that one thread has a whole tile copied by its coordinates, in both
// directions, without an address. Elements of a tile beyond the edge are read as 0, and are not
// written: no thread has to handle edges. Swizzles spread a tile over the banks of shared memory.
//
// One thread has tiles copied to shared memory, and a warp transposes them into other tiles, which
// it has copied to out: two stages of 4 KB each, with mbarriers for full and empty ones as in
// pipeline. full expects 4096 bytes for each tile, even if fewer are in the matrix. Before the warp
// writes to its own stage it waits until the copy from that stage, two tiles before, has read it.
//
// A row of a tile is 32 numbers, 128 bytes or 8 chunks of 16. A swizzle of 128 bytes puts chunk x of row r at place
// x xor r%8. A lane takes a block of 4x4: chunk x of rows 4y to 4y+3, by 4 loads, and has it as chunk y of rows 4x to
// 4x+3, by 4 stores. Lanes 8c to 8c+7 have x = 0 to 7, and y = x xor c: then the 8 lanes of a quarter of the warp load
// from 8 places, x xor 4*(y%2) xor k in the kth load, and so they store: without conflicts, where a tile without a
// swizzle would have eight lanes in one bank. With c from 0 to 7 there are 64 blocks: two for each lane.
//
// The 8 tiles are dealt to 2 CTAs. A row of in begins at a multiple of 400 bytes: of a sector of 32 bytes, or
// in the middle of one.

//sim:grid      2
//sim:buffer    in  = iota:6000:f32
//sim:buffer    out = zeros:6000:f32
//sim:tensormap a = in 100x60 box=32x32 swizzle=128
//sim:tensormap b = out 60x100 box=32x32 swizzle=128
//sim:arg       tiles = 8
//sim:dump      out:f32:8

// in[y][x] is 100y + x, and out[x][y] as well.
//sim:expect out[0:60]      == iota:60:f32:0:100
//sim:expect out[60:120]    == iota:60:f32:1:100
//sim:expect out[1860:1920] == iota:60:f32:31:100
//sim:expect out[1920:1980] == iota:60:f32:32:100
//sim:expect out[5940:6000] == iota:60:f32:99:100

// Each lane loads twice for a tile at TAKE: 512 bytes of a warp, 4 wavefronts, of which 16 are for 8 tiles; and so it
// stores. Of in, a row is read in parts of 128, 128, 128 and 16 bytes: 4+4+4+1 sectors, or where it begins in the
// middle of one, 5+5+5+1; there are 30 rows of each kind. Of out, a row is written in parts of 128 and 112 bytes: 4+4
// sectors, or 5+4; there are 50 of each kind.
//sim:expect metric warp_instructions@COPY == 8
//sim:expect metric shared_load_wavefronts@TAKE == 64
//sim:expect metric shared_store_wavefronts@PUT == 64
//sim:expect metric global_load_sectors == 870
//sim:expect metric global_store_sectors == 850

.entry tensor_copy(
    .param .align 64 .b8 a[128],
    .param .align 64 .b8 b[128],
    .param .u32 tiles)
.reqntid 64
{
    .shared .align 4096 .b8 stages[16384];      // two tiles of in, and two of out
    .shared .b64 full[2];
    .shared .b64 empty[2];

    mov.u64             %rd1, a;
    mov.u64             %rd2, b;
    cvta.param.u64      %rd1, %rd1;
    cvta.param.u64      %rd2, %rd2;
    ld.param.u32        %r1, [tiles];
    mov.u32             %r2, %ctaid.x;
    mov.u32             %r3, %nctaid.x;
    mov.u32             %r8, %ctaid.y;
    mad.lo.u32          %r2, %r8, %r3, %r2;     // the tile: the CTA's number
    mov.u32             %r8, %nctaid.y;
    mul.lo.u32          %r3, %r3, %r8;          // how many CTAs there are
    mov.u32             %r4, 0;                 // n: how many tiles were before
    mov.u32             %r5, stages;
    mov.u32             %r6, full;
    mov.u32             %r7, empty;

    mov.u32             %r8, %tid.x;
    setp.eq.u32         %p1, %r8, 0;
    @%p1 mbarrier.init.shared.b64 [full], 1;
    @%p1 mbarrier.init.shared.b64 [full+8], 1;
    @%p1 mbarrier.init.shared.b64 [empty], 32;
    @%p1 mbarrier.init.shared.b64 [empty+8], 32;
    @%p1 fence.proxy.async.shared::cta;
    bar.sync            0;
    setp.ge.u32         %p2, %r8, 32;
    elect.sync          _|%p3, -1;
    @%p2 bra            CONSUMER;

    @!%p3 exit;
    prefetch.tensormap  [%rd1];
PRODUCER:
    setp.ge.u32         %p4, %r2, %r1;
    @%p4 exit;
    and.b32             %r9, %r4, 1;            // the stage
    shr.u32             %r10, %r4, 1;
    and.b32             %r10, %r10, 1;          // parity
    mad.lo.u32          %r11, %r9, 8, %r6;      // its full
    mad.lo.u32          %r12, %r9, 8, %r7;      // and empty
    mad.lo.u32          %r13, %r9, 4096, %r5;
    xor.b32             %r10, %r10, 1;
UNTIL_EMPTY:
    mbarrier.try_wait.parity.shared.b64 %p5, [%r12], %r10;
    @!%p5 bra           UNTIL_EMPTY;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 4096;
    and.b32             %r14, %r2, 3;           // four tiles in a row
    shl.b32             %r14, %r14, 5;
    shr.u32             %r15, %r2, 2;
    shl.b32             %r15, %r15, 5;
COPY:
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r13], [%rd1, {%r14, %r15}], [%r11];
    add.u32             %r2, %r2, %r3;
    add.u32             %r4, %r4, 1;
    bra                 PRODUCER;

CONSUMER:
    mov.u32             %r16, %laneid;
    and.b32             %r17, %r16, 7;          // x
    shr.u32             %r18, %r16, 3;
    xor.b32             %r18, %r18, %r17;       // y
    and.b32             %r19, %r18, 1;
    shl.b32             %r19, %r19, 2;
    xor.b32             %r19, %r19, %r17;
    shl.b32             %r19, %r19, 4;
    mad.lo.u32          %r19, %r18, 512, %r19;  // row 4y, place x xor 4*(y%2)
    and.b32             %r20, %r17, 1;
    shl.b32             %r20, %r20, 2;
    xor.b32             %r20, %r20, %r18;
    shl.b32             %r20, %r20, 4;
    mad.lo.u32          %r20, %r17, 512, %r20;  // row 4x, place y xor 4*(x%2)
NEXT:
    setp.ge.u32         %p4, %r2, %r1;
    @%p4 bra            DONE;
    and.b32             %r9, %r4, 1;
    shr.u32             %r10, %r4, 1;
    and.b32             %r10, %r10, 1;
    mad.lo.u32          %r11, %r9, 8, %r6;
    mad.lo.u32          %r12, %r9, 8, %r7;
    mad.lo.u32          %r13, %r9, 4096, %r5;
    add.u32             %r21, %r13, %r19;       // from here
    add.u32             %r22, %r13, %r20;
    add.u32             %r22, %r22, 8192;       // to there
    @%p3 cp.async.bulk.wait_group.read 1;       // the copy two tiles before has read its stage
    bar.warp.sync       -1;
UNTIL_FULL:
    mbarrier.try_wait.parity.shared.b64 %p5, [%r11], %r10;
    @!%p5 bra           UNTIL_FULL;
    mov.u32             %r23, 0;
BLOCK:
    xor.b32             %r24, %r21, 16;
    xor.b32             %r25, %r21, 32;
    xor.b32             %r26, %r21, 48;
TAKE:
    ld.shared.v4.f32    {%f0, %f1, %f2, %f3}, [%r21];
    ld.shared.v4.f32    {%f4, %f5, %f6, %f7}, [%r24+128];
    ld.shared.v4.f32    {%f8, %f9, %f10, %f11}, [%r25+256];
    ld.shared.v4.f32    {%f12, %f13, %f14, %f15}, [%r26+384];
    xor.b32             %r24, %r22, 16;
    xor.b32             %r25, %r22, 32;
    xor.b32             %r26, %r22, 48;
PUT:
    st.shared.v4.f32    [%r22], {%f0, %f4, %f8, %f12};
    st.shared.v4.f32    [%r24+128], {%f1, %f5, %f9, %f13};
    st.shared.v4.f32    [%r25+256], {%f2, %f6, %f10, %f14};
    st.shared.v4.f32    [%r26+384], {%f3, %f7, %f11, %f15};
    xor.b32             %r21, %r21, 2048;       // y xor 4: 16 rows on or back, and 4 chunks
    xor.b32             %r22, %r22, 64;
    add.u32             %r23, %r23, 1;
    setp.lt.u32         %p5, %r23, 2;
    @%p5 bra            BLOCK;
    mbarrier.arrive.shared.b64 _, [%r12];
    fence.proxy.async.shared::cta;              // the copy sees what the lanes have stored
    bar.warp.sync       -1;
    and.b32             %r14, %r2, 3;
    shl.b32             %r14, %r14, 5;
    shr.u32             %r15, %r2, 2;
    shl.b32             %r15, %r15, 5;
    add.u32             %r13, %r13, 8192;
    @%p3 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd2, {%r15, %r14}], [%r13];
    @%p3 cp.async.bulk.commit_group;
    add.u32             %r2, %r2, %r3;
    add.u32             %r4, %r4, 1;
    bra                 NEXT;
DONE:
    @%p3 cp.async.bulk.wait_group 0;            // shared memory is there until the last copy is done
    ret;
}
