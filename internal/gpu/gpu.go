// Package gpu has the figures of GPUs: the number of SMs, the limits of residency and launches, and the costs of
// instructions. GPUs are presets of the package, or TOML files of the user (Load).
package gpu

import "github.com/simtrun/simtrun/internal/isa"

// Config is one GPU. The zero Config is not valid. A Config must not change after a machine uses it. Cycles are those
// of the SM's clock. Keys has the name and range of each field in a file.
type Config struct {
	Name       string // of the preset, or of the file without its extension
	Title      string // the full name
	Capability [2]int // compute capability: major, minor

	Chip
	ClockMHz float64

	Residency Residency
	Limits    Limits
	Units     Units
	Memory    Memory

	// The parts of one SM. It has Schedulers sub-partitions, each with a warp scheduler.
	Schedulers int
	Classes    [isa.NumCostClasses]Cost // by isa.Class
	SMWide     [isa.NumUnits]bool       // pipes that the schedulers of an SM share
	Dispatch
	Fetch     Fetch
	LSU       LSU
	Texture   Texture
	Constants Constants
	Barrier   Barrier
	Defaults

	CTAs         CTAs
	Cluster      Cluster
	TensorMemory TensorMemory
}

// Chip is the number of parts of the GPU.
type Chip struct {
	GPCs, TPCs, SMs int
	// GPCTPCs is the number of TPCs of each GPC. TPCs that it leaves over can run no cluster together with others. If
	// it does not have a number for each GPC, all TPCs are in GPCs, as evenly as possible.
	GPCTPCs []int64
}

// Dispatch is how an instruction of a sub-partition gets its registers and its guard.
type Dispatch struct {
	// Register banks of a sub-partition; a register's bank is its number modulo Banks.
	Banks     int
	BankPorts int // registers that a bank reads per cycle
	// Guard is the number of cycles from an instruction of class CostInteger that writes a predicate until one that the
	// predicate guards can be issued; a reader of its value waits for the class's latency only. 0 if guards are no
	// exception.
	Guard int
	// Settle is 1 if a branch waits for pending results of fixed latency, because the assembler does not know which
	// instructions read them at the target; otherwise 0.
	Settle int
}

// Defaults are the defaults of options.
type Defaults struct {
	Divergence string // of --divergence
	Policy     string // of --sched
}

// Fetch describes how machine instructions reach the schedulers. Each scheduler has a cache of its own (L0), each SM
// has two (L1, L15). A line is 128 bytes, and an instruction 16.
type Fetch struct {
	L0, L1, L15 int64 // bytes of the caches; no instruction is waited for if L0 is 0
	// Cycles until a scheduler has a line that is in L1, in L15, or in none of the SM's caches. First is the latency of
	// the first line of a launch on an SM.
	L1Latency, L15Latency, Latency, First int
	L15Interval, Interval                 int // cycles between two lines that come from L15, or from outside the SM, at least
	Ahead                                 int // lines that a scheduler fetches ahead of the one that it needs
}

// Bytes of a line of the instruction caches, and of a machine instruction since Volta.
const (
	FetchLine        = 128
	InstructionBytes = 16
)

// Cluster is the maximum size of clusters of CTAs, and the cost of accesses to another CTA's shared memory.
type Cluster struct {
	Size    int // maximum CTAs; 1 for a GPU without clusters
	Latency int // cycles of a load from the shared memory of another SM
	// Bytes per cycle that an SM sends to others of its cluster, and receives; 0 for no limit.
	Bytes   float64
	Barrier int // cycles from the last arrival at a cluster's barrier until threads continue
}

// TensorMemory is the time of tcgen05, in cycles; all are 0 for a GPU without tensor memory.
type TensorMemory struct {
	Latency int     // from the issue of a load or store until its data are there, apart from the time to move them
	Bytes   float64 // that a scheduler's warps move between registers and tensor memory in a cycle
	Copy    float64 // bytes that an SM copies from shared memory to tensor memory in a cycle
	Product int     // of a product, in addition to those in which it keeps the tensor cores busy
	Assumed int     // 1 if these figures are assumed, which reports say
}

// Has reports whether the GPU has tensor memory.
func (t *TensorMemory) Has() bool { return t.Bytes > 0 }

// Cost is the cost of one machine instruction of a class.
type Cost struct {
	Pipe isa.Unit
	// Latency in cycles until an instruction that needs the result can be issued; for control transfers, until the
	// warp's next instruction can be issued.
	Latency int
	// Interval in cycles until the pipe takes the next instruction of the same scheduler, or of any scheduler of the SM
	// if it is SMWide.
	Interval int
}

// Residency is the limits of an SM's resident CTAs, and the allocation units.
type Residency struct {
	CTAs, Warps, Threads int
	Registers            int // 32-bit registers
	RegistersPerCTA      int // maximum
	RegistersPerThread   int // maximum
	RegisterUnit         int // registers, allocated per warp
	// Warps, to which a launch is rounded up for the check against RegistersPerCTA.
	WarpUnit       int
	Shared         int64   // bytes of shared memory
	SharedUnit     int64   // bytes, allocated per CTA
	SharedReserved int64   // bytes that the system takes per CTA
	SharedPerCTA   int64   // maximum bytes of a CTA without opting in to more
	SharedOptIn    int64   // maximum bytes of a CTA
	Carveouts      []int64 // possible configurations in bytes, ascending
	L1AndShared    int64   // bytes; L1 has the part that the carve-out leaves
	Barriers       int     // of a CTA
}

