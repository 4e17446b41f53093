// indirect_call: out[i] = f(i), with a function f that i mod 4 chooses from a
// table.
//
// Shows calls through registers. The table in .global memory
// holds the functions' addresses, and every lane has loaded
// its own. There the warp diverges as at a branch, into one
// group per function: each function runs once for all lanes
// that call it; after the call all reconverge. Entries 0 and 3
// are the same function: groups are by address, not by entry.
//
// The prototype declares the parameters and the result,
// because the call cannot know which function it will be.
//
//     instructions            lanes                     function
//     16  up to the call      32
//      4                      16: 0, 3, 4, 7, 8 …       square
//      4                       8: 1, 5, 9 …             negate
//      4                       8: 2, 6, 10 …            increment
//      6  behind it, ret      32
//
// 34 instructions. 22*32 + 4*(16 + 8 + 8) = 832 of 34*32 = 1088 lane slots
// are active, 76.5 %. A call is not a branch, so no branch diverges.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:32:s32
//sim:arg    n   = 32
//sim:dump   out:s32

// i*i, -i, i + 1, i*i and so on.
//sim:expect out[0:16]  == 0 -1 3 9 16 -5 7 49 64 -9 11 121 144 -13 15 225
//sim:expect out[16:32] == 256 -17 19 361 400 -21 23 529 576 -25 27 729 784 -29 31 961

//sim:expect metric warp_instructions == 34
//sim:expect metric lane_instructions == 832
//sim:expect metric divergent_branches == 0
//sim:expect metric warp_instructions@SQUARE == 1
//sim:expect metric lane_instructions@SQUARE == 16
//sim:expect metric lane_instructions@NEGATE == 8
//sim:expect metric lane_instructions@INCREMENT == 8

.func (.param .s32 result) square(.param .s32 x)
{
SQUARE:
    ld.param.s32        %r1, [x];
    mul.lo.s32          %r2, %r1, %r1;
    st.param.s32        [result], %r2;
    ret;
}

.func (.param .s32 result) negate(.param .s32 x)
{
NEGATE:
    ld.param.s32        %r1, [x];
    neg.s32             %r2, %r1;
    st.param.s32        [result], %r2;
    ret;
}

.func (.param .s32 result) increment(.param .s32 x)
{
INCREMENT:
    ld.param.s32        %r1, [x];
    add.s32             %r2, %r1, 1;
    st.param.s32        [result], %r2;
    ret;
}

.global .u64 table[4] = {square, negate, increment, square};

.entry indirect_call(
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

    // This lane's function.
    and.b32             %r9, %r7, 3;
    mov.u64             %rd1, table;
    mad.wide.u32        %rd2, %r9, 8, %rd1;
    ld.global.u64       %rd3, [%rd2];
    {
        .param .s32 argument;
        .param .s32 value;
    function:
        .callprototype  (.param .s32 _) _ (.param .s32 _);
        st.param.s32    [argument], %r7;
        call            (value), %rd3, (argument), function;
        ld.param.s32    %r10, [value];
    }
    ld.param.u64        %rd4, [out];
    cvta.to.global.u64  %rd4, %rd4;
    mad.wide.u32        %rd5, %r7, 4, %rd4;
    st.global.s32       [%rd5], %r10;
DONE:
    ret;
}
