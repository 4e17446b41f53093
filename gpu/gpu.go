// Package gpu is what GPUs have: how many SMs, what resides on an SM at once, and how
// large a launch may be.
package gpu

import "github.com/simtrun/simtrun/isa"

// Config is one GPU. The zero Config is none.
type Config struct {
	Name string
	SMs  int

	// What one SM holds at once.
	CTAsPerSM   int
	WarpsPerSM  int
	SharedPerSM int64 // bytes
	// SystemShared is the bytes of an SM's shared memory that the system takes
	// for each CTA.
	SystemShared int64

	// What one launch may ask for.
	MaxGrid         isa.Dim // CTAs in each dimension
	MaxBlock        isa.Dim // threads in each dimension
	MaxBlockThreads int64   // in all dimensions together
	MaxShared       int64   // bytes of a CTA's shared memory
	MaxStaticShared int64   // bytes of it that may be static
	MaxLocal        int64   // bytes of local memory for each thread
}

// H100 is the SXM5 board of the H100, of compute capability 9.0. But for its
// number of SMs (NVIDIA H100 Tensor Core GPU Architecture, 2022) all is in the
// CUDA C++ Programming Guide, technical specifications per compute capability.
func H100() Config {
	return Config{
		Name: "H100 SXM5",
		SMs:  132,

		CTAsPerSM:    32,
		WarpsPerSM:   64,
		SharedPerSM:  228 << 10,
		SystemShared: 1 << 10,

		MaxGrid:         isa.Dim{X: 1<<31 - 1, Y: 65535, Z: 65535},
		MaxBlock:        isa.Dim{X: 1024, Y: 1024, Z: 64},
		MaxBlockThreads: 1024,
		MaxShared:       227 << 10,
		MaxStaticShared: 48 << 10,
		MaxLocal:        512 << 10,
	}
}

// Residents is how many CTAs the GPU holds at once, of so many warps each, at
// least one, and so many bytes of shared memory. Registers do not limit it here.
func (c *Config) Residents(warpsPerCTA int, sharedPerCTA int64) int {
	return c.SMs * min(c.CTAsPerSM, c.WarpsPerSM/warpsPerCTA, int(c.SharedPerSM/(sharedPerCTA+c.SystemShared)))
}
