// columns: 32 warps load columns of a tile of 32 words by 32 in shared memory: as it is,
// with a word more in each row, and with the word of row i and column j in place i xor j.

//sim:icache warm
//sim:block  1024
//sim:arg    rounds = 32

.entry plain(
    .param .u32 rounds)
{
    .shared .u32 tile[1024];

    ld.param.u32        %r1, [rounds];
    mov.u32             %r2, %tid.x;
    and.b32             %r3, %r2, 31;           // row
    shr.u32             %r4, %r2, 5;            // column
    mov.u32             %r5, tile;
    mad.lo.u32          %r5, %r3, 128, %r5;
    mad.lo.u32          %r5, %r4, 4, %r5;
LOOP:
    ld.shared.u32       %r6, [%r5];
    ld.shared.u32       %r7, [%r5];
    ld.shared.u32       %r8, [%r5];
    ld.shared.u32       %r9, [%r5];
    ld.shared.u32       %r10, [%r5];
    ld.shared.u32       %r11, [%r5];
    ld.shared.u32       %r12, [%r5];
    ld.shared.u32       %r13, [%r5];
    add.u32             %r14, %r6, %r7;         // wait for them
    add.u32             %r14, %r8, %r9;
    add.u32             %r14, %r10, %r11;
    add.u32             %r14, %r12, %r13;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            LOOP;
    ret;
}

.entry padded(
    .param .u32 rounds)
{
    .shared .u32 tile[1056];

    ld.param.u32        %r1, [rounds];
    mov.u32             %r2, %tid.x;
    and.b32             %r3, %r2, 31;           // row
    shr.u32             %r4, %r2, 5;            // column
    mov.u32             %r5, tile;
    mad.lo.u32          %r5, %r3, 132, %r5;
    mad.lo.u32          %r5, %r4, 4, %r5;
LOOP:
    ld.shared.u32       %r6, [%r5];
    ld.shared.u32       %r7, [%r5];
    ld.shared.u32       %r8, [%r5];
    ld.shared.u32       %r9, [%r5];
    ld.shared.u32       %r10, [%r5];
    ld.shared.u32       %r11, [%r5];
    ld.shared.u32       %r12, [%r5];
    ld.shared.u32       %r13, [%r5];
    add.u32             %r14, %r6, %r7;         // wait for them
    add.u32             %r14, %r8, %r9;
    add.u32             %r14, %r10, %r11;
    add.u32             %r14, %r12, %r13;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            LOOP;
    ret;
}

.entry swizzled(
    .param .u32 rounds)
{
    .shared .u32 tile[1024];

    ld.param.u32        %r1, [rounds];
    mov.u32             %r2, %tid.x;
    and.b32             %r3, %r2, 31;           // row
    shr.u32             %r4, %r2, 5;            // column
    xor.b32             %r4, %r4, %r3;
    mov.u32             %r5, tile;
    mad.lo.u32          %r5, %r3, 128, %r5;
    mad.lo.u32          %r5, %r4, 4, %r5;
LOOP:
    ld.shared.u32       %r6, [%r5];
    ld.shared.u32       %r7, [%r5];
    ld.shared.u32       %r8, [%r5];
    ld.shared.u32       %r9, [%r5];
    ld.shared.u32       %r10, [%r5];
    ld.shared.u32       %r11, [%r5];
    ld.shared.u32       %r12, [%r5];
    ld.shared.u32       %r13, [%r5];
    add.u32             %r14, %r6, %r7;         // wait for them
    add.u32             %r14, %r8, %r9;
    add.u32             %r14, %r10, %r11;
    add.u32             %r14, %r12, %r13;
    sub.u32             %r1, %r1, 1;
    setp.ne.u32         %p1, %r1, 0;
    @%p1 bra            LOOP;
    ret;
}
