// linked_list: each thread walks a list from its own node and adds up the keys.
//
// Shows names for numbers, which simtrun adds to PTX: .equ names a constant,
// and .struct the offsets of data in memory. The code below has no number
// that depends on the layout of a node. simtrun asm --ptx writes the
// program with numbers in their places.
//
// Thread t makes node t, with key t*t, which is followed by node t - 1. The node
// of thread 0 is the last. Thread t visits t + 1 nodes, so one lane leaves
// the loop in each iteration.
//
//     instructions            lanes                     rounds
//     11  up to LOOP          32
//      5  LOOP                32, 31, 30, … 1           32
//     13  after it            32
//
// 11 + 32*5 + 13 = 184 instructions, and 31 divergent branches.

//sim:grid   1
//sim:arg    out = zeros:32:u32
//sim:arg    n   = 32
//sim:dump   out:u32:16

// The sum of k*k for k = 0 to t: t(t+1)(2t+1)/6.
//sim:expect out[0:16]  == 0 1 5 14 30 55 91 140 204 285 385 506 650 819 1015 1240
//sim:expect out[16:32] == 1496 1785 2109 2470 2870 3311 3795 4324 4900 5525 6201 6930 7714 8555 9455 10416
//sim:expect metric warp_instructions == 184
//sim:expect metric divergent_branches == 31

.equ NODES, 32;
.equ END, -1;                                   // in place of the next node

.struct Node
{
    .u32 key;
    .u32 next;                                  // its address in shared memory
}

.entry linked_list(
    .param .u64 out,
    .param .u32 n)
.reqntid NODES
{
    .shared .align 4 .b8 nodes[NODES*Node.size];

    mov.u32             %r1, %tid.x;
    mov.u32             %r2, nodes;
    mad.lo.u32          %r3, %r1, Node.size, %r2; // this thread's node
    mul.lo.u32          %r4, %r1, %r1;
    st.shared.u32       [%r3+Node.key], %r4;
    sub.u32             %r5, %r3, Node.size;    // the node before
    setp.eq.u32         %p1, %r1, 0;
    selp.b32            %r5, END, %r5, %p1;
    st.shared.u32       [%r3+Node.next], %r5;
    bar.sync            0;

    mov.u32             %r6, 0;                 // sum
LOOP:
    ld.shared.u32       %r7, [%r3+Node.key];
    add.u32             %r6, %r6, %r7;
    ld.shared.u32       %r3, [%r3+Node.next];
    setp.ne.s32         %p2, %r3, END;
    @%p2 bra            LOOP;

    mov.u32             %r8, %ctaid.y;
    mov.u32             %r9, %nctaid.x;
    mov.u32             %r10, %ctaid.x;
    mad.lo.u32          %r11, %r8, %r9, %r10;   // cta
    mad.lo.u32          %r12, %r11, NODES, %r1; // i
    ld.param.u32        %r13, [n];
    setp.ge.u32         %p3, %r12, %r13;
    @%p3 bra            DONE;
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd1, %r12, 4, %rd1;
    st.global.u32       [%rd1], %r6;
DONE:
    ret;
}
