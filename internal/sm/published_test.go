package sm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

func preset(t testing.TB, name string) *gpu.Config {
	t.Helper()
	g, err := gpu.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// timed runs a kernel on a GPU with a clock, and returns the contents of its first buffer.
func timed(t testing.TB, g *gpu.Config, ctas, threads uint32, words int, source string, o sm.Options) (*sm.Timing, []uint32) {
	t.Helper()
	o.WarmCode = true // as for published figures
	var timing *sm.Timing
	k := kerneltest.Kernel{Source: source, Grid: kerneltest.Dim(ctas, 1), Block: kerneltest.Dim(threads, 1), Config: interp.Config{GPU: g},
		Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			var err error
			timing, err = run(t, m, l, o)
			return interp.Stats{}, err
		}}
	if words > 0 {
		k.Words = []int{words}
	}
	out, _, err := k.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	if words == 0 {
		return timing, nil
	}
	return timing, out[0]
}

func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	t.Logf("%s: %.3f, published %.3f", what, got, want)
	if math.Abs(got-want) > share*want {
		t.Errorf("%s: %.3f, want %.3f within %.0f %%", what, got, want, 100*share)
	}
}

// TestDoublePrecisionTakesMeasuredCycles: cycles of an SM of a V100 for one DFMA of all its warps. Each warp has one
// chain of dependent DFMAs in a loop of 16; the loop's own instructions are included (te42kyfo/gpu-benches,
// cuda-incore). They are in the assembler's order: its counter is compared before the DFMAs.
func TestDoublePrecisionTakesMeasuredCycles(t *testing.T) {
	const rounds = 200
	loop := func(chains int) string {
		var body strings.Builder
		for i := range 16 {
			r := i % chains
			fmt.Fprintf(&body, "\tfma.rn.f64 %%fd%d, %%fd%d, %%fd8, %%fd9;\n", r, r)
		}
		return kerneltest.Source(t, "testdata/kernels/published.txt", "double precision", "$rounds", fmt.Sprint(rounds), "$body", body.String())
	}
	for _, c := range []struct {
		warps  uint32
		chains int
		want   float64
	}{{1, 1, 8.67}, {2, 1, 4.29}, {4, 1, 2.14}, {8, 1, 1.08}, {16, 1, 1.03}, {32, 1, 1.03}, {1, 2, 4.6}} {
		timing, _ := timed(t, preset(t, "v100"), 1, 32*c.warps, 0, loop(c.chains), sm.Options{})
		near(t, fmt.Sprintf("%d warps, %d chains", c.warps, c.chains), float64(timing.Cycles)/float64(16*rounds*c.warps), c.want, 0.10)
	}
}

// TestBarrierLatencyGrowsWithWarps: 22+2W cycles for W warps (measured on a B300 by a third party).
func TestBarrierLatencyGrowsWithWarps(t *testing.T) {
	const rounds = 100
	kernel := ".entry k()\n{\n" + strings.Repeat("\tbar.sync 0;\n", rounds) + "\tret;\n}"
	for _, warps := range []uint32{1, 2, 4, 8, 16, 32} {
		timing, _ := timed(t, preset(t, "b200"), 1, 32*warps, 0, kernel, sm.Options{})
		want := float64(22 + 2*warps)
		if got := float64(timing.Cycles-int64(warps)) / rounds; math.Abs(got-want) > 2 {
			t.Errorf("%d warps: %.2f cycles a barrier, want %.0f", warps, got, want)
		}
	}
}

// ways is a kernel with lanes that take k paths of equal length: a chain of dependent additions in each. The code of
// 32 paths fits the second instruction cache.
func ways(k int) string {
	var s strings.Builder
	s.WriteString(".entry k()\n{\n\tmov.u32 %r1, %laneid;\n")
	fmt.Fprintf(&s, "\trem.u32 %%r2, %%r1, %d;\n", k)
	for i := range k {
		fmt.Fprintf(&s, "\tsetp.eq.u32 %%p1, %%r2, %d;\n\t@%%p1 bra L%d;\n", i, i)
	}
	for i := range k {
		fmt.Fprintf(&s, "L%d:\n%s\tbra END;\n", i, strings.Repeat("\tadd.f32 %f1, %f1, %f0;\n", 240))
	}
	s.WriteString("END:\n\tret;\n}")
	return s.String()
}

