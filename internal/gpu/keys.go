package gpu

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// Names in presets of things in other packages.
var (
	divergenceModels = []string{"its", "stack", "minpc"}
	policies         = []string{"gty", "gto", "oldest", "stalled", "lrr", "bank-aware"}
	ctaOrders        = []string{"most-room", "round-robin", "linear", "by-gpc"}
)

// Key is one value of a file.
type Key struct {
	Name string // as in "residency.ctas": ctas in the table residency
	Doc  string // description with the unit

	value any      // pointer into a Config
	least float64  // minimum of a number
	among []string // possible names; nil if any
}

// Keys returns the values of c that a file has, in the order of the presets.
func (c *Config) Keys() []Key {
	keys := slices.Concat(c.chipKeys(), c.residencyKeys(), c.limitKeys(), c.unitKeys(), c.memoryKeys(), c.smKeys(), c.ctaKeys(), c.clusterKeys(), c.tensorMemoryKeys())
	for class := isa.CostNothing + 1; class < isa.NumCostClasses; class++ {
		keys = append(keys, c.costKeys(class)...)
	}
	return keys
}

// chipKeys returns the values of the GPU as a whole.
func (c *Config) chipKeys() []Key {
	return []Key{
		{"title", "the GPU's full name", &c.Title, 0, nil},
		{"compute_capability", "major, minor", &c.Capability, 0, nil},
		{"gpcs", "GPCs", &c.GPCs, 1, nil},
		{"tpcs", "TPCs", &c.TPCs, 1, nil},
		{"gpc_tpcs", "TPCs of each GPC. Remaining TPCs cannot share a cluster with others. Without this key, in a file that has `gpcs` or `tpcs`, TPCs are distributed as evenly as possible", &c.GPCTPCs, 1, nil},
		{"sms", "SMs", &c.SMs, 1, nil},
		{"clock_mhz", "clock of the SMs, in MHz: cycles are its cycles", &c.ClockMHz, 1, nil},
		{"divergence", "default of `--divergence`, the model of divergence", &c.Divergence, 0, divergenceModels},
		{"policy", "which eligible warp a scheduler issues from: `gty` (greedy, then youngest), `gto` (greedy, then oldest), `oldest`, `stalled` (longest stalled), `lrr` (loose round robin), `bank-aware`", &c.Policy, 0, policies},
	}
}

// residencyKeys returns the limits of resident CTAs and warps of an SM.
func (c *Config) residencyKeys() []Key {
	r := &c.Residency
	return []Key{
		{"residency.ctas", "CTAs that reside on an SM, at most", &r.CTAs, 1, nil},
		{"residency.warps", "warps, at most; a multiple of `sm.schedulers`", &r.Warps, 1, nil},
		{"residency.threads", "threads, at most", &r.Threads, 1, nil},
		{"residency.registers", "32-bit registers of an SM", &r.Registers, 1, nil},
		{"residency.registers_per_cta", "registers of a CTA, at most", &r.RegistersPerCTA, 1, nil},
		{"residency.registers_per_thread", "registers of a thread, at most", &r.RegistersPerThread, 1, nil},
		{"residency.register_unit", "registers are allocated to a warp in units of this many", &r.RegisterUnit, 1, nil},
		{"residency.warp_unit", "the number of a CTA's warps is rounded up to a multiple of this for the check against `registers_per_cta`", &r.WarpUnit, 1, nil},
		{"residency.shared", "bytes of shared memory of an SM, at most", &r.Shared, 1, nil},
		{"residency.shared_unit", "shared memory is allocated to a CTA in units of this many bytes", &r.SharedUnit, 1, nil},
		{"residency.shared_reserved", "bytes of shared memory that the system takes for each CTA", &r.SharedReserved, 0, nil},
		{"residency.shared_per_cta", "bytes of shared memory of a CTA that has not opted in to more", &r.SharedPerCTA, 1, nil},
		{"residency.shared_opt_in", "bytes of shared memory of a CTA, at most", &r.SharedOptIn, 1, nil},
		{"residency.carveouts", "bytes of shared memory that an SM can be configured to have, in ascending order; the last is `shared`", &r.Carveouts, 0, nil},
		{"residency.l1_and_shared", "bytes of L1 and shared memory together: L1 has what the carve-out leaves", &r.L1AndShared, 1, nil},
		{"residency.barriers", "barriers of a CTA", &r.Barriers, 1, nil},
	}
}

