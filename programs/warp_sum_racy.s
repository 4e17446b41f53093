// warp_sum_racy: 32 lanes add up their numbers in shared memory, without waiting
// for each other.
//
// Shows wrong code with a right result. Each lane has an
// x and a place where it stores x; five times it adds to
// x the value 16, 8, 4, 2 and 1 places further on:
//
//     x = i                                   places[lane] = x
//     x = x + places[lane + 16]               places[lane] = x
//     x = x + places[lane + 8]                places[lane] = x
//     …
//     x = x + places[lane + 1]                x of lane 0 is the sum
//
// (After the places of all lanes there are 32 that hold 0.) Lane 0 needs the value
// that lane 8 stored in the previous step, and not the one of this step. Nothing
// ensures that: the result is right as long as all 32 lanes run in lock step,
// which they do under all of simtrun's models, because none of them diverges. But
// lanes of a GPU since Volta may diverge at any time, and a compiler may reorder
// accesses that it does not know to be shared. With --split SEED some do:
//
//     simtrun programs/warp_sum_racy.s --split 1
//
// warp_sum.s has the barriers that are missing here.
//
// 16 instructions up to the first store, 4*3 + 2 for the steps, 4 and the ret:
// 35, all with 32 lanes.

//sim:grid   1
//sim:block  32
//sim:arg    out = fill:1:u32:99
//sim:arg    n   = 32
//sim:dump   out:u32

// 0 + 1 + … + 31 = 32*31/2.
//sim:expect out[0] == 496

//sim:expect metric warp_instructions == 35
//sim:expect metric lane_instructions == 1120
//sim:expect metric divergent_branches == 0
//sim:expect metric shared_load_requests == 5
//sim:expect metric shared_store_requests == 6

.entry warp_sum_racy(
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

    ld.shared.u32       %r13, [%r10+64];
    add.u32             %r12, %r12, %r13;
    st.shared.u32       [%r10], %r12;

    ld.shared.u32       %r13, [%r10+32];
    add.u32             %r12, %r12, %r13;
    st.shared.u32       [%r10], %r12;

    ld.shared.u32       %r13, [%r10+16];
    add.u32             %r12, %r12, %r13;
    st.shared.u32       [%r10], %r12;

    ld.shared.u32       %r13, [%r10+8];
    add.u32             %r12, %r12, %r13;
    st.shared.u32       [%r10], %r12;

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
