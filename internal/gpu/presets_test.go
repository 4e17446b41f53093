package gpu

import (
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
)

// preset returns the preset with a name.
func preset(t *testing.T, name string) *Config {
	t.Helper()
	c, err := Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryValueHasASource: every value of a preset has a mark of its source, which the head of the file explains.
func TestEveryValueHasASource(t *testing.T) {
	defined := regexp.MustCompile(`^#   \[([A-Za-z0-9-]+)\]  +\S`)
	sourced := regexp.MustCompile(`  # \[`)
	tag := regexp.MustCompile(` \[([A-Za-z][A-Za-z0-9-]*)(?:: [^\]]*)?\]`)
	for _, name := range Names() {
		text, err := presetText(name)
		if err != nil {
			t.Fatal(err)
		}
		uses := make(map[string]int)
		for i, line := range strings.Split(text, "\n") {
			if m := defined.FindStringSubmatch(line); m != nil {
				uses[m[1]] = 0
			}
			if line == "" || line[0] == '#' || line[0] == '[' {
				continue
			}
			at := sourced.FindStringIndex(line)
			if at == nil {
				t.Errorf("%s.toml:%d: no source behind %s", name, i+1, line)
				continue
			}
			for _, m := range tag.FindAllStringSubmatch(line[at[0]:], -1) {
				if _, ok := uses[m[1]]; !ok {
					t.Errorf("%s.toml:%d: the head does not define [%s]", name, i+1, m[1])
				}
				uses[m[1]]++
			}
		}
		for source, n := range uses {
			if n == 0 {
				t.Errorf("%s.toml: [%s] is used nowhere", name, source)
			}
		}
	}
}

// TestKeysCoverWholeConfig: the keys cover all of a Config except its name, each value once.
func TestKeysCoverWholeConfig(t *testing.T) {
	c := new(Config)
	places := make(map[any]string)
	for _, k := range c.Keys() {
		if before, twice := places[k.value]; twice {
			t.Errorf("%s and %s are the same", before, k.Name)
		}
		if k.Doc == "" {
			t.Errorf("%s: no Doc", k.Name)
		}
		places[k.value] = k.Name
	}
	elsewhere := []any{&c.Name}
	for class := range latencyKeys {
		elsewhere = append(elsewhere, &c.Classes[class].Latency)
	}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		_, known := places[v.Addr().Interface()]
		switch {
		case known, slices.Contains(elsewhere, v.Addr().Interface()):
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case v.Type() == reflect.TypeOf(c.Classes):
			for class := isa.CostNothing + 1; class < isa.NumCostClasses; class++ {
				walk(path+"."+class.String(), v.Index(int(class)))
			}
		default:
			t.Errorf("no key for Config%s", path)
		}
	}
	walk("", reflect.ValueOf(c).Elem())
}

// TestNamesInPresetsAreKnown: other packages know the names in presets.
func TestNamesInPresetsAreKnown(t *testing.T) {
	if diff := cmp.Diff(divergence.ModelNames(), divergenceModels); diff != "" {
		t.Errorf("models of divergence (-package divergence +here):\n%s", diff)
	}
	if !slices.Contains(Names(), "h100") || !slices.IsSorted(Names()) {
		t.Errorf("Names: %v", Names())
	}
	for _, c := range []struct{ name, want string }{
		{"x9", `no GPU "x9"; there are a10, a100, a6000, b200, b200-168, h100, h100-pcie, h100-text, h100:1g.10gb, h100:2g.20gb, h100:3g.40gb, h100:4g.40gb, h100:7g.80gb, h200, l4, minimal, rtx3090, rtx4090, v100`},
		{"h100-pci", `no GPU "h100-pci"; did you mean h100-pcie?`},
		{"H100", `no GPU "H100"; did you mean h100?`},
		{"", `no GPU ""; there are a10, a100, a6000, b200, b200-168, h100, h100-pcie, h100-text, h100:1g.10gb, h100:2g.20gb, h100:3g.40gb, h100:4g.40gb, h100:7g.80gb, h200, l4, minimal, rtx3090, rtx4090, v100`},
		{"h100:9g.90gb", `no slice "9g.90gb" of h100; there are 1g.10gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb`},
		{"v100:1g", `no slice "1g" of v100; it has none here`},
		{"x100:1g", `no GPU "x100:1g"; there are a10, a100, a6000, b200, b200-168, h100, h100-pcie, h100-text, h100:1g.10gb, h100:2g.20gb, h100:3g.40gb, h100:4g.40gb, h100:7g.80gb, h200, l4, minimal, rtx3090, rtx4090, v100`},
		{"h100/1g.10gb", `no GPU "h100/1g.10gb"; did you mean h100:1g.10gb?`},
		{"../presets/h100", `no GPU "../presets/h100"; there are a10, a100, a6000, b200, b200-168, h100, h100-pcie, h100-text, h100:1g.10gb, h100:2g.20gb, h100:3g.40gb, h100:4g.40gb, h100:7g.80gb, h200, l4, minimal, rtx3090, rtx4090, v100`},
	} {
		if _, err := Preset(c.name); err == nil || err.Error() != c.want {
			t.Errorf("Preset(%q): %v, want %s", c.name, err, c.want)
		}
	}
}

