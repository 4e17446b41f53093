// Branch i of 7, from 1, has lanes below 4*i skip one instruction: 4*i slots lost,
// 112 in all. 1 + 7*3 + 1 = 23 warp instructions. The table shows lines of the
// branches 7 to 3: 28, 24, 20, 16, 12.
.entry many() {
    mov.u32 %r0, %tid.x;
    setp.lt.u32 %p1, %r0, 4;
    @%p1 bra L1;
    add.u32 %r1, %r0, 1;
L1:
    setp.lt.u32 %p1, %r0, 8;
    @%p1 bra L2;
    add.u32 %r1, %r0, 2;
L2:
    setp.lt.u32 %p1, %r0, 12;
    @%p1 bra L3;
    add.u32 %r1, %r0, 3;
L3:
    setp.lt.u32 %p1, %r0, 16;
    @%p1 bra L4;
    add.u32 %r1, %r0, 4;
L4:
    setp.lt.u32 %p1, %r0, 20;
    @%p1 bra L5;
    add.u32 %r1, %r0, 5;
L5:
    setp.lt.u32 %p1, %r0, 24;
    @%p1 bra L6;
    add.u32 %r1, %r0, 6;
L6:
    setp.lt.u32 %p1, %r0, 28;
    @%p1 bra L7;
    add.u32 %r1, %r0, 7;
L7:
    ret;
}
