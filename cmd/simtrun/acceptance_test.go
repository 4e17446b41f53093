package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestOccupancyMatchesHandCases checks 44 cases that were worked out by hand, with all limits.
func TestOccupancyMatchesHandCases(t *testing.T) {
	for line := range strings.Lines(readFile(t, "../../internal/validate/occupancy.txt")) {
		c := strings.Fields(line)
		if c[0] == "#" {
			continue
		}
		args := []string{"--gpu", c[0], "--threads", c[1], "--regs", c[2], "--shared", c[3]}
		if c[4] != "-" {
			args = append(args, "--carveout", c[4])
		}
		o, got := occupancyOf(t, "", args...)
		limits := strings.Split(c[6], "/")
		for i, resource := range []string{"warps", "registers", "shared", "blocks"} {
			limit, limited := o.Limits[resource]
			if want, err := strconv.Atoi(limits[i]); limited != (err == nil) || limit != want {
				t.Errorf("%v: %s allow %d blocks, want %s", args, resource, limit, limits[i])
			}
		}
		if want, _ := strconv.Atoi(c[5]); o.CTAs != want || (got.code == exitUsage) != (want == 0) {
			t.Errorf("%v: %d blocks, exit %d, want %s", args, o.CTAs, got.code, c[5])
		}
	}
}

// gpuShown is the part of simtrun gpu --json that tests read.
type gpuShown struct {
	GPCs, TPCs, SMs int
	ClockMHz        float64 `json:"clock_mhz"`
	Schedulers      int
	SM              struct{ Schedulers int }
	Units           struct {
		FP32, INT32, FP64, SFU, Tensor int
		LoadStore                      int `json:"load_store"`
	}
	Residency struct {
		CTAs, Warps, Threads, Registers int
		Shared                          int
	}
	Classes []struct {
		Class, Pipe       string
		Latency, Interval int
	}
}

// gpuOf returns the output of simtrun gpu for a GPU.
func gpuOf(t *testing.T, name string) (g gpuShown) {
	t.Helper()
	got := simtrun(t, "", "gpu", name, "--json")
	if err := json.Unmarshal([]byte(got.stdout), &g); err != nil || got.code != 0 {
		t.Fatalf("%s: %v, %+v", name, err, got)
	}
	return g
}

// TestGPUsMatchText checks the GPCs, TPCs, SMs and schedulers of the GPUs (four schedulers per SM), the resources of
// an H100's SM, and the latencies of the textbook's H100.
func TestGPUsMatchText(t *testing.T) {
	for name, want := range map[string][4]int{"v100": {6, 40, 80, 320}, "a100": {7, 54, 108, 432}, "h100": {8, 66, 132, 528}, "b200": {8, 74, 148, 592}, "b200-168": {12, 84, 168, 672}} {
		g := gpuOf(t, name)
		if got := [4]int{g.GPCs, g.TPCs, g.SMs, g.SMs * g.SM.Schedulers}; got != want {
			t.Errorf("%s: %v GPCs, TPCs, SMs and schedulers, want %v", name, got, want)
		}
	}
	h := gpuOf(t, "h100")
	if got, want := fmt.Sprint(h.Units, h.Residency), "{128 64 64 16 4 32} {32 64 2048 65536 233472}"; got != want {
		t.Errorf("an SM of an H100 has %s, want %s", got, want)
	}
}

// chain is a kernel of rounds times 32 dependent instructions of one kind.
func chain(instruction string, rounds int) string {
	return fmt.Sprintf(".entry k()\n{\n\tmov.u32 %%r9, %d;\nL:\n%s\tsub.u32 %%r9, %%r9, 1;\n\tsetp.ne.u32 %%p1, %%r9, 0;\n\t@%%p1 bra L;\n\tret;\n}\n", rounds, strings.Repeat("\t"+instruction+";\n", 32))
}

