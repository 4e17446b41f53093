//sim:block 64
.entry k()
{
    wgmma.fence.sync.aligned;
    ret;
}