// TestPresetsAreCopies: changing a preset changes only the caller's copy.
func TestPresetsAreCopies(t *testing.T) {
	one := H100()
	one.SMs, one.Residency.Carveouts[1] = 1, 1
	if diff := cmp.Diff(preset(t, "h100"), H100()); diff != "" {
		t.Errorf("H100 is not the preset (-preset +H100):\n%s", diff)
	}
}

// limitsTable is the table of technical specifications per compute capability of the CUDA
// C++ Programming Guide, and of cuda_occupancy.h, typed independently. Sizes are in KB, units in bytes and registers.
var limitsTable = []struct {
	capability                           [2]int
	presets                              string
	warps, threads, ctas, blockThreads   int
	registersK, maxRegisters             int
	registerUnit, warpUnit               int
	shared, sharedPerCTA, sharedOptIn    int64
	sharedUnit, sharedReserved           int64
	carveouts                            []int64
	fp32, int32, fp64, sfu, tensor, ldst int
	l1AndShared                          int64
}{
	{[2]int{7, 0}, "v100", 64, 2048, 32, 1024, 64, 255, 256, 4, 96, 48, 96, 256, 0, []int64{0, 8, 16, 32, 64, 96}, 64, 64, 32, 16, 8, 32, 128},
	{[2]int{8, 0}, "a100", 64, 2048, 32, 1024, 64, 255, 256, 4, 164, 48, 163, 128, 1024, []int64{0, 8, 16, 32, 64, 100, 132, 164}, 64, 64, 32, 16, 4, 32, 192},
	{[2]int{8, 6}, "a10 a6000 rtx3090", 48, 1536, 16, 1024, 64, 255, 256, 4, 100, 48, 99, 128, 1024, []int64{0, 8, 16, 32, 64, 100}, 128, 64, 2, 16, 4, 16, 128},
	{[2]int{8, 9}, "l4 rtx4090", 48, 1536, 24, 1024, 64, 255, 256, 4, 100, 48, 99, 128, 1024, []int64{0, 8, 16, 32, 64, 100}, 128, 64, 2, 16, 4, 16, 128},
	{[2]int{9, 0}, "h100 h100-pcie h200", 64, 2048, 32, 1024, 64, 255, 256, 4, 228, 48, 227, 128, 1024, []int64{0, 8, 16, 32, 64, 100, 132, 164, 196, 228}, 128, 64, 64, 16, 4, 32, 248},
	{[2]int{10, 0}, "b200 b200-168", 64, 2048, 32, 1024, 64, 255, 256, 4, 228, 48, 227, 128, 1024, []int64{0, 8, 16, 32, 64, 100, 132, 164, 196, 228}, 128, 64, 64, 16, 4, 32, 256},
}

