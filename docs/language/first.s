//sim:grid   2
//sim:block  4
//sim:arg    x = iota:8:u32
//sim:arg    by = 10
//sim:dump   x:u32
.entry scale(.param .u64 x, .param .u32 by)
{
    ld.param.u64    %rd1, [x];              // the address of x
    ld.param.u32    %r1, [by];
    mov.u32         %r2, %ctaid.x;          // number of the block
    mov.u32         %r3, %ntid.x;           // threads of a block
    mov.u32         %r4, %tid.x;            // number of the thread in its block
    mad.lo.u32      %r5, %r2, %r3, %r4;     // number of the thread in the grid
    mad.wide.u32    %rd2, %r5, 4, %rd1;     // where its element is
    ld.global.u32   %r6, [%rd2];
    mul.lo.u32      %r6, %r6, %r1;
    st.global.u32   [%rd2], %r6;
    ret;
}
