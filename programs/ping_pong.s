// ping_pong: lanes 0 and 1 of one warp hand a token to and fro, 20 times.
//
// Shows two lanes of a warp that alternately wait for each
// other. Each waits in the same loop until the token has
// the number of its next turn, lane 0 the even and lane 1
// the odd ones, records its turn, and passes the token on:
//
//     token     0    1    2    3    4  …
//     lane 0    note      note      note
//     lane 1         note      note
//
// Neither of them can run to the end while the other stands still, so
// they cannot wait for each other after the loop: each must have its
// own PC, and get time slices while the other spins. Threads have been
// like this since Volta; before, this program hung (see spin_lock.s).
//
// Lanes 2 to 31 have nothing to do and end at once, as do all other CTAs.
//
// How often the lanes look depends on the time slices. Certain is: 20 notes
// are written, each by one lane.

//sim:grid   1
//sim:block  32
//sim:arg    token = zeros:1:u32
//sim:arg    notes = fill:20:u32:99
//sim:arg    turns = 20
//sim:dump   notes:u32

//sim:expect notes    == 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1
//sim:expect token[0] == 20

//sim:expect metric global_store_requests@NOTE == 20
//sim:expect metric global_store_lanes@NOTE == 20

.entry ping_pong(
    .param .u64 token,
    .param .u64 notes,
    .param .u32 turns)
{
    // Two threads of the first CTA play.
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ctaid.y;
    mov.u32             %r3, %tid.x;
    or.b32              %r4, %r1, %r2;
    setp.ne.u32         %p1, %r4, 0;
    setp.gt.or.u32      %p1, %r3, 1, %p1;
    @%p1 bra            DONE;

    ld.param.u32        %r5, [turns];
    ld.param.u64        %rd1, [token];
    ld.param.u64        %rd2, [notes];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    mov.u32             %r6, %r3;               // this lane's next turn
WAIT:
    ld.volatile.global.u32 %r7, [%rd1];
    setp.ne.u32         %p2, %r7, %r6;
    @%p2 bra            WAIT;

    mad.wide.u32        %rd3, %r6, 4, %rd2;
NOTE:
    st.global.u32       [%rd3], %r3;
    membar.gl;
    add.u32             %r7, %r6, 1;
    st.volatile.global.u32 [%rd1], %r7;
    add.u32             %r6, %r6, 2;
    setp.lt.u32         %p3, %r6, %r5;
    @%p3 bra            WAIT;
DONE:
    ret;
}
