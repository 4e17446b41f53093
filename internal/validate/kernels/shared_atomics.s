// shared_atomics: cycles that one warp takes for 32 additions to shared memory, each of
// what the one before has returned. The first n lanes add to one word, the others to
// words of their own.

//sim:icache warm
//sim:block  32
//sim:arg    out = zeros:1:u32
//sim:arg    n   = 1
//sim:dump   out:u32

.entry shared_atomics(
    .param .u64 out,
    .param .u32 n)
{
    .shared .u32 words[32];

    ld.param.u64        %rd1, [out];
    ld.param.u32        %r2, [n];
    mov.u32             %r3, %tid.x;
    setp.lt.u32         %p1, %r3, %r2;
    selp.u32            %r3, 0, %r3, %p1;
    mov.u32             %r4, words;
    mad.lo.u32          %r4, %r3, 4, %r4;
    mov.u32             %r5, 1;
    mov.u32             %r6, %clock;
    atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5;
    atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5;
    atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5;
    atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5;
    atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5;
    atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5;
    atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5;
    atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5; atom.shared.add.u32 %r5, [%r4], %r5;
    add.u32             %r7, %r5, 0;            // waits for the last
    mov.u32             %r8, %clock;
    sub.u32             %r8, %r8, %r6;
    st.global.u32       [%rd1], %r8;
    ret;
}