// limitKeys returns the limits of a launch.
func (c *Config) limitKeys() []Key {
	l := &c.Limits
	return []Key{
		{"limits.grid", "CTAs of a launch in x, y and z, at most", &l.Grid, 1, nil},
		{"limits.block", "threads of a CTA in x, y and z, at most", &l.Block, 1, nil},
		{"limits.block_threads", "threads of a CTA, at most", &l.BlockThreads, 1, nil},
		{"limits.local", "bytes of local memory of a thread, at most", &l.Local, 0, nil},
	}
}

// unitKeys returns the execution units of an SM, from which other figures are derived.
func (c *Config) unitKeys() []Key {
	u := &c.Units
	return []Key{
		{"units.fp32", "lanes of an SM for `.f32`; peak FLOPS are derived from them", &u.FP32, 1, nil},
		{"units.int32", "lanes for 32-bit integers", &u.INT32, 1, nil},
		{"units.fp64", "lanes for `.f64`; peak FLOPS are derived from them", &u.FP64, 1, nil},
		{"units.sfu", "lanes for special functions", &u.SFU, 1, nil},
		{"units.load_store", "lanes for loads and stores", &u.LoadStore, 1, nil},
		{"units.tensor", "tensor cores", &u.Tensor, 0, nil},
		{"units.tensor_flops", "floating-point operations of an SM's tensor cores in a cycle, on `.f16`: two for a product and its addition", &u.TensorFLOPs, 0, nil},
		{"units.texture", "texture units: lanes for which an SM filters up to four texels in a cycle", &u.Texture, 1, nil},
	}
}

// memoryKeys returns the values of the memory hierarchy after L1, and latencies.
func (c *Config) memoryKeys() []Key {
	m := &c.Memory
	return []Key{
		{"memory.l2_bytes", "bytes of L2", &m.L2Bytes, 1, nil},
		{"memory.dram_bytes", "bytes of device memory", &m.DRAMBytes, 1, nil},
		{"memory.dram_peak", "bandwidth of device memory by clock and width, in GB/s", &m.DRAMPeak, 0, nil},
		{"memory.dram_sustained", "bandwidth that a kernel reading device memory reaches, in GB/s", &m.DRAMSustained, 0, nil},
		{"memory.l1", "latency of a load that hits L1", &m.L1, 1, nil},
		{"memory.l2", "latency of a load that hits L2", &m.L2, 1, nil},
		{"memory.dram", "latency of a load from device memory", &m.DRAM, 1, nil},
		{"memory.flat", "latency of every load of global memory on a GPU without caches and queues, on which accesses wait for nothing else; 0 for a GPU with caches", &m.Flat, 0, nil},
		{"memory.l2_partitions", "partitions of L2, 1 or 2: each keeps the lines that its GPCs read", &m.L2Partitions, 1, nil},
		{"memory.l2_far", "cycles added to the latency of a load that hits the other partition of L2", &m.L2Far, 0, nil},
		{"memory.l2_slices", "slices of L2, the same number in each partition", &m.L2Slices, 1, nil},
		{"memory.l2_read", "bytes that all slices together read in a cycle", &m.L2Read, 1, nil},
		{"memory.l2_write", "bytes that all slices together write in a cycle", &m.L2Write, 1, nil},
		{"memory.sm_request", "bytes that an SM sends to L2 in a cycle", &m.SMRequest, 1, nil},
		{"memory.sm_response", "bytes that an SM gets from L2 in a cycle", &m.SMResponse, 1, nil},
		{"memory.gpc_response", "bytes that the SMs of a GPC get in a cycle together; 0 for any number", &m.GPCResponse, 0, nil},
		{"memory.atomic_sector", "cycles of a slice for each sector in which atomics change words", &m.AtomicSector, 0, nil},
		{"memory.atomic_word", "cycles of a slice for each of these words, in addition", &m.AtomicWord, 0, nil},
		{"memory.atomic_lane", "cycles of a slice for each lane after the first at the same word, in addition", &m.AtomicLane, 0, nil},
		{"memory.atomic_lane_float", "as `memory.atomic_lane`, for atomics that add floating-point numbers", &m.AtomicLaneFloat, 0, nil},
		{"memory.dram_channels", "channels of device memory: pseudo channels, if it has them", &m.DRAMChannels, 1, nil},
		{"memory.dram_interleave", "consecutive bytes that are on one channel; a power of two, at least 128", &m.DRAMInterleave, 128, nil},
		{"memory.dram_grain", "bytes that device memory reads for a sector: 32, 64 or 128", &m.DRAMGrain, 32, nil},
		{"memory.shared_per_wavefront", "cycles that each wavefront after the first adds to the latency of a request to shared memory", &m.SharedPerWavefront, 0, nil},
	}
}

