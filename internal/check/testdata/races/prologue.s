// What stands in front of each case of races, on its first line. For every thread
//
//	%rd1  the buffer g: 4096 bytes of zeros, in global memory
//	%r1   its index in the block       %r2  its lane
//	%r3   the index of its block       %r4  its warp
//	%r5   4 * %r1                      %rd2 g + %r5
//
// and s has 1024 bytes of shared memory.
.entry k(.param .u64 g) {
.shared .align 16 .b8 s[1024];
ld.param.u64 %rd1, [g];
mov.u32 %r90, %tid.y;
mov.u32 %r91, %tid.x;
mov.u32 %r92, %ntid.x;
mad.lo.u32 %r1, %r90, %r92, %r91;
and.b32 %r2, %r1, 31;
shr.u32 %r4, %r1, 5;
mov.u32 %r93, %ctaid.z;
mov.u32 %r94, %nctaid.y;
mov.u32 %r95, %ctaid.y;
mad.lo.u32 %r95, %r93, %r94, %r95;
mov.u32 %r94, %nctaid.x;
mov.u32 %r96, %ctaid.x;
mad.lo.u32 %r3, %r95, %r94, %r96;
shl.b32 %r5, %r1, 2;
cvt.u64.u32 %rd2, %r5;
add.u64 %rd2, %rd2, %rd1;
