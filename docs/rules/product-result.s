//sim:block 128
//sim:arg out = zeros:128:f32
.entry early(.param .u64 out)
{
    .shared .align 128 .b8 s[4096];
    ld.param.u64 %rd1, [out];
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, 0x800080000, 0x800080000, 0, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    add.f32 %f1, %f1, %f2;
    wgmma.wait_group.sync.aligned 0;
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd1, %r1, 4, %rd1;
    st.global.f32 [%rd1], %f1;
    ret;
}
