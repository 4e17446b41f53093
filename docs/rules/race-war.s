//sim:block 64
//sim:arg   x = iota:64:u32
.entry shift(.param .u64 x)
{
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    add.u32 %r2, %r1, 1;
    and.b32 %r2, %r2, 63;
    mad.wide.u32 %rd3, %r2, 4, %rd1;
    ld.global.u32 %r3, [%rd3];          // of the next thread
    // bar.sync 0 is missing
    st.global.u32 [%rd2], %r3;
    ret;
}
