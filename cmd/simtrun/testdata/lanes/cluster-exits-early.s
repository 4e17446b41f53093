// Block 0 may end before block 1 reads its shared memory: standard error says so at every level.
//sim:grid 2
//sim:block 32
//sim:cluster 2
//sim:arg   out = zeros:32:u32
.entry pull(.param .u64 out)
{
    .shared .u32 s[32];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    mov.u32 %r2, s;
    mad.lo.u32 %r2, %r1, 4, %r2;
    st.shared.u32 [%r2], %r1;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r3, %cluster_ctarank;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 bra DONE;                      // block 0 may end here
    mapa.shared::cluster.u32 %r4, %r2, 0;
    ld.shared::cluster.u32 %r5, [%r4];
    st.global.u32 [%rd1], %r5;
DONE:
    // barrier.cluster.arrive; barrier.cluster.wait; is missing
    ret;
}
