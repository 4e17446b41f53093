// warp_lock: the lanes of a warp take a lock in turn, and spin until they have it. Under a
// reconvergence stack those who spin keep the one who has it from giving it back.

//sim:icache warm
//sim:block  32
//sim:arg    lock  = zeros:1:u32
//sim:arg    count = zeros:1:u32
//sim:dump   count:u32

.entry warp_lock(
    .param .u64 lock,
    .param .u64 count)
{
    ld.param.u64        %rd1, [lock];
    ld.param.u64        %rd2, [count];
AGAIN:
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            AGAIN;
    membar.gl;
    ld.volatile.global.u32 %r2, [%rd2];
    add.u32             %r2, %r2, 1;
    st.volatile.global.u32 [%rd2], %r2;
    membar.gl;
    atom.global.exch.b32 %r1, [%rd1], 0;
    ret;
}
