package measure_test

import (
	"math"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
)

// TestPresetsHaveMeasuredValues: the presets of measured GPUs have the measured values.
func TestPresetsHaveMeasuredValues(t *testing.T) {
	presets := map[machine]string{h100: "h100", "h200": "h200"}
	machines(t, func(t *testing.T, m machine) {
		c, err := gpu.Preset(presets[m])
		if err != nil {
			t.Fatal(err)
		}
		comparePreset(t, m, c)
	})
}

// measuredCosts are the operations that become one machine instruction of a class, or several dependent ones.
var measuredCosts = []struct {
	class     isa.CostClass
	operation string
	of        float64 // number of instructions
}{
	{isa.CostInteger, "lop3.b32", 1},
	{isa.CostInteger, "add.s32 twice", 1},
	{isa.CostInteger, "min+max.f32", 1},
	{isa.CostProduct, "mad.lo.s32", 1},
	{isa.CostProductHigh, "mul.hi.u32", 1},
	{isa.CostSingle, "fma.rn.f32", 1},
	{isa.CostDouble, "add.f64", 1},
	{isa.CostDoubleCompare, "setp.lt.xor.f64", 1},
	{isa.CostSpecialFunction, "ex2.approx.ftz.f32", 1},
	{isa.CostSpecialFunction, "rcp.approx.ftz.f64", 1},
	{isa.CostConversion, "cvt.rzi.s32.f32", 1},
	{isa.CostDoubleConversion, "cvt.f64.f32 + cvt.rn.f32.f64", 2},
	{isa.CostBitCount, "popc.b32", 1},
	{isa.CostVote, "vote.sync.any.pred", 1},
	{isa.CostMatch, "match.any.sync.b32", 1},
	{isa.CostReduction, "redux.sync.add.s32", 1},
	{isa.CostShuffle, "shfl.sync.bfly.b32", 1},
}

// within compares a value of a preset with a measured one, with a tolerance.
func within(t *testing.T, what string, got, measured, off float64) {
	t.Helper()
	if math.Abs(got-measured) > off {
		t.Errorf("%s: %v in the preset, %v measured", what, got, measured)
	}
}

