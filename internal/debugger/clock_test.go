package debugger

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// simple is a GPU with one SM and one scheduler, and latencies that make pipelines easy to compute by hand:
// arithmetic takes 4 cycles, integer arithmetic occupies its pipe for 2, shared memory takes 23.
func simple() *gpu.Config {
	g := gpu.H100()
	g.SMs, g.Schedulers = 1, 1
	g.Banks, g.Memory.Flat = 0, 100
	g.Fetch, g.Guard, g.Settle, g.Constants.Loaded, g.LSU.Gap = gpu.Fetch{}, 0, 0, 0, 0
	for c := range g.Classes {
		g.Classes[c] = gpu.Cost{Pipe: isa.ALU, Latency: 4, Interval: 2}
	}
	g.Classes[isa.CostSingle] = gpu.Cost{Pipe: isa.FMA, Latency: 4, Interval: 1}
	g.Classes[isa.CostExit] = gpu.Cost{Pipe: isa.CBU, Latency: 1, Interval: 1}
	g.Classes[isa.CostCTABarrier] = gpu.Cost{Pipe: isa.ADU, Latency: 1, Interval: 1}
	g.Classes[isa.CostLoadShared] = gpu.Cost{Pipe: isa.LSU, Latency: 23, Interval: 4}
	g.Barrier = gpu.Barrier{PerWarp: 2, Release: 24}
	g.CTAs = gpu.CTAs{Turnaround: 50}
	return g
}

