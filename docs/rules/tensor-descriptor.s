//sim:block 32
//sim:functional
.entry k()
{
    .shared .b32 where;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;
    ld.shared.u32   %r1, [where];
    mov.u64         %rd1, 0x400000000000;
    setp.eq.u32     %p1, %tid.x, 0;
    @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd1, 0x4000010, 0;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;
    ret;
}
