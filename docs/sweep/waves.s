// A chain of 256 additions, each of which waits for the one before. With 100 KB of
// shared memory 2 blocks reside on an SM of an H100, and 264 on all of them: a wave. Their 8
// warps are 2 for each scheduler, too few to be in each other's way. No block waits for
// instructions to be fetched, so that all waves take equally long.

//sim:block  128
//sim:shared 102400
//sim:icache warm

.entry waves()
{
    mov.u32             %r1, 0;
    mov.f32             %f1, 0f3f800000;
LOOP:
    add.f32             %f1, %f1, %f1;
    add.f32             %f1, %f1, %f1;
    add.f32             %f1, %f1, %f1;
    add.f32             %f1, %f1, %f1;
    add.f32             %f1, %f1, %f1;
    add.f32             %f1, %f1, %f1;
    add.f32             %f1, %f1, %f1;
    add.f32             %f1, %f1, %f1;
    add.u32             %r1, %r1, 1;
    setp.lt.u32         %p1, %r1, 32;
    @%p1 bra            LOOP;
    ret;
}
