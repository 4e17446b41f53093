// reduce_shuffle: out = in[0] + in[1] + … + in[n-1], as reduce_tree.s does it,
// but within a warp without memory.
//
// Shows shuffles: in one instruction each lane reads a register of another.
// In five steps lane l adds the values of lanes l+16, l+8, l+4, l+2 and l+1,
// and lane 0 ends up with the sum of all 32. (The others compute unused sums:
// a lane with a partner beyond lane 31 gets its own value back. This costs
// nothing, because the warp executes the same instruction for all of them.)
//
// Only the 8 warps' sums go through shared memory, with one barrier in place of
// nine. Warp 0 takes them, a lane each and 0 for the rest, and adds them with
// the same five steps. Its lane 0 adds the result to out, atomically.
//
// 2048 threads share 10000 elements: warps 0 to 56 of the 64 go 5 times through
// LOOP (56 with half of its lanes, as 10000 = 4*2048 + 56.5*32), the others 4
// times.
//
//     14 for every warp up to LOOP                     64*14             896
//      8 for every round of LOOP, 2 to leave it        313*8 + 64*2     2632
//     10 for every warp's five steps                   64*10             640
//     10 for every warp up to the barrier and ret      64*10             640
//     19 for warp 0 of every CTA                       8*19              152
//
// 4960 instructions in all; reduce_tree.s has 7680. Divergent branches:
// 1 in LOOP, and one where lane 0 of each CTA continues alone: 1 + 8 =
// 9. Lane 0 of every warp stores under a guard, which is not a branch.

//sim:grid   8
//sim:arg    in  = iota:10000:u32
//sim:arg    out = zeros:1:u32
//sim:arg    n   = 10000
//sim:dump   out:u32

// 0 + 1 + … + 9999 = 10000*9999/2, in any order of the additions.
//sim:expect out[0] == 49995000

// Each CTA has one store of each of its 8 warps, of one lane, to shared memory,
// and one load of 8 words. The load of in is of 128 bytes: 4 sectors each time,
// but 2 for the last half warp.
//sim:expect metric warp_instructions == 4960
//sim:expect metric divergent_branches == 9
//sim:expect metric global_load_requests == 313
//sim:expect metric global_load_sectors == 1250
//sim:expect metric shared_store_requests@SHARE == 64
//sim:expect metric shared_store_wavefronts@SHARE == 64
//sim:expect metric shared_load_requests@TAKE == 8
//sim:expect metric shared_load_wavefronts@TAKE == 8
//sim:expect metric global_atomic_requests == 8

.entry reduce_shuffle(
    .param .u64 in,
    .param .u64 out,
    .param .u32 n)
.reqntid 256
{
    .shared .u32 sums[8];                       // by warp

    // This thread's first element.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i

    // How far the next element is: the threads of the grid.
    mov.u32             %r8, %nctaid.y;
    mul.lo.u32          %r9, %r2, %r8;
    mul.lo.u32          %r10, %r9, %r5;

    ld.param.u32        %r11, [n];
    ld.param.u64        %rd1, [in];
    cvta.to.global.u64  %rd1, %rd1;
    mov.u32             %r12, 0;                // this thread's sum
LOOP:
    setp.ge.u32         %p1, %r7, %r11;
    @%p1 bra            REDUCE;
    mul.wide.u32        %rd2, %r7, 4;           // i in bytes
    add.u64             %rd3, %rd1, %rd2;
    ld.global.u32       %r13, [%rd3];
    add.u32             %r12, %r12, %r13;
    add.u32             %r7, %r7, %r10;
    bra                 LOOP;

REDUCE:
    shfl.sync.down.b32  %r14, %r12, 16, 31, 0xffffffff;
    add.u32             %r12, %r12, %r14;
    shfl.sync.down.b32  %r14, %r12, 8, 31, 0xffffffff;
    add.u32             %r12, %r12, %r14;
    shfl.sync.down.b32  %r14, %r12, 4, 31, 0xffffffff;
    add.u32             %r12, %r12, %r14;
    shfl.sync.down.b32  %r14, %r12, 2, 31, 0xffffffff;
    add.u32             %r12, %r12, %r14;
    shfl.sync.down.b32  %r14, %r12, 1, 31, 0xffffffff;
    add.u32             %r12, %r12, %r14;

    // Lane 0 has its warp's sum.
    and.b32             %r15, %r6, 31;          // lane
    shr.u32             %r16, %r6, 5;           // warp
    mov.u32             %r17, sums;
    mad.lo.u32          %r18, %r16, 4, %r17;
    setp.eq.u32         %p2, %r15, 0;
SHARE:
    @%p2 st.shared.u32  [%r18], %r12;
    bar.sync            0;
    setp.ge.u32         %p3, %r6, 32;
    @%p3 bra            DONE;

    // Warp 0: lane w takes the sum of warp w.
    mov.u32             %r12, 0;
    mad.lo.u32          %r19, %r15, 4, %r17;
    setp.lt.u32         %p4, %r15, 8;
TAKE:
    @%p4 ld.shared.u32  %r12, [%r19];
    shfl.sync.down.b32  %r14, %r12, 16, 31, 0xffffffff;
    add.u32             %r12, %r12, %r14;
    shfl.sync.down.b32  %r14, %r12, 8, 31, 0xffffffff;
    add.u32             %r12, %r12, %r14;
    shfl.sync.down.b32  %r14, %r12, 4, 31, 0xffffffff;
    add.u32             %r12, %r12, %r14;
    shfl.sync.down.b32  %r14, %r12, 2, 31, 0xffffffff;
    add.u32             %r12, %r12, %r14;
    shfl.sync.down.b32  %r14, %r12, 1, 31, 0xffffffff;
    add.u32             %r12, %r12, %r14;

    // Lane 0 has the CTA's sum.
    setp.ne.u32         %p5, %r15, 0;
    @%p5 bra            DONE;
    ld.param.u64        %rd4, [out];
    cvta.to.global.u64  %rd4, %rd4;
    red.global.add.u32  [%rd4], %r12;
DONE:
    ret;
}
