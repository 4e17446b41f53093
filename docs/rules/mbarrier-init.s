//sim:block 32
.entry k()
{
    .shared .b64 bar;
    mbarrier.init.shared.b64 [bar], 32;
    bar.sync        0;
    mbarrier.arrive.shared.b64 _, [bar];
    ret;
}