// TestLatenciesMatchText checks the cycles of a chain of dependent instructions in one warp, and the results per SM
// and cycle when the SM is full, against the textbook's H100: FP32 4 and 128, INT32 4 and 64, FP64 8 and 64; shared
// memory 22 to 30 cycles, global memory 300 to 500, a barrier 5 to 20.
func TestLatenciesMatchText(t *testing.T) {
	const rounds = 64
	for _, c := range []struct {
		instruction      string
		latency, results float64
	}{
		{"add.f32 %f1, %f1, %f0", 4, 128}, {"xor.b32 %r1, %r1, %r2", 4, 64}, {"fma.rn.f64 %fd1, %fd1, %fd0, %fd0", 8, 64},
	} {
		one := timed(t, chain(c.instruction, rounds), "--gpu", "h100-text", "--block", "32")[0]
		if got := float64(one.Cycles) / (32 * rounds); math.Abs(got-c.latency) > 0.1*c.latency+0.5 {
			t.Errorf("%s takes %.2f cycles, want %v", c.instruction, got, c.latency)
		}
		full := timed(t, chain(c.instruction, rounds), "--gpu", "h100-text", "--block", "1024", "--grid", "2", "--cta-order", "linear", "--regs", "32")[0]
		if got := 2048 * 32 * rounds / float64(full.Cycles); math.Abs(got-c.results) > 0.15*c.results {
			t.Errorf("%s: %.1f results a cycle and SM, want %v", c.instruction, got, c.results)
		}
	}
	within := func(what string, source string, least, most int64) {
		t.Helper()
		if l := timed(t, source, "--gpu", "h100-text", "--block", "32")[0]; l.Cycles < least || l.Cycles > most+20 {
			t.Errorf("%s: %d cycles, want %d to %d and some", what, l.Cycles, least, most)
		}
	}
	within("shared memory", ".entry k()\n{\n\t.shared .b32 s[32];\n\tld.shared.u32 %r1, [s];\n\tadd.u32 %r2, %r1, 1;\n\tret;\n}\n", 22, 30)
	within("global memory", ".global .u32 g[32];\n.entry k()\n{\n\tmov.u64 %rd1, g;\n\tld.global.u32 %r1, [%rd1];\n\tadd.u32 %r2, %r1, 1;\n\tret;\n}\n", 300, 500)
	within("barrier", ".entry k()\n{\n\tbar.sync 0;\n\tret;\n}\n", 5, 20)
}

