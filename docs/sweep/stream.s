// Each warp reads 32 times 512 bytes of device memory, one after the other: a load's
// address needs the value of the load before, which is 0. So a warp has 512 bytes under way,
// and n warps of an SM 512n.

//sim:block  32
//sim:arg    x = zeros:2097152:u32

.entry stream(.param .u64 x)
{
    ld.param.u64        %rd1, [x];
    cvta.to.global.u64  %rd1, %rd1;
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %tid.x;

    // Of thread t in block b: x + 512b + 16t, and from load to load 512 for each block.
    mul.wide.u32        %rd2, %r1, 512;
    mul.wide.u32        %rd3, %r3, 16;
    mul.wide.u32        %rd4, %r2, 512;
    add.u64             %rd1, %rd1, %rd2;
    add.u64             %rd1, %rd1, %rd3;
    mov.u32             %r4, 0;
LOOP:
    ld.global.v4.u32    {%r5, %r6, %r7, %r8}, [%rd1];
    cvt.u64.u32         %rd5, %r5;
    add.u64             %rd1, %rd1, %rd4;
    add.u64             %rd1, %rd1, %rd5;
    add.u32             %r4, %r4, 1;
    setp.lt.u32         %p1, %r4, 32;
    @%p1 bra            LOOP;
    ret;
}