// smKeys returns the values of the parts of an SM.
func (c *Config) smKeys() []Key {
	return []Key{
		{"sm.schedulers", "warp schedulers of an SM, each with its share of the warps and registers", &c.Schedulers, 1, nil},
		{"sm.sm_wide", "pipes that the schedulers of an SM share; the others are each scheduler's own", &c.SMWide, 0, nil},
		{"sm.banks", "banks of a scheduler's registers; a register's bank is its number modulo this", &c.Banks, 1, nil},
		{"sm.bank_ports", "registers that a bank reads in a cycle", &c.BankPorts, 1, nil},
		{"sm.guard", "cycles from the comparison that writes a predicate until an instruction that it guards can be issued; 0 if that is the comparison's latency", &c.Guard, 0, nil},
		{"sm.settle", "1 if a branch waits for results of fixed latency that are on their way", &c.Settle, 0, nil},

		{"fetch.l0", "bytes of a scheduler's instruction cache; 0 if no instruction is waited for", &c.Fetch.L0, 0, nil},
		{"fetch.l1", "bytes of an SM's first instruction cache", &c.Fetch.L1, 0, nil},
		{"fetch.l15", "bytes of an SM's second instruction cache", &c.Fetch.L15, 0, nil},
		{"fetch.l1_latency", "cycles until a scheduler has a line of instructions, 128 bytes, that hits `fetch.l1`", &c.Fetch.L1Latency, 0, nil},
		{"fetch.l15_latency", "cycles until a scheduler has a line that hits only `fetch.l15`", &c.Fetch.L15Latency, 0, nil},
		{"fetch.l15_interval", "cycles between two lines that `fetch.l15` returns, at least", &c.Fetch.L15Interval, 0, nil},
		{"fetch.latency", "cycles until a scheduler has a line that misses both caches", &c.Fetch.Latency, 0, nil},
		{"fetch.first", "as `fetch.latency`, for the first line of a launch on an SM", &c.Fetch.First, 0, nil},
		{"fetch.interval", "cycles between two lines that miss both caches, at least", &c.Fetch.Interval, 0, nil},
		{"fetch.ahead", "lines that a scheduler fetches ahead", &c.Fetch.Ahead, 0, nil},

		{"lsu.queue", "memory instructions of a scheduler on their way to the SM's memory pipe, at most", &c.LSU.Queue, 1, nil},
		{"lsu.depth", "cycles from the issue of a memory instruction until the SM's memory pipe takes it, at least", &c.LSU.Depth, 1, nil},
		{"lsu.interval", "cycles for which an instruction keeps the SM's memory pipe busy, at least", &c.LSU.Interval, 1, nil},
		{"lsu.stores", "sectors that an SM has sent to L2 and that L2 has not taken, at most", &c.LSU.Stores, 4, nil},
		{"lsu.gap", "cycles from a memory instruction of a warp to its next memory instruction, at least", &c.LSU.Gap, 0, nil},
		{"lsu.drain", "cycles for which a warp that has ended keeps its slot after the pipe has taken its last store", &c.LSU.Drain, 0, nil},
		{"lsu.tag_masks", "masks of the bits of a line's number (address / 128): the parity of the bits in the first mask is bit 0 of the line's set of L1 tags, and so on; each set looks up a line in a cycle", &c.LSU.TagMasks, 0, nil},

		{"texture.queue", "instructions of a scheduler for textures and surfaces on their way to the SM's texture pipe, at most", &c.Texture.Queue, 1, nil},
		{"texture.bytes", "bytes of a texel that a texture unit takes in a cycle", &c.Texture.Bytes, 1, nil},

		{"constants.l1", "bytes of the first constant cache of an SM", &c.Constants.L1, 1, nil},
		{"constants.l15", "bytes of the second constant cache", &c.Constants.L15, 1, nil},
		{"constants.l15_latency", "latency of a load that hits the second constant cache; the latency of the first is the class's", &c.Constants.L15Latency, 1, nil},
		{"constants.per_word", "cycles that each different word after the first adds to the latency: a request is served word by word, and each takes the class's interval", &c.Constants.PerWord, 0, nil},
		{"constants.loaded", "1 if code loads parameters and dimensions of a launch with instructions of their own, 0 if it has them as operands of others", &c.Constants.Loaded, 0, nil},
		{"constants.gpc_interval", "cycles between two SMs of a GPC that get a line of a launch's constants; they get it in the order of their first CTAs", &c.Constants.GPCInterval, 0, nil},
		{"constants.replays", "how many more times a warp issues a load to a uniform register if the load has waited for its line", &c.Constants.Replays, 0, nil},

		{"barrier.per_warp", "cycles for which an arriving warp keeps the SM's barrier unit busy", &c.Barrier.PerWarp, 0, nil},
		{"barrier.release", "cycles from when the unit takes the last arrival until the warps continue", &c.Barrier.Release, 1, nil},
	}
}

