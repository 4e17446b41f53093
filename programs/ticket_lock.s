// ticket_lock: 256 threads of 4 CTAs are served in the order in which they
// came.
//
// Shows a lock that is fair, as in a shop: take a number, wait until it is
// called.
//
//     mine = ticket++                  atomically: everybody gets another one
//     while (serving != mine) ;        volatile
//     …                                critical section
//     serving = mine + 1               only the holder writes it: not atomic
//
// Threads wait for one particular other thread, which may be a lane of the same
// warp, another warp or another CTA. A warp's lanes must be able to leave the
// loop one by one (independent thread scheduling, see spin_lock.s), and the
// CTAs that are waited for must be running: tickets are only drawn by threads
// that run.
//
// In the critical section the holder appends its ticket to
// those served before: queue[length] = mine, length = length
// + 1. Without the lock two of them could write to one place.
//
// How often lanes poll depends on the order of execution. Independent
// of it, 256 tickets are drawn, and a lane is served 256 times, alone.

//sim:grid   4
//sim:block  64
//sim:arg    ticket  = zeros:1:u32
//sim:arg    serving = zeros:1:u32
//sim:arg    length  = zeros:1:u32
//sim:arg    queue   = fill:256:u32:999
//sim:arg    n       = 256
//sim:dump   serving:u32

// Tickets are served in their order.
//sim:expect queue      == iota:256:u32
//sim:expect length[0]  == 256
//sim:expect ticket[0]  == 256
//sim:expect serving[0] == 256

// A lane draws its ticket together with its warp, 8 warps in all, but is served
// alone.
//sim:expect metric global_atomic_requests@DRAW == 8
//sim:expect metric global_atomic_lanes@DRAW == 256
//sim:expect metric global_store_requests@APPEND == 256
//sim:expect metric global_store_lanes@APPEND == 256

.entry ticket_lock(
    .param .u64 ticket,
    .param .u64 serving,
    .param .u64 length,
    .param .u64 queue,
    .param .u32 n)
{
    // This thread's number, and how far the next is: the threads of the grid.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i
    mov.u32             %r8, %nctaid.y;
    mul.lo.u32          %r9, %r2, %r8;
    mul.lo.u32          %r10, %r9, %r5;

    ld.param.u32        %r11, [n];
    ld.param.u64        %rd1, [ticket];
    ld.param.u64        %rd2, [serving];
    ld.param.u64        %rd3, [length];
    ld.param.u64        %rd4, [queue];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    cvta.to.global.u64  %rd3, %rd3;
    cvta.to.global.u64  %rd4, %rd4;
LOOP:
    setp.ge.u32         %p1, %r7, %r11;
    @%p1 bra            DONE;
DRAW:
    atom.global.add.u32 %r12, [%rd1], 1;        // mine
WAIT:
    ld.volatile.global.u32 %r13, [%rd2];
    setp.ne.u32         %p2, %r13, %r12;
    @%p2 bra            WAIT;
    membar.gl;

    ld.volatile.global.u32 %r14, [%rd3];
    mad.wide.u32        %rd5, %r14, 4, %rd4;
APPEND:
    st.volatile.global.u32 [%rd5], %r12;
    add.u32             %r14, %r14, 1;
    st.volatile.global.u32 [%rd3], %r14;

    membar.gl;
    add.u32             %r12, %r12, 1;
    st.volatile.global.u32 [%rd2], %r12;
    add.u32             %r7, %r7, %r10;
    bra                 LOOP;
DONE:
    ret;
}
