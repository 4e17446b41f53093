//sim:grid 2
//sim:block 32
//sim:cluster 2
.entry push()
{
    .shared .u32 s[32];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %cluster_ctarank;
    mov.u32 %r4, s;
    mad.lo.u32 %r4, %r1, 4, %r4;
    xor.b32 %r2, %r2, 1;
    mapa.shared::cluster.u32 %r5, %r4, %r2;
    // barrier.cluster.arrive; barrier.cluster.wait; is missing
    st.shared::cluster.u32 [%r5], %r1;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
