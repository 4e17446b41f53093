//sim:block 128
.entry k()
{
    .shared .align 16 .b32 s[128];
    mov.u32         %r1, %tid.x;
    mov.u32         %r2, s;
    mad.lo.u32      %r2, %r1, 4, %r2;
    st.shared.u32   [%r2], %r1;
    fence.proxy.async;
    bar.sync        0;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, 0x0000000000080000, 0, 1, 1, 0;
    wgmma.commit_group.sync.aligned;
    bar.sync        0;
    st.shared.u32   [%r2], 0;
    wgmma.wait_group.sync.aligned 0;
    ret;
}
