// all_reduce: every rank's row of data becomes the sum of the rows of all
// ranks, as after a step of training on several GPUs.
//
// Shows the ring: a rank gives to the next one only, and takes from the one
// before. A rank is a CTA here, and each row has a chunk for every rank. There
// are 2*(ranks-1) steps. In step s, rank r
//
//     1. puts its chunk r-s into the inbox of rank r+1, and sets the flag
//        there that says so
//     2. waits for its own flag of step s
//     3. in the first ranks-1 steps, adds what came to its chunk r-s-1: after
//        these, each rank has the whole sum of one chunk;
//        in the others, puts it there: the sums go once around
//
// (numbers of ranks and chunks modulo ranks). Each step has its own place in
// the inbox, so no rank waits for free space. Every rank sends 2*(ranks-1)
// chunks, a little less than twice its row, however many ranks there are.
//
// One thread sets a flag, after a barrier: the writes of the other threads
// precede the barrier, and so the release. The rank that waits does it in the
// opposite order: one thread acquires, then a barrier lets all threads continue.
//
// All ranks must be resident on the GPU at the same time, as in
// grid_barrier.s. CTAs beyond the ranks end at once. How often flags are
// polled depends on the order of execution; the amount of data sent does not.

//sim:grid   4
//sim:arg    data  = iota:2048:f32
//sim:arg    inbox = zeros:3072:f32
//sim:arg    flags = zeros:24:u32
//sim:arg    ranks = 4
//sim:dump   data:f32:4

// Row r is 512r, 512r+1, …: element i of the sum is 512*(0+1+2+3) + 4i.
//sim:expect data[0:512]     == iota:512:f32:3072:4
//sim:expect data[512:1024]  == iota:512:f32:3072:4
//sim:expect data[1024:1536] == iota:512:f32:3072:4
//sim:expect data[1536:2048] == iota:512:f32:3072:4
//sim:expect flags           == fill:24:u32:1

// 4 ranks send 6 chunks of 128 elements, 4 warps each, and set as many flags.
//sim:expect metric global_store_lanes@SEND == 3072
//sim:expect metric global_store_sectors@SEND == 384
//sim:expect metric global_store_lanes@RELEASE == 24

.entry all_reduce(
    .param .u64 data,
    .param .u64 inbox,
    .param .u64 flags,
    .param .u32 ranks)
.reqntid 128
{
    // This CTA's rank.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // r
    ld.param.u32        %r5, [ranks];
    setp.ge.u32         %p1, %r4, %r5;
    @%p1 bra            DONE;

    // Its row, by thread; the step's place in the inboxes and flags of the
    // next rank and of its own.
    ld.param.u64        %rd1, [data];
    ld.param.u64        %rd2, [inbox];
    ld.param.u64        %rd3, [flags];
    mov.u32             %r6, %tid.x;
    mul.lo.u32          %r7, %r4, %r5;
    mad.lo.u32          %r8, %r7, 128, %r6;     // (r*ranks)*128 + tid
    mad.wide.u32        %rd4, %r8, 4, %rd1;
    sub.u32             %r9, %r5, 1;
    shl.b32             %r10, %r9, 1;           // steps
    add.u32             %r11, %r4, 1;
    setp.eq.u32         %p2, %r11, %r5;
    selp.u32            %r11, 0, %r11, %p2;     // r+1
    mul.lo.u32          %r12, %r11, %r10;       // of the next rank
    mul.lo.u32          %r13, %r4, %r10;        // of its own
    setp.ne.u32         %p3, %r6, 0;

    mov.u32             %r14, %r4;              // chunk r-s
    mov.u32             %r15, 0;                // s
STEP:
    setp.ge.u32         %p4, %r15, %r10;
    @%p4 bra            DONE;

    // Give.
    mad.wide.u32        %rd5, %r14, 512, %rd4;
    ld.global.f32       %f1, [%rd5];
    add.u32             %r16, %r12, %r15;
    mad.lo.u32          %r17, %r16, 128, %r6;
    mad.wide.u32        %rd6, %r17, 4, %rd2;
SEND:
    st.global.f32       [%rd6], %f1;
    bar.sync            0;
    add.u32             %r18, %r13, %r15;
    @%p3 bra            GONE;
    mad.wide.u32        %rd7, %r16, 4, %rd3;
RELEASE:
    st.release.gpu.global.u32 [%rd7], 1;

    // Wait.
    mad.wide.u32        %rd8, %r18, 4, %rd3;
SPIN:
    ld.acquire.gpu.global.u32 %r19, [%rd8];
    setp.eq.u32         %p5, %r19, 0;
    @%p5 bra            SPIN;
GONE:
    bar.sync            0;

    // Take: chunk r-s-1.
    setp.eq.u32         %p6, %r14, 0;
    selp.u32            %r14, %r5, %r14, %p6;
    sub.u32             %r14, %r14, 1;
    mad.lo.u32          %r20, %r18, 128, %r6;
    mad.wide.u32        %rd9, %r20, 4, %rd2;
    ld.global.f32       %f2, [%rd9];
    mad.wide.u32        %rd10, %r14, 512, %rd4;
    setp.lt.u32         %p7, %r15, %r9;
    mov.f32             %f3, 0f00000000;
    @%p7 ld.global.f32  %f3, [%rd10];
    add.f32             %f2, %f2, %f3;
    st.global.f32       [%rd10], %f2;
    add.u32             %r15, %r15, 1;
    bra                 STEP;
DONE:
    ret;
}
