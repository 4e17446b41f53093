package sm_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
)

// cached is small with queues and caches whose figures are as easy: a load takes 30 cycles from
// L1, 100 from L2 and 200 from device memory, of which the first 10 are on the way to the memory
// pipe. Nothing beyond the SM is ever busy. L2 fetches two sectors at a time.
func cached(schedulers int) *gpu.Config {
	g := small(schedulers)
	m := &g.Memory
	m.Flat, m.L1, m.L2, m.DRAM, m.DRAMGrain = 0, 30, 100, 200, 64
	m.L2Partitions, m.L2Slices, m.L2Read, m.L2Write, m.DRAMSustained = 1, 1, 0, 0, 0
	m.SMRequest, m.SMResponse, m.GPCResponse, m.AtomicSector, m.AtomicWord, m.AtomicLane = 0, 0, 0, 0, 0, 0
	m.SharedPerWavefront = 2
	g.LSU = gpu.LSU{Queue: 5, Depth: 10, Interval: 1, Stores: 64, TagMasks: []int64{1, 2}}
	g.Constants = gpu.Constants{L1: 2048, L15: 4096, L15Latency: 40, PerWord: 6}
	for class, latency := range map[isa.CostClass]int{
		isa.CostLoadGlobal: m.L1, isa.CostLoadLocal: m.L1, isa.CostLoadShared: 20, isa.CostAtomicShared: 20, isa.CostAtomicGlobal: 150,
		isa.CostStoreGlobal: 10, isa.CostStoreLocal: 10, isa.CostStoreShared: 10, isa.CostReductionGlobal: 10,
	} {
		g.Classes[class] = gpu.Cost{Pipe: isa.LSU, Latency: latency, Interval: 2}
	}
	g.Classes[isa.CostLoadConstant] = gpu.Cost{Pipe: isa.ADU, Latency: 8, Interval: 3}
	g.CTAs.Turnaround = 300
	return g
}

func with(g *gpu.Config, change func(g *gpu.Config)) *gpu.Config {
	change(g)
	return g
}

