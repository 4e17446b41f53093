package check_test

import "strings"

// message is message passing from CTA 0 to CTA 1: the word at g+64, guarded by the flag at g. The writer's lines,
// from 2 on, replace %s; the reader polls from line 6 on.
func message(write, read string) string {
	return `
setp.eq.u32 %p1, %r3, 1; mov.u32 %r10, 0; @%p1 bra READ;
st.global.u32 [%rd1+64], 42;
` + write + `
bra END;
READ: add.u32 %r10, %r10, 1; setp.gt.u32 %p3, %r10, 1000; @%p3 bra END;
` + read + `
ld.global.u32 %r11, [%rd1+64];
END:
`
}

const (
	poll    = "setp.ne.u32 %p2, %r12, 1; @%p2 bra READ;"
	acquire = "ld.acquire.gpu.global.u32 %r12, [%rd1]; " + poll
)

// makeMap makes thread 0 of each block make a map of 4 words at %rd1, at %rd8; the other threads continue at READY.
// %p4 is true in block 0.
const makeMap = `mov.u32 %r21, %tid.x; setp.eq.u32 %p1, %r21, 0; mov.u32 %r22, %ctaid.x; setp.eq.u32 %p4, %r22, 0; mad.wide.u32 %rd8, %r22, 128, %rd1; add.u64 %rd8, %rd8, 1024; ` +
	`@!%p1 bra READY; tensormap.replace.tile.global_address.global.b1024.b64 [%rd8], %rd1; tensormap.replace.tile.elemtype.global.b1024.b32 [%rd8], 2; ` +
	`tensormap.replace.tile.box_dim.global.b1024.b32 [%rd8], 0, 4; tensormap.replace.tile.global_dim.global.b1024.b32 [%rd8], 0, 4; `