// TestDivergentPathsTakeTheirLength: each further path of equal length takes as long as its additions, within 3 %
// (Characterizing Warp Divergence from Pascal to Blackwell, 2026: 32 paths take 31.7 to 31.9 times as long as one).
func TestDivergentPathsTakeTheirLength(t *testing.T) {
	one, _ := timed(t, preset(t, "a100"), 1, 32, 0, ways(1), sm.Options{})
	for _, k := range []int{2, 4, 8, 16, 32} {
		timing, _ := timed(t, preset(t, "a100"), 1, 32, 0, ways(k), sm.Options{})
		near(t, fmt.Sprintf("each of %d ways", k), float64(timing.Cycles-one.Cycles)/float64(k-1), 4*240, 0.03)
	}
}

// TestUniformCTAsTakeWaves: uniform CTAs take ceil(CTAs / residents) waves and the turnarounds between them. A V100
// with one CTA per SM has 80 residents.
func TestUniformCTAsTakeWaves(t *testing.T) {
	short.Alternates(t, 1, 3)
	g := preset(t, "v100")
	g.Residency.CTAs, g.CTAs.PerCycle = 1, 0
	one, _ := timed(t, g, 1, 256, 0, uniform(t), sm.Options{})
	for _, c := range []struct {
		ctas  uint32
		waves int64
	}{{80, 1}, {81, 2}, {160, 2}, {161, 3}, {240, 3}} {
		timing, _ := timed(t, g, c.ctas, 256, 0, uniform(t), sm.Options{})
		if want := c.waves*one.Cycles + (c.waves-1)*int64(g.CTAs.Turnaround); timing.Cycles != want {
			t.Errorf("%d CTAs take %d cycles, want %d: %d waves", c.ctas, timing.Cycles, want, c.waves)
		}
	}
}

// TestNoOrderLeavesSMsIdle: 1056 CTAs on 132 SMs with room for one each. Uniform CTAs take as long in every order.
// CTAs with log-normal times are done when the busiest SM is done, and no order keeps an SM idle while CTAs wait.
func TestNoOrderLeavesSMsIdle(t *testing.T) {
	short.Alternates(t, 2, 3)
	g := preset(t, "h100")
	g.Residency.CTAs, g.CTAs.PerCycle = 1, 0
	rnd := rand.New(rand.NewPCG(1, 2))
	var table strings.Builder
	for i := range 1056 {
		if i > 0 {
			table.WriteString(", ")
		}
		fmt.Fprint(&table, 1+int(20*math.Exp(0.8*rnd.NormFloat64())))
	}
	uneven := ".global .u32 rounds[1056] = {" + table.String() + "};\n" + strings.Replace(uniform(t), "mov.u32 %r1, 400;", `mov.u32 %r2, %ctaid.x;
	mov.u64 %rd1, rounds;
	mad.wide.u32 %rd1, %r2, 4, %rd1;
	ld.global.u32 %r1, [%rd1];`, 1)
	for _, name := range sm.OrderNames() {
		order, err := sm.ParseOrder(name)
		if err != nil {
			t.Fatal(err)
		}
		even, _ := timed(t, g, 1056, 32, 0, uniform(t), sm.Options{Order: order})
		if n := even.SMs[0].CTAs; n != 8 {
			t.Errorf("%s: SM 0 has %d of the uniform CTAs, want 8", name, n)
		}
		timing, _ := timed(t, g, 1056, 32, 0, uneven, sm.Options{Order: order})
		all, busiest := timing.Total(), int64(0)
		for _, m := range timing.SMs {
			busiest = max(busiest, m.Active)
		}
		use := float64(all.Active) / (float64(timing.Cycles) * 132)
		t.Logf("%-11s uniform %d cycles; log-normal %d cycles, SMs in use %.1f %%", name, even.Cycles, timing.Cycles, 100*use)
		if use < 0.5 || all.CTAs != 1056 {
			t.Errorf("%s: %d CTAs, SMs in use %.2f", name, all.CTAs, use)
		}
	}
}

