// strided_copy: out[i] is in[8 * i]. Lanes of a warp read words 32 bytes apart, each from a
// sector of its own: 32 sectors a request, of which 4 would do for 32 words side by side.
//
// 264 blocks of 256 threads are 2112 warps, and as many loads: 67584 sectors, 2162688 bytes.

//sim:grid   264
//sim:block  256
//sim:arg    in  = iota:540672:u32
//sim:arg    out = zeros:67584:u32
//sim:dump   out:u32:4
//sim:expect out[0:4] == 0 8 16 24

.visible .entry strided_copy(.param .u64 in, .param .u64 out)
{
    mov.u32         %r1, %ctaid.x;
    mov.u32         %r2, %tid.x;
    mad.lo.u32      %r3, %r1, 256, %r2;     // i
    ld.param.u64    %rd1, [in];
    ld.param.u64    %rd2, [out];
    mul.wide.u32    %rd3, %r3, 32;
    add.u64         %rd3, %rd1, %rd3;
    ld.global.u32   %r4, [%rd3];            // in[8 * i]
    mul.wide.u32    %rd4, %r3, 4;
    add.u64         %rd4, %rd2, %rd4;
    st.global.u32   [%rd4], %r4;
    ret;
}