// newTimedBench is newBench for several successive launches with a clock, in which each PTX instruction is one
// machine instruction.
func newTimedBench(t *testing.T, src string, on *gpu.Config, block uint32, launches int) *bench {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t}
	policy, err := sm.ParsePolicy("gty")
	if err != nil {
		t.Fatal(err)
	}
	b.Debugger, err = New(Config{Out: &b.out, Sources: map[string][]string{"k.s": strings.Split(src, "\n")}, Clock: &sm.Options{Cost: cost.PTX, Policy: policy},
		Prepare: func() (*Program, error) {
			m, err := interp.New(mod, interp.Config{GPU: on, MaxSteps: 1e6})
			if err != nil {
				return nil, err
			}
			out, err := m.Alloc("out", 256)
			if err != nil {
				return nil, err
			}
			params := make([]byte, 8)
			store(params, out.Base)
			one := isa.Dim{X: 1, Y: 1, Z: 1}
			l := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: one, Block: isa.Dim{X: block, Y: 1, Z: 1}, Params: params}
			p := &Program{Machine: m, Buffers: []Buffer{{Region: out, Elem: isa.U32}}}
			for range launches {
				p.Launches = append(p.Launches, l)
			}
			return p, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	b.out.Reset()
	return b
}

// checkSession compares the output of commands with the lines after "> COMMAND".
func (b *bench) checkSession(t *testing.T, session string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(strings.TrimSpace(session)) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "> "); ok {
			got = append(got, "> "+command)
			for line := range strings.Lines(b.do(command)) {
				got = append(got, strings.Join(strings.Fields(line), " "))
			}
		}
	}
	var want []string
	for line := range strings.Lines(strings.TrimSpace(session)) {
		line, _, _ = strings.Cut(line, " ; ")
		want = append(want, strings.Join(strings.Fields(line), " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDependentAdditionsTakeFourCycles checks dependent additions, issued in cycles 0, 4 and 8; the clock is read in 9
// and shows that.
func TestDependentAdditionsTakeFourCycles(t *testing.T) {
	b := newTimedBench(t, `.entry k(.param .u64 out)
{
	add.f32 %f1, %f0, %f0;
	add.f32 %f1, %f1, %f1;
	add.f32 %f1, %f1, %f1;
	mov.u32 %r1, %clock;
	add.u32 %r2, %r1, 1;
	ret;
}
`, simple(), 32, 2)
	b.checkSession(t, `
> info scoreboard
cycle 0 b0.w0: SM 0, scheduler 0, slot 0: can issue
no register is yet to be written
> step
ran 1 cycle
=> 4 add.f32 %f1, %f1, %f1 active ffffffff
cycle 1 SM 0, scheduler 0: wait until cycle 4, for %f1
> info scoreboard
cycle 1 b0.w0: SM 0, scheduler 0, slot 0: wait until cycle 4, for %f1
%f1 wait readable from cycle 4 needed next
> step -cycle 3
ran 3 cycles
=> 4 add.f32 %f1, %f1, %f1 active ffffffff
cycle 4 SM 0, scheduler 0: can issue
> p %clock
%clock u32 all: 4
> why
lane 0: active at L4
it executes add.f32 %f1, %f1, %f1 next
cycle 4 SM 0, scheduler 0: can issue
> step 2
ran 5 cycles ; 4 and 8
=> 6 mov.u32 %r1, %clock active ffffffff
cycle 9 SM 0, scheduler 0: can issue
> info scoreboard
cycle 9 b0.w0: SM 0, scheduler 0, slot 0: can issue
%f1 wait readable from cycle 12
> step
ran 1 cycle
=> 7 add.u32 %r2, %r1, 1 active ffffffff
cycle 10 SM 0, scheduler 0: wait until cycle 13, for %r1
> p r1
r1 u32 all: 9
> step 2
k ended warp-instr 6 lane-instr 192 divergent branches 0 cycles 15 ; add in 13, exit in 14
k grid 1x1x1 block 32x1x1 launch 2 of 2 gpu h100 sched gty
=> 3 add.f32 %f1, %f0, %f0 active ffffffff
cycle 15 SM 0, scheduler 0: can issue
> step -cycle
ran 1 cycle
=> 4 add.f32 %f1, %f1, %f1 active ffffffff
cycle 16 SM 0, scheduler 0: wait until cycle 19, for %f1
> continue
k ended warp-instr 6 lane-instr 192 divergent branches 0 cycles 15
> restart
k grid 1x1x1 block 32x1x1 launch 1 of 2 gpu h100 sched gty
=> 3 add.f32 %f1, %f0, %f0 active ffffffff
cycle 0 SM 0, scheduler 0: can issue`)
}

// TestWarpsCompeteForPipe checks two warps that compete for a pipe: one issues in 0, the other in 2. They arrive at the
// barrier in 1 and 3, and it releases them in 27.
func TestWarpsCompeteForPipe(t *testing.T) {
	b := newTimedBench(t, `.entry k(.param .u64 out)
{
	add.u32 %r1, %r0, 1;
	bar.sync 0;
	ret;
}
`, simple(), 64, 1)
	b.checkSession(t, `
> info schedulers
cycle 0 SM 0 1 block
scheduler 0 warps 2 of 64 issued 0 next issue in this cycle
* s0 b0.w0 can issue L3 add.u32 %r1, %r0, 1
s1 b0.w1 can issue L3 add.u32 %r1, %r0, 1
> step -cycle
ran 1 cycle
=> 3 add.u32 %r1, %r0, 1 active ffffffff
cycle 1 SM 0, scheduler 0: math_pipe_throttle until cycle 2
> info schedulers
cycle 1 SM 0 1 block
scheduler 0 warps 2 of 64 issued 1 busy alu until 2 next issue in this cycle
* s0 b0.w0 math_pipe_throttle until cycle 2 L3 add.u32 %r1, %r0, 1
s1 b0.w1 can issue L4 bar.sync 0
> step -cycle
ran 1 cycle
=> 3 add.u32 %r1, %r0, 1 active ffffffff
cycle 2 SM 0, scheduler 0: can issue
> warp 1 why
lane 0: waiting at L4: bar.sync 0
for b0.w0 lanes 0-31: active at L3
cycle 2 SM 0, scheduler 0: barrier, until other warps arrive
> step 2
ran 2 cycles
=> 5 ret active ffffffff
cycle 4 SM 0, scheduler 0: barrier until cycle 27
> info schedulers
cycle 4 SM 0 1 block
scheduler 0 warps 2 of 64 issued 4 next issue in cycle 27
* s0 b0.w0 barrier until cycle 27 L5 ret
s1 b0.w1 barrier until cycle 27 L5 ret
> info cache
h100 has no caches`)
}

// TestSecondLoadHitsCache loads 128 bytes twice. The first load misses 4 sectors, which come from device memory; the
// second hits.
func TestSecondLoadHitsCache(t *testing.T) {
	b := newTimedBench(t, `.entry k(.param .u64 out)
{
	ld.param.u64 %rd1, [out];
	mov.u32 %r0, %laneid;
	mad.wide.u32 %rd1, %r0, 4, %rd1;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	ld.global.u32 %r2, [%rd1];
	add.u32 %r2, %r2, 1;
	ret;
}
`, gpu.H100(), 32, 1)
	if got := b.do("step 4"); !strings.Contains(got, "=> 7") {
		t.Fatal(got)
	}
	b.do("step -cycle")
	if got := b.do("why"); !strings.Contains(got, "long_scoreboard, until memory has answered, for %r1") {
		t.Error(got)
	}
	b.do("step") // needs the loaded value
	const misses = "4 sectors looked up: 0 hit, 0 on the way, 4 missed; 0 stored\nL2  4 sectors looked up: 0 hit, 4 missed\ndevice memory  128 bytes read, 0 written"
	if got := b.do("info cache"); !strings.HasSuffix(got, misses) {
		t.Error(got)
	}
	b.do("step 2")
	const hits = "8 sectors looked up: 4 hit, 0 on the way, 4 missed; 0 stored\nL2  4 sectors looked up: 0 hit, 4 missed\ndevice memory  128 bytes read, 0 written"
	if got := b.do("info cache"); !strings.HasSuffix(got, hits) {
		t.Error(got)
	}
}

// TestClockIsAskedFor checks that commands about time need a clock, and that commands that hold warps back are
// refused with one.
func TestClockIsAskedFor(t *testing.T) {
	plain := newBench(t, values, 32, 0)
	for _, command := range []string{"step -cycle", "info schedulers", "info scoreboard", "info cache"} {
		if got := plain.do(command); got != "cycles are those of launches with a clock: simtrun debug --timed" {
			t.Errorf("%s: %s", command, got)
		}
	}
	timed := newTimedBench(t, values, simple(), 32, 1)
	for _, command := range []string{"lstep", "bstep", "next", "barrier", "lane 3 next", "heat", "reverse-next"} {
		if got := timed.do(command); !strings.HasSuffix(got, "is for launches without a clock: simtrun debug without --timed") {
			t.Errorf("%s: %s", command, got)
		}
	}
	for command, want := range map[string]string{"until": "until where?", "until 99": "k.s:99: no code of k belongs to this line", "step -cycles": `"s" is not a count`, "step 0": `"0" is not a count`,
		"break on reconverge": "for launches without a clock", "last-write r0": "is for memory"} {
		if got := timed.do(command); !strings.Contains(got, want) {
			t.Errorf("%s: %s", command, got)
		}
	}
}

// TestTimedLaunchCanBeInspectedAfterError checks that a fault and a deadlock end a launch with a clock, and that its
// warps can still be inspected.
func TestTimedLaunchCanBeInspectedAfterError(t *testing.T) {
	b := newTimedBench(t, `.entry k(.param .u64 out)
{
	mov.u32 %r1, 7;
	ld.global.u32 %r2, [%r1];
	ret;
}
`, simple(), 32, 1)
	if got := b.do("continue"); !strings.Contains(got, "k.s:4:2: error: ") {
		t.Error(got)
	}
	if got := b.do("step -cycle"); got != errFailed.Error() {
		t.Error(got)
	}
	if got := b.do("p r1"); !strings.Contains(got, "7") || b.Failure() == nil {
		t.Error(got)
	}
}

// TestUntilStopsInTimedLoop runs a loop of three iterations. The comparison waits 4 cycles for the addition, the branch
// 4 for the comparison, and the branch takes 8. Warp 1, the youngest, gets the pipe first: it adds in 0, 16 and 32,
// compares in 4, 20 and 36, branches in 8, 24 and 40. Warp 0 is 2 cycles later.
func TestUntilStopsInTimedLoop(t *testing.T) {
	on := simple()
	on.Classes[isa.CostBranch] = gpu.Cost{Pipe: isa.CBU, Latency: 8, Interval: 1}
	b := newTimedBench(t, `.entry k(.param .u64 out)
{
again:
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, 3;
	@%p1 bra again;
	ret;
}
`, on, 64, 1)
	b.checkSession(t, `
> until 5
ran 3 cycles ; warp 0 has added in 2
=> 5 setp.lt.u32 %p1, %r1, 3 active ffffffff
cycle 3 SM 0, scheduler 0: wait until cycle 6, for %r1
> until 5
ran 16 cycles ; and in 18
=> 5 setp.lt.u32 %p1, %r1, 3 active ffffffff
cycle 19 SM 0, scheduler 0: wait until cycle 22, for %r1
> p r1
r1 u32 all: 2
> continue L5
ran 14 cycles ; warp 1 has added in 32: until then both were there, or on their way
=> 5 setp.lt.u32 %p1, %r1, 3 active ffffffff
cycle 33 SM 0, scheduler 0: wait until cycle 36, for %r1
> info warps
w0 ffffffff L4 add.u32 %r1, %r1, 1
* w1 ffffffff L5 setp.lt.u32 %p1, %r1, 3
> until 7
ran 8 cycles ; branches in 40
=> 7 ret active ffffffff
cycle 41 SM 0, scheduler 0: branch_resolving until cycle 48
> warp 0 until 4
k ended warp-instr 20 lane-instr 640 divergent branches 0 cycles 51 ; warp 0 has ended in 50`)
}