// TestOrdersDistributeCTAs: 264 CTAs are on 132 SMs, two each, in the round-robin orders, and eight on each of the
// first 33 in linear order (H100, 256 threads). There they take four times as long, because they issue all the time.
func TestOrdersDistributeCTAs(t *testing.T) {
	short.Alternates(t, 1, 3)
	g := preset(t, "h100")
	busy := kerneltest.Source(t, "testdata/kernels/published.txt", "busy CTAs", "$work", strings.Repeat("\tadd.u32 %r2, %r2, %r1;\n\txor.b32 %r3, %r3, %r1;\n", 64))
	cycles := make(map[sm.Order]int64)
	for order, want := range map[sm.Order]int64{sm.MostRoom: 2, sm.RoundRobin: 2, sm.Linear: 8, sm.ByGPC: 2} {
		timing, _ := timed(t, g, 264, 256, 0, busy, sm.Options{Order: order})
		cycles[order] = timing.Cycles
		if n := timing.SMs[0].CTAs; n != want {
			t.Errorf("%v: SM 0 has %d CTAs, want %d", order, n, want)
		}
	}
	near(t, "linear over most-room", float64(cycles[sm.Linear])/float64(cycles[sm.MostRoom]), 4, 0.1)
	near(t, "by-gpc over most-room", float64(cycles[sm.ByGPC])/float64(cycles[sm.MostRoom]), 1, 0.01)
	near(t, "round-robin over most-room", float64(cycles[sm.RoundRobin])/float64(cycles[sm.MostRoom]), 1, 0.01)
}

// TestIdleSMsTakeNoSteps: SMs without work take no steps.
func TestIdleSMsTakeNoSteps(t *testing.T) {
	many, few := preset(t, "h100"), preset(t, "h100")
	few.SMs = 8
	a, _ := timed(t, many, 8, 256, 0, uniform(t), sm.Options{})
	b, _ := timed(t, few, 8, 256, 0, uniform(t), sm.Options{})
	if a.Steps > b.Steps+b.Steps/4 || a.Cycles != b.Cycles {
		t.Errorf("8 CTAs on 132 SMs take %d steps and %d cycles, on 8 SMs %d and %d", a.Steps, a.Cycles, b.Steps, b.Cycles)
	}
}

// TestWindowsDoNotChangeResults: results do not depend on the length of windows.
func TestWindowsDoNotChangeResults(t *testing.T) {
	short.Alternates(t, 0, 3)
	g := preset(t, "h100")
	g.SMs = 3
	want := ""
	for _, window := range []int64{0, 1, 7, 50, 255, 5000} {
		timing, _ := timed(t, g, 40, 512, 0, uniform(t), sm.Options{Window: window})
		got := fmt.Sprint(timing.Cycles, timing.SMs, timing.Funcs[0].States)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("a window of %d cycles changes the result", window)
		}
	}
}

// TestWindowsDoNotChangeTickets: nor do they if CTAs take tickets, which decide how long the CTAs take and what they
// leave in memory.
func TestWindowsDoNotChangeTickets(t *testing.T) {
	g := preset(t, "h100")
	g.SMs = 4
	want := ""
	for _, window := range []int64{0, 1, 50} {
		timing, out := timed(t, g, 8, 64, 8*5, kerneltest.Source(t, "testdata/kernels/published.txt", "windows of tickets, tickets"), sm.Options{Window: window})
		got := fmt.Sprint(timing.Cycles, timing.SMs, out)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("a window of %d cycles changes the result:\n%s\n%s", window, want, got)
		}
	}
}

// TestClockRegistersTellTimeAndPlace: the values of special registers for time and place. The clock is read in cycle
// 11: the pipe of constants takes a load every 8 cycles, and one to a uniform register every 2. The stack's address is
// loaded in cycle 0, the descriptor of global memory in 8, the parameter in 10.
func TestClockRegistersTellTimeAndPlace(t *testing.T) {
	g := preset(t, "h100")
	g.CTAs.PerCycle, g.CTAs.First, g.CTAs.PerWarp = 0, 0, 0
	_, out := timed(t, g, 133, 64, 133*2*4, kerneltest.Source(t, "testdata/kernels/published.txt", "clock registers tell time and place"), sm.Options{Since: 1000})
	for cta := range 133 {
		for warp := range 2 {
			at := out[(cta*2+warp)*4:]
			wantWarp := uint32(warp)
			if cta == 132 { // the second CTA of SM 0: its warps are on the schedulers without one
				wantWarp = uint32(warp + 2)
			}
			if at[0] != 1011 || at[1] != uint32(cta%132) || at[2] != wantWarp {
				t.Errorf("CTA %d warp %d: cycle %d, SM %d, warp %d, %d ns", cta, warp, at[0], at[1], at[2], at[3])
			}
			if ns := float64(at[3]); ns < 1011/1.98 || ns > 1021/1.98 {
				t.Errorf("CTA %d warp %d: %v ns", cta, warp, ns)
			}
		}
	}
}

