package conformance

import (
	"github.com/simtrun/simtrun/internal/isa"
)

// threadTraps are about threads that diverge, meet and exchange values.
var threadTraps = []trap{
	{"trap52 a spinning lane does not starve the others", all(
		works(moduleTrial(".global .u32 lock;\n.global .u32 sum;\n", `SPIN:
	atom.global.cas.b32 %r2, [lock], 0, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra SPIN;
	ld.volatile.global.u32 %r3, [sum];
	add.u32 %r3, %r3, 1;
	st.volatile.global.u32 [sum], %r3;
	atom.global.exch.b32 %r4, [lock], 0;
	bar.sync 0;
	ld.volatile.global.u32 %r1, [sum];`, 64, func(int) uint32 { return 64 })),
		works(moduleTrial(".global .u32 flag;\n", `setp.ne.u32 %p1, %r0, 0;
	@%p1 bra SIGNAL;
WAIT:
	ld.volatile.global.u32 %r1, [flag];
	setp.ne.u32 %p2, %r1, 31;
	@%p2 bra WAIT;
	bra DONE;
SIGNAL:
	red.global.add.u32 [flag], 1;
	mov.u32 %r1, 31;
DONE:`, 32, func(int) uint32 { return 31 })))},
	{"trap53 exited lanes", works(
		perThread("mov.u32 %r1, 6;\n\tsetp.lt.u32 %p1, %r0, 40;\n\t@%p1 exit;\n\tbar.sync 0;\n\tbar.sync 0;", 128, func(i int) uint32 { return uint32(6 * b2i(i >= 40)) }),
		perThread("mov.u32 %r1, 6;\n\tsetp.lt.u32 %p1, %r0, 3;\n\t@%p1 ret;\n\tvote.sync.ballot.b32 %r1, !%p1, 0xfffffff8;", 32, func(i int) uint32 { return uint32(0xfffffff8 * b2i(i >= 3)) }))},
	{"trap54 .uni is not relied on, guards are for every instruction", all(
		givesEach(func(i int) uint32 { return uint32(4 + b2i(i < 7)) }, "mov.u32 %r1, 5;\n\tsetp.lt.u32 %p1, %r0, 7;\n\t@%p1 bra.uni L;\n\tmov.u32 %r1, 4;\nL:"),
		givesEach(func(i int) uint32 { return uint32(9 * b2i(i >= 7)) }, "mov.u32 %r1, 9;\n\tsetp.lt.u32 %p1, %r0, 7;\n\t@%p1 ld.global.u32 %r1, [%out];"))},
	{"trap55 an index beyond the list", all(
		works(branchesByIndex(parseForm("brx.idx"))...),
		refused("4", "T: .branchtargets A, B;\n\tmov.u32 %r2, 4;\n\tbrx.idx %r2, T;\nA:\nB:"))},
	{"trap56 barriers count warps of 32", all(
		works(perThread("bar.sync 0, 64;\n\tmov.u32 %r1, 8;", 48, func(int) uint32 { return 8 })),
		works(perThread("mov.u32 %r1, 1;\n\tsetp.lt.u32 %p1, %r0, 10;\n\t@%p1 bra L;\n\tbar.sync 0;\n\tbra END;\nL:\tbar.sync 0;\nEND:\n\tbar.sync 15;", 64, func(int) uint32 { return 1 })))},
	{"trap57 reductions over a barrier", works(
		perThread("setp.lt.u32 %p1, %r0, 50;\n\tbar.red.popc.u32 %r1, 0, !%p1;", 96, func(int) uint32 { return 46 }),
		perThread("mov.u32 %r1, 0;\n\tsetp.ge.u32 %p2, %r0, 64;\n\t@%p2 exit;\n\tsetp.lt.u32 %p1, %r0, 50;\n\tbar.red.popc.u32 %r1, 0, %p1;", 96, func(i int) uint32 { return uint32(50 * b2i(i < 64)) }))},
	{"trap58 lanes meet from different places", all(
		works(perThread("mov.u32 %r1, 0;\n\tsetp.lt.u32 %p1, %r0, 10;\n\t@%p1 bra L;\n\tbar.warp.sync -1;\n\tmov.u32 %r1, 1;\n\tbra END;\nL:\tbar.warp.sync -1;\n\tmov.u32 %r1, 2;\nEND:", 32,
			func(i int) uint32 { return uint32(1 + b2i(i < 10)) })),
		works(perThread("setp.lt.u32 %p1, %r0, 10;\n\tsetp.ge.u32 %p2, %r0, 5;\n\t@%p1 bra L;\n\tvote.sync.ballot.b32 %r1, %p2, -1;\n\tbra END;\nL:\tvote.sync.ballot.b32 %r1, %p2, -1;\nEND:", 32,
			func(int) uint32 { return 0xffffffe0 })),
		works(perThread("setp.lt.u32 %p1, %r0, 16;\n\t@%p1 bra L;\n\tshfl.sync.idx.b32 %r1, %r0, 20, 31, 0xffff0000;\n\tbra END;\nL:\tshfl.sync.idx.b32 %r1, %r0, 5, 31, 0xffff;\nEND:", 32,
			func(i int) uint32 { return uint32(5 + 15*(i/16)) })),
		refused("sync-mask-self", "vote.sync.ballot.b32 %r1, %p1, 0xffff;"))},
	{"trap59 shfl", all(
		works(exchanges(parseForm("shfl.sync.up.b32"))...),
		gives(8, "shfl.sync.idx.b32 %r1, %r0, 40, 31, -1;"),
		givesEach(func(i int) uint32 { return uint32(max(i-1, 0)) }, "shfl.sync.up.b32 %r1, %r0, 1, 0, -1;"),
		givesEach(func(i int) uint32 { return uint32(b2i(i == 0)) }, "shfl.sync.up.b32 %r2|%p1, %r0, 1, 0, -1;\n\tselp.u32 %r1, 0, 1, %p1;"))},
	{"trap60 the width of a segment", givesEach(func(i int) uint32 { return uint32(i - i%8 + 3) }, "shfl.sync.idx.b32 %r1, %r0, 3, 0x181f, -1;")}, // ((32-8)<<8)|31
	{"trap61 votes and matches", all(
		givesEach(func(i int) uint32 { return uint32(0xf0 * b2i(i >= 4 && i < 8)) },
			"mov.u32 %r1, 0;\n\tshr.u32 %r2, %r0, 2;\n\tsetp.ne.u32 %p1, %r2, 1;\n\t@%p1 bra L;\n\tvote.sync.ballot.b32 %r1, !%p1, 0xf0;\nL:"),
		works(matches(parseForm("match.any.sync.b32"))...), works(matches(parseForm("match.all.sync.b32"))...),
		gives(allOnes, "activemask.b32 %r1;"))},
	{"trap62 old forms without .sync", all(
		givesEach(func(i int) uint32 { return uint32(0xff * b2i(i < 8)) }, "mov.u32 %r1, 0;\n\tsetp.lt.u32 %p1, %r0, 8;\n\t@%p1 vote.ballot.b32 %r1, %p1;"),
		givesEach(func(i int) uint32 { return uint32(i ^ 1) }, "shfl.bfly.b32 %r1, %r0, 1, 31;"),
		holdsFor(true, "setp.lt.u32 %p2, %r0, 8;\n\tvote.any.pred %p1, %p2;"))},
	{"trap63 special registers", all(
		works(linearThreads()), gives(32, "mov.u32 %r1, WARP_SZ;"), gives(0, "mov.u32 %r1, %envreg3;"),
		givesEach(func(i int) uint32 { return 1<<i - 1 }, "mov.u32 %r1, %lanemask_lt;"), givesEach(func(i int) uint32 { return uint32(0xfffffffe << i) }, "mov.u32 %r1, %lanemask_gt;"),
		works(oldModule("mov.u16 %h1, %tid.x;\n\tcvt.u32.u16 %r1, %h1;", func(i int) uint32 { return uint32(i) })),
		holdsFor(true, "mov.u32 %r2, %smid;\n\tmov.u32 %r3, %nsmid;\n\tsetp.lt.u32 %p1, %r2, %r3;"))},
	{"trap64 clocks", all(
		holdsFor(true, "mov.u64 %rd1, %clock64;\n\tadd.u32 %r2, %r0, %r0;\n\tmov.u64 %rd2, %clock64;\n\tsetp.lt.u64 %p1, %rd1, %rd2;"),
		holdsFor(true, "mov.u64 %rd1, %globaltimer;\n\tnanosleep.u32 100;\n\tmov.u64 %rd2, %globaltimer;\n\tsetp.le.u64 %p1, %rd1, %rd2;"),
		holdsFor(true, "mov.u32 %r2, %clock;\n\tmov.u32 %r3, %clock;\n\tsub.u32 %r4, %r3, %r2;\n\tsetp.lt.u32 %p1, %r4, 1000;"),
		gives(0, "mov.u32 %r1, %clock_hi;"))},
}

// linearThreads numbers lanes with x fastest in a block of three dimensions.
func linearThreads() trial {
	tr := perThread(`mov.u32 %r2, %tid.y;
	mov.u32 %r3, %tid.z;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %ntid.y;
	mad.lo.u32 %r6, %r3, %r5, %r2;
	mad.lo.u32 %r6, %r6, %r4, %r0;
	ld.param.u64 %out, [out];
	mad.wide.u32 %out, %r6, 4, %out;
	mov.u32 %r1, %laneid;`, 60, func(i int) uint32 { return uint32(i % 32) })
	tr.block = isa.Dim{X: 5, Y: 4, Z: 3}
	return tr
}
