//sim:grid 1
//sim:block 32
//sim:arg x = zeros:32:u32
.entry bump(.param .u64 x) {
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r1;
    ld.global.nc.u32 %r2, [%rd2];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd2], %r2;
    ret;
}