// ctaKeys returns the values of the GigaThread engine.
func (c *Config) ctaKeys() []Key {
	return []Key{
		{"ctas.order", "how CTAs are assigned to SMs: `most-room` (to the SM with most free resources), `round-robin`, `linear` (fills one SM after the other), `by-gpc` (GPCs take turns, and get one for each SM)", &c.CTAs.Order, 0, ctaOrders},
		{"ctas.turnaround", "cycles from the end of a CTA until the first warp of its successor on the SM starts", &c.CTAs.Turnaround, 0, nil},
		{"ctas.per_warp", "cycles from the start of a CTA's warp to the start of its next warp", &c.CTAs.PerWarp, 0, nil},
		{"ctas.per_cycle", "CTAs that the GPU starts in a cycle in place of ones that have ended; 0 for any number", &c.CTAs.PerCycle, 0, nil},
		{"ctas.first", "cycles from the start of a CTA to the start of the next one on its SM, in addition to one cycle for each warp, while a launch fills the GPU; 0 if `ctas.per_cycle` applies then, too", &c.CTAs.First, 0, nil},
		{"ctas.launch", "cycles from the end of a launch until the one that waits for it starts", &c.CTAs.Launch, 0, nil},
	}
}

// clusterKeys returns the values of clusters.
func (c *Config) clusterKeys() []Key {
	return []Key{
		{"cluster.size", "CTAs of a cluster, at most; 1 for a GPU without clusters", &c.Cluster.Size, 1, nil},
		{"cluster.latency", "cycles of a load from the shared memory of another SM; 0 for a GPU without clusters", &c.Cluster.Latency, 0, nil},
		{"cluster.bytes", "bytes that an SM sends to others of its cluster in a cycle, and receives from them; 0 for any number", &c.Cluster.Bytes, 0, nil},
		{"cluster.barrier", "cycles from the last arrival at the barrier of a cluster until its threads continue; 0 for a GPU without clusters", &c.Cluster.Barrier, 0, nil},
	}
}

