// spin_lock: 256 threads add their number to sum, one at a time, under a lock.
//
// Shows the lock that everybody writes first:
//
//     while (compare-and-swap(lock, 0, 1) != 0) ;     one of the lanes gets it
//     sum = sum + i;                                  critical section
//     lock = 0;
//
// On a GPU with one PC for a warp it hangs. The lane that gets the lock leaves
// the loop and waits at its end for the other 31, which wait for it to release
// the lock. The reconvergence stack does just that:
//
//     lanes       where
//     1           at the end of the loop, to go on when all are there
//     31          in the loop, to go on when the lock is free
//
// With independent thread scheduling, which GPUs have since Volta, each lane has a
// PC. Lanes still wait for each other where it pays, but not if no warp makes
// progress: the winner continues alone, releases the lock, and one of the 31 wins.
//
// A critical section is run by one lane, so a warp has at most 1 of 32 lane
// slots there, and the tries of the others are lost too: a lock that all lanes
// want is never a good idea. See reduce_shuffle.s for a better one.
//
// sum is not changed atomically: the lock protects it. It is volatile, since
// others change it, and the fences keep its accesses between those to the lock.
//
// How often lanes try depends on the order of execution.
// Independent of it, a lane changes sum 256 times, alone.

//sim:grid   4
//sim:block  64
//sim:arg    lock = zeros:1:u32
//sim:arg    sum  = zeros:1:u32
//sim:arg    n    = 256
//sim:dump   sum:u32

// 0 + 1 + … + 255 = 256*255/2.
//sim:expect sum[0]  == 32640
//sim:expect lock[0] == 0

//sim:expect metric global_store_requests@CHANGE == 256
//sim:expect metric global_store_lanes@CHANGE == 256
//sim:expect metric global_atomic_requests@RELEASE == 256

.entry spin_lock(
    .param .u64 lock,
    .param .u64 sum,
    .param .u32 n)
{
    // This thread's first number.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i

    // How far the next number is: the threads of the grid.
    mov.u32             %r8, %nctaid.y;
    mul.lo.u32          %r9, %r2, %r8;
    mul.lo.u32          %r10, %r9, %r5;

    ld.param.u32        %r11, [n];
    ld.param.u64        %rd1, [lock];
    ld.param.u64        %rd2, [sum];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
LOOP:
    setp.ge.u32         %p1, %r7, %r11;
    @%p1 bra            DONE;
ACQUIRE:
    atom.global.cas.b32 %r12, [%rd1], 0, 1;
    setp.ne.u32         %p2, %r12, 0;
    @%p2 bra            ACQUIRE;
    membar.gl;

    ld.volatile.global.u32 %r13, [%rd2];
    add.u32             %r13, %r13, %r7;
CHANGE:
    st.volatile.global.u32 [%rd2], %r13;

    membar.gl;
RELEASE:
    atom.global.exch.b32 %r14, [%rd1], 0;
    add.u32             %r7, %r7, %r10;
    bra                 LOOP;
DONE:
    ret;
}
