//sim:block 32
//sim:arg   out = zeros:64:u32
.entry k(.param .u64 out)
{
    .shared .align 16 .b32 s[32];
    ld.param.u64    %rd1, [out];
    mov.u32         %r1, %tid.x;
    mov.u32         %r2, s;
    mad.lo.u32      %r3, %r1, 4, %r2;
    setp.eq.u32     %p1, %r1, 0;
    st.shared.u32   [%r3], %r1;
    fence.proxy.async;
    bar.sync        0;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 128;
    @%p1 cp.async.bulk.commit_group;
    bar.sync        0;                      // but nobody has waited for the copy
    st.shared.u32   [%r3], 7;
    @%p1 cp.async.bulk.wait_group 0;
    ret;
}