// TestPTXCostIsOneInstruction: with --cost ptx every instruction is one machine instruction.
func TestPTXCostIsOneInstruction(t *testing.T) {
	timing, _ := timed(t, preset(t, "h100"), 1, 32, 0, uniform(t), sm.Options{Cost: cost.PTX})
	if n := timing.Total().Schedulers[0].Issued; n != 1+3*400+1 {
		t.Errorf("%d machine instructions, want %d", n, 1+3*400+1)
	}
}

// TestResidentsMatchOccupancy: an SM takes as many CTAs as the occupancy rules say, for CTAs of every size, one after
// the other.
func TestResidentsMatchOccupancy(t *testing.T) {
	short.Alternates(t, 1, 3)
	for _, name := range gpu.Names() {
		base := preset(t, name)
		base.SMs = 1
		for _, threads := range []uint32{32, 33, 96, 160, 256, 384, 768, 1024} {
			for _, registers := range []int{16, 33, 40, 72, 128, 168, 255} {
				for _, shared := range []int64{0, 3000, 16384, 49152} {
					g := *base
					cfg := interp.Config{GPU: &g, Registers: registers}
					kerneltest.Kernel{Source: ".entry k()\n{\n\tret;\n}", Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(threads, 1), Shared: shared, Config: cfg,
						Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
							s, err := sm.Begin(m, l, sm.Options{})
							if err != nil { // the CTA does not fit
								return interp.Stats{}, nil
							}
							want := g.Occupancy(gpu.Usage{Threads: int(threads), Registers: registers, Dynamic: shared}).CTAs
							if got := s.Timing().CTAsPerSM; got != want {
								t.Errorf("%s, %d threads, %d registers, %d bytes: %d CTAs, want %d", name, threads, registers, shared, got, want)
							}
							return interp.Stats{}, nil
						}}.Run(t)
				}
			}
		}
	}
}

// TestSchedulersShareDoublePipe: the schedulers of an SM of compute capability 8.6 share one .f64 pipe, which takes an
// instruction every 16 cycles, and use it in turn.
func TestSchedulersShareDoublePipe(t *testing.T) {
	const n = 50
	kernel := ".entry k()\n{\n" + strings.Repeat("\tadd.f64 %fd1, %fd0, %fd0;\n\tadd.f64 %fd2, %fd0, %fd0;\n", n) + "\tret;\n}"
	ends := make(map[int]int64)
	timing, _ := timed(t, preset(t, "a6000"), 1, 128, 0, kernel, sm.Options{Recorder: issues{func(i *sm.Issue) { ends[i.Scheduler] = i.Cycle }}})
	near(t, "cycles for an instruction", float64(timing.Cycles)/(4*2*n), 16, 0.02)
	for scheduler, end := range ends {
		if end < timing.Cycles-100 {
			t.Errorf("scheduler %d is done at %d of %d", scheduler, end, timing.Cycles)
		}
	}
}

// TestWarpStaysEligibleForSharedPipe: a warp could issue to a pipe shared by the SM, but its scheduler issues another
// warp and then another scheduler takes the pipe. The warp is NotSelected in that cycle, as Timing.Check verifies.
func TestWarpStaysEligibleForSharedPipe(t *testing.T) {
	g := small(2)
	g.Classes[isa.CostDouble] = gpu.Cost{Pipe: isa.FP64, Latency: 4, Interval: 3}
	g.SMWide[isa.FP64] = true
	for seed := range 8 {
		p, err := sm.ParsePolicy(fmt.Sprintf("random:%d", seed))
		if err != nil {
			t.Fatal(err)
		}
		timed(t, g, 1, 256, 0, ".entry k()\n{\n"+strings.Repeat("\tadd.f64 %fd1, %fd0, %fd0;\n"+strings.Repeat("\tadd.f32 %f1, %f0, %f0;\n", 6), 4)+"\tret;\n}",
			sm.Options{Cost: cost.PTX, Policy: p})
	}
}

// TestNanosleepLastsAsAsked: nanosleep sleeps as long as requested, and at least its latency. Before it the kernel
// loads the stack's address in a cycle.
func TestNanosleepLastsAsAsked(t *testing.T) {
	g := preset(t, "h100")
	g.Classes[isa.CostExit].Latency = 1
	for ns, want := range map[int]int64{0: int64(g.Classes[isa.CostSleep].Latency), 1000: 1980} {
		timing, _ := timed(t, g, 1, 32, 0, fmt.Sprintf(".entry k()\n{\n\tnanosleep.u32 %d;\n\tret;\n}", ns), sm.Options{})
		states := timing.States()
		if timing.Cycles != want+2 || states[sm.Sleeping] != uint64(want-1) {
			t.Errorf("%d ns: %d cycles, %d asleep, want %d", ns, timing.Cycles, states[sm.Sleeping], want+2)
		}
	}
}