// Mbarriers: arrivals release, and waits acquire (PTX ISA, mbarrier). Copies count as loads and
// stores of the thread that makes them.
var mbarrierCases = []raceCase{
	{"an mbarrier", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r21, %tid.x; setp.eq.u32 %p1, %r21, 0; @%p1 mbarrier.init.shared.b64 [s], 64; bar.sync 0;
@%p1 st.global.u32 [%rd1], 7;
mbarrier.arrive.shared.b64 %rd9, [s];
W: mbarrier.try_wait.shared.b64 %p3, [s], %rd9; @!%p3 bra W;
ld.global.u32 %r9, [%rd1];
`, nil},
	{"an mbarrier that nobody waits at", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r21, %tid.x; setp.eq.u32 %p1, %r21, 0; @%p1 mbarrier.init.shared.b64 [s], 64; bar.sync 0;
@%p1 st.global.u32 [%rd1], 7;
mbarrier.arrive.shared.b64 %rd9, [s];
ld.global.u32 %r9, [%rd1];
`, []string{"race-raw 2 4"}},
	{"relaxed arrivals", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r21, %tid.x; setp.eq.u32 %p1, %r21, 0; @%p1 mbarrier.init.shared.b64 [s], 64; bar.sync 0;
@%p1 st.global.u32 [%rd1], 7;
mbarrier.arrive.relaxed.cta.shared.b64 %rd9, [s];
W: mbarrier.try_wait.shared.b64 %p3, [s], %rd9; @!%p3 bra W;
ld.global.u32 %r9, [%rd1];
`, []string{"race-raw 2 5"}},
	{"a bulk copy that an mbarrier counts", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r20, s; mov.u32 %r21, %tid.x; setp.eq.u32 %p1, %r21, 0; @%p1 mbarrier.init.shared.b64 [s], 1; bar.sync 0;
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s], 16;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20+16], [%rd1], 16, [%r20];
W: mbarrier.try_wait.parity.shared.b64 %p3, [s], 0; @!%p3 bra W;
ld.shared.u32 %r9, [s+16];
`, nil},
	{"a box of a tensor that an mbarrier counts", dim(1, 1, 1), dim(64, 1, 1), `
` + makeMap + `mbarrier.init.shared.b64 [s], 1; mbarrier.arrive.expect_tx.shared.b64 _, [s], 16;
cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [s+128], [%rd8, {0}], [s]; READY: bar.sync 0;
W: mbarrier.try_wait.parity.shared.b64 %p3, [s], 0; @!%p3 bra W;
ld.shared.u32 %r9, [s+128];
@%p1 st.global.u32 [%rd1], 1;
`, nil},
	{"one that is not waited for", dim(1, 1, 1), dim(64, 1, 1), `
` + makeMap + `mbarrier.init.shared.b64 [s], 1; mbarrier.arrive.expect_tx.shared.b64 _, [s], 16; READY: bar.sync 0;
@%p1 cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [s+128], [%rd8, {0}], [s];
ld.shared.u32 %r9, [s+128];
@!%p1 st.global.u32 [%rd1+4], 1;
`, []string{"race-raw 2 3", "race-same-value 4 4", "race-war 2 4"}},
	{"boxes of tensors that blocks store", dim(2, 1, 1), dim(64, 1, 1), `
` + makeMap + `cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd8, {0}], [s]; READY:
`, []string{"race-same-value 1 1", "source-exit 3 1"}},
	{"tensors that blocks reduce", dim(2, 1, 1), dim(64, 1, 1), `
` + makeMap + `cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%rd8, {0}], [s]; READY:
@%p1 red.global.add.u32 [%rd1+8], 1;
`, []string{"source-exit 4 1"}},
	{"a store that races with a reduction", dim(2, 1, 1), dim(64, 1, 1), `
` + makeMap + `@%p4 cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%rd8, {0}], [s]; READY:
@!%p4 st.global.u32 [%rd1+8], 1;
`, []string{"race-same-value 2 2", "race-waw 1 2", "source-exit 4 1"}},
	{"a copy that is not waited for", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r20, s; mov.u32 %r21, %tid.x; mad.lo.u32 %r20, %r21, 4, %r20;
cp.async.ca.shared.global [%r20], [%rd1], 4; cp.async.commit_group;
cp.async.ca.shared.global [%r20], [%rd1], 4; cp.async.commit_group;
cp.async.wait_group 1;
ld.shared.u32 %r9, [%r20];
cp.async.wait_group 0;
ld.shared.u32 %r9, [%r20];
`, []string{"copy-unwaited 2 3", "copy-unwaited 3 5"}},
	{"a copy that arrives at an mbarrier", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r20, s; mov.u32 %r21, %tid.x; setp.eq.u32 %p1, %r21, 0; @%p1 mbarrier.init.shared.b64 [s], 64; bar.sync 0;
@%p1 cp.async.ca.shared.global [%r20+16], [%rd1], 4;
cp.async.mbarrier.arrive.noinc.shared.b64 [%r20];
W: mbarrier.try_wait.parity.shared.b64 %p3, [s], 0; @!%p3 bra W;
ld.shared.u32 %r9, [s+16];
`, nil},
	{"a barrier is no wait for copies", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r20, s; mov.u32 %r21, %tid.x; setp.eq.u32 %p1, %r21, 0;
@%p1 cp.async.ca.shared.global [%r20], [%rd1], 4;
bar.sync 0;
ld.shared.u32 %r9, [s];
cp.async.wait_all;
`, []string{"copy-unwaited 2 4"}},
	{"a copy without a barrier", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r20, s; mov.u32 %r21, %tid.x; setp.eq.u32 %p1, %r21, 0;
@%p1 cp.async.ca.shared.global [%r20], [%rd1], 4;
cp.async.wait_all;
ld.shared.u32 %r9, [s];
`, []string{"race-raw 2 4"}},
	{"products of a warpgroup", dim(1, 1, 1), dim(128, 1, 1), `
mov.u32 %r20, s; mov.u32 %r21, %tid.x; mad.lo.u32 %r20, %r21, 4, %r20; st.shared.u32 [%r20], %r21; bar.sync 0;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r22, %r22, %r22, %r22}, 0x0000000800080000, 0, 1, 1, 0; wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0; bar.sync 0;
st.shared.u32 [%r20], %r21;
`, nil},
	{"a product of what is not there yet", dim(1, 1, 1), dim(128, 1, 1), `
mov.u32 %r20, s; mov.u32 %r21, %tid.x; mad.lo.u32 %r20, %r21, 4, %r20; st.shared.u32 [%r20], %r21;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r22, %r22, %r22, %r22}, 0x0000000800080000, 0, 1, 1, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
`, []string{"product-unwaited 2 1", "race-raw 1 2"}},
	{"products that are not waited for", dim(1, 1, 1), dim(128, 1, 1), `
mov.u32 %r20, s; mov.u32 %r21, %tid.x; mad.lo.u32 %r20, %r21, 4, %r20; st.shared.u32 [%r20], %r21; bar.sync 0;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r22, %r22, %r22, %r22}, 0x0000000800080000, 0, 1, 1, 0; wgmma.commit_group.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f5, %f6, %f7, %f8}, {%r22, %r22, %r22, %r22}, 0x0000000800080000, 0, 1, 1, 0; wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 1; bar.sync 0;
ld.shared.u32 %r9, [%r20]; st.shared.u32 [%r20], %r21;
`, []string{"product-unwaited 3 5"}},
	{"the source of a bulk copy", dim(1, 1, 1), dim(1, 1, 1), `
st.shared.v4.u32 [s], {%r2, %r2, %r2, %r2}; fence.proxy.async;
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 64; cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
st.shared.u32 [s+60], %r2;
`, nil},
	{"the source of a bulk copy of another group", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r20, s; mad.lo.u32 %r20, %r1, 16, %r20; setp.eq.u32 %p1, %r1, 0; st.shared.v4.u32 [%r20], {%r2, %r2, %r2, %r2}; fence.proxy.async; bar.sync 0;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512; cp.async.bulk.commit_group;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+512], [s+512], 512; cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 1; bar.sync 0;
st.shared.u32 [%r20], %r2;
`, []string{"source-exit 7 3", "source-unwaited 3 5"}},
	{"a bulk copy of no group", dim(1, 1, 1), dim(1, 1, 1), `
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;
cp.async.bulk.wait_group 0; ld.shared.u32 %r9, [s];
atom.shared.add.u32 %r9, [s+12], 1; st.shared.u32 [s+16], 0;
`, []string{"source-exit 5 1", "source-unwaited 1 3"}},
	{"a bulk copy that is waited for", dim(1, 1, 1), dim(64, 1, 1), `
setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
`, nil},
	{"a bulk copy whose reading is waited for", dim(1, 1, 1), dim(64, 1, 1), `
setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512;
cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
`, nil},
	{"a bulk copy that is not waited for", dim(1, 1, 1), dim(64, 1, 1), `
setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512;
cp.async.bulk.commit_group;
`, []string{"source-exit 5 2"}},
	{"a bulk copy that another thread waits for", dim(1, 1, 1), dim(64, 1, 1), `
setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512;
cp.async.bulk.commit_group; @%p1 bra E; cp.async.bulk.wait_group 0;
E:
`, []string{"source-exit 6 2"}},
	{"a wait before the group is committed", dim(1, 1, 1), dim(64, 1, 1), `
setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512;
cp.async.bulk.wait_group 0; cp.async.bulk.commit_group;
`, []string{"source-exit 5 2"}},
	{"the latest of two groups is not waited for", dim(1, 1, 1), dim(64, 1, 1), `
setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512; cp.async.bulk.commit_group;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+512], [s], 512; cp.async.bulk.commit_group; cp.async.bulk.wait_group 1;
`, []string{"source-exit 5 3"}},
	{"other threads exit before the wait", dim(1, 1, 1), dim(64, 1, 1), `
setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32;
@!%p1 exit;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
`, nil},
}

// Message passing: release and acquire patterns (PTX ISA 8.8).
var messageCases = []raceCase{
	{"st.release and ld.acquire", dim(2, 1, 1), dim(1, 1, 1), message("st.release.gpu.global.u32 [%rd1], 1;", acquire), nil},
	{"fences and volatile accesses", dim(2, 1, 1), dim(1, 1, 1),
		message("membar.gl; st.volatile.global.u32 [%rd1], 1;", "ld.volatile.global.u32 %r12, [%rd1]; "+poll+" membar.gl;"), nil},
	{"fence.acq_rel and relaxed accesses", dim(2, 1, 1), dim(1, 1, 1),
		message("fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd1], 1;", "ld.relaxed.gpu.global.u32 %r12, [%rd1]; "+poll+" fence.acq_rel.gpu;"), nil},
	{"fence.sc of the system", dim(2, 1, 1), dim(1, 1, 1),
		message("fence.sc.sys; st.relaxed.sys.global.u32 [%rd1], 1;", "ld.relaxed.sys.global.u32 %r12, [%rd1]; "+poll+" fence.sc.sys;"), nil},
	{"atomics that release and acquire", dim(2, 1, 1), dim(1, 1, 1),
		message("atom.release.gpu.global.exch.b32 %r13, [%rd1], 1;", "atom.acquire.gpu.global.add.u32 %r12, [%rd1], 0; "+poll), nil},
	{"acq_rel on both sides", dim(2, 1, 1), dim(1, 1, 1),
		message("atom.acq_rel.gpu.global.exch.b32 %r13, [%rd1], 1;", "atom.acq_rel.gpu.global.add.u32 %r12, [%rd1], 0; "+poll), nil},
	{"no fence before the flag", dim(2, 1, 1), dim(1, 1, 1),
		message("st.volatile.global.u32 [%rd1], 1;", "ld.volatile.global.u32 %r12, [%rd1]; "+poll+" membar.gl;"), []string{"race-raw 2 7"}},
	{"no fence behind the flag", dim(2, 1, 1), dim(1, 1, 1),
		message("membar.gl; st.volatile.global.u32 [%rd1], 1;", "ld.volatile.global.u32 %r12, [%rd1]; "+poll), []string{"race-raw 2 7"}},
	{"the writer's fence is the CTA's", dim(2, 1, 1), dim(1, 1, 1),
		message("membar.cta; st.volatile.global.u32 [%rd1], 1;", "ld.volatile.global.u32 %r12, [%rd1]; "+poll+" membar.gl;"), []string{"race-raw 2 7"}},
	{"the reader's fence is the CTA's", dim(2, 1, 1), dim(1, 1, 1),
		message("membar.gl; st.volatile.global.u32 [%rd1], 1;", "ld.volatile.global.u32 %r12, [%rd1]; "+poll+" membar.cta;"), []string{"race-raw 2 7"}},
	{"a wide fence before a narrow one", dim(2, 1, 1), dim(1, 1, 1),
		message("membar.gl; membar.cta; st.volatile.global.u32 [%rd1], 1;", "ld.volatile.global.u32 %r12, [%rd1]; "+poll+" membar.cta; membar.gl;"), nil},
	{"the data after the fence", dim(2, 1, 1), dim(1, 1, 1),
		message("membar.gl; st.global.u32 [%rd1+64], 43; st.volatile.global.u32 [%rd1], 1;", acquire), []string{"race-raw 3 7"}},
	{"the flag is read without a strong access", dim(2, 1, 1), dim(1, 1, 1),
		message("membar.gl; st.volatile.global.u32 [%rd1], 1;", "ld.global.u32 %r12, [%rd1]; "+poll+" membar.gl;"), []string{"race-raw 2 7", "race-raw 3 6"}},
	{"the flag is written without a strong access", dim(2, 1, 1), dim(1, 1, 1),
		message("membar.gl; st.global.u32 [%rd1], 1;", acquire), []string{"race-raw 2 7", "race-raw 3 6"}},
	{"acquire of scope cta", dim(2, 1, 1), dim(1, 1, 1),
		message("st.release.gpu.global.u32 [%rd1], 1;", "ld.acquire.cta.global.u32 %r12, [%rd1]; "+poll), []string{"race-raw 2 7", "race-raw 3 6"}},
	{"release of scope cta", dim(2, 1, 1), dim(1, 1, 1),
		message("st.release.cta.global.u32 [%rd1], 1;", acquire), []string{"race-raw 2 7", "race-raw 3 6"}},
	{"a strong store of another ends the release", dim(2, 1, 1), dim(1, 1, 1),
		message("st.release.gpu.global.u32 [%rd1], 2; st.relaxed.gpu.global.u32 [%rd1+4], 1;",
			"ld.acquire.gpu.global.u32 %r12, [%rd1+4]; "+poll), []string{"race-raw 2 7"}},
	// A release and a later strong write of the thread to the same location: one pattern (PTX ISA 8.8).
	{"a release and a strong store after it", dim(2, 1, 1), dim(1, 1, 1),
		message("st.release.gpu.global.u32 [%rd1], 2; st.relaxed.gpu.global.u32 [%rd1], 1;", acquire), nil},
	{"a relaxed read, then an acquire", dim(2, 1, 1), dim(1, 1, 1),
		message("st.release.gpu.global.u32 [%rd1], 1;", "ld.relaxed.gpu.global.u32 %r12, [%rd1]; "+poll+" ld.acquire.gpu.global.u32 %r12, [%rd1];"), nil},
	{"an acquire elsewhere", dim(2, 1, 1), dim(1, 1, 1),
		message("st.release.gpu.global.u32 [%rd1], 1;", "ld.relaxed.gpu.global.u32 %r12, [%rd1]; "+poll+" ld.acquire.gpu.global.u32 %r12, [%rd1+4];"), []string{"race-raw 2 7"}},
	{"an atomic takes the release on", dim(2, 1, 1), dim(1, 1, 1),
		message("st.release.gpu.global.u32 [%rd1], 0; red.relaxed.gpu.global.add.u32 [%rd1], 1;", acquire), nil},
	{"in a CTA scope cta will do", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; setp.eq.u32 %p4, %r2, 0; setp.eq.u32 %p1, %r4, 1; @!%p4 bra END; @%p1 bra READ;
st.shared.u32 [%r10+4], 42; membar.cta; st.volatile.shared.u32 [%r10], 1;
bra END;
READ: ld.volatile.shared.u32 %r12, [%r10]; setp.ne.u32 %p2, %r12, 1; @%p2 bra READ;
membar.cta; ld.shared.u32 %r11, [%r10+4];
END:
`, nil},
	// Only lane 0 acquires. Lane 1 has to synchronise with it.
	{"what a lane acquires its neighbour does not know", dim(2, 1, 1), dim(32, 1, 1), `
setp.eq.u32 %p4, %r2, 0; setp.eq.u32 %p1, %r3, 1; @%p1 bra READ;
@%p4 st.global.u32 [%rd1+64], 42; @%p4 st.release.gpu.global.u32 [%rd1], 1; bra END;
READ: @!%p4 bra OTHERS;
WAIT: ld.acquire.gpu.global.u32 %r12, [%rd1]; setp.ne.u32 %p2, %r12, 1; @%p2 bra WAIT;
OTHERS: ld.global.u32 %r11, [%rd1+64];
END:
`, []string{"race-raw 2 5"}},
	{"what a lane acquires its neighbours learn at bar.warp.sync", dim(2, 1, 1), dim(32, 1, 1), `
setp.eq.u32 %p4, %r2, 0; setp.eq.u32 %p1, %r3, 1; @%p1 bra READ;
@%p4 st.global.u32 [%rd1+64], 42; @%p4 st.release.gpu.global.u32 [%rd1], 1; bra END;
READ: @!%p4 bra OTHERS;
WAIT: ld.acquire.gpu.global.u32 %r12, [%rd1]; setp.ne.u32 %p2, %r12, 1; @%p2 bra WAIT;
OTHERS: bar.warp.sync 0xffffffff;
ld.global.u32 %r11, [%rd1+64];
END:
`, nil},
	// CTA 0 signals CTA 1, which signals CTA 2.
	{"release and acquire are cumulative", dim(3, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 1; setp.eq.u32 %p3, %r3, 2; @%p1 bra ONE; @%p3 bra TWO;
st.global.u32 [%rd1+64], 42; st.release.gpu.global.u32 [%rd1], 1; bra END;
ONE: ld.acquire.gpu.global.u32 %r12, [%rd1]; setp.ne.u32 %p2, %r12, 1; @%p2 bra ONE;
st.release.gpu.global.u32 [%rd1+4], 1; bra END;
TWO: ld.acquire.gpu.global.u32 %r12, [%rd1+4]; setp.ne.u32 %p2, %r12, 1; @%p2 bra TWO;
ld.global.u32 %r11, [%rd1+64];
END:
`, nil},
	// A thread that has read the flag resets it by a weak store: observation order.
	{"who has seen the flag may reset it", dim(2, 1, 1), dim(1, 1, 1),
		message("membar.gl; st.volatile.global.u32 [%rd1], 1;", "ld.volatile.global.u32 %r12, [%rd1]; "+poll+" membar.gl; st.global.u32 [%rd1], 0;"), nil},
}

// lock is a critical section that every CTA enters once.
func lock(take, release string) string {
	return `
TAKE: atom.` + take + `.global.cas.b32 %r10, [%rd1], 0, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra TAKE;
` + release
}

// Locks.
var lockCases = []raceCase{
	{"a lock with fences", dim(4, 1, 1), dim(1, 1, 1), lock("relaxed.gpu",
		"membar.gl; ld.global.u32 %r11, [%rd1+64]; add.u32 %r11, %r11, 1; st.global.u32 [%rd1+64], %r11;\nmembar.gl; atom.global.exch.b32 %r12, [%rd1], 0;"), nil},
	{"a lock that acquires and releases", dim(4, 1, 1), dim(1, 1, 1), lock("acquire.gpu",
		"ld.global.u32 %r11, [%rd1+64]; add.u32 %r11, %r11, 1; st.global.u32 [%rd1+64], %r11;\natom.release.gpu.global.exch.b32 %r12, [%rd1], 0;"), nil},
	{"a lock without fences", dim(2, 1, 1), dim(1, 1, 1), lock("relaxed.gpu",
		"ld.global.u32 %r11, [%rd1+64]; add.u32 %r11, %r11, 1;\nst.global.u32 [%rd1+64], %r11;\natom.global.exch.b32 %r12, [%rd1], 0;"),
		[]string{"race-war 2 3", "race-waw 3 3"}},
	{"a lock released by a plain store", dim(2, 1, 1), dim(1, 1, 1), lock("acquire.gpu",
		"ld.global.u32 %r11, [%rd1+64]; add.u32 %r11, %r11, 1;\nst.global.u32 [%rd1+64], %r11;\nmembar.gl; st.global.u32 [%rd1], 0;"),
		[]string{"race-same-value 4 4", "race-war 2 3", "race-waw 1 4", "race-waw 3 3"}},
	{"a lock among the lanes of warps", dim(2, 1, 1), dim(64, 1, 1), `
TAKE: atom.acquire.gpu.global.cas.b32 %r10, [%rd1], 0, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra TAKE;
ld.global.u32 %r11, [%rd1+64]; add.u32 %r11, %r11, 1; st.global.u32 [%rd1+64], %r11;
atom.release.gpu.global.exch.b32 %r12, [%rd1], 0;
`, nil},
}

// Grid barriers.
var gridCases = []raceCase{
	// threadFenceReduction of the CUDA samples.
	{"the last block adds up", dim(8, 1, 1), dim(64, 1, 1), lastBlock("membar.gl;", "membar.gl;"), nil},
	{"the last block adds up, without the first fence", dim(8, 1, 1), dim(64, 1, 1), lastBlock("", "membar.gl;"), []string{"race-raw 2 9"}},
	{"the last block adds up, without the second fence", dim(8, 1, 1), dim(64, 1, 1), lastBlock("membar.gl;", ""), []string{"race-raw 2 9"}},
	{"the last block adds up, with fences of scope cta", dim(8, 1, 1), dim(64, 1, 1), lastBlock("membar.cta;", "membar.gl;"), []string{"race-raw 2 9"}},
	// A fence acquires only what its own thread has read: thread 0's comes too late for the others, and theirs have
	// nothing to acquire.
	{"the last block adds up, with the second fence behind the barrier", dim(8, 1, 1), dim(64, 1, 1),
		strings.Replace(lastBlock("fence.acq_rel.gpu;", ""), "ld.shared", "fence.acq_rel.gpu; ld.shared", 1), []string{"race-raw 2 9"}},
	// Sequentially consistent fences are in one order, in which those of the others cannot come later.
	{"the last block adds up, with fence.sc behind the barrier", dim(8, 1, 1), dim(64, 1, 1),
		strings.Replace(lastBlock("membar.gl;", ""), "ld.shared", "membar.gl; ld.shared", 1), nil},
	{"a barrier of the grid", dim(6, 1, 1), dim(64, 1, 1), gridBarrier("membar.gl;", "membar.gl;"), nil},
	{"a barrier of the grid that does not release", dim(6, 1, 1), dim(64, 1, 1), gridBarrier("", "membar.gl;"), []string{"race-raw 2 8"}},
	{"a barrier of the grid that does not acquire", dim(6, 1, 1), dim(64, 1, 1), gridBarrier("membar.gl;", ""), []string{"race-raw 2 8"}},
}

// lastBlock makes every CTA write the word at g+64+4*cta and increment the counter at g. The last CTA reads all words
// and resets the counter.
func lastBlock(before, after string) string {
	return `
mul.lo.u32 %r10, %r3, 4; cvt.u64.u32 %rd3, %r10; add.u64 %rd3, %rd3, %rd1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r15, s; mov.u32 %r16, %nctaid.x; sub.u32 %r16, %r16, 1;
@%p1 st.global.u32 [%rd3+64], %r3;
` + before + `
@!%p1 bra WAIT;
atom.global.inc.u32 %r11, [%rd1], %r16; ` + after + ` setp.eq.u32 %p2, %r11, %r16; selp.u32 %r12, 1, 0, %p2; st.shared.u32 [%r15], %r12;
WAIT: bar.sync 0;
ld.shared.u32 %r12, [%r15]; setp.eq.u32 %p2, %r12, 0; @%p2 bra END;
shl.b32 %r10, %r1, 2; cvt.u64.u32 %rd3, %r10; add.u64 %rd3, %rd3, %rd1; setp.gt.u32 %p3, %r1, %r16;
@!%p3 ld.global.u32 %r13, [%rd3+64];
@%p1 st.global.u32 [%rd1], 0;
END:
`
}

// gridBarrier makes every CTA write the word at g+64+4*cta, wait for all others, and read the next CTA's word.
func gridBarrier(before, after string) string {
	return `
mul.lo.u32 %r10, %r3, 4; cvt.u64.u32 %rd3, %r10; add.u64 %rd3, %rd3, %rd1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r16, %nctaid.x; add.u32 %r10, %r3, 1; rem.u32 %r10, %r10, %r16; mul.lo.u32 %r10, %r10, 4; cvt.u64.u32 %rd4, %r10; add.u64 %rd4, %rd4, %rd1;
@%p1 st.global.u32 [%rd3+64], %r3;
bar.sync 0;
@!%p1 bra DONE; ` + before + ` red.global.add.u32 [%rd1], 1;
SPIN: ld.volatile.global.u32 %r11, [%rd1]; setp.lt.u32 %p2, %r11, %r16; @%p2 bra SPIN; ` + after + `
DONE: bar.sync 0;
nanosleep.u32 1;
ld.global.u32 %r12, [%rd4+64];
`
}
