//sim:block 64
//sim:functional
.entry k()
{
    .shared .b32 where;
    setp.lt.u32     %p1, %tid.x, 32;
    @%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;
    bar.sync        0;
    ld.shared.u32   %r1, [where];
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1];
    ret;
}
