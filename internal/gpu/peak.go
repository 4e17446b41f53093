package gpu

import "github.com/simtrun/simtrun/internal/isa"

// Peak is the maximum performance of a GPU at its clock. A product with its addition is two floating-point
// operations.
type Peak struct {
	FP32, FP64, FP16, Tensor float64 // GFLOPS
	Shared                   float64 // GB/s of shared memory
}

// sharedBytes is the bandwidth of an SM's shared memory in bytes per cycle: 32 banks of 4 bytes.
const sharedBytes = 32 * 4

// Peak returns the peak of the GPU. FP16 is for pairs of halves outside the tensor cores.
func (c *Config) Peak() Peak {
	perSecond := float64(c.SMs) * c.ClockMHz / 1000 // cycles of all SMs, 1e9 of them
	pairs := c.perCycle(isa.CostHalf)
	return Peak{
		FP32:   2 * float64(c.Units.FP32) * perSecond,
		FP64:   2 * float64(c.Units.FP64) * perSecond,
		FP16:   2 * 2 * pairs * perSecond,
		Tensor: float64(c.Units.TensorFLOPs) * perSecond,
		Shared: sharedBytes * perSecond,
	}
}

// perCycle returns how many results of a class, one per lane, an SM has in a cycle.
func (c *Config) perCycle(class isa.CostClass) float64 {
	cost := c.Classes[class]
	pipes := c.Schedulers
	if c.SMWide[cost.Pipe] {
		pipes = 1
	}
	return float64(pipes*warpThreads) / float64(cost.Interval)
}
