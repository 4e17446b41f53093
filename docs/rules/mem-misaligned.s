//sim:block 1
//sim:arg   x = zeros:8:u32
.entry misaligned(.param .u64 x)
{
    ld.param.u64 %rd1, [x];
    ld.global.u64 %rd2, [%rd1+4];       // 8 bytes at a multiple of 4
    ret;
}
