//sim:block 32
.entry k()
{
    .shared .b64 bar;
    setp.eq.u32     %p1, %tid.x, 0;
    @%p1 mbarrier.init.shared.b64 [bar], 32;
    @%p1 mbarrier.inval.shared.b64 [bar];
    bar.sync        0;
    mbarrier.arrive.shared.b64 _, [bar];
    ret;
}
