//sim:block 32
//sim:arg out = zeros:32:u32
.entry store(.param .u64 out)
{
    .shared .align 16 .b8 s[128];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, s;
    mad.lo.u32 %r2, %r1, 4, %r2;
    setp.eq.u32 %p1, %r1, 0;
    st.shared.u32 [%r2], %r1;
    fence.proxy.async;
    bar.sync 0;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 128;
    cp.async.bulk.commit_group;
    ret;
}
