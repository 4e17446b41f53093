//sim:block 32
.entry k()
{
    mov.b32         %r1, 0x44444440;
    mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r2, %r3}, {%r2, %r3}, {%r2, %r3}, {%r2, %r3}, %r1, 0;
    ret;
}