func comparePreset(t *testing.T, m machine, c *gpu.Config) {
	instructions := m.read(t, "instructions")
	for _, w := range measuredCosts {
		row := instructions.find(t, w.operation)
		cost := c.Classes[w.class]
		within(t, "latency of "+w.operation, float64(cost.Latency), number(t, row[instructions.column(t, "chain_1w")])/w.of, 0.2)
		// Conversions of .f64 take 8.5 cycles.
		within(t, "interval of "+w.operation, float64(cost.Interval), 4*number(t, row[instructions.column(t, "ilp4_per_warp_32w")])/w.of, 0.51)
	}
	half := c.Classes[isa.CostHalf]
	within(t, "latency of HADD2", float64(half.Latency), number(t, instructions.find(t, "cvt.f32.f16")[instructions.column(t, "chain_1w")]), 0.2)
	within(t, "interval of halves", float64(half.Interval), 4*number(t, instructions.find(t, "add.f16x2")[instructions.column(t, "ilp4_per_warp_32w")]), 0.1)

	for _, w := range []struct {
		what   string
		got    int
		file   string
		key    string // first columns of the row, separated by " / "
		column string
		off    float64
	}{
		{"shared load", c.Classes[isa.CostLoadShared].Latency, "shared", "4 / stride 1", "latency", 0.1},
		{"shared load, two wavefronts", c.Classes[isa.CostLoadShared].Latency + c.Memory.SharedPerWavefront, "shared", "4 / stride 2", "latency", 0.1},
		{"shared load, 32 wavefronts", c.Classes[isa.CostLoadShared].Latency + 31*c.Memory.SharedPerWavefront, "shared", "4 / stride 32", "latency", 0.1},
		{"shared atomic", c.Classes[isa.CostAtomicShared].Latency, "shared_atomics", "atom.add / one address / 1", "latency", 0.4},
		{"constant load", c.Classes[isa.CostLoadConstant].Latency, "constants", "lanes at n different words of a line / 1", "latency", 0.1},
		{"local load", c.Classes[isa.CostLoadLocal].Latency, "local", "1", "cycles", 0.1},
		{"L1 hit", c.Memory.L1, "latency", "ca32 / 8192 / 128", "cycles", 0.5},
		{"L2 hit", c.Memory.L2, "latency", "cg / 20971520 / 128", "cycles", 0.5},
		{"global load", c.Memory.L2, "latency", "cg / 20971520 / 128", "cycles", 0.5},
		{"device memory", c.Memory.DRAM, "latency", "cg / 1073741824 / 128", "cycles", 0.5},
		{"global atomic", c.Classes[isa.CostAtomicGlobal].Latency, "latency", "atom_add / 1048576", "cycles", 0.5},
		{"membar.cta", c.Classes[isa.CostFenceCTA].Latency, "barriers", "membar.cta / 1 / 1", "cycles", 0.5},
		{"membar.gl", c.Classes[isa.CostFenceGPU].Latency, "barriers", "membar.gl / 1 / 1", "cycles", 0.5},
		{"membar.sys", c.Classes[isa.CostFenceSystem].Latency, "barriers", "membar.sys / 1 / 1", "cycles", 0.5},
		{"nanosleep 0", c.Classes[isa.CostSleep].Latency, "barriers", "nanosleep 0 / 1 / 1", "cycles", 0.5},
		{"barrier, 1 warp", c.Barrier.Release, "barriers", "bar.sync 0 / 1 / 1", "cycles", 0.7},
		{"barrier, 32 warps", c.Barrier.Release + 31*c.Barrier.PerWarp, "barriers", "bar.sync 0 / 32 / 1", "cycles", 0.7},
		{"turnaround", c.CTAs.Turnaround, "turnaround", "128 / 200 / 1 / 4000", "median", 0},
		{"first CTAs, 1 warp", c.CTAs.First + 1, "turnaround", "32 / 50 / 4 / 4000", "first_wave", 1},
		{"first CTAs, 4 warps", c.CTAs.First + 4, "turnaround", "128 / 50 / 4 / 4000", "first_wave", 1},
		{"first CTAs, 8 warps", c.CTAs.First + 8, "turnaround", "256 / 50 / 4 / 4000", "first_wave", 1},
		{"start of warps", c.CTAs.PerWarp, "turnaround", "128 / 200 / 1 / 4000", "per_warp", 0},
		{"GB/s read", int(c.Memory.DRAMSustained), "bandwidth", "read / 2048", "gb_per_s", 0},
		{"SMs", c.SMs, "attributes", "sms", "value", 0},
		{"clock", int(c.ClockMHz * 1000), "attributes", "clock_khz", "value", 0},
		{"bytes of L2", int(c.Memory.L2Bytes), "attributes", "l2_bytes", "value", 0},
		{"shared memory", int(c.Residency.Shared), "attributes", "max_shared_per_sm", "value", 0},
		{"shared memory of a CTA", int(c.Residency.SharedOptIn), "attributes", "max_shared_per_block_optin", "value", 0},
		{"CTAs of an SM", c.Residency.CTAs, "attributes", "max_blocks_per_sm", "value", 0},
	} {
		tab := m.read(t, w.file)
		within(t, w.what, float64(w.got), number(t, tab.find(t, strings.Split(w.key, " / ")...)[tab.column(t, w.column)]), w.off)
	}

	attributes := m.read(t, "attributes")
	value := func(name string) float64 { return number(t, attributes.find(t, name)[1]) }
	within(t, "peak of device memory, GB/s", c.Memory.DRAMPeak, 2*value("memory_clock_khz")*value("memory_bus_bits")/8/1e6, 1)

	// A launch on all SMs; CTAs of 32 threads with an element of 8 bytes each.
	launches := m.read(t, "launches")
	text, _, _ := strings.Cut(launches.find(t, "cycles between kernels on an SM", "132", "32")[launches.column(t, "value")], " ")
	within(t, "launch", float64(c.CTAs.Launch), number(t, text), 0)
	residents := m.read(t, "residents")
	rate := number(t, residents.find(t, "once_read", "0", "32", "32")[residents.column(t, "gb_per_s")]) / (8 * 32) / (c.ClockMHz / 1000)
	within(t, "CTAs a cycle", c.CTAs.PerCycle, rate, 0.01)

	// Bandwidths of L2 and the ports to it per cycle, and atomics. Those of the H200 are assumed to be those of the
	// H100.
	mem := &c.Memory
	lane := mem.AtomicSector + mem.AtomicWord + 31*mem.AtomicLane // cycles of 32 lanes at one word
	for _, w := range []struct {
		what  string
		got   float64
		file  string
		key   string
		times float64
		off   float64 // tolerance, as a fraction
	}{
		{"bytes read from L2", mem.L2Read, "bandwidth", "readcg / 36", 1, 0.005},
		{"bytes written to L2", mem.L2Write, "bandwidth", "write / 48", 1, 0.01},
		{"bytes sent by an SM", mem.SMRequest, "few_sms", "write / 16 / 1 / 1024", 1, 0.001},
		{"bytes received by an SM", mem.SMResponse, "few_sms", "readcg / 16 / 1 / 1024", 1, 0.011},
		{"bytes received by a GPC", mem.GPCResponse, "few_sms", "readcg / 16 / 8 / 1024", 8, 0.001},
		{"lanes at one address", 32 / lane, "atomics", "red_add_u32 / one address / 132", 1, 0.002},
		{"lanes at one address, f32", 32 / (lane + 31*(mem.AtomicLaneFloat-mem.AtomicLane)), "atomics", "red_add_f32 / one address / 132", 1, 0.002},
		{"lanes at an address for each warp", 32 * float64(mem.L2Slices) / lane, "atomics", "red_add_u32 / an address for each warp, 128 bytes apart / 132", 1, 0.17},
		{"lanes at consecutive words", 32 * float64(mem.L2Slices) / (4*mem.AtomicSector + 32*mem.AtomicWord), "atomics", "red_add_u32 / lanes consecutive, a line for each warp / 132", 1, 0.05},
		{"lanes 32 bytes apart", 4 * float64(mem.L2Slices) / (4*mem.AtomicSector + 4*mem.AtomicWord), "atomics", "red_add_u32 / lanes 32 bytes apart, all warps apart / 132", 1, 0.18},
		{"lanes 128 bytes apart", float64(mem.L2Slices) / (mem.AtomicSector + mem.AtomicWord), "atomics", "red_add_u32 / lanes 128 bytes apart, all warps apart / 132", 1, 0.07},
	} {
		row := m.read(t, w.file).find(t, strings.Split(w.key, " / ")...)
		measured := w.times * number(t, row[len(row)-1])
		within(t, w.what, w.got, measured, w.off*measured)
	}
	// A sector brings the next one with it if both are in one grain.
	sectors := m.read(t, "sectors")
	row := sectors.find(t, "32")
	brought := number(t, row[sectors.column(t, "load1")]) < float64(mem.L2+mem.DRAM)/2
	another := number(t, row[sectors.column(t, "load2")]) < float64(mem.L2+mem.DRAM)/2
	if !brought || another || mem.DRAMGrain != 64 {
		t.Errorf("device memory is read %d bytes at a time: %v", mem.DRAMGrain, row)
	}

	// Capacity of L1 by carve-out, in KB.
	carveout := m.read(t, "carveout")
	for percent, shared := range map[string]int64{"28": 64, "43": 100, "100": 228} {
		fits := number(t, carveout.find(t, percent)[carveout.column(t, "fits_kb")])
		within(t, "KB of L1", float64(c.Residency.L1AndShared>>10-shared), fits, 0)
	}
}