// tensorMemoryKeys returns the values of tensor memory.
func (c *Config) tensorMemoryKeys() []Key {
	t := &c.TensorMemory
	return []Key{
		{"tensor_memory.latency", "cycles from the issue of a `tcgen05.ld` or `tcgen05.st` until its data are there, apart from the time to move them; 0 for a GPU without tensor memory", &t.Latency, 0, nil},
		{"tensor_memory.bytes", "bytes that the warps of a scheduler move between registers and tensor memory in a cycle; 0 for a GPU without tensor memory", &t.Bytes, 0, nil},
		{"tensor_memory.copy", "bytes that an SM copies from shared memory to tensor memory in a cycle (`tcgen05.cp`); 0 for a GPU without tensor memory", &t.Copy, 0, nil},
		{"tensor_memory.product", "cycles of a `tcgen05.mma` in addition to those in which it keeps the SM's tensor cores busy; 0 for a GPU without tensor memory", &t.Product, 0, nil},
		{"tensor_memory.assumed", "1 if these figures are assumed; reports of launches then say so; 0 if they are known", &t.Assumed, 0, nil},
	}
}

// costKeys returns the values of a class, without a latency that is another key's value.
func (c *Config) costKeys(class isa.CostClass) []Key {
	cost, name := &c.Classes[class], "classes."+class.String()
	keys := []Key{{name + ".pipe", "the pipe that executes the class", &cost.Pipe, 0, nil}}
	if latencyKeys[class] == "" {
		keys = append(keys, Key{name + ".latency", "cycles until an instruction that needs the result can be issued", &cost.Latency, 1, nil})
	}
	return append(keys, Key{name + ".interval", "cycles until the pipe takes the next instruction", &cost.Interval, 1, nil})
}

// latencyKeys has the keys with the latencies of classes that have no latency key of their own.
var latencyKeys = map[isa.CostClass]string{isa.CostLoadGlobal: "memory.l1", isa.CostCTABarrier: "barrier.release"}

// fillLatencies sets the latencies of latencyKeys.
func (c *Config) fillLatencies() {
	c.Classes[isa.CostLoadGlobal].Latency = c.Memory.L1
	if c.Memory.Flat > 0 {
		c.Classes[isa.CostLoadGlobal].Latency = c.Memory.Flat
	}
	c.Classes[isa.CostCTABarrier].Latency = c.Barrier.Release
}

// Value returns the value as in a file: a string, a number, or a list of strings or numbers.
func (k *Key) Value() any {
	switch v := k.value.(type) {
	case *isa.Dim:
		return []uint32{v.X, v.Y, v.Z}
	case *isa.Unit:
		return v.String()
	case *[isa.NumUnits]bool:
		pipes := []string{}
		for pipe, shared := range v {
			if shared {
				pipes = append(pipes, isa.Unit(pipe).String())
			}
		}
		return pipes
	}
	return reflect.ValueOf(k.value).Elem().Interface()
}

