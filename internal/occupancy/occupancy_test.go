package occupancy_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/occupancy"
)

// reduce is a question with an answer computed by hand from the rules of cuda_occupancy.h, for an H100: 132 SMs with
// 64 warps, 4 x 16384 registers in units of 256, and 233472 bytes of shared memory in units of 128, of which 1024 per
// CTA are reserved.
//
// A warp takes 48 x 32 = 1536 registers: 10 warps fit into each sub-partition, 40 into the SM, which are 5 CTAs of 8
// warps. A CTA takes 1024 + 4096 + 1024 = 6144 bytes: 38 CTAs fit.
func reduce() occupancy.Question {
	return occupancy.Question{GPU: gpu.H100(), Kernel: "reduce", RegistersFrom: "--regs", Grid: 1000,
		Usage: gpu.Usage{Threads: 256, Registers: 48, Static: 1024, Dynamic: 4096, Barriers: 1}}
}

func TestAnswerMatchesHandCount(t *testing.T) {
	a := occupancy.New(reduce())
	if a.CTAs != 5 || a.Warps != 40 || a.Fraction() != 0.625 || !slices.Equal(a.Limiters(), []gpu.Resource{gpu.RegisterFile}) {
		t.Errorf("%d CTAs of %d warps, by %v", a.CTAs, a.Warps, a.Limiters())
	}
	// With n CTAs a sub-partition has 2 n warps, each with at most 16384 / 2 n registers, and a CTA has 233472 / n
	// bytes, each rounded down to the allocation unit; a CTA without opt-in has at most 48 KB.
	want := []occupancy.Step{
		{1, 8, 255, 49152}, {2, 16, 128, 49152}, {3, 24, 80, 49152}, {4, 32, 64, 49152},
		{5, 40, 48, 364*128 - 1024}, {6, 48, 40, 304*128 - 1024}, {7, 56, 32, 260*128 - 1024}, {8, 64, 32, 228*128 - 1024},
	}
	if diff := cmp.Diff(want, a.Steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if next := a.Next(); next == nil || *next != want[5] {
		t.Errorf("the next step is %+v", next)
	}
	// 40 warps are two CTAs of 20 warps; a larger block of at most 32 warps is resident only once.
	if a.Best.Threads != 640 || a.Best.CTAs != 2 || a.Best.Warps != 40 {
		t.Errorf("best block: %d threads, %d CTAs", a.Best.Threads, a.Best.CTAs)
	}
	if a.Waves != (gpu.Waves{PerWave: 660, Count: 2, Last: 340. / 660, Efficiency: 1000. / 1320}) {
		t.Errorf("waves: %+v", a.Waves)
	}
}

// TestStepsAreTheMost draws blocks, and checks that each step's number of CTAs resides with its resources, and not with
// more, however the shared memory is divided into static and dynamic.
func TestStepsAreTheMost(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		u := gpu.Usage{Threads: 1 + r.IntN(1024), Registers: 1 + r.IntN(64), Static: r.Int64N(48 << 10), Dynamic: r.Int64N(16 << 10)}
		cfg := gpu.H100()
		if r.IntN(2) == 0 {
			u.OptIn = cfg.Residency.SharedOptIn
		}
		for _, s := range occupancy.New(occupancy.Question{GPU: cfg, Usage: u}).Steps {
			with := func(registers int, shared int64) int {
				v := u
				v.Registers, v.Static, v.Dynamic = registers, 0, shared
				if u.OptIn == 0 {
					v.Static = r.Int64N(shared + 1)
					v.Dynamic -= v.Static
				}
				return cfg.Occupancy(v).CTAs
			}
			if n := with(s.Registers, s.Shared); n < s.CTAs {
				t.Fatalf("%+v: %d CTAs reside with %+v", u, n, s)
			}
			if n := with(s.Registers, s.Shared+1); n >= s.CTAs {
				t.Fatalf("%+v: %d CTAs reside with more shared memory than %+v", u, n, s)
			}
			if n := with(s.Registers+1, s.Shared); n >= s.CTAs {
				t.Fatalf("%+v: %d CTAs reside with more registers than %+v", u, n, s)
			}
		}
	}
}

