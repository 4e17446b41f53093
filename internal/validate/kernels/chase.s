// chase: one thread follows a ring of places in memory in random order, after its CTA has
// read all of them. The order is that of a linear congruential generator with a period of
// 2^k, from which places that there are not are left out.

//sim:icache warm
//sim:buffer ring = zeros:25165824:u64
//sim:buffer out  = zeros:1:u64
//sim:launch lay   grid=64 block=256 args=ring
//sim:launch chase block=1024 args=ring,out
//sim:dump   out:u64

.global .u32 places = 128;
.global .u32 bytes = 128;                       // from one place to the next
.global .u32 mask = 127;                        // 2^k - 1, at least places - 1
.global .u32 passes = 1;                        // in which all places are read before
.global .u32 loads = 2048;                      // that are timed, a multiple of 16

// lay writes the ring.
.entry lay(
    .param .u64 ring)
{
    ld.global.u32       %r1, [places];
    ld.global.u32       %r2, [mask];
    ld.global.u32       %r9, [bytes];
    ld.param.u64        %rd1, [ring];
    mov.u32             %r3, %ctaid.x;
    mov.u32             %r4, %ntid.x;
    mov.u32             %r5, %tid.x;
    mad.lo.u32          %r6, %r3, %r4, %r5;     // place
    mov.u32             %r7, %nctaid.x;
    mul.lo.u32          %r7, %r7, %r4;
    setp.ge.u32         %p1, %r6, %r1;
    @%p1 bra            DONE;
LOOP:
    mov.u32             %r8, %r6;
NEXT:
    mad.lo.u32          %r8, %r8, 1664525, 1013904223;
    and.b32             %r8, %r8, %r2;
    setp.ge.u32         %p1, %r8, %r1;
    @%p1 bra            NEXT;                   // there is no such place
    mad.wide.u32        %rd2, %r8, %r9, %rd1;
    mad.wide.u32        %rd3, %r6, %r9, %rd1;
    st.global.u64       [%rd3], %rd2;
    add.u32             %r6, %r6, %r7;
    setp.lt.u32         %p1, %r6, %r1;
    @%p1 bra            LOOP;
DONE:
    ret;
}

.entry chase(
    .param .u64 ring,
    .param .u64 out)
{
    ld.global.u32       %r1, [places];
    ld.global.u32       %r2, [mask];
    ld.global.u32       %r3, [bytes];
    ld.global.u32       %r4, [passes];
    ld.param.u64        %rd1, [ring];
    mov.u32             %r5, %tid.x;

    // This thread begins with number tid of the generator; then it goes ntid numbers ahead
    // at a time. One step is x*r7 + r8.
    mov.u32             %r6, 0;
    mov.u32             %r7, 1664525;
    mov.u32             %r8, 1013904223;
    mov.u32             %r9, 1;
AHEAD:
    and.b32             %r10, %r5, %r9;
    setp.ne.u32         %p1, %r10, 0;
    @%p1 mad.lo.u32     %r6, %r6, %r7, %r8;
    mad.lo.u32          %r8, %r8, %r7, %r8;     // twice as many steps
    mul.lo.u32          %r7, %r7, %r7;
    shl.b32             %r9, %r9, 1;
    setp.ne.u32         %p1, %r9, 1024;         // threads of the CTA
    @%p1 bra            AHEAD;

    mov.u64             %rd6, 0;
    setp.eq.u32         %p1, %r4, 0;
    @%p1 bra            PASSED;
PASS:
    mov.u32             %r9, %r5;
    mov.u32             %r10, %r6;
READ:
    and.b32             %r11, %r10, %r2;
    setp.lt.u32         %p1, %r11, %r1;
    mad.wide.u32        %rd5, %r11, %r3, %rd1;
    @%p1 ld.global.u64  %rd6, [%rd5];
    mad.lo.u32          %r10, %r10, %r7, %r8;
    add.u32             %r9, %r9, 1024;
    setp.le.u32         %p2, %r9, %r2;
    @%p2 bra            READ;
    xor.b64             %rd6, %rd6, 0;          // waits for the last
    bar.sync            0;
    sub.u32             %r4, %r4, 1;
    setp.ne.u32         %p1, %r4, 0;
    @%p1 bra            PASS;
PASSED:
    setp.ne.u32         %p1, %r5, 0;
    @%p1 bra            DONE;
    ld.global.u32       %r10, [loads];
    ld.param.u64        %rd10, [out];
    mov.u64             %rd7, %clock64;
CHASE:
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    ld.global.u64       %rd1, [%rd1];
    sub.u32             %r10, %r10, 16;
    setp.ne.u32         %p1, %r10, 0;
    @%p1 bra            CHASE;
    xor.b64             %rd1, %rd1, 0;          // waits for the last
    mov.u64             %rd8, %clock64;
    sub.u64             %rd8, %rd8, %rd7;
    st.global.u64       [%rd10], %rd8;
DONE:
    ret;
}