// set sets k to a value of a file.
func (k *Key) set(raw any) error {
	switch v := k.value.(type) {
	case *string:
		return k.setName(v, raw)
	case *int:
		n, err := k.integer(raw, maxCount)
		*v = int(n)
		return err
	case *int64:
		n, err := k.integer(raw, maxBytes)
		*v = n
		return err
	case *float64:
		n, err := k.number(raw)
		*v = n
		return err
	case *[2]int:
		n, err := k.integers(raw, len(v), maxCount)
		if err == nil {
			*v = [2]int{int(n[0]), int(n[1])}
		}
		return err
	case *isa.Dim:
		n, err := k.integers(raw, 3, math.MaxUint32)
		if err == nil {
			*v = isa.Dim{X: uint32(n[0]), Y: uint32(n[1]), Z: uint32(n[2])}
		}
		return err
	case *[]int64:
		n, err := k.integers(raw, 0, maxBytes)
		*v = n
		return err
	case *isa.Unit:
		pipe, err := pipeOf(raw)
		*v = pipe
		return err
	case *[isa.NumUnits]bool:
		return setPipes(v, raw)
	}
	panic(fmt.Sprintf("simtrun bug: %s is a %T", k.Name, k.value))
}

func (k *Key) setName(v *string, raw any) error {
	name, ok := raw.(string)
	switch {
	case !ok:
		return fmt.Errorf("%v; it is a text in quotes", raw)
	case name == "":
		return errors.New("it is empty")
	case k.among != nil && !slices.Contains(k.among, name):
		return fmt.Errorf("no %q; %s", name, isa.Instead(name, k.among))
	}
	*v = name
	return nil
}

func (k *Key) number(raw any) (float64, error) {
	n, ok := raw.(float64)
	if i, isInt := raw.(int64); isInt {
		n, ok = float64(i), true
	}
	switch {
	case !ok || math.IsNaN(n) || math.IsInf(n, 0):
		return 0, fmt.Errorf("%v; it is a number", quoted(raw))
	case n < k.least:
		return 0, fmt.Errorf("%v; it is at least %v", n, k.least)
	}
	return n, nil
}

// The maximum of counts, including cycles, and of bytes, so that sums and products of a few do not overflow.
const (
	maxCount = 1 << 20
	maxBytes = 1 << 48
)

func (k *Key) integer(raw any, most int64) (int64, error) {
	n, ok := raw.(int64)
	switch {
	case !ok:
		return 0, fmt.Errorf("%v; it is an integer", quoted(raw))
	case float64(n) < k.least:
		return 0, fmt.Errorf("%d; it is at least %v", n, k.least)
	case n > most:
		return 0, fmt.Errorf("%d; it is at most %d", n, most)
	}
	return n, nil
}

// integers returns the integers of a list of many, or of any length if many is 0.
func (k *Key) integers(raw any, many int, most int64) ([]int64, error) {
	list, ok := raw.([]any)
	if !ok || many > 0 && len(list) != many || len(list) == 0 {
		wanted := "integers"
		if many > 0 {
			wanted = fmt.Sprintf("%d integers", many)
		}
		return nil, fmt.Errorf("%v; it is a list of %s, as in [%s]", quoted(raw), wanted, strings.Join([]string{"8", "16", "32"}[:max(many, 2)], ", "))
	}
	var all []int64
	for _, item := range list {
		n, err := k.integer(item, most)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// pipeOf returns the pipe with a name.
func pipeOf(raw any) (isa.Unit, error) {
	var names []string
	for pipe := isa.NoUnit + 1; pipe < isa.NumUnits; pipe++ {
		if raw == pipe.String() {
			return pipe, nil
		}
		names = append(names, pipe.String())
	}
	return isa.NoUnit, fmt.Errorf("no pipe %v; %s", quoted(raw), isa.Instead(fmt.Sprint(raw), names))
}

func setPipes(v *[isa.NumUnits]bool, raw any) error {
	list, ok := raw.([]any)
	if !ok {
		return fmt.Errorf(`%v; it is a list of pipes, as in ["fp64"], or []`, quoted(raw))
	}
	*v = [isa.NumUnits]bool{}
	for _, item := range list {
		pipe, err := pipeOf(item)
		if err != nil {
			return err
		}
		v[pipe] = true
	}
	return nil
}

// quoted returns a value as a file would have it.
func quoted(raw any) any {
	if text, ok := raw.(string); ok {
		return strconv.Quote(text)
	}
	return raw
}