func TestLimitsMatchPublishedTable(t *testing.T) {
	grid, block := isa.Dim{X: 1<<31 - 1, Y: 65535, Z: 65535}, isa.Dim{X: 1024, Y: 1024, Z: 64}
	for _, w := range limitsTable {
		var carveouts []int64
		for _, kb := range w.carveouts {
			carveouts = append(carveouts, kb<<10)
		}
		want := Residency{CTAs: w.ctas, Warps: w.warps, Threads: w.threads, Registers: w.registersK << 10, RegistersPerCTA: w.registersK << 10,
			RegistersPerThread: w.maxRegisters, RegisterUnit: w.registerUnit, WarpUnit: w.warpUnit, Shared: w.shared << 10, SharedUnit: w.sharedUnit,
			SharedReserved: w.sharedReserved, SharedPerCTA: w.sharedPerCTA << 10, SharedOptIn: w.sharedOptIn << 10, Carveouts: carveouts,
			L1AndShared: w.l1AndShared << 10, Barriers: 16}
		for _, name := range strings.Fields(w.presets) {
			c := preset(t, name)
			if diff := cmp.Diff(want, c.Residency); diff != "" {
				t.Errorf("%s (-table +preset):\n%s", name, diff)
			}
			if diff := cmp.Diff(Limits{grid, block, int64(w.blockThreads), 512 << 10}, c.Limits); diff != "" {
				t.Errorf("%s (-table +preset):\n%s", name, diff)
			}
			u := c.Units
			u.TensorFLOPs = 0
			if diff := cmp.Diff(Units{FP32: w.fp32, INT32: w.int32, FP64: w.fp64, SFU: w.sfu, LoadStore: w.ldst, Tensor: w.tensor, Texture: 4}, u); diff != "" {
				t.Errorf("%s (-table +preset):\n%s", name, diff)
			}
			if c.Capability != w.capability || c.Schedulers != 4 {
				t.Errorf("%s: compute capability %v, %d schedulers", name, c.Capability, c.Schedulers)
			}
		}
	}
}

// TestThroughputMatchesGuide: intervals are those of the results that an SM has per clock (CUDA C++
// Programming Guide, arithmetic throughput), and there are as many lanes as results. The guide counts halves; an
// instruction has two per lane.
func TestThroughputMatchesGuide(t *testing.T) {
	perClock := map[string][]float64{ // of single, half, double, integer, product, special_function, bit_count, conversion, shuffle
		"v100":      {64, 128, 32, 64, 64, 16, 16, 16, 32},
		"a100":      {64, 256, 32, 64, 64, 16, 16, 16, 32},
		"a6000":     {128, 256, 2, 64, 64, 16, 16, 16, 32},
		"a10":       {128, 256, 2, 64, 64, 16, 16, 16, 32},
		"rtx3090":   {128, 256, 2, 64, 64, 16, 16, 16, 32},
		"l4":        {128, 128, 2, 64, 64, 16, 16, 16, 32},
		"rtx4090":   {128, 128, 2, 64, 64, 16, 16, 16, 32},
		"h100":      {128, 256, 64, 64, 64, 16, 16, 16, 32},
		"h100-pcie": {128, 256, 64, 64, 64, 16, 16, 16, 32},
		"h200":      {128, 256, 64, 64, 64, 16, 16, 16, 32},
		"b200":      {128, 128, 64, 64, 64, 16, 16, 16, 32},
		"b200-168":  {128, 128, 64, 64, 64, 16, 16, 16, 32},
	}
	classes := []isa.CostClass{isa.CostSingle, isa.CostHalf, isa.CostDouble, isa.CostInteger, isa.CostProduct, isa.CostSpecialFunction, isa.CostBitCount, isa.CostConversion, isa.CostShuffle}
	for name, results := range perClock {
		c := preset(t, name)
		for i, class := range classes {
			want := results[i]
			if class == isa.CostHalf {
				want /= 2
			}
			if got := c.perCycle(class); got != want {
				t.Errorf("%s: %v results of %s a clock, want %v", name, got, class, want)
			}
		}
	}
	for _, name := range Names() {
		c := preset(t, name)
		for _, u := range []struct {
			class isa.CostClass
			lanes int
		}{{isa.CostSingle, c.Units.FP32}, {isa.CostDouble, c.Units.FP64}, {isa.CostInteger, c.Units.INT32}, {isa.CostSpecialFunction, c.Units.SFU}, {isa.CostLoadShared, c.Units.LoadStore}} {
			got := c.perCycle(u.class)
			if u.class == isa.CostLoadShared {
				got = min(got, float64(warpThreads/c.LSU.Interval))
			}
			if got != float64(u.lanes) {
				t.Errorf("%s: %d lanes, and %v results of %s a clock", name, u.lanes, got, u.class)
			}
		}
	}
}