// TestPeakIsUnitsTimesClock checks that peak FLOPS are SMs x cores x clock x 2: an H100 at 1.83 GHz has 468.5 GFLOPS
// per SM, 61.8 TFLOPS in all, and on tensor cores 3750 GFLOPS per SM and 495 TFLOPS in all.
func TestPeakIsUnitsTimesClock(t *testing.T) {
	got := simtrun(t, "", "gpu", "h100-text").stdout
	for _, want := range []string{"61.8", "468.5"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	g := gpuOf(t, "h100-text")
	if v := float64(g.Units.FP32) * g.ClockMHz * 2 / 1000; math.Abs(v-468.5) > 0.1 {
		t.Errorf("%.1f GFLOPS an SM, want 468.5", v)
	}
}

// TestMinimalGPUKeepsItsRules checks the smallest documented GPU: one warp scheduler, which picks the oldest warp, a
// fixed memory latency, and a reconvergence stack.
func TestMinimalGPUKeepsItsRules(t *testing.T) {
	got := simtrun(t, triple, "FILE", "--gpu", "minimal", "--grid", "2")
	if got.code != 0 || !strings.Contains(got.stdout, "divergence stack\n") || !strings.Contains(got.stdout, "sched oldest") {
		t.Errorf("%+v", got)
	}
	if g := gpuOf(t, "minimal"); g.SMs != 1 || g.SM.Schedulers != 1 {
		t.Errorf("%+v", g)
	}
}

// TestSchedulersAreReproducible checks that every policy runs, is named in the report, and issues at most one
// instruction per scheduler and cycle, and that the same seed gives the same run.
func TestSchedulersAreReproducible(t *testing.T) {
	cycles := make(map[string]int64)
	for _, name := range append(sm.PolicyNames()[:6], "random:1", "random:2", "random:1") {
		l := timed(t, chain("add.f32 %f1, %f1, %f0", 20), "--sched", name, "--block", "512")[0]
		if l.Sched != name {
			t.Errorf("%s is named %s", name, l.Sched)
		}
		for id, s := range l.SMs {
			if s.Issued > 4*s.ActiveCycles {
				t.Errorf("%s: SM %d issues %d in %d cycles", name, id, s.Issued, s.ActiveCycles)
			}
		}
		sum := uint64(0)
		for _, n := range l.Stalls {
			sum += n
		}
		if warps := uint64(l.SMs[124].WarpCycles); sum != warps { // an H100's first
			t.Errorf("%s: the states sum to %d, the cycles of warps to %d", name, sum, warps)
		}
		if before, again := cycles[name]; again && before != l.Cycles {
			t.Errorf("%s takes %d cycles, and %d", name, before, l.Cycles)
		}
		cycles[name] = l.Cycles
	}
}

// TestDivergenceMatchesText checks that k paths of equal length take k times as long as one, and that 16 lanes are
// active in each path of a branch with two.
func TestDivergenceMatchesText(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	ways := func(k int) string {
		var s strings.Builder
		fmt.Fprintf(&s, ".entry k()\n{\n\tmov.u32 %%r1, %%laneid;\n\trem.u32 %%r2, %%r1, %d;\n", k)
		for i := range k {
			fmt.Fprintf(&s, "\tsetp.eq.u32 %%p1, %%r2, %d;\n\t@%%p1 bra L%d;\n", i, i)
		}
		for i := range k {
			fmt.Fprintf(&s, "L%d:\n%s\tbra END;\n", i, strings.Repeat("\tadd.f32 %f1, %f1, %f0;\n", 400))
		}
		return s.String() + "END:\n\tret;\n}\n"
	}
	one := timed(t, ways(1), "--gpu", "h100-text")[0]
	for _, k := range []int{2, 8, 32} {
		l := timed(t, ways(k), "--gpu", "h100-text")[0]
		if got := float64(l.Cycles) / float64(one.Cycles); math.Abs(got/float64(k)-1) > 0.03 {
			t.Errorf("%d ways take %.2f times as long as one", k, got)
		}
	}
	got := simtrun(t, ways(2), "FILE", "--json")
	var object struct {
		Launches []struct {
			Lines []struct {
				Instruction string
				Metrics     map[string]float64
			}
		}
	}
	if err := json.Unmarshal([]byte(simtrun(t, ways(2), "profile", "FILE", "--json").stdout), &object); err != nil {
		t.Fatalf("%v in %+v", err, got)
	}
	arms := 0
	for _, line := range object.Launches[0].Lines {
		if strings.HasPrefix(line.Instruction, "add.f32") {
			if arms++; line.Metrics["active_lanes_per_instruction"] != 16 {
				t.Errorf("%s: %v", line.Instruction, line.Metrics)
			}
		}
	}
	if arms != 800 {
		t.Errorf("%d instructions in the arms, want 800", arms)
	}
}

// TestTailTakesSecondWave checks that one block more than a V100 can hold, at one block per SM, is a second wave and
// takes twice as long.
func TestTailTakesSecondWave(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 2, 3)
	source := chain("add.f32 %f1, %f1, %f0", 40)
	var cycles [2]int64
	for i, grid := range []string{"80", "81"} {
		l := timed(t, source, "--gpu", "v100", "--block", "1024", "--regs", "64", "--grid", grid)[0]
		if l.Waves.Count != int64(i+1) || l.Occupancy.BlocksPerSM != 1 {
			t.Errorf("%s blocks: %+v, %d on an SM", grid, l.Waves, l.Occupancy.BlocksPerSM)
		}
		cycles[i] = l.Cycles
	}
	if got := float64(cycles[1]) / float64(cycles[0]); math.Abs(got-2) > 0.05 {
		t.Errorf("81 blocks take %.2f times as long as 80", got)
	}
}

