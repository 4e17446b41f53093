//sim:block 32
//sim:arg   flag = zeros:1:u32
.entry wait(.param .u64 flag)
{
    ld.param.u64 %rd1, [flag];
WAIT:
    ld.volatile.global.u32 %r1, [%rd1];
    setp.eq.u32 %p1, %r1, 0;            // nobody ever stores there
    @%p1 bra WAIT;
    ret;
}
