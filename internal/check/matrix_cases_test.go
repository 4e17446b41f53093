package check_test

// matrixCases: rows of ldmatrix and stmatrix are accesses of the lanes that have their addresses; wmma and copies
// have no type suffix.
var matrixCases = []raceCase{
	{"stmatrix, and ldmatrix of another warp", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s;
and.b32 %r11, %r2, 31;
mad.lo.u32 %r10, %r11, 16, %r10;
setp.eq.u32 %p1, %r4, 0;
@%p1 stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r10], {%r2, %r2, %r2, %r2};
@!%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r10];`, []string{"race-raw 5 6"}},
	{"a barrier between them", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s;
mad.lo.u32 %r10, %r2, 16, %r10;
setp.eq.u32 %p1, %r4, 0;
@%p1 stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r10], {%r2, %r2, %r2, %r2};
bar.sync 0;
@!%p1 ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r10];`, nil},
	{"rows that no lane has the address of", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s;
mad.lo.u32 %r10, %r2, 16, %r10;
setp.eq.u32 %p1, %r4, 0;
@%p1 stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r10], {%r2};
@!%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r10+128];`, nil},
	{"wmma of two warps", dim(1, 1, 1), dim(64, 1, 1), `
wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd1];
setp.eq.u32 %p1, %r4, 0;
@%p1 wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};`, []string{"race-war 1 3"}},
	{"a copy, and ldmatrix of another warp", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s;
mad.lo.u32 %r10, %r2, 16, %r10;
setp.eq.u32 %p1, %r4, 0;
@%p1 cp.async.cg.shared.global [%r10], [%rd1], 16;
cp.async.wait_all;
@!%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r10];`, []string{"race-raw 4 6"}},
	{"products of a warpgroup, and a store of another warp behind its wait", dim(1, 1, 1), dim(128, 1, 1), `
mov.b64 %rd9, 0x0000000800080000;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r2, %r2, %r2, %r2}, %rd9, 0, 1, 1, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
setp.eq.u32 %p1, %r1, 127;
@%p1 st.shared.u32 [s], %r2;`, nil},
	{"before its wait", dim(1, 1, 1), dim(128, 1, 1), `
mov.b64 %rd9, 0x0000000800080000;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r2, %r2, %r2, %r2}, %rd9, 0, 1, 1, 0;
wgmma.commit_group.sync.aligned;
setp.eq.u32 %p1, %r1, 127;
@%p1 st.shared.u32 [s], %r2;
wgmma.wait_group.sync.aligned 0;`, []string{"race-war 2 5"}},
	{"a wait for the group before", dim(1, 1, 1), dim(128, 1, 1), `
mov.b64 %rd9, 0x0000000800080000;
wgmma.commit_group.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r2, %r2, %r2, %r2}, %rd9, 0, 1, 1, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 1;
setp.eq.u32 %p1, %r1, 127;
@%p1 st.shared.u32 [s], %r2;`, []string{"product-unwaited 3 7", "race-war 3 7"}},
}