// loads is a kernel whose lanes load elements of a type, n elements apart, from shared memory, and from global memory
// at off bytes after the start of a buffer.
func loads(size int) string {
	load := map[int]string{4: "u32 %r9", 8: "u64 %rd9", 16: "v4.u32 {%r9, %r10, %r11, %r12}"}[size]
	return fmt.Sprintf(`//sim:arg g = zeros:20000:u8
//sim:arg off = 0
.entry k(.param .u64 g, .param .u32 n, .param .u32 off)
{
	.shared .align 16 .b8 s[16912];
	mov.u32 %%r1, %%laneid;
	ld.param.u32 %%r2, [n];
	ld.param.u32 %%r3, [off];
	ld.param.u64 %%rd1, [g];
	mul.lo.u32 %%r1, %%r1, %%r2;
	mul.lo.u32 %%r1, %%r1, %d;
	mov.u32 %%r4, s;
	add.u32 %%r4, %%r4, %%r1;
	ld.shared.%s, [%%r4];
	add.u32 %%r1, %%r1, %%r3;
	cvt.u64.u32 %%rd2, %%r1;
	add.u64 %%rd1, %%rd1, %%rd2;
	ld.global.%s, [%%rd1];
	ret;
}
`, size, load, load)
}

// metricsOf returns the counters of the first launch.
func metricsOf(t *testing.T, source string, args ...string) map[string]float64 {
	t.Helper()
	got := simtrun(t, source, append([]string{"profile", "FILE", "--json"}, args...)...)
	var object struct {
		Launches []struct{ Metrics map[string]*float64 }
	}
	if err := json.Unmarshal([]byte(got.stdout), &object); err != nil || got.code != 0 {
		t.Fatalf("%v in %+v", err, got)
	}
	metrics := make(map[string]float64)
	for name, v := range object.Launches[0].Metrics {
		if v != nil {
			metrics[name] = *v
		}
	}
	return metrics
}

// TestWavefrontsMatchText checks wavefronts of loads from shared memory by stride and width, in elements of 4, 8 and
// 16 bytes. The text leaves out stride 0 of 8 and 16 bytes; there phases are merged, as measured
// (internal/gpu/testdata/h100-sxm/shared.csv).
func TestWavefrontsMatchText(t *testing.T) {
	strides := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32, 33}
	for size, want := range map[int][]float64{
		4:  {1, 1, 2, 1, 4, 1, 2, 1, 8, 1, 4, 16, 8, 32, 1},
		8:  {1, 2, 4, 2, 8, 2, 4, 2, 16, 2, 8, 32, 16, 32, 2},
		16: {2, 4, 8, 4, 16, 4, 8, 4, 32, 4, 16, 32, 32, 32, 4},
	} {
		for i, stride := range strides {
			if got := metricsOf(t, loads(size), "--arg", fmt.Sprint("n=", stride))["shared_load_wavefronts"]; got != want[i] {
				t.Errorf("%d bytes, stride %d: %v wavefronts, want %v", size, stride, got, want[i])
			}
		}
	}
}

// TestSectorsMatchText checks sectors and lines of loads from global memory by stride, width and start address.
func TestSectorsMatchText(t *testing.T) {
	for _, c := range []struct {
		size, stride, off int
		sectors, lines    float64
	}{
		{4, 0, 0, 1, 1}, {4, 1, 0, 4, 1}, {4, 2, 0, 8, 2}, {4, 3, 0, 12, 3}, {4, 4, 0, 16, 4}, {4, 5, 0, 20, 5}, {4, 6, 0, 24, 6}, {4, 7, 0, 28, 7},
		{4, 8, 0, 32, 8}, {4, 16, 0, 32, 16}, {4, 32, 0, 32, 32}, {8, 1, 0, 8, 2}, {16, 1, 0, 16, 4},
		{4, 1, 4, 5, 2}, {4, 1, 16, 5, 2}, {4, 1, 32, 4, 2}, {4, 1, 64, 4, 2}, {4, 1, 124, 5, 2},
	} {
		m := metricsOf(t, loads(c.size), "--arg", fmt.Sprint("n=", c.stride), "--arg", fmt.Sprint("off=", c.off))
		if m["global_load_sectors"] != c.sectors || m["global_load_lines"] != c.lines {
			t.Errorf("%+v: %v sectors, %v lines", c, m["global_load_sectors"], m["global_load_lines"])
		}
	}
}