// Limits is the limits of one launch.
type Limits struct {
	Grid         isa.Dim // CTAs in each dimension
	Block        isa.Dim // threads in each dimension
	BlockThreads int64   // in all dimensions together
	Local        int64   // bytes of local memory per thread
}

// Units is the number of lanes of each kind in an SM.
type Units struct {
	FP32, INT32, FP64, SFU, LoadStore, Tensor int
	// TensorFLOPs is the number of floating-point operations of an SM's tensor cores per cycle on .f16: two for a
	// product and its addition.
	TensorFLOPs int
	Texture     int // texture units: each filters up to four texels of a lane in a cycle
}

// Memory is the sizes, bandwidths and latencies of memory.
type Memory struct {
	L2Bytes, DRAMBytes int64
	DRAMPeak           float64 // GB/s
	DRAMSustained      float64 // GB/s that a reading kernel reaches
	// Cycles from the issue of a load of 4 bytes per lane until its value can be used, by where it is found.
	L1, L2, DRAM int
	// Flat, unless it is 0, is the latency of every load of global memory on a GPU without caches and queues, on which
	// accesses wait for nothing else. It is then the latency of class CostLoadGlobal, which otherwise is L1.
	Flat int
	// L2 has one or two partitions, each near to half of the GPCs. Data in the other one take L2Far cycles more. All
	// slices together, equally many per partition, read L2Read bytes per cycle, or write L2Write.
	L2Partitions, L2Slices, L2Far int
	L2Read, L2Write               float64
	// Bytes per cycle that an SM sends and receives, and that the SMs of a GPC receive; 0 for no limit.
	SMRequest, SMResponse, GPCResponse float64
	// Cycles in which a slice is busy with atomics on a line: for each sector, for each word that they change, and for
	// each lane after the first at the same word. AtomicLaneFloat is in place of AtomicLane for a floating-point sum.
	AtomicSector, AtomicWord, AtomicLane, AtomicLaneFloat float64
	// Device memory has channels; consecutive blocks of DRAMInterleave bytes alternate between them. It reads DRAMGrain
	// bytes at a time.
	DRAMChannels, DRAMInterleave, DRAMGrain int
	// SharedPerWavefront is how much each wavefront after the first adds to the latency of a request to shared memory,
	// in cycles.
	SharedPerWavefront int
}

// LSU is the path of memory instructions from the schedulers of an SM to its memory pipe, which L1 and shared memory
// share.
type LSU struct {
	Queue    int // maximum number of a scheduler's instructions on the way
	Depth    int // minimum cycles from issue until the pipe takes an instruction
	Interval int // minimum cycles for which an instruction keeps the pipe busy
	Stores   int // maximum number of sectors sent to L2 that L2 has not taken
	Gap      int // cycles from a warp's memory instruction to its next memory instruction, at least
	// Drain is for how many cycles a warp that has ended keeps its slot after the pipe has taken its last store.
	Drain int
	// TagMasks are masks of the bits of a line's number. The parity of the bits in mask i is bit i of the line's set of
	// tags; each set looks up one line per cycle.
	TagMasks []int64
}

// Texture is the texture pipe of an SM, through which textures and surfaces go. A hit in L1 has the latency of class
// CostTexture, and a miss that of a load with as much in addition as the class has to Memory.L1.
type Texture struct {
	Queue int     // maximum number of a scheduler's instructions on the way to it
	Bytes float64 // of a texel that a texture unit takes in a cycle
}

// Constants is the constant caches of an SM, which are separate from L1. A hit in the first has the latency of class
// CostLoadConstant, a miss in both that of L2.
type Constants struct {
	L1, L15    int64 // bytes of the first and the second cache
	L15Latency int   // cycles of a hit in the second
	PerWord    int   // cycles added to the latency for each word after the first in a request
	// Loaded is 1 if separate instructions load the parameters and dimensions of a launch, 0 if other instructions take
	// them as operands.
	Loaded int
	// GPCInterval is the number of cycles between two SMs of a GPC that receive the same line of a launch's constants.
	GPCInterval int
	// Replays is how many times a warp reissues a load to a uniform register after the line that it missed has arrived.
	Replays int
}

// Barrier is the timing of CTA barriers: the SM's unit takes an arriving warp every PerWarp cycles, and the warps
// continue Release cycles after the last one. Release is also the latency of class CostCTABarrier.
type Barrier struct{ PerWarp, Release int }

// CTAs is how CTAs are assigned to SMs.
type CTAs struct {
	Order      string  // the default of --cta-order
	Turnaround int     // cycles from the end of a CTA until the first warp of the one in its place starts
	PerWarp    int     // cycles from the start of one warp of a CTA to that of the next
	PerCycle   float64 // CTAs that the GPU starts per cycle in place of ones that have ended; 0 for no limit
	// First is the number of cycles from the start of a CTA to that of the next one on the same SM, in addition to one
	// for each warp, while a launch fills the GPU; 0 if PerCycle applies to these CTAs, too.
	First  int
	Launch int // cycles from the end of a launch until the one that waits for it starts
}
