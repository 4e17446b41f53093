// chase: one thread follows a ring of addresses, one in each line of 128 bytes, after its
// CTA has read all of them twice. The next line is step lines ahead: a number without a
// common divisor with lines, near to 0.6 of it, so that lines come in no simple order.

//sim:buffer ring = zeros:25165824:u64
//sim:buffer out  = zeros:1:u64
//sim:launch lay   grid=64 block=256 args=ring
//sim:launch chase block=1024 args=ring,out
//sim:dump   out:u64

.global .u32 lines = 128;
.global .u32 step = 79;
.global .u32 loads = 2048;                      // that are timed, a multiple of 16

// lay writes the ring.
.entry lay(
    .param .u64 ring)
{
    ld.global.u32       %r1, [lines];
    ld.global.u32       %r2, [step];
    ld.param.u64        %rd1, [ring];
    mov.u32             %r3, %ctaid.x;
    mov.u32             %r4, %ntid.x;
    mov.u32             %r5, %tid.x;
    mad.lo.u32          %r6, %r3, %r4, %r5;     // line
    mov.u32             %r7, %nctaid.x;
    mul.lo.u32          %r7, %r7, %r4;
    setp.ge.u32         %p1, %r6, %r1;
    @%p1 bra            DONE;
LOOP:
    add.u32             %r8, %r6, %r2;          // the next one
    setp.ge.u32         %p1, %r8, %r1;
    @%p1 sub.u32        %r8, %r8, %r1;
    mad.wide.u32        %rd2, %r8, 128, %rd1;
    mad.wide.u32        %rd3, %r6, 128, %rd1;
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
    ld.global.u32       %r1, [lines];
    ld.global.u32       %r2, [step];
    ld.param.u64        %rd1, [ring];
    mov.u32             %r3, %tid.x;
    mov.u32             %r4, %ntid.x;
    mov.u32             %r5, 2;                 // passes
    cvt.u64.u32         %rd2, %r1;
    mul.wide.u32        %rd3, %r3, %r2;         // line tid of the ring
    rem.u64             %rd3, %rd3, %rd2;
    cvt.u32.u64         %r6, %rd3;
    mul.wide.u32        %rd4, %r4, %r2;         // ntid lines of the ring ahead
    rem.u64             %rd4, %rd4, %rd2;
    cvt.u32.u64         %r7, %rd4;
PASS:
    mov.u32             %r8, %r3;
    mov.u32             %r9, %r6;
    setp.ge.u32         %p1, %r8, %r1;
    @%p1 bra            PASSED;
READ:
    mad.wide.u32        %rd5, %r9, 128, %rd1;
    ld.global.u64       %rd6, [%rd5];
    add.u32             %r9, %r9, %r7;
    setp.ge.u32         %p2, %r9, %r1;
    @%p2 sub.u32        %r9, %r9, %r1;
    add.u32             %r8, %r8, %r4;
    setp.lt.u32         %p1, %r8, %r1;
    @%p1 bra            READ;
    add.u64             %rd6, %rd6, 0;          // waits for the last
PASSED:
    bar.sync            0;
    sub.u32             %r5, %r5, 1;
    setp.ne.u32         %p1, %r5, 0;
    @%p1 bra            PASS;

    setp.ne.u32         %p1, %r3, 0;
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
    add.u64             %rd1, %rd1, 0;          // waits for the last
    mov.u64             %rd8, %clock64;
    sub.u64             %rd8, %rd8, %rd7;
    st.global.u64       [%rd10], %rd8;
DONE:
    ret;
}
