// cluster_reduce: out = in[0] + in[1] + … + in[n-1], in clusters of blocks.
//
// Shows distributed shared memory: the CTAs of a cluster add up their sums in the shared memory
// of one of them. Each thread adds its element to its CTA's sum; thread 0 of each CTA adds that
// to the total of the cluster, which is in the shared memory of rank 0: mapa computes the
// address, and red.shared::cluster accesses it. Thread 0 of rank 0 adds the total to out.
//
// There are two barriers of the whole cluster: no CTA adds to a sum or total
// before it is zeroed, and rank 0 reads its total only after all have added to
// it. The second also keeps CTAs from ending too early: the shared memory of a
// block that has ended is gone. Within a CTA an ordinary barrier is enough.
//
// 8 CTAs of 2 warps, 2 clusters of 4.
//
//     29 for every warp outside of the branches          16*29       464
//      3 for warp 0 of every CTA, which makes its words 0  8*3        24
//      3 for warp 0 of every CTA, which adds its sum       8*3        24
//      4 for warp 0 of rank 0                              2*4         8
//
// 520 instructions in all. Divergent branches: two in warp 0 of every CTA, where
// thread 0 continues alone, and the last one in that of rank 0: 8*2 + 2 = 18.

//sim:grid    8
//sim:cluster 4
//sim:arg     in  = iota:512:u32
//sim:arg     out = zeros:1:u32
//sim:arg     n   = 512
//sim:dump    out:u32

// 0 + 1 + … + 511 = 512*511/2, in any order of the additions.
//sim:expect out[0] == 130816

// 512 words are 64 sectors. There is one atomic on shared memory for each warp, 16, and one for
// each CTA: two of these, in CTAs of rank 0, access their own memory, and six another CTA's.
//sim:expect metric warp_instructions == 520
//sim:expect metric divergent_branches == 18
//sim:expect metric global_load_sectors == 64
//sim:expect metric global_atomic_requests == 2
//sim:expect metric shared_atomic_requests == 18
//sim:expect metric shared_cluster_atomic_requests == 6

.entry cluster_reduce(
    .param .u64 in,
    .param .u64 out,
    .param .u32 n)
.reqntid 64
{
    .shared .u32 sum;                           // of the CTA
    .shared .u32 total;                         // of the cluster, in rank 0

    // This thread's element, 0 past the last one.
    mov.u32             %r11, %ctaid.y;
    mov.u32             %r12, %nctaid.x;
    mov.u32             %r13, %ctaid.x;
    mad.lo.u32          %r1, %r11, %r12, %r13;  // cta
    mov.u32             %r2, %ntid.x;
    mov.u32             %r3, %tid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // i
    ld.param.u32        %r14, [n];
    setp.lt.u32         %p4, %r4, %r14;
    mov.u32             %r5, 0;
    ld.param.u64        %rd1, [in];
    cvta.to.global.u64  %rd1, %rd1;
    mul.wide.u32        %rd2, %r4, 4;
    add.u64             %rd3, %rd1, %rd2;
    @%p4 ld.global.u32  %r5, [%rd3];

    setp.ne.u32         %p1, %r3, 0;            // not thread 0
    @%p1 bra            ZEROED;
    mov.u32             %r6, 0;
    st.shared.u32       [sum], %r6;
    st.shared.u32       [total], %r6;
ZEROED:
    barrier.cluster.arrive;
    barrier.cluster.wait;

    red.shared.add.u32  [sum], %r5;
    bar.sync            0;
    @%p1 bra            ADDED;
    ld.shared.u32       %r7, [sum];
    mapa.shared::cluster.u32 %r8, total, 0;     // that of rank 0
    red.shared::cluster.add.u32 [%r8], %r7;
ADDED:
    barrier.cluster.arrive;
    barrier.cluster.wait;

    // Thread 0 of rank 0 has the cluster's total.
    mov.u32             %r9, %cluster_ctarank;
    setp.ne.u32         %p2, %r9, 0;
    or.pred             %p3, %p1, %p2;
    @%p3 bra            DONE;
    ld.param.u64        %rd4, [out];
    cvta.to.global.u64  %rd4, %rd4;
    ld.shared.u32       %r10, [total];
    red.global.add.u32  [%rd4], %r10;
DONE:
    ret;
}
