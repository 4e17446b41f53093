//sim:block 32
.entry k()
{
    .shared .b64 bar;
    setp.eq.u32     %p1, %tid.x, 0;
    @%p1 mbarrier.init.shared.b64 [bar], 1;
    bar.sync        0;
    mbarrier.arrive.shared.b64 _, [bar], 2;
    ret;
}
