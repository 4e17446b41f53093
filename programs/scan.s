// scan: inclusive prefix sums, segment by segment of 256 elements: out[i] is
// the sum of in from the segment's first element up to in[i].
//
// Shows how 256 threads compute sums over all threads
// before them, in a logarithmic number of steps:
//
//     1. Within a warp, five steps: lane l adds what lane l - d has, for d = 1,
//        2, 4, 8, 16. shfl.sync.up also says whether there is a lane l - d; the
//        guard keeps the others from adding what they got, their own value.
//            d         lane 0  1    2      3       4          …
//            1         0       0+1  1+2    2+3     3+4
//            2                      0+1+2  0+…+3   1+…+4
//            4                                     0+…+4
//     2. Lane 31 of each warp puts the warp's sum into shared memory: barrier.
//     3. Warp 0 scans the 8 sums in the same way, in three steps, and puts
//        them back: barrier.
//     4. Each warp but 0 adds what is there of all warps before it.
//
// CTAs are numbered consecutively, one for each segment; a CTA continues
// with the segment that is ahead by the number of CTAs in the grid. A third
// barrier before that keeps the sums of this segment from being overwritten.
//
// With one segment for each of 8 CTAs, of 8 warps:
//
//     17 for every warp up to SEGMENT
//     16 to load and scan within the warp
//      5 from there to the branch around step 3
//      3 from TOTALS to the branch around step 4
//      5 from ADDED on
//      4 to see that there is no other segment, and ret
//     50 for each of 64 warps                          64*50            3200
//     10 in step 3, for warp 0 of every CTA             8*10              80
//      2 in step 4, for the others                     56*2              112
//
// 3392 instructions. Branches are the same for all lanes of a warp.

//sim:grid   8
//sim:arg    in  = iota:2048:u32
//sim:arg    out = zeros:2048:u32
//sim:arg    n   = 2048
//sim:dump   out:u32:8

// in[i] is i. In the first segment out[i] = i(i+1)/2; lanes 31 and 0 of two
// warps are elements 31 and 32.
//sim:expect out[0:16]  == 0 1 3 6 10 15 21 28 36 45 55 66 78 91 105 120
//sim:expect out[16:32] == 136 153 171 190 210 231 253 276 300 325 351 378 406 435 465 496
//sim:expect out[32:40] == 528 561 595 630 666 703 741 780

// Element k of segment s is the sum of 256s + j for j = 0 to k, 256s(k+1) +
// k(k+1)/2. Segments' ends, k = 255, are 65536s + 32640; their starts are 256s.
//sim:expect out[255]  == 32640
//sim:expect out[256]  == 256
//sim:expect out[511]  == 98176
//sim:expect out[767]  == 163712
//sim:expect out[1023] == 229248
//sim:expect out[1792] == 1792
//sim:expect out[2047] == 491392

// Lane 31 of each warp stores its sum, and the warps but 0 load one word each;
// warp 0 loads and stores all 8. Each is one wavefront: 8*8 + 8 stores, 8 + 8*7
// loads.
//sim:expect metric warp_instructions == 3392
//sim:expect metric divergent_branches == 0
//sim:expect metric shared_store_requests@SHARE == 64
//sim:expect metric shared_store_wavefronts == 72
//sim:expect metric shared_load_wavefronts == 64
//sim:expect metric global_load_sectors == 256
//sim:expect metric global_store_sectors == 256

.entry scan(
    .param .u64 in,
    .param .u64 out,
    .param .u32 n)
.reqntid 256
{
    .shared .u32 sums[8];                       // by warp

    // This CTA's first segment, and how far the next is: the CTAs of the grid.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // segment
    mov.u32             %r5, %nctaid.y;
    mul.lo.u32          %r6, %r2, %r5;

    mov.u32             %r7, %tid.x;
    and.b32             %r8, %r7, 31;           // lane
    shr.u32             %r9, %r7, 5;            // warp
    mov.u32             %r10, sums;
    mad.lo.u32          %r11, %r9, 4, %r10;     // the warp's place
    mad.lo.u32          %r12, %r8, 4, %r10;     // in warp 0: that of warp lane
    ld.param.u32        %r13, [n];
    ld.param.u64        %rd1, [in];
    ld.param.u64        %rd2, [out];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;

SEGMENT:
    mad.lo.u32          %r14, %r4, 256, %r7;    // i
    setp.ge.u32         %p1, %r14, %r13;
    @%p1 bra            DONE;
    mul.wide.u32        %rd3, %r14, 4;
    add.u64             %rd4, %rd1, %rd3;
    ld.global.u32       %r15, [%rd4];

    // 1. Within the warp.
    shfl.sync.up.b32    %r16|%p2, %r15, 1, 0, 0xffffffff;
    @%p2 add.u32        %r15, %r15, %r16;
    shfl.sync.up.b32    %r16|%p2, %r15, 2, 0, 0xffffffff;
    @%p2 add.u32        %r15, %r15, %r16;
    shfl.sync.up.b32    %r16|%p2, %r15, 4, 0, 0xffffffff;
    @%p2 add.u32        %r15, %r15, %r16;
    shfl.sync.up.b32    %r16|%p2, %r15, 8, 0, 0xffffffff;
    @%p2 add.u32        %r15, %r15, %r16;
    shfl.sync.up.b32    %r16|%p2, %r15, 16, 0, 0xffffffff;
    @%p2 add.u32        %r15, %r15, %r16;

    // 2. The warps' sums.
    setp.eq.u32         %p3, %r8, 31;
SHARE:
    @%p3 st.shared.u32  [%r11], %r15;
    bar.sync            0;
    setp.ne.u32         %p4, %r9, 0;
    @%p4 bra            TOTALS;

    // 3. Warp 0 scans them; lanes from 8 up have nothing to add.
    setp.lt.u32         %p5, %r8, 8;
    mov.u32             %r17, 0;
    @%p5 ld.shared.u32  %r17, [%r12];
    shfl.sync.up.b32    %r18|%p2, %r17, 1, 0, 0xffffffff;
    @%p2 add.u32        %r17, %r17, %r18;
    shfl.sync.up.b32    %r18|%p2, %r17, 2, 0, 0xffffffff;
    @%p2 add.u32        %r17, %r17, %r18;
    shfl.sync.up.b32    %r18|%p2, %r17, 4, 0, 0xffffffff;
    @%p2 add.u32        %r17, %r17, %r18;
    @%p5 st.shared.u32  [%r12], %r17;
TOTALS:
    bar.sync            0;

    // 4. The sum of all warps before this one.
    setp.eq.u32         %p6, %r9, 0;
    @%p6 bra            ADDED;
    ld.shared.u32       %r19, [%r11-4];
    add.u32             %r15, %r15, %r19;
ADDED:
    add.u64             %rd5, %rd2, %rd3;
    st.global.u32       [%rd5], %r15;
    bar.sync            0;
    add.u32             %r4, %r4, %r6;
    bra                 SEGMENT;
DONE:
    ret;
}
