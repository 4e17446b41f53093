// recursion: out[i] = the Fibonacci number of i mod 8, by fib(n) = fib(n-1) +
// fib(n-2), the slow way.
//
// Shows a function that calls itself, to a depth that each lane decides. Every
// call has registers and parameters of its own. A lane with n < 2 does not
// call: it waits in front of RETURN, in its call of fib, until the others are
// back from theirs; then all return together. A lane with a small n thus takes
// part in the first levels and waits through the deeper ones.
//
// The calls of lane 7, with n = 7, include all calls of the
// other lanes, as far as their n lasts: the warp executes
// the calls of lane 7 and no others. Of n = 0 to 7 there are
//
//     n            0    1    2    3    4    5    6    7    sum
//     calls        1    1    3    5    9   15   25   41    1 + of n-1 and n-2
//     that call    0    0    1    2    4    7   12   20     46
//     that do not  1    1    2    3    5    8   13   21     54
//
// A call of the first kind is 15 instructions, one of the other 6: for the warp
// 20*15 + 21*6 = 426, and 19 in the kernel: 445. Its lanes, 4 of each n, need
// 4*(46*15 + 54*6) = 4056 of 426*32 lane slots; with 19*32 of the kernel, 4664
// of 14240, 32.8 %.
//
// In each of the 20 calls that call again, some lanes do not: the least n in a
// call is 0 or 1 in the first one, and lanes with n = 2 reach fib(1) and
// fib(0) while others with a larger n continue to call. 20 divergent branches.

//sim:grid   1
//sim:block  32
//sim:arg    out = fill:32:u32:99
//sim:arg    n   = 32
//sim:dump   out:u32:8

//sim:expect out[0:8]   == 0 1 1 2 3 5 8 13
//sim:expect out[8:16]  == 0 1 1 2 3 5 8 13
//sim:expect out[16:24] == 0 1 1 2 3 5 8 13
//sim:expect out[24:32] == 0 1 1 2 3 5 8 13

//sim:expect metric warp_instructions == 445
//sim:expect metric lane_instructions == 4664
//sim:expect metric divergent_branches == 20
//sim:expect metric warp_instructions@FIB == 41
//sim:expect metric lane_instructions@FIB == 400

.func (.param .u32 result) fib(.param .u32 n)
{
FIB:
    ld.param.u32        %r1, [n];
    mov.u32             %r2, %r1;
    setp.lt.u32         %p1, %r1, 2;
    @%p1 bra            RETURN;

    // fib(n - 1)
    {
        .param .u32 less;
        .param .u32 value;
        sub.u32         %r3, %r1, 1;
        st.param.u32    [less], %r3;
        call            (value), fib, (less);
        ld.param.u32    %r2, [value];
    }
    // fib(n - 2)
    {
        .param .u32 less;
        .param .u32 value;
        sub.u32         %r3, %r1, 2;
        st.param.u32    [less], %r3;
        call            (value), fib, (less);
        ld.param.u32    %r4, [value];
    }
    add.u32             %r2, %r2, %r4;
RETURN:
    st.param.u32        [result], %r2;
    ret;
}

.entry recursion(
    .param .u64 out,
    .param .u32 n)
{
    // One thread for each element; those past the end have nothing to do.
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

    {
        .param .u32 number;
        .param .u32 value;
        and.b32         %r9, %r7, 7;
        st.param.u32    [number], %r9;
        call            (value), fib, (number);
        ld.param.u32    %r10, [value];
    }
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd2, %r7, 4, %rd1;
    st.global.u32       [%rd2], %r10;
DONE:
    ret;
}
