//sim:grid   1024
//sim:block  32
//sim:arg    out = zeros:32768:u64
// Each lane adds its number 10 times in 64 bits, while 26 scalars are live.
//sim:expect out[0:32] == 0 10 20 30 40 50 60 70 80 90 100 110 120 130 140 150 160 170 180 190 200 210 220 230 240 250 260 270 280 290 300 310
//sim:expect out[32736:32768] == 0 10 20 30 40 50 60 70 80 90 100 110 120 130 140 150 160 170 180 190 200 210 220 230 240 250 260 270 280 290 300 310
.entry k(.param .u64 out)
{
    .reg .b32 %s<28>;
    .reg .b64 %acc, %l;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r3, 0;
    mov.u64 %acc, 0;
    mov.u32 %r4, %laneid;
    cvt.u64.u32 %l, %r4;
    mov.u32 %r6, 0;
LOOP:
    mad.lo.u32 %s0, %r3, 3, %r1;
    mad.lo.u32 %s1, %r3, 5, %r1;
    mad.lo.u32 %s2, %r3, 7, %r1;
    mad.lo.u32 %s3, %r3, 9, %r1;
    mad.lo.u32 %s4, %r3, 11, %r1;
    mad.lo.u32 %s5, %r3, 13, %r1;
    mad.lo.u32 %s6, %r3, 15, %r1;
    mad.lo.u32 %s7, %r3, 17, %r1;
    mad.lo.u32 %s8, %r3, 19, %r1;
    mad.lo.u32 %s9, %r3, 21, %r1;
    mad.lo.u32 %s10, %r3, 23, %r1;
    mad.lo.u32 %s11, %r3, 25, %r1;
    mad.lo.u32 %s12, %r3, 27, %r1;
    mad.lo.u32 %s13, %r3, 29, %r1;
    mad.lo.u32 %s14, %r3, 31, %r1;
    mad.lo.u32 %s15, %r3, 33, %r1;
    mad.lo.u32 %s16, %r3, 35, %r1;
    mad.lo.u32 %s17, %r3, 37, %r1;
    mad.lo.u32 %s18, %r3, 39, %r1;
    mad.lo.u32 %s19, %r3, 41, %r1;
    mad.lo.u32 %s20, %r3, 43, %r1;
    mad.lo.u32 %s21, %r3, 45, %r1;
    mad.lo.u32 %s22, %r3, 47, %r1;
    mad.lo.u32 %s23, %r3, 49, %r1;
    mad.lo.u32 %s24, %r3, 51, %r1;
    mad.lo.u32 %s25, %r3, 53, %r1;
    xor.b32 %r6, %r6, %s25;
    xor.b32 %r6, %r6, %s24;
    xor.b32 %r6, %r6, %s23;
    xor.b32 %r6, %r6, %s22;
    xor.b32 %r6, %r6, %s21;
    xor.b32 %r6, %r6, %s20;
    xor.b32 %r6, %r6, %s19;
    xor.b32 %r6, %r6, %s18;
    xor.b32 %r6, %r6, %s17;
    xor.b32 %r6, %r6, %s16;
    xor.b32 %r6, %r6, %s15;
    xor.b32 %r6, %r6, %s14;
    xor.b32 %r6, %r6, %s13;
    xor.b32 %r6, %r6, %s12;
    xor.b32 %r6, %r6, %s11;
    xor.b32 %r6, %r6, %s10;
    xor.b32 %r6, %r6, %s9;
    xor.b32 %r6, %r6, %s8;
    xor.b32 %r6, %r6, %s7;
    xor.b32 %r6, %r6, %s6;
    xor.b32 %r6, %r6, %s5;
    xor.b32 %r6, %r6, %s4;
    xor.b32 %r6, %r6, %s3;
    xor.b32 %r6, %r6, %s2;
    xor.b32 %r6, %r6, %s1;
    xor.b32 %r6, %r6, %s0;
    mul.lo.u64 %rd4, %l, %l;
    add.u64 %acc, %acc, %l;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 10;
    @%p1 bra LOOP;
    mad.lo.u32 %r5, %r1, 32, %r4;
    mad.wide.u32 %rd2, %r5, 8, %rd1;
    st.global.u64 [%rd2], %acc;
    ret;
}
