//sim:block 32
//sim:functional
.entry k()
{
    .shared .b32 where;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 64;
    ret;
}
