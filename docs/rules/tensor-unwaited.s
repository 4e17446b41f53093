//sim:block 32
//sim:functional
.entry early()
{
    .shared .b32 where;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;
    ld.shared.u32 %r1, [where];
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1];
    add.u32 %r2, %r2, 1;
    tcgen05.wait::ld.sync.aligned;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;
    ret;
}
