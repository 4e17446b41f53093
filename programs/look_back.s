// look_back: inclusive prefix sums of all of in, in one pass over memory.
//
// Shows how CTAs that each scan a tile of 256 elements find the sum of the
// tiles before theirs, without a second kernel. Each tile has a 64-bit
// word with its progress; state and sum change together, in one access:
//
//     high half    low half
//     0            -                  nothing yet
//     1            the tile's sum     aggregate
//     2            the sum of all up to and with this tile
//
// A CTA scans its tile as in scan.s. Thread 0 publishes the tile's sum,
// state 1, and looks back from tile to tile: it waits if there is nothing
// yet; at state 1 it adds the tile's sum and continues; at state 2 it adds
// and stops. Then it publishes its own state 2. Tile 0 has state 2 at once.
//
// Waiting requires that the earlier tiles are being processed. So a CTA
// does not take the tile of its own number but the next unclaimed one, by
// a counter: a CTA that waits for an earlier tile waits for a CTA that is
// running. A CTA takes tiles until there are none left, so any grid works.
//
// How far CTAs look back, and how often they find nothing, depends on the
// order of execution. The claims and publications do not: 16 tiles and, for
// 8 CTAs, 8 more claims; state 1 for all tiles except 0, state 2 for all.

//sim:grid   8
//sim:arg    in    = iota:4096:u32
//sim:arg    out   = zeros:4096:u32
//sim:arg    next  = zeros:1:u32
//sim:arg    state = zeros:16:u64
//sim:arg    tiles = 16
//sim:dump   out:u32:8

// out[i] = i(i+1)/2: over the border of two warps, 31 and 32; the ends of
// tiles, i = 256t + 255, and beginnings.
//sim:expect out[0:8]     == 0 1 3 6 10 15 21 28
//sim:expect out[28:36]   == 406 435 465 496 528 561 595 630
//sim:expect out[254:258] == 32385 32640 32896 33153
//sim:expect out[511]     == 130816
//sim:expect out[1024]    == 524800
//sim:expect out[2047]    == 2096128
//sim:expect out[3071]    == 4717056
//sim:expect out[4092:4096] == 8374278 8378371 8382465 8386560

// State 2, 2^33, and the sum up to the end of tiles 0, 1, 7 and 15.
//sim:expect state[0]  == 8589967232
//sim:expect state[1]  == 8590065408
//sim:expect state[7]  == 8592030720
//sim:expect state[15] == 8598321152

//sim:expect metric global_atomic_requests@CLAIM == 24
//sim:expect metric global_atomic_lanes@CLAIM == 24
//sim:expect metric global_store_requests@AGGREGATE == 15
//sim:expect metric global_store_requests@PREFIX == 16
//sim:expect metric global_store_sectors@WRITE == 512

.entry look_back(
    .param .u64 in,
    .param .u64 out,
    .param .u64 next,
    .param .u64 state,
    .param .u32 tiles)
