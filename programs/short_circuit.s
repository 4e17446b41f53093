// short_circuit: and = a && b ? 1 : 2, or = a || b ? 1 : 2.
//
// Shows how two conditions become two branches, and the cost
// when the lanes diverge. b is evaluated only where it matters:
//
//     a && b:   if !a goto ELSE           a || b:   if a goto THEN
//               if !b goto ELSE                     if !b goto OTHERWISE
//               1; goto MEET              THEN:     1; goto MEET_OR
//     ELSE:     2                         OTHERWISE: 2
//     MEET:                               MEET_OR:
//
// ELSE can be reached from two places. Lanes that have diverged
// reconverge only after the whole statement, at MEET: lanes that reach
// ELSE from the first branch execute it, and those that reach it from
// the second execute it again. The same is true of THEN of the or.
//
// Lane i has a = bit 0 of i, b = bit 1 of i. Of the and:
//
//     instructions              lanes
//     1  bra on !a              32
//     1  bra on !b              16: odd
//     2  then                    8: 3, 7, 11 …
//     1  ELSE, those without a  16: even
//     1  ELSE, those without b   8: 1, 5, 9 …
//
// Of the or:
//
//     1  bra on a               32
//     1  bra on !b              16: even
//     2  THEN, those with a     16: odd
//     2  THEN, those with b      8: 2, 6, 10 …
//     1  OTHERWISE               8: 0, 4, 8 …
//
// 14 instructions up to the first branch, 6, 7, and 6 from MEET_OR on: 33.
// 14*32 + 32 + 16 + 2*8 + 16 + 8 = 536, 32 + 16 + 2*16 + 2*8 + 8 = 104 and 6*32
// = 192: 832 of 33*32 = 1056 lane slots are active, 78.8 %. Four divergent
// branches. (A selection, as in relu.s, would need none.)

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:64:u32
//sim:arg    n   = 32
//sim:dump   out:u32:16

// Element 2i is the and, 2i + 1 the or: for i = 0, 1, 2, 3 they are 2 2, 2 1, 2
// 1 and 1 1, and so on.
//sim:expect out[0:32]  == 2 2 2 1 2 1 1 1 2 2 2 1 2 1 1 1 2 2 2 1 2 1 1 1 2 2 2 1 2 1 1 1
//sim:expect out[32:64] == 2 2 2 1 2 1 1 1 2 2 2 1 2 1 1 1 2 2 2 1 2 1 1 1 2 2 2 1 2 1 1 1

//sim:expect metric warp_instructions == 33
//sim:expect metric lane_instructions == 832
//sim:expect metric divergent_branches == 4
//sim:expect metric warp_instructions@ELSE == 2
//sim:expect metric lane_instructions@ELSE == 24
//sim:expect metric warp_instructions@THEN == 2
//sim:expect metric lane_instructions@THEN == 24

.entry short_circuit(
    .param .u64 out,
    .param .u32 n)
{
    // One thread for each i; those past the end have nothing to do.
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

    and.b32             %r9, %r7, 1;
    and.b32             %r10, %r7, 2;
    setp.ne.u32         %p2, %r9, 0;            // a
    setp.ne.u32         %p3, %r10, 0;           // b

    // and = a && b ? 1 : 2
    @!%p2 bra           ELSE;
    @!%p3 bra           ELSE;
    mov.u32             %r11, 1;
    bra                 MEET;
ELSE:
    mov.u32             %r11, 2;
MEET:

    // or = a || b ? 1 : 2
    @%p2 bra            THEN;
    @!%p3 bra           OTHERWISE;
THEN:
    mov.u32             %r12, 1;
    bra                 MEET_OR;
OTHERWISE:
    mov.u32             %r12, 2;
MEET_OR:
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mul.wide.u32        %rd2, %r7, 8;
    add.u64             %rd3, %rd1, %rd2;
    st.global.v2.u32    [%rd3], {%r11, %r12};
DONE:
    ret;
}