// TestChipsHavePublishedUnits: how many GPCs, TPCs, SMs and schedulers the GPUs have.
func TestChipsHavePublishedUnits(t *testing.T) {
	for name, want := range map[string][4]int{
		"v100": {6, 40, 80, 320}, "a100": {7, 54, 108, 432}, "a6000": {7, 42, 84, 336}, "rtx4090": {11, 64, 128, 512},
		"h100": {8, 66, 132, 528}, "h100-pcie": {8, 57, 114, 456}, "h200": {8, 66, 132, 528}, "h100-text": {8, 66, 132, 528},
		"h100:1g.10gb": {1, 8, 16, 64}, "h100:2g.20gb": {2, 17, 33, 132}, "h100:3g.40gb": {3, 25, 50, 200}, "h100:4g.40gb": {4, 33, 66, 264}, "h100:7g.80gb": {8, 66, 132, 528},
		"b200": {8, 74, 148, 592}, "b200-168": {12, 84, 168, 672}, "minimal": {1, 1, 1, 1},
	} {
		c := preset(t, name)
		if got := [4]int{c.GPCs, c.TPCs, c.SMs, c.SMs * c.Schedulers}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestSlicesMatchMIGProfiles: slices of the H100 have the SMs, memory, L2 and bandwidth of the table of MIG
// profiles, a share of its L2's slices and channels, and unchanged values of an SM.
func TestSlicesMatchMIGProfiles(t *testing.T) {
	whole := preset(t, "h100")
	for _, w := range []struct {
		name                string
		sms                 int
		dram, l2            int64 // GB, MB
		bandwidth           float64
		partitions, eighths int
	}{
		{"1g.10gb", 16, 10, 5, 400, 1, 1},
		{"2g.20gb", 33, 20, 10, 800, 1, 2},
		{"3g.40gb", 50, 40, 20, 1200, 1, 4},
		{"4g.40gb", 66, 40, 20, 1600, 1, 4},
		{"7g.80gb", 132, 80, 50, 3350, 2, 8},
	} {
		c := preset(t, "h100:"+w.name)
		m := c.Memory
		if c.SMs != w.sms || m.DRAMBytes != w.dram<<30 || m.L2Bytes != w.l2<<20 || m.DRAMPeak != w.bandwidth || m.L2Partitions != w.partitions {
			t.Errorf("%s: %d SMs, %+v", w.name, c.SMs, m)
		}
		if share := float64(w.eighths) / 8; float64(m.L2Slices) != 48*share || m.L2Read != whole.Memory.L2Read*share || m.L2Write != whole.Memory.L2Write*share || float64(m.DRAMChannels) != 160*share {
			t.Errorf("%s: %+v", w.name, m)
		}
		if m.DRAMSustained < 0.92*m.DRAMPeak || m.DRAMSustained > 0.94*m.DRAMPeak {
			t.Errorf("%s: sustains %v of %v GB/s", w.name, m.DRAMSustained, m.DRAMPeak)
		}
		if diff := cmp.Diff(whole.Residency, c.Residency); diff != "" {
			t.Errorf("%s (-whole +slice):\n%s", w.name, diff)
		}
	}
	for name, want := range map[string]bool{"h100:1g.10gb": false, "h100:9g": false, "h100": false, "my.toml": true, `C:\my.toml`: true, "x100:1g.10gb": true} {
		if IsFile(name) != want {
			t.Errorf("IsFile(%q) is %v", name, !want)
		}
	}
}

// TestPeakFLOPSMatchDataSheets: peak FLOPS are SMs x lanes x clock x 2, and those of the data sheets.
func TestPeakFLOPSMatchDataSheets(t *testing.T) {
	for _, w := range []struct {
		name                     string
		fp32, fp64, fp16, tensor float64 // TFLOPS
	}{
		{"v100", 15.7, 7.8, 31.3, 125.3},
		{"a100", 19.5, 9.7, 78, 312},
		{"a6000", 38.7, 0.6, 77.4, 154.8},
		{"a10", 31.2, 0.5, 62.5, 125},
		{"l4", 30.3, 0.5, 30.3, 121},
		{"rtx4090", 82.6, 1.3, 82.6, 330.3},
		{"h100", 66.9, 33.5, 133.8, 1070.5},
		{"h100-pcie", 51.2, 25.6, 102.4, 819.5},
		{"h100-text", 61.8, 30.9, 123.7, 494.7},
		{"b200", 74.5, 37.2, 74.5, 2382.5},
		{"minimal", 0.064, 0.064, 0.128, 0},
	} {
		p := preset(t, w.name).Peak()
		for what, pair := range map[string][2]float64{"fp32": {p.FP32, w.fp32}, "fp64": {p.FP64, w.fp64}, "fp16": {p.FP16, w.fp16}, "tensor": {p.Tensor, w.tensor}} {
			if got, want := pair[0]/1000, pair[1]; math.Abs(got-want) > max(0.05, want*0.002) && got != want {
				t.Errorf("%s: %s %.3f TFLOPS, want %v", w.name, what, got, want)
			}
		}
	}
	text := preset(t, "h100-text")
	if one := text.Peak().FP32 / 132; math.Abs(one-468.5) > 0.05 {
		t.Errorf("h100-text: %.2f GFLOPS an SM, want 468.5", one)
	}
	if one := text.Peak().Tensor / 132; math.Abs(one-3750) > 5 {
		t.Errorf("h100-text: %.2f GFLOPS of tensor cores an SM, want 3750", one)
	}
}

// TestTextbookPresetHasTextbookLatencies: h100-text has the latencies and throughputs of textbooks.
func TestTextbookPresetHasTextbookLatencies(t *testing.T) {
	c := preset(t, "h100-text")
	for _, w := range []struct {
		what     string
		got      int
		from, to int
	}{
		{"FP32", c.Classes[isa.CostSingle].Latency, 4, 4},
		{"INT32", c.Classes[isa.CostInteger].Latency, 4, 4},
		{"FP64", c.Classes[isa.CostDouble].Latency, 8, 8},
		{"a load of shared memory", c.Classes[isa.CostLoadShared].Latency, 22, 30},
		{"a load of global memory", c.Memory.DRAM, 300, 500},
		{"an L2 hit", c.Memory.L2, 200, 200},
		{"a load from device memory", c.Memory.DRAM, 400, 800},
		{"a barrier of one warp", c.Barrier.Release, 5, 20},
		{"a barrier of 32 warps", c.Barrier.Release + 31*c.Barrier.PerWarp, 5, 20},
		{"lanes of special functions", c.Units.SFU, 4, 4},
		{"KB of L1 and shared memory", int(c.Residency.L1AndShared >> 10), 228, 228},
		{"products and sums of tensor cores", c.Units.TensorFLOPs / 2, 1024, 1024},
	} {
		if w.got < w.from || w.got > w.to {
			t.Errorf("%s: %d, want %d to %d", w.what, w.got, w.from, w.to)
		}
	}
	if o := c.Occupancy(Usage{Threads: 256, Registers: 32, Static: 16 << 10}); o.CTAs != 8 {
		t.Errorf("%d CTAs of 256 threads, 32 registers and 16 KB reside, want 8", o.CTAs)
	}
}

// TestBarrierCostGrowsWithWarps: a barrier of w warps takes 12 + 2w cycles on a GPU of compute capability
// 9.0 (measured: 12.6), and 22 + 2w on others (B300). The first arrival is taken at
// once.
func TestBarrierCostGrowsWithWarps(t *testing.T) {
	for name, want := range map[string]int{"v100": 22, "a100": 22, "a6000": 22, "rtx4090": 22, "h100": 12, "h100-pcie": 12, "h200": 12, "b200": 22} {
		c := preset(t, name)
		for _, w := range []int{1, 8, 32} {
			if got := c.Barrier.Release + (w-1)*c.Barrier.PerWarp; got != want+2*w {
				t.Errorf("%s: %d cycles for %d warps, want %d", name, got, w, want+2*w)
			}
		}
	}
}
