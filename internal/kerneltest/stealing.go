package kerneltest

// Stealing is a kernel in which each CTA does the work of CTAs that it cancels, as long as there are any: for each
// position in the grid it counts how often the work was done, and after these it counts the CTAs that started.
const Stealing = Entry + `
	.shared .align 16 .b8 answer[16];
	.shared .b64 bar;
	.reg .b128 %q;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ctaid.y;
	mov.u32 %r3, %ctaid.z;
	mov.u32 %r4, %nctaid.x;
	mov.u32 %r5, %nctaid.y;
	mov.u32 %r6, %nctaid.z;
	mul.lo.u32 %r7, %r4, %r5;
	mul.lo.u32 %r8, %r7, %r6;
	ld.param.u64 %rd1, [out];
	setp.eq.u32 %p1, %tid.x, 0;
	mad.wide.u32 %rd2, %r8, 4, %rd1;
	@%p1 red.global.add.u32 [%rd2], 1;
	@%p1 mbarrier.init.shared.b64 [bar], 1;
	mov.u32 %r9, 0;
	bar.sync 0;
LOOP:
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
	@%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];
	mad.lo.u32 %r10, %r5, %r3, %r2;
	mad.lo.u32 %r10, %r10, %r4, %r1;
	mad.wide.u32 %rd2, %r10, 4, %rd1;
	@%p1 red.global.add.u32 [%rd2], 1;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r9;
	@!%p2 bra WAIT;
	xor.b32 %r9, %r9, 1;
	ld.shared.b128 %q, [answer];
	clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q;
	@!%p3 bra DONE;
	clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, _}, %q;
	bar.sync 0;
	bra LOOP;
DONE:
	ret;
}`

// StealingClusters is Stealing for clusters of two; the first CTA cancels for both.
const StealingClusters = Entry + `
	.shared .align 16 .b8 answer[16];
	.shared .b64 bar;
	.reg .b128 %q;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %cluster_ctarank;
	ld.param.u64 %rd1, [out];
	setp.eq.u32 %p1, %tid.x, 0;
	@%p1 mbarrier.init.shared.b64 [bar], 1;
	setp.eq.and.u32 %p4, %r2, 0, %p1;
	mov.u32 %r9, 0;
	barrier.cluster.arrive;
	barrier.cluster.wait;
LOOP:
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	@%p4 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [answer], [bar];
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	@%p1 red.global.add.u32 [%rd2], 1;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r9;
	@!%p2 bra WAIT;
	xor.b32 %r9, %r9, 1;
	ld.shared.b128 %q, [answer];
	clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	@!%p3 bra DONE;
	clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;
	add.u32 %r1, %r1, %r2;
	bra LOOP;
DONE:
	ret;
}`
