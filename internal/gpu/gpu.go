// Package gpu is what GPUs have: how many SMs, what resides on an SM at once, how
// large a launch may be, and what instructions cost. GPUs are presets of the package,
// or files of the user's (Load), in TOML.
package gpu

import "github.com/simtrun/simtrun/internal/isa"

// Config is one GPU. The zero Config is none. A Config is not changed once a machine
// has it. Cycles are those of the SM's clock. What each field is called in a file, and
// what it may be, is in Keys.
type Config struct {
	Name       string // of the preset, or of the file without its extension
	Title      string // for people
	Capability [2]int // compute capability: major, minor

	GPCs, TPCs, SMs int
	ClockMHz        float64

	Residency Residency
	Limits    Limits
	Units     Units
	Memory    Memory

	// What one SM does. It has Schedulers sub-partitions, each with a warp scheduler.
	Schedulers int
	Classes    [isa.NumCostClasses]Cost // by isa.Class
	SMWide     [isa.NumUnits]bool       // pipes that the schedulers of an SM share
	Banks      int                      // of a sub-partition's registers; a register's bank is its number modulo Banks
	BankPorts  int                      // registers that a bank reads in a cycle
	LSU        LSU
	Constants  Constants
	Barrier    Barrier
	Divergence string // the default of --divergence
	Policy     string // the default of --sched

	CTAs    CTAs
	Cluster Cluster
}

// Cluster is what clusters of CTAs can be, and what it costs to reach another CTA's shared memory.
type Cluster struct {
	Size    int     // CTAs at most; 1 of a GPU without clusters
	Latency int     // cycles of a load from the shared memory of another SM
	Bytes   float64 // that an SM sends in a cycle to others of its cluster, and receives; 0 for any number
	Barrier int     // cycles from the last arrival at the barrier of a cluster until threads go on
}

// Cost is what one machine instruction of a class costs.
type Cost struct {
	Pipe isa.Unit
	// Latency is in cycles: until an instruction that needs the result can be issued;
	// of what transfers control, until the warp's next instruction can be.
	Latency int
	// Interval is in cycles: until the pipe takes the next instruction of the same
	// scheduler, or of any scheduler of the SM if it is SMWide.
	Interval int
}

// Residency is what one SM holds at once, and in which units it is given out.
type Residency struct {
	CTAs, Warps, Threads int
	Registers            int     // 32-bit registers
	RegistersPerCTA      int     // at most
	RegistersPerThread   int     // at most
	RegisterUnit         int     // registers, for a warp
	WarpUnit             int     // warps, to which a launch is rounded up where it is checked against RegistersPerCTA
	Shared               int64   // bytes of shared memory
	SharedUnit           int64   // bytes, for a CTA
	SharedReserved       int64   // bytes that the system takes for each CTA
	SharedPerCTA         int64   // bytes of a CTA that has not opted in to more
	SharedOptIn          int64   // bytes of a CTA at most
	Carveouts            []int64 // bytes of shared memory that can be configured, rising
	L1AndShared          int64   // bytes, of which L1 has what the carve-out leaves
	Barriers             int     // of a CTA
}

// Limits is what one launch may ask for.
type Limits struct {
	Grid         isa.Dim // CTAs in each dimension
	Block        isa.Dim // threads in each dimension
	BlockThreads int64   // in all dimensions together
	Local        int64   // bytes of local memory for each thread
}

// Units is how many lanes of each kind an SM has.
type Units struct {
	FP32, INT32, FP64, SFU, LoadStore, Tensor int
	// TensorFLOPs is floating-point operations that the tensor cores of an SM do in a
	// cycle on .f16: two for a product and its addition.
	TensorFLOPs int
}

// Memory is what memory has and how long it takes.
type Memory struct {
	L2Bytes, DRAMBytes int64
	DRAMPeak           float64 // GB/s
	DRAMSustained      float64 // GB/s that a kernel reaches which reads
	// Cycles from the issue of a load of 4 bytes a lane until its value can be used,
	// by where it is found.
	L1, L2, DRAM int
	// Flat, unless it is 0, is the latency of every load of global memory on a GPU
	// without caches and queues, where nothing waits for memory but for this. It is then
	// the latency of class CostLoadGlobal, which is L1 otherwise.
	Flat int
	// L2 has partitions, 1 or 2, each near to half of the GPCs. What is found in the other
	// one takes L2Far cycles more. All slices together, as many for each partition, read
	// L2Read bytes in a cycle, or write L2Write.
	L2Partitions, L2Slices, L2Far int
	L2Read, L2Write               float64
	// Bytes in a cycle that an SM sends and receives, and that the SMs of a GPC receive; 0
	// for any number.
	SMRequest, SMResponse, GPCResponse float64
	// Cycles in which a slice is busy with atomics on a line: for each sector, for each word
	// that they change, and for each lane beyond the first at the same word.
	AtomicSector, AtomicWord, AtomicLane float64
	// Device memory has channels, to which addresses go in turns of DRAMInterleave bytes. It
	// is read DRAMGrain bytes at a time.
	DRAMChannels, DRAMInterleave, DRAMGrain int
	// SharedPerWavefront is what each wavefront of a request to shared memory beyond
	// the first adds to its latency, in cycles.
	SharedPerWavefront int
}

// LSU is how memory instructions get from the schedulers of an SM to its memory pipe,
// which L1 and shared memory have in common.
type LSU struct {
	Queue    int // instructions of a scheduler that are on their way, at most
	Depth    int // cycles from issue until the pipe takes an instruction, at least
	Interval int // cycles for which an instruction keeps the pipe busy, at least
	Stores   int // sectors that an SM has sent to L2 and that L2 has not taken, at most
	// TagMasks are bits of the number of a line. The parity of those of mask i is bit i of
	// the line's set of tags; each set looks up one line in a cycle.
	TagMasks []int64
}

// Constants is the caches of constants, which an SM has beside L1. A hit in the first takes the
// latency of class CostLoadConstant, a miss in both that of L2.
type Constants struct {
	L1, L15    int64 // bytes of the first and of the second
	L15Latency int   // cycles of a load that hits the second
	PerWord    int   // what each word beyond the first that a request needs adds to its latency, in cycles
}

// Barrier is how long barriers of a CTA take: the SM's unit takes an arriving warp every
// PerWarp cycles, and Release cycles after the last one the warps go on. Release is also
// the latency of class CostCTABarrier.
type Barrier struct{ PerWarp, Release int }

// CTAs is how CTAs come to SMs.
type CTAs struct {
	Order      string  // the default of --cta-order
	Turnaround int     // cycles from the end of a CTA until the first warp of the one in its place starts
	PerWarp    int     // cycles from the start of one warp of a CTA to that of the next
	PerCycle   float64 // CTAs that the GPU starts in a cycle; 0 for any number
	Launch     int     // cycles from the end of a launch until the one that waits for it starts
}