// TestMemoryPipelines: as TestPipelines, of instructions that go to memory.
func TestMemoryPipelines(t *testing.T) {
	const ptx = cost.PTX
	for _, p := range []pipeline{
		{
			name: "a miss of both caches, then a hit",
			gpu:  cached(1),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r2, %r1, 1;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r4, %r3, 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	204 w0.2
	205 w0.3
	235 w0.4
	236 w0.5`,
			cycles: 237,
			states: map[sm.State]uint64{sm.Selected: 6, sm.Wait: 3, sm.LongScoreboard: 199 + 29},
		}, {
			name: "a fence empties L1, and not L2", // it is done in 255, 50 cycles behind its issue
			gpu: with(cached(1), func(g *gpu.Config) {
				g.Classes[isa.CostFenceGPU] = gpu.Cost{Pipe: isa.LSU, Latency: 50, Interval: 1}
			}),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r2, %r1, 1;
	fence.acq_rel.gpu;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r4, %r3, 1;
	ld.global.u32 %r5, [%rd1];
	add.u32 %r6, %r5, 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	204 w0.2
	205 w0.3
	255 w0.4
	355 w0.5 ; from L2
	359 w0.6 ; its result takes the place of r4, which is written then
	389 w0.7 ; from L1
	390 w0.8`,
			cycles: 391,
		}, {
			name: "a fence of the CTA does not",
			gpu: with(cached(1), func(g *gpu.Config) {
				g.Classes[isa.CostFenceCTA] = gpu.Cost{Pipe: isa.LSU, Latency: 4, Interval: 1}
			}),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r2, %r1, 1;
	fence.acq_rel.cta;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r4, %r3, 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	204 w0.2
	205 w0.3
	209 w0.4
	239 w0.5 ; from L1
	240 w0.6`,
			cycles: 241,
		}, {
			name: "a load that acquires empties L1 when its value is there",
			gpu:  cached(1),
			body: `
	.global .b32 g[64];
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r2, %r1, 1;
	ld.acquire.gpu.global.u32 %r3, [%rd1+128];
	add.u32 %r4, %r3, 1;
	ld.global.u32 %r5, [%rd1];
	add.u32 %r6, %r5, 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	204 w0.2
	208 w0.3 ; its result takes the place of r2, which is written then
	408 w0.4 ; from device memory
	412 w0.5
	512 w0.6 ; from L2
	513 w0.7`,
			cycles: 514,
		}, {
			name: "lines of local memory stay",
			gpu:  cached(1),
			body: `
	.local .b32 v[1];
	mov.u64 %rd1, v;
	st.local.u32 [%rd1], %r1;
	fence.acq_rel.gpu;
	ld.local.u32 %r2, [%rd1];
	add.u32 %r3, %r2, 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	5   w0.2 ; a fence takes 4 cycles
	9   w0.3
	39  w0.4 ; from L1
	40  w0.5`,
			cycles: 41,
		}, {
			name: "a sector of a line that lacks it, which L2 has fetched beside another",
			gpu:  cached(1),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r2, %r1, 1;
	ld.global.u32 %r3, [%rd1+32];
	add.u32 %r4, %r3, 1;
	ld.global.u32 %r5, [%rd1+64];
	add.u32 %r6, %r5, 1;
	ld.global.u32 %r7, [%rd1+32];
	add.u32 %r8, %r7, 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	204 w0.2
	205 w0.3
	305 w0.4 ; from L2
	306 w0.5
	506 w0.6 ; from device memory
	507 w0.7
	537 w0.8 ; from L1
	538 w0.9`,
			cycles: 539,
		}, {
			name: "a hit on a miss of another warp", warps: 2,
			gpu: cached(2),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r2, %r1, 1;
	ret;`,
			issues: `
	0   w0.0 w1.0
	4   w0.1 w1.1 ; the pipe takes them in 14 and 15
	204 w0.2 w1.2 ; the same reply
	205 w0.3 w1.3`,
			cycles: 206,
		}, {
			name: "32 lines in 32 banks: tags take 8 cycles", warps: 2,
			gpu: cached(2),
			body: `
	.global .b32 g[1056];
	mov.u32 %r1, %laneid;
	mov.u64 %rd1, g;
	mad.wide.u32 %rd1, %r1, 132, %rd1;
	ld.global.u32 %r2, [%rd1];
	add.u32 %r2, %r2, 1;
	ret;`,
			issues: `
	0   w0.0 w1.0
	1   w0.1 w1.1
	20  w0.2 w1.2
	24  w0.3 w1.3 ; the pipe takes them in 34 and 42
	231 w0.4 w1.4 ; 7 cycles behind the reply, and so is what hits on the miss
	232 w0.5 w1.5`,
			cycles: 233,
		}, {
			name: "32 lines in one bank: data takes 32 cycles, also if all hit", warps: 2,
			gpu: cached(2),
			body: `
	.global .b32 g[1056];
	mov.u32 %r1, %laneid;
	mov.u64 %rd1, g;
	mad.wide.u32 %rd1, %r1, 128, %rd1;
	ld.global.u32 %r2, [%rd1];
	add.u32 %r2, %r2, 1;
	ld.global.u32 %r2, [%rd1];
	add.u32 %r2, %r2, 1;
	ret;`,
			issues: `
	0   w0.0 w1.0
	1   w0.1 w1.1
	20  w0.2 w1.2
	24  w0.3 w1.3
	255 w0.4 w1.4
	259 w0.5 w1.5 ; in 269 and 301
	320 w0.6      ; 30 cycles and 31
	321 w0.7
	352 w1.6      ; and 32 more
	353 w1.7`,
			cycles: 354,
		}, {
			name: "a queue of two",
			gpu:  with(cached(1), func(g *gpu.Config) { g.LSU.Queue = 2 }),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	ld.global.u32 %r2, [%rd1];
	ld.global.u32 %r3, [%rd1];
	ld.global.u32 %r4, [%rd1];
	ld.global.u32 %r5, [%rd1];
	ret;`,
			issues: `
	0  w0.0
	4  w0.1
	5  w0.2
	14 w0.3 ; the pipe takes the first
	16 w0.4 ; and the second, as the address unit hands out one in two cycles
	24 w0.5 ; and the third, 10 cycles behind its issue
	25 w0.6`,
			cycles: 26,
			states: map[sm.State]uint64{sm.Selected: 7, sm.Wait: 3, sm.LGThrottle: 8 + 1 + 7},
		}, {
			name: "a queue of two, shared memory",
			gpu:  with(cached(1), func(g *gpu.Config) { g.LSU.Queue = 2 }),
			body: `
	.shared .b32 s[32];
	ld.shared.u32 %r1, [s];
	ld.shared.u32 %r2, [s];
	ld.shared.u32 %r3, [s];
	ld.shared.u32 %r4, [s];
	ld.shared.u32 %r5, [s];
	add.u32 %r6, %r1, %r2;
	add.u32 %r6, %r3, %r4;
	add.u32 %r6, %r5, %r6;
	ret;`,
			issues: `
	0  w0.0 ; taken in 10
	1  w0.1 ; 12
	10 w0.2 ; 20
	12 w0.3 ; 22
	20 w0.4 ; 30
	22 w0.5
	32 w0.6
	40 w0.7
	41 w0.8`,
			cycles: 42,
			states: map[sm.State]uint64{sm.Selected: 9, sm.MIOThrottle: 8 + 1 + 7, sm.ShortScoreboard: 1 + 9 + 7},
		}, {
			name: "a full queue does not keep from other pipes",
			gpu:  with(cached(1), func(g *gpu.Config) { g.LSU.Queue = 1 }),
			body: `
	.shared .b32 s[32];
	ld.shared.u32 %r1, [s];
	add.f32 %f1, %f0, %f0;
	ld.shared.u32 %r2, [s];
	add.f32 %f2, %f0, %f1;
	add.u32 %r3, %r1, %r2;
	ret;`,
			issues: `
	0  w0.0
	1  w0.1
	10 w0.2
	11 w0.3
	30 w0.4
	31 w0.5`,
			cycles: 32,
		}, {
			name: "queues in turn, to a pipe that takes one in two cycles", warps: 2,
			gpu: with(cached(2), func(g *gpu.Config) { g.LSU.Interval = 2 }),
			body: `
	.shared .b32 s[32];
	ld.shared.u32 %r1, [s];
	ld.shared.u32 %r2, [s];
	add.u32 %r3, %r1, 1;
	add.u32 %r4, %r2, 1;
	ret;`,
			issues: `
	0  w0.0 w1.0
	1  w0.1 w1.1
	20 w0.2 ; taken in 10
	22 w1.2 ; 12
	24 w0.3 ; 14
	25 w0.4
	26 w1.3 ; 16
	27 w1.4`,
			cycles: 28,
			states: map[sm.State]uint64{sm.Selected: 10, sm.ShortScoreboard: 18 + 3 + 20 + 3},
		}, {
			name: "an address unit of four cycles",
			gpu:  with(cached(1), func(g *gpu.Config) { g.Classes[isa.CostLoadShared].Interval = 4 }),
			body: `
	.shared .b32 s[32];
	ld.shared.u32 %r1, [s];
	ld.shared.u32 %r2, [s];
	ld.shared.u32 %r3, [s];
	add.u32 %r4, %r1, %r2;
	add.u32 %r4, %r4, %r3;
	ret;`,
			issues: `
	0  w0.0
	1  w0.1
	2  w0.2
	24 w0.3 ; taken in 14
	28 w0.4 ; 18
	29 w0.5`,
			cycles: 30,
		}, {
			name: "room for the sectors of one store",
			gpu:  with(cached(1), func(g *gpu.Config) { g.LSU.Stores = 4 }),
			body: `
	.global .b32 g[64];
	mov.u32 %r1, %laneid;
	mov.u64 %rd1, g;
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	st.global.u32 [%rd1], %r1;
	st.global.u32 [%rd1+128], %r1;
	ret;`,
			issues: `
	0  w0.0
	1  w0.1
	20 w0.2
	24 w0.3 ; the pipe takes it in 34, and L2 has taken it by 124
	25 w0.4 ; taken in 124, has left in 125
	26 w0.5`,
			cycles: 125,
			states: map[sm.State]uint64{sm.Selected: 6, sm.ShortScoreboard: 18, sm.Wait: 3, sm.Drain: 98},
		}, {
			name: "a load overtakes a store that waits for room, of another scheduler", warps: 2,
			gpu: with(cached(2), func(g *gpu.Config) { g.LSU.Stores = 4 }),
			body: `
	.global .b32 g[64];
	.shared .b32 s[32];
	mov.u32 %r1, %tid.x;
	mov.u64 %rd1, g;
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	st.global.u32 [%rd1], %r1;
	ld.shared.u32 %r2, [s];
	add.u32 %r2, %r2, 1;
	ret;`,
			issues: `
	0   w0.0 w1.0
	1   w0.1 w1.1
	20  w0.2 w1.2
	24  w0.3 w1.3 ; warp 0 has room, warp 1 in 124
	25  w0.4 w1.4
	46  w0.5      ; taken in 36
	47  w0.6
	136 w1.5      ; 126
	137 w1.6`,
			cycles: 138,
		}, {
			name: "local memory: a store allocates",
			gpu:  cached(1),
			body: `
	.local .b32 l[2];
	mov.u64 %rd1, l;
	st.local.u32 [%rd1], %r0;
	ld.local.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	ld.local.u32 %r1, [%rd1+4];
	add.u32 %r1, %r1, 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	5   w0.2
	36  w0.3 ; taken in 16, behind the store
	40  w0.4
	240 w0.5
	241 w0.6`,
			cycles: 242,
		}, {
			name: "global memory: a store does not",
			gpu:  cached(1),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	st.global.u32 [%rd1], %r0;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	5   w0.2
	106 w0.3 ; from L2; taken in 16
	107 w0.4`,
			cycles: 108,
		}, {
			name: "loads that go past L1 drop the line",
			gpu:  cached(1),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	ld.global.cg.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	204 w0.2
	208 w0.3
	308 w0.4
	312 w0.5
	412 w0.6
	413 w0.7`,
			cycles: 414,
		}, {
			name: "a volatile load",
			gpu:  cached(1),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	ld.volatile.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	ld.volatile.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	204 w0.2
	208 w0.3
	308 w0.4
	309 w0.5`,
			cycles: 310,
		}, {
			name: "an atomic and its result, and a reduction",
			gpu:  cached(1),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	atom.global.add.u32 %r1, [%rd1], 1;
	add.u32 %r1, %r1, 1;
	atom.global.add.u32 %r1, [%rd1], 1;
	add.u32 %r1, %r1, 1;
	red.global.add.u32 [%rd1], 1;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	254 w0.2 ; 100 more than of an L2 that has the line
	258 w0.3
	408 w0.4
	409 w0.5
	410 w0.6 ; waits for nothing, but stays until the reduction has left`,
			cycles: 420,
			states: map[sm.State]uint64{sm.Selected: 7, sm.Wait: 6, sm.LongScoreboard: 249 + 149, sm.Drain: 9},
		}, {
			name: "an atomic of 32 lanes on one word of shared memory",
			gpu:  cached(1),
			body: `
	.shared .b32 s[32];
	atom.shared.add.u32 %r1, [s], 1;
	ld.shared.u32 %r2, [s];
	add.u32 %r2, %r2, 1;
	add.u32 %r1, %r1, 1;
	ret;`,
			issues: `
	0  w0.0 ; taken in 10, until 20+62
	1  w0.1 ; in 42
	52 w0.2
	82 w0.3
	83 w0.4`,
			cycles: 84,
		}, {
			name: "constants: a miss, hits, several words",
			gpu:  cached(1),
			code: ".const .b32 table[32] = {1, 2, 3, 4};\n",
			body: `
	mov.u32 %r1, %laneid;
	and.b32 %r1, %r1, 3;
	mov.u64 %rd1, table;
	ld.const.u32 %r2, [%rd1];
	add.u32 %r2, %r2, 1;
	ld.const.u32 %r2, [%rd1];
	add.u32 %r2, %r2, 1;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	ld.const.u32 %r2, [%rd2];
	ld.const.u32 %r3, [%rd1];
	add.u32 %r2, %r2, 1;
	ret;`,
			issues: `
	0   w0.0
	20  w0.1
	22  w0.2
	26  w0.3
	226 w0.4  ; as long as a load of global memory
	230 w0.5
	238 w0.6
	240 w0.7  ; the pipe takes one in two cycles
	244 w0.8  ; four words: 18 cycles more
	256 w0.9  ; the pipe has taken 3 cycles for each
	270 w0.10
	271 w0.11`,
			cycles: 272,
		}, {
			name: "a warp that diverges has loads of both sides under way",
			gpu:  cached(1),
			body: `
	.global .b32 g[64];
	mov.u32 %r1, %laneid;
	mov.u64 %rd1, g;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra THEN;
	ld.global.u32 %r2, [%rd1+128];
	bra END;
THEN:
	ld.global.u32 %r3, [%rd1];
END:
	add.u32 %r3, %r3, %r2;
	ret;`,
			issues: `
	0   w0.0
	1   w0.1
	20  w0.2
	24  w0.3
	32  w0.6
	33  w0.4
	34  w0.5
	234 w0.7 ; the address unit hands out one in two cycles
	235 w0.8`,
			cycles: 236,
		},
	} {
		t.Run(p.name, func(t *testing.T) {
			p.options.Cost = ptx
			p.run(t)
		})
	}
}