// TestClustersStayInAGPC checks 66 TPCs with room for 10 CTAs each: two GPCs have 9, which take 22 clusters of 4, five
// have 8, which take 20, one has 4, which take 10, and each of the four outside of GPCs takes 2.
func TestClustersStayInAGPC(t *testing.T) {
	q := reduce()
	q.Cluster = 4
	if a := occupancy.New(q); a.ActiveClusters != 2*22+5*20+10+4*2 || a.Waves.PerWave != 4*162 {
		t.Errorf("%d clusters, %d CTAs a wave", a.ActiveClusters, a.Waves.PerWave)
	}
	q.Cluster = 17
	if a := occupancy.New(q); a.ActiveClusters != 0 || a.Waves.PerWave != 0 {
		t.Errorf("%d clusters of 17", a.ActiveClusters)
	}
}

func TestDirectiveLimitsBestBlock(t *testing.T) {
	q := reduce()
	q.MaxThreads = 300 // 256, 224, 192, 160 threads: 8, 7, 6, 5 warps; 8 already reach 40
	if a := occupancy.New(q); a.Best.Threads != 256 {
		t.Errorf("best block: %d threads", a.Best.Threads)
	}
}

func text(q occupancy.Question) string {
	var b strings.Builder
	occupancy.New(q).WriteText(&b)
	return b.String()
}

