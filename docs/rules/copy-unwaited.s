//sim:block 32
//sim:arg   in  = iota:32:u32
//sim:arg   out = zeros:32:u32
.entry k(.param .u64 in, .param .u64 out)
{
    .shared .b32 s[32];
    ld.param.u64    %rd1, [in];
    ld.param.u64    %rd2, [out];
    mov.u32         %r1, %tid.x;
    mad.wide.u32    %rd1, %r1, 4, %rd1;
    mad.wide.u32    %rd2, %r1, 4, %rd2;
    mov.u32         %r2, s;
    mad.lo.u32      %r2, %r1, 4, %r2;
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.commit_group;
    cp.async.wait_group 1;                  // for all groups but the latest
    ld.shared.u32   %r3, [%r2];
    st.global.u32   [%rd2], %r3;
    ret;
}