// TestLoweredMemoryPipelines: the same with the machine instructions that an assembler makes.
func TestLoweredMemoryPipelines(t *testing.T) {
	for _, p := range []pipeline{
		{
			name: "what costs nothing behind a load keeps nothing from being issued",
			gpu:  cached(1),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	mov.u32 %r2, %r1;
	mov.b64 %rd2, {%r2, %r0};
	mul.f32 %f3, %f1, %f2;
	add.f32 %f4, %f3, %f0;
	mov.b64 {%r3, %r4}, %rd2;
	add.f32 %f5, %f4, %f0;
	add.u32 %r5, %r3, 1;
	ret;`,
			issues: `
	0   w0.1
	1   w0.5
	5   w0.7
	200 w0.8
	201 w0.9`,
			cycles: 202,
		}, {
			name: "an argument that is loaded is awaited by the call",
			gpu:  cached(1),
			code: `
.global .b32 g[32];
.func (.param .b32 r) f(.param .b32 a)
{
	ld.param.u32 %r1, [a];
	add.u32 %r1, %r1, 1;
	st.param.b32 [r], %r1;
	ret;
}`,
			body: `
	.param .b32 a, r;
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	st.param.b32 [a], %r1;
	add.f32 %f1, %f0, %f0;
	call (r), f, (a);
	ld.param.u32 %r2, [r];
	add.u32 %r4, %r2, 1;
	ret;`,
			issues: `
	0   w0.1
	1   w0.3 ; does not wait for the argument
	200 w0.4 ; the callee's address, and the call
	202 w0.4
	206 w0.1
	210 w0.3 ; the result is there
	212 w0.3
	216 w0.6
	217 w0.7`,
			cycles: 218,
		}, {
			name: "arithmetic and a load as a pair", options: sm.Options{DualIssue: true},
			gpu: cached(1),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	add.f32 %f1, %f0, %f0;
	ld.global.u32 %r1, [%rd1];
	add.f32 %f2, %f0, %f0;
	add.u32 %r2, %r1, 1;
	ret;`,
			issues: `
	0   w0.1 w0.2
	1   w0.3
	200 w0.4
	201 w0.5`,
			cycles: 202,
		},
	} {
		t.Run(p.name, p.run)
	}
}