func TestTextShowsAnswer(t *testing.T) {
	q := reduce()
	q.Cluster, q.RegisterCap, q.CapFrom, q.Spilled = 4, 64, ".maxnreg", 3
	const want = `reduce  h100  block 256 (8 warps)  registers 48 (--regs; about 3 more would be spilled)  shared 5120 bytes  barriers 1

occupancy   62.5 %: 5 blocks, 40 of 64 warps on each of 132 SMs
limits      warps 8, registers 5, shared 38, blocks 32, barriers 64: by registers
next step   6 blocks (75.0 %) with at most 40 registers of a thread, 8 fewer
best block  640 threads: 2 blocks, 62.5 %; 264 blocks fill the GPU
clusters    162 at once, of 4 blocks each, in 8 GPCs
grid        1000: 2 waves, the last 54.3 % full, efficiency 77.2 %; 648 blocks fill the GPU
bounds      .maxnreg: at most 64 registers of a thread

  blocks  warps  occupancy  registers  shared memory
       1      8     12.5 %        255          49152
       2     16     25.0 %        128          49152
       3     24     37.5 %         80          49152
       4     32     50.0 %         64          49152
*      5     40     62.5 %         48          45568
       6     48     75.0 %         40          37888
       7     56     87.5 %         32          32256
       8     64    100.0 %         32          28160
`
	if diff := cmp.Diff(want, text(q)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTextNamesWhatLimits checks the lines that differ between answers.
func TestTextNamesWhatLimits(t *testing.T) {
	with := func(change func(q *occupancy.Question)) occupancy.Question {
		q := reduce()
		change(&q)
		return q
	}
	for want, q := range map[string]occupancy.Question{
		"3 blocks (37.5 %) with at most 76800 bytes of shared memory, 23200 fewer": with(func(q *occupancy.Question) {
			q.Usage.Static, q.Usage.Dynamic, q.Usage.OptIn = 0, 100000, 232448
		}),
		"1 block (12.5 %) with at most 255 registers of a thread, 45 fewer": with(func(q *occupancy.Question) { q.Usage.Registers = 300 }),
		"next step   none: all warp slots are taken":                        with(func(q *occupancy.Question) { q.Usage = gpu.Usage{Threads: 1024} }),
		"next step   none with blocks of 1000 threads":                      with(func(q *occupancy.Question) { q.GPU, _ = gpu.Preset("a6000"); q.Usage.Threads = 1000 }),
		"carve-out 50 %  idealised":                                         with(func(q *occupancy.Question) { q.Usage.Carveout, q.Usage.Idealised = new(50), true }),
		"best block  none fits":                                             with(func(q *occupancy.Question) { q.Usage.Static = 1 << 20 }),
		"grid        660 blocks fill the GPU":                               with(func(q *occupancy.Question) { q.Grid = 0 }),
		"1: 1 wave, the last 0.2 % full":                                    with(func(q *occupancy.Question) { q.Grid = 1 }),
		"clusters    17 blocks each, at most 16":                            with(func(q *occupancy.Question) { q.Cluster = 17 }),
		"block 32 (1 warp)  shared 0 bytes":                                 with(func(q *occupancy.Question) { q.Usage = gpu.Usage{Threads: 32} }),
		"clusters    the a100 has none":                                     with(func(q *occupancy.Question) { q.GPU, _ = gpu.Preset("a100"); q.Cluster = 2 }),
	} {
		if got := text(q); !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestJSONShowsAnswer(t *testing.T) {
	q := reduce()
	q.Cluster, q.RegisterCap, q.CapFrom = 4, 64, ".maxnreg"
	var b strings.Builder
	if err := occupancy.New(q).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"schema": `"simtrun.occupancy/v1"`, "kernel": `"reduce"`, "blocks_per_sm": "5", "active_warps": "40", "occupancy": "0.625", "limiters": `["registers"]`,
		"limits":       `{"barriers":64,"blocks":32,"registers":5,"shared":38,"warps":8}`,
		"minimum_grid": "648", "clusters": `{"active":162,"blocks":4}`, "register_cap": `{"from":".maxnreg","registers":64}`,
		"best_block": `{"blocks_per_sm":2,"minimum_grid":264,"occupancy":0.625,"threads":640}`,
		"next":       `{"blocks_per_sm":6,"fewer_registers":8,"fewer_shared":0,"occupancy":0.75,"registers":40,"shared":37888}`,
	} {
		if value, _ := json.Marshal(got[key]); string(value) != want {
			t.Errorf("%s is %s, want %s", key, value, want)
		}
	}
	if steps, _ := got["steps"].([]any); len(steps) != 8 {
		t.Errorf("%d steps, want 8", len(steps))
	}
}

func TestJSONNamesRefusal(t *testing.T) {
	q := reduce()
	q.Usage.Registers, q.Grid = 300, 0
	var b strings.Builder
	if err := occupancy.New(q).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"refusal":"300 registers per thread, at most 255"`, `"minimum_grid":0`, `"limiters":["registers"]`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
}

// byHand returns the CTAs on an SM of an H100, by the rules in the comment of reduce.
func byHand(threads, registers, shared int) int {
	warps := (threads + 31) / 32
	ctas := min(32, 64/warps)
	perWarp := (registers*32 + 255) / 256 * 256
	if perWarp*((warps+3)/4*4) > 65536 {
		return 0
	}
	return min(ctas, 4*(16384/perWarp)/warps, 233472/((shared+1024+127)/128*128))
}

func TestCurvesFollowTheRules(t *testing.T) {
	q := reduce()
	q.Usage.Barriers, q.Usage.OptIn = 0, 232448 // limit of the H100: 227 KB
	var b strings.Builder
	if err := occupancy.WriteCSV(&b, []*occupancy.Answer{occupancy.New(q)}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	points := make(map[string]int)
	for _, row := range rows[1:] {
		points[row[0]]++
		number := func(column int) int {
			n, err := strconv.Atoi(row[column])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		threads, ctas := number(3), number(6)
		warps := ctas * ((threads + 31) / 32)
		if want := byHand(threads, number(4), number(5)); ctas != want || number(7) != warps || row[8] != fmt.Sprint(float64(warps)/64) {
			t.Errorf("%v: want %d CTAs", row, want)
		}
	}
	want := map[string]int{"": 1, "registers": 255, "threads": 32, "shared": 232448/256 + 1}
	if diff := cmp.Diff(want, points); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
}

func TestFigureMarksTheQuestion(t *testing.T) {
	f := occupancy.New(reduce()).Figure()
	if f.Title != "reduce on NVIDIA H100 SXM5" || len(f.Panels) != 3 {
		t.Fatalf("%q with %d panels", f.Title, len(f.Panels))
	}
	for i, x := range []float64{48, 256, 5} { // registers, threads, KB of shared memory
		p := &f.Panels[i]
		if p.Mark == nil || p.Mark.X != x || p.Mark.Y != 62.5 || p.MarkLabel != "62.5 %" {
			t.Errorf("%s: the mark is at %+v, want %v", p.X, p.Mark, x)
		}
		for _, s := range p.Steps {
			if s.X == x && s.Y != 62.5 {
				t.Errorf("%s: %v %% at the mark", p.X, s.Y)
			}
		}
	}
	q := reduce()
	q.Kernel, q.Usage.Registers = "", 0 // unknown: no mark
	if f := occupancy.New(q).Figure(); f.Panels[0].Mark != nil || f.Title != "NVIDIA H100 SXM5" {
		t.Errorf("%q: the mark is at %+v", f.Title, f.Panels[0].Mark)
	}
}