// TestCyclesAllocateNothing: CTAs, instructions and cycles allocate no host memory.
func TestCyclesAllocateNothing(t *testing.T) {
	short.Alternates(t, 1, 3)
	g := preset(t, "h100")
	g.SMs = 2
	mod, err := asm.Parse("k.s", []byte(uniform(t)))
	if err != nil {
		t.Fatal(err)
	}
	allocations := func(ctas uint32) float64 {
		return testing.AllocsPerRun(1, func() {
			m, err := interp.New(mod, interp.Config{GPU: g})
			if err != nil {
				t.Fatal(err)
			}
			s, err := sm.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(ctas, 1), Block: kerneltest.Dim(64, 1)}, sm.Options{})
			if err == nil {
				err = s.Continue(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(200), allocations(2000); many > few+20 {
		t.Errorf("200 CTAs make %.0f allocations, 2000 make %.0f", few, many)
	}
}

// TestInstructionsWithoutLatencyTakeOneCycle: instructions without latency are issued a cycle apart.
func TestInstructionsWithoutLatencyTakeOneCycle(t *testing.T) {
	g := small(1)
	for c := range g.Classes {
		g.Classes[c].Latency, g.Classes[c].Interval = 0, 1
	}
	g.Barrier = gpu.Barrier{}
	g.CTAs = gpu.CTAs{}
	timing, _ := timed(t, g, 3, 64, 0, uniform(t), sm.Options{Cost: cost.PTX})
	// Two instructions for each warp, and 400 rounds of three: the scheduler issues in
	// every cycle.
	if want := int64(3 * 2 * (2 + 3*400)); timing.Cycles != want {
		t.Errorf("%d cycles, want %d", timing.Cycles, want)
	}
}

// TestSMIsActiveWhileWarpsReside: an SM is active while a warp resides, but not while CTAs that start later only have
// their places. Two of four CTAs run in cycles 0 to 3, the others 50 cycles after them.
func TestSMIsActiveWhileWarpsReside(t *testing.T) {
	g := small(1)
	g.Residency.CTAs = 2
	timing, _ := timed(t, g, 4, 32, 0, ".entry k()\n{\n\tadd.f32 %f1, %f0, %f0;\n\tret;\n}", sm.Options{Cost: cost.PTX})
	if active := timing.SMs[0].Active; timing.Cycles != 56 || active != 4+4 {
		t.Errorf("%d cycles, active in %d, want 56 and 8", timing.Cycles, active)
	}
}

// TestStoresWait: stores of columns use up the sectors that an SM may have under way, so that several schedulers
// wait. The memory pipe must not take a store in a past cycle: Timing.Check would fail.
func TestStoresWait(t *testing.T) {
	short.Alternates(t, 1, 3)
	timed(t, preset(t, "h100"), 1024, 256, 1<<20, kerneltest.Source(t, "testdata/kernels/published.txt", "stores wait"), sm.Options{})
}

// TestPartialStoresTakeLonger: a warp that writes consecutive words sends the 4 sectors of a line in 4 cycles; a warp
// that writes every other word sends the sectors of two lines in 5 cycles each (measured: internal/gpu/testdata,
// l2_requests).
func TestPartialStoresTakeLonger(t *testing.T) {
	g := preset(t, "h100")
	g.SMs = 1
	for stride, want := range map[int]float64{1: 4, 2: 10, 4: 20, 8: 40} {
		cycles := func(rounds int) int64 {
			timing, _ := timed(t, g, 1, 1024, 1<<15, kerneltest.Source(t, "testdata/kernels/published.txt", "partial stores", "$stride", fmt.Sprint(4*stride), "$rounds", fmt.Sprint(rounds)), sm.Options{})
			return timing.Cycles
		}
		got := float64(cycles(24)-cycles(8)) / (16 * 4 * 32)
		near(t, fmt.Sprintf("cycles of a store, stride %d", stride), got, want, 0.05)
	}
}

// uniform returns a kernel with the same work for each CTA.
func uniform(t testing.TB) string {
	t.Helper()
	return kerneltest.Source(t, "testdata/kernels/published.txt", "uniform")
}
