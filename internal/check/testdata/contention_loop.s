// The loop around each case of contention.txt, after races/prologue.s: CASE takes and releases the lock at %rd6.
ld.global.u32 %r9, [%rd1+4092];
mad.lo.u32 %r10, %r3, 1024, %r1;
add.u32 %r10, %r10, 1;
LOCK:
mul.lo.u32 %r10, %r10, 2654435761;
shr.u32 %r11, %r10, 13;
xor.b32 %r10, %r10, %r11;
mul.lo.u32 %r10, %r10, 2246822507;
shr.u32 %r11, %r10, 16;
xor.b32 %r10, %r10, %r11;
rem.u32 %r11, %r10, 64;
mul.wide.u32 %rd6, %r11, 4;
add.u64 %rd6, %rd6, %rd1;
CASE
sub.u32 %r9, %r9, 1;
setp.ne.u32 %p2, %r9, 0;
@%p2 bra LOCK;
ret;
}
