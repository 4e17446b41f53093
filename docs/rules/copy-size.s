//sim:arg  in = iota:4:u32
.entry k(.param .u64 in)
{
    .shared .align 16 .b32 s[4];
    ld.param.u64    %rd1, [in];
    mov.u32         %r1, s;
    mov.u32         %r2, 20;
    cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;
    cp.async.wait_all;
    ret;
}
