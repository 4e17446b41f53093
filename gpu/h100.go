package gpu

import "github.com/simtrun/simtrun/isa"

// H100 is the SXM5 board of the H100, of compute capability 9.0. But for its
// number of SMs (NVIDIA H100 Tensor Core GPU Architecture, 2022) all limits are in the
// CUDA C++ Programming Guide, technical specifications per compute capability, and
// what instructions cost is in docs/hardware-measured.md.
func H100() *Config {
	return &Config{
		Name: "h100", Title: "H100 SXM5", Capability: [2]int{9, 0},
		GPCs: 8, TPCs: 66, SMs: 132, ClockMHz: 1980,
		Residency: Residency{CTAs: 32, Warps: 64, Threads: 2048,
			Registers: 65536, RegistersPerCTA: 65536, RegistersPerThread: 255, RegisterUnit: 256, WarpUnit: 4,
			Shared: 228 << 10, SharedUnit: 128, SharedReserved: 1 << 10, SharedPerCTA: 48 << 10, SharedOptIn: 227 << 10,
			L1AndShared: 256 << 10, Barriers: 16},
		Limits: Limits{Grid: isa.Dim{X: 1<<31 - 1, Y: 65535, Z: 65535}, Block: isa.Dim{X: 1024, Y: 1024, Z: 64}, BlockThreads: 1024, Local: 512 << 10},
		Units:  Units{FP32: 128, INT32: 64, FP64: 64, SFU: 16, LoadStore: 32, Tensor: 4, TensorFLOPs: 2048},
		Memory: Memory{L2Bytes: 50 << 20, DRAMBytes: 80 << 30, DRAMPeak: 3350, DRAMSustained: 3113,
			Shared: 23, Constant: 28, L1: 31, L2: 277, DRAM: 676, Global: 277, SharedPerWavefront: 2, Store: 14},
		Schedulers: 4,
		Classes: [isa.NumCostClasses]Cost{
			isa.CostInteger:          {isa.ALU, 4, 2},
			isa.CostProduct:          {isa.FMAHeavy, 4, 2},
			isa.CostProductHigh:      {isa.FMAHeavy, 9, 4},
			isa.CostProductWide:      {isa.FMAHeavy, 5, 4},
			isa.CostSingle:           {isa.FMA, 4, 1},
			isa.CostHalf:             {isa.FMA, 5, 1},
			isa.CostDouble:           {isa.FP64, 8, 2},
			isa.CostDoubleCompare:    {isa.FP64, 6, 2},
			isa.CostSpecialFunction:  {isa.XU, 17, 8},
			isa.CostConversion:       {isa.XU, 17, 8},
			isa.CostDoubleConversion: {isa.XU, 18, 8},
			isa.CostBitCount:         {isa.XU, 17, 8},
			isa.CostVote:             {isa.ALU, 13, 2},
			isa.CostMatch:            {isa.LSU, 28, 8},
			isa.CostReduction:        {isa.ALU, 44, 8},
			isa.CostShuffle:          {isa.LSU, 24, 4},
			isa.CostReadSpecial:      {isa.ADU, 20, 4},
			isa.CostReadClock:        {isa.ALU, 4, 2},
			isa.CostLoadConstant:     {isa.ADU, 28, 4},
			isa.CostLoadShared:       {isa.LSU, 23, 4},
			isa.CostStoreShared:      {isa.LSU, 14, 4},
			isa.CostAtomicShared:     {isa.LSU, 26, 4},
			isa.CostLoadGlobal:       {isa.LSU, 277, 4},
			isa.CostStoreGlobal:      {isa.LSU, 14, 4},
			isa.CostAtomicGlobal:     {isa.LSU, 384, 4},
			isa.CostReductionGlobal:  {isa.LSU, 14, 4},
			isa.CostLoadLocal:        {isa.LSU, 29, 4},
			isa.CostStoreLocal:       {isa.LSU, 14, 4},
			isa.CostFenceCTA:         {isa.LSU, 9, 4},
			isa.CostFenceGPU:         {isa.LSU, 662, 4},
			isa.CostFenceSystem:      {isa.LSU, 1235, 4},
			isa.CostCTABarrier:       {isa.ADU, 14, 2},
			isa.CostWarpSync:         {isa.CBU, 4, 1},
			isa.CostBranch:           {isa.CBU, 8, 1},
			isa.CostCall:             {isa.CBU, 8, 1},
			isa.CostExit:             {isa.CBU, 1, 1},
			isa.CostSleep:            {isa.CBU, 77, 1},
		},
		Banks: 2, BankPorts: 1, Redirect: 8, Barrier: Barrier{PerWarp: 2, Release: 14},
		Divergence: "its", Policy: "gty",
		CTAs: CTAs{Order: "most-room", Turnaround: 317, PerWarp: 2, PerCycle: 0.83, Launch: 3270},
	}
}

// Residents is how many CTAs the GPU holds at once, of so many warps each, at
// least one, and so many bytes of shared memory. Registers do not limit it here.
func (c *Config) Residents(warpsPerCTA int, sharedPerCTA int64) int {
	r := &c.Residency
	return c.SMs * min(r.CTAs, r.Warps/warpsPerCTA, int(r.Shared/(sharedPerCTA+r.SharedReserved)))
}
