//sim:grid   4096
//sim:block  32
//sim:arg    out = zeros:4096:u32
// A loop carries 17 scalars. Each of its 3 iterations adds k+1 to scalar k.
//sim:expect out == fill:4096:u32:459
.entry k(.param .u64 out)
{
    ld.param.u64 %rd1, [out];
    mov.u32 %r90, %ctaid.x;
    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
    mov.u32 %r4, 0;
    mov.u32 %r5, 0;
    mov.u32 %r6, 0;
    mov.u32 %r7, 0;
    mov.u32 %r8, 0;
    mov.u32 %r9, 0;
    mov.u32 %r10, 0;
    mov.u32 %r11, 0;
    mov.u32 %r12, 0;
    mov.u32 %r13, 0;
    mov.u32 %r14, 0;
    mov.u32 %r15, 0;
    mov.u32 %r16, 0;
LOOP:
    add.u32 %r0, %r0, 1;
    add.u32 %r1, %r1, 2;
    add.u32 %r2, %r2, 3;
    add.u32 %r3, %r3, 4;
    add.u32 %r4, %r4, 5;
    add.u32 %r5, %r5, 6;
    add.u32 %r6, %r6, 7;
    add.u32 %r7, %r7, 8;
    add.u32 %r8, %r8, 9;
    add.u32 %r9, %r9, 10;
    add.u32 %r10, %r10, 11;
    add.u32 %r11, %r11, 12;
    add.u32 %r12, %r12, 13;
    add.u32 %r13, %r13, 14;
    add.u32 %r14, %r14, 15;
    add.u32 %r15, %r15, 16;
    add.u32 %r16, %r16, 17;
    setp.lt.u32 %p1, %r0, 3;
    @%p1 bra LOOP;
    mov.u32 %r91, 0;
    add.u32 %r91, %r91, %r0;
    add.u32 %r91, %r91, %r1;
    add.u32 %r91, %r91, %r2;
    add.u32 %r91, %r91, %r3;
    add.u32 %r91, %r91, %r4;
    add.u32 %r91, %r91, %r5;
    add.u32 %r91, %r91, %r6;
    add.u32 %r91, %r91, %r7;
    add.u32 %r91, %r91, %r8;
    add.u32 %r91, %r91, %r9;
    add.u32 %r91, %r91, %r10;
    add.u32 %r91, %r91, %r11;
    add.u32 %r91, %r91, %r12;
    add.u32 %r91, %r91, %r13;
    add.u32 %r91, %r91, %r14;
    add.u32 %r91, %r91, %r15;
    add.u32 %r91, %r91, %r16;
    mad.wide.u32 %rd2, %r90, 4, %rd1;
    st.global.u32 [%rd2], %r91;
    ret;
}
