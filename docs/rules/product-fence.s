//sim:block 128
.entry fence()
{
    .shared .align 128 .b8 s[4096];
    wgmma.fence.sync.aligned;
    mov.f32 %f1, 0f00000000;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, 0x800080000, 0x800080000, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    ret;
}