.reqntid 256
{
    .shared .u32 sums[8];                       // by warp
    .shared .u32 tile;
    .shared .u32 before;                        // the sum of all tiles before

    mov.u32             %r1, %tid.x;
    and.b32             %r2, %r1, 31;           // lane
    shr.u32             %r3, %r1, 5;            // warp
    mov.u32             %r4, sums;
    mad.lo.u32          %r5, %r3, 4, %r4;       // the warp's place
    mad.lo.u32          %r6, %r2, 4, %r4;       // in warp 0: that of warp lane
    setp.eq.u32         %p1, %r1, 0;
    ld.param.u32        %r7, [tiles];
    ld.param.u64        %rd1, [in];
    ld.param.u64        %rd2, [out];
    ld.param.u64        %rd3, [next];
    ld.param.u64        %rd4, [state];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    cvta.to.global.u64  %rd3, %rd3;
    cvta.to.global.u64  %rd4, %rd4;

CLAIM:
    @%p1 atom.global.add.u32 %r8, [%rd3], 1;
    @%p1 st.shared.u32  [tile], %r8;
    bar.sync            0;
    ld.shared.u32       %r9, [tile];
    setp.ge.u32         %p2, %r9, %r7;
    @%p2 bra            DONE;

    // Within the warp.
    mad.lo.u32          %r10, %r9, 256, %r1;    // i
    mul.wide.u32        %rd5, %r10, 4;
    add.u64             %rd6, %rd1, %rd5;
    ld.global.u32       %r11, [%rd6];
    shfl.sync.up.b32    %r12|%p3, %r11, 1, 0, 0xffffffff;
    @%p3 add.u32        %r11, %r11, %r12;
    shfl.sync.up.b32    %r12|%p3, %r11, 2, 0, 0xffffffff;
    @%p3 add.u32        %r11, %r11, %r12;
    shfl.sync.up.b32    %r12|%p3, %r11, 4, 0, 0xffffffff;
    @%p3 add.u32        %r11, %r11, %r12;
    shfl.sync.up.b32    %r12|%p3, %r11, 8, 0, 0xffffffff;
    @%p3 add.u32        %r11, %r11, %r12;
    shfl.sync.up.b32    %r12|%p3, %r11, 16, 0, 0xffffffff;
    @%p3 add.u32        %r11, %r11, %r12;
    setp.eq.u32         %p4, %r2, 31;
    @%p4 st.shared.u32  [%r5], %r11;
    bar.sync            0;
    setp.ne.u32         %p5, %r3, 0;
    @%p5 bra            TOTALS;

    // Warp 0: the warps' sums. Lane 7 has the tile's, which lane 0 needs.
    setp.lt.u32         %p6, %r2, 8;
    mov.u32             %r13, 0;
    @%p6 ld.shared.u32  %r13, [%r6];
    shfl.sync.up.b32    %r14|%p3, %r13, 1, 0, 0xffffffff;
    @%p3 add.u32        %r13, %r13, %r14;
    shfl.sync.up.b32    %r14|%p3, %r13, 2, 0, 0xffffffff;
    @%p3 add.u32        %r13, %r13, %r14;
    shfl.sync.up.b32    %r14|%p3, %r13, 4, 0, 0xffffffff;
    @%p3 add.u32        %r13, %r13, %r14;
    @%p6 st.shared.u32  [%r6], %r13;
    shfl.sync.idx.b32   %r15, %r13, 7, 31, 0xffffffff;
    @!%p1 bra           TOTALS;

    // Thread 0: publish the sum, look back, publish the sum up to and including this tile.
    mov.u32             %r16, 0;                // the sum of the tiles before
    mad.wide.u32        %rd7, %r9, 8, %rd4;     // the tile's word
    setp.eq.u32         %p7, %r9, 0;
    @%p7 bra            KNOWN;
    mov.u32             %r17, 1;
    mov.b64             %rd8, {%r15, %r17};
AGGREGATE:
    st.volatile.global.u64 [%rd7], %rd8;
    mov.u64             %rd9, %rd7;
EARLIER:
    sub.u64             %rd9, %rd9, 8;
LOOK:
    ld.volatile.global.u64 %rd10, [%rd9];
    mov.b64             {%r17, %r18}, %rd10;
    setp.eq.u32         %p8, %r18, 0;
    @%p8 bra            LOOK;
    add.u32             %r16, %r16, %r17;
    setp.eq.u32         %p9, %r18, 1;
    @%p9 bra            EARLIER;
KNOWN:
    st.shared.u32       [before], %r16;
    add.u32             %r19, %r16, %r15;
    mov.u32             %r22, 2;
    mov.b64             %rd11, {%r19, %r22};
PREFIX:
    st.volatile.global.u64 [%rd7], %rd11;
TOTALS:
    bar.sync            0;

    // The sum before the tile, and in it before the warp.
    ld.shared.u32       %r20, [before];
    add.u32             %r11, %r11, %r20;
    setp.eq.u32         %p10, %r3, 0;
    @%p10 bra           ADDED;
    ld.shared.u32       %r21, [%r5-4];
    add.u32             %r11, %r11, %r21;
ADDED:
    add.u64             %rd12, %rd2, %rd5;
WRITE:
    st.global.u32       [%rd12], %r11;
    bar.sync            0;                      // all of the CTA have read
    bra                 CLAIM;
DONE:
    ret;
}
