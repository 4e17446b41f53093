//sim:block 32
//sim:arg   y = zeros:8:u32
.entry store(.param .u64 x)
{
    ret;
}
