//sim:block 1
//sim:max-steps 1000000000000
.entry forever()
{
NEXT:
    add.u32 %r1, %r1, 1;
    bra NEXT;
}
