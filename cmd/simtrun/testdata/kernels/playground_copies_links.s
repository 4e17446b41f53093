//sim:block 32
.entry linked() { // “ü” <b>&amp;
    mov.u32 %r1, %tid.x;
    add.u32 %r1, %r1, 1;
    ret;
}
