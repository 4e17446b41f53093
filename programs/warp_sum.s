// warp_sum: 32 lanes add up their numbers in shared memory; barriers for the
// warp keep the steps apart.
//
// Adds what warp_sum_racy.s lacks. bar.warp.sync (__syncwarp) lets no
// lane pass until all lanes of its mask have arrived, and makes their
// earlier stores visible to all of them. Each step needs two of them:
//
//     y = places[lane + 8]
//     bar.warp.sync          all have read what was there before this step
//     x = x + y
//     places[lane] = x
//     bar.warp.sync          all have stored it for the next
//
// The last step needs none, because no other lane reads its result.
// So the result is right however lanes diverge, with --split and any
// seed. (reduce_shuffle.s needs neither barriers nor shared memory.)
//
// A barrier costs an instruction: the 35 of warp_sum_racy.s, one
// after the first store and 4*2 in the steps. 44, all with 32 lanes.

//sim:grid   1
//sim:block  32
//sim:arg    out = fill:1:u32:99
//sim:arg    n   = 32
//sim:dump   out:u32

// 0 + 1 + … + 31 = 32*31/2.
//sim:expect out[0] == 496

//sim:expect metric warp_instructions == 44
//sim:expect metric lane_instructions == 1408
//sim:expect metric divergent_branches == 0
//sim:expect metric shared_load_requests == 5
//sim:expect metric shared_store_requests == 6

.entry warp_sum(
    .param .u64 out,
    .param .u32 n)
.reqntid 32
{
    .shared .align 8 .u32 places[64];           // by lane, and 32 behind that are 0

    // CTAs past the end, as a whole, have nothing to do: n is a multiple of 32.
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

    mov.u32             %r9, places;
    mad.lo.u32          %r10, %r6, 4, %r9;      // this thread's place
    mov.u32             %r11, 0;
    st.shared.u32       [%r10+128], %r11;
    mov.u32             %r12, %r7;              // x
    st.shared.u32       [%r10], %r12;
    bar.warp.sync       0xffffffff;

    ld.shared.u32       %r13, [%r10+64];
    bar.warp.sync       0xffffffff;
    add.u32             %r12, %r12, %r13;
    st.shared.u32       [%r10], %r12;
    bar.warp.sync       0xffffffff;

    ld.shared.u32       %r13, [%r10+32];
    bar.warp.sync       0xffffffff;
    add.u32             %r12, %r12, %r13;
    st.shared.u32       [%r10], %r12;
    bar.warp.sync       0xffffffff;

    ld.shared.u32       %r13, [%r10+16];
    bar.warp.sync       0xffffffff;
    add.u32             %r12, %r12, %r13;
    st.shared.u32       [%r10], %r12;
    bar.warp.sync       0xffffffff;

    ld.shared.u32       %r13, [%r10+8];
    bar.warp.sync       0xffffffff;
    add.u32             %r12, %r12, %r13;
    st.shared.u32       [%r10], %r12;
    bar.warp.sync       0xffffffff;

    ld.shared.u32       %r13, [%r10+4];
    add.u32             %r12, %r12, %r13;

    // lane 0 has the sum
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    setp.eq.u32         %p2, %r6, 0;
    @%p2 st.global.u32  [%rd1], %r12;
DONE:
    ret;
}
