// histogram: how many numbers have a length of 0, 1, … 32 bits.
//
// Shows atomics in two places. Threads that count into one bin at the same time
// must not lose each other's counts, so they add atomically. Each CTA counts
// in bins of its own, in shared memory, where that is cheap; only at the end it
// adds those to the bins in global memory, which all CTAs share: 33 additions
// to global memory for a CTA, however many numbers it has counted.
//
// Long numbers are many, so most lanes of a warp want the same bin: their
// additions are done one after the other.
//
// There is a barrier before the counting, because bins must be 0 first, and
// another after it, because they must be complete before they are added up.

//sim:grid   8
//sim:arg    in   = iota:10000:u32
//sim:arg    bins = zeros:33:u32
//sim:arg    n    = 10000
//sim:dump   bins:u32:16

// The numbers are 0 to 9999. Only 0 has no bits; 2^(b-1) numbers,
// from 2^(b-1) up to 2^b, have b bits, up to the largest number:
// those with 14 bits are 8192 to 9999, 1808 of them.
//sim:expect bins[0:15]  == 1 1 2 4 8 16 32 64 128 256 512 1024 2048 4096 1808
//sim:expect bins[15:33] == 0

// 10000 numbers are 312.5 warps: 313 additions to bins of the CTA. 33 threads,
// so two warps, of each of 8 CTAs add to the bins in global memory.
//sim:expect metric shared_atomic_requests == 313
//sim:expect metric global_load_sectors == 1250
//sim:expect metric global_atomic_requests == 16

.entry histogram(
    .param .u64 in,
    .param .u64 bins,
    .param .u32 n)
.reqntid 256
{
    .shared .u32 counts[33];                    // this CTA's bins

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

    // The first 33 threads have a bin each to look after.
    setp.lt.u32         %p1, %r6, 33;
    mov.u32             %r11, counts;
    mad.lo.u32          %r12, %r6, 4, %r11;     // its place
    @%p1 st.shared.u32  [%r12], 0;
    bar.sync            0;

    ld.param.u32        %r13, [n];
    ld.param.u64        %rd1, [in];
    cvta.to.global.u64  %rd1, %rd1;
LOOP:
    setp.ge.u32         %p2, %r7, %r13;
    @%p2 bra            COUNTED;
    mul.wide.u32        %rd2, %r7, 4;           // i in bytes
    add.u64             %rd3, %rd1, %rd2;
    ld.global.u32       %r14, [%rd3];
    clz.b32             %r15, %r14;
    sub.u32             %r16, 32, %r15;         // bits
    mad.lo.u32          %r17, %r16, 4, %r11;
    red.shared.add.u32  [%r17], 1;
    add.u32             %r7, %r7, %r10;
    bra                 LOOP;

COUNTED:
    bar.sync            0;
    @!%p1 bra           DONE;
    ld.shared.u32       %r18, [%r12];
    ld.param.u64        %rd4, [bins];
    cvta.to.global.u64  %rd4, %rd4;
    mul.wide.u32        %rd5, %r6, 4;
    add.u64             %rd6, %rd4, %rd5;
    red.global.add.u32  [%rd6], %r18;
DONE:
    ret;
}
