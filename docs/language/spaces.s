//sim:block  32
//sim:arg    out = zeros:32:u32
//sim:dump   out:u32:8
.const .u32 factor[4] = {1, 10, 100, 1000};
.global .u32 launches;
.entry spaces(.param .u64 out)
{
    .shared .align 4 .u32 s[32];
    .local .u32 mine;
    ld.param.u64    %rd1, [out];
    mov.u32         %r1, %laneid;
    // shared: one for the block. Lanes exchange their numbers in reverse.
    mov.u32         %r2, s;
    mad.lo.u32      %r3, %r1, 4, %r2;
    st.shared.u32   [%r3], %r1;
    bar.sync        0;
    xor.b32         %r4, %r1, 31;
    mad.lo.u32      %r3, %r4, 4, %r2;
    ld.shared.u32   %r5, [%r3];
    // local: one for each thread.
    st.local.u32    [mine], %r5;
    // constant: the same for all, read-only.
    and.b32         %r6, %r1, 3;
    mov.u64         %rd2, factor;
    mad.wide.u32    %rd2, %r6, 4, %rd2;
    ld.const.u32    %r7, [%rd2];
    ld.local.u32    %r8, [mine];
    mul.lo.u32      %r9, %r8, %r7;
    // global: all blocks.
    mad.wide.u32    %rd3, %r1, 4, %rd1;
    st.global.u32   [%rd3], %r9;
    setp.eq.u32     %p1, %r1, 0;
    @%p1 red.global.add.u32 [launches], 1;
    ret;
}
