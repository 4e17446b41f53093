// lock_in_loop: 32 lanes add their number to sum, one at a time, under a lock
// that they release before they go round again.
//
// Shows how the lock of spin_lock.s has to be written for one PC in each warp:
// the critical section stands inside the loop, and done says whether to leave.
//
//     do
//         done = compare-and-swap(lock, 0, 1) == 0        one of the lanes
//         if done:  sum = sum + i;  lock = 0              critical section
//     while !done
//
// The winner waits at NEXT for the others, but it has already released the
// lock, and they are on their way to NEXT, too. So there is no circular wait,
// and the program ends under every model and order, with the same count:
//
//     round                      1    2    3   …   32    sum
//     lanes at LOOP and NEXT    32   31   30   …    1    528    4 instructions
//     lanes that win             1    1    1   …    1     32    6
//
// 14 instructions before the loop, 32*(4 + 6) = 320 in it, and the ret: 335.
// 15*32 + 4*528 + 6*32 = 2784 of 335*32 = 10720 lane slots are active, 26.0 %.
// In rounds 1 to 31 winner and losers diverge, twice: where the winner enters the
// critical section and where it leaves the loop. 62 divergent branches.

//sim:grid   1
//sim:block  32
//sim:arg    lock = zeros:1:u32
//sim:arg    sum  = zeros:1:u32
//sim:arg    n    = 32
//sim:dump   sum:u32

// 0 + 1 + … + 31 = 32*31/2.
//sim:expect sum[0]  == 496
//sim:expect lock[0] == 0

//sim:expect metric warp_instructions == 335
//sim:expect metric lane_instructions == 2784
//sim:expect metric divergent_branches == 62
//sim:expect metric warp_instructions@LOOP == 32
//sim:expect metric lane_instructions@LOOP == 528
//sim:expect metric lane_instructions@CHANGE == 32

.entry lock_in_loop(
    .param .u64 lock,
    .param .u64 sum,
    .param .u32 n)
{
    // One thread for each number; those past the end have nothing to do.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i
    ld.param.u32        %r8, [n];
    setp.ge.u32         %p1, %r7, %r8;
    @%p1 bra            DONE;

    ld.param.u64        %rd1, [lock];
    ld.param.u64        %rd2, [sum];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
LOOP:
    atom.global.cas.b32 %r9, [%rd1], 0, 1;
    setp.eq.u32         %p2, %r9, 0;            // done
    @!%p2 bra           NEXT;

    membar.gl;
    ld.volatile.global.u32 %r10, [%rd2];
    add.u32             %r10, %r10, %r7;
CHANGE:
    st.volatile.global.u32 [%rd2], %r10;
    membar.gl;
    atom.global.exch.b32 %r11, [%rd1], 0;
NEXT:
    @!%p2 bra           LOOP;
DONE:
    ret;
}
