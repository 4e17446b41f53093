package validate

import (
	"fmt"
	"math"
)

// streamRows are bandwidths of device memory by resident threads, with two CTAs per SM: each thread has one access of
// 8 bytes.
func streamRows() []*Row {
	blocks := []int{32, 64, 128, 256, 512, 768, 1024}
	row := func(gpu, source, kernel string, blocks []int, expected ...float64) *Row {
		return &Row{ID: "8.21", GPU: gpu, What: "GB/s of device memory, two CTAs an SM, " + kernel + ", by their threads", At: words(blocks), Source: source, Kind: Prediction, Expected: percent(20, expected...), Long: true,
			measure: func(l *lab) []float64 {
				return each(blocks, func(block int) float64 { return l.bandwidth(kernel, block) })
			}}
	}
	return []*Row{
		row("v100", "BENCH", "read", blocks, 72, 139, 262, 490, 746, 822, 866),
		row("a100", "BENCH", "read", blocks, 81, 158, 304, 579, 1042, 1341, 1490),
		row("h100-pcie", "BENCH", "read", blocks, 96, 189, 368, 702, 1261, 1680, 1942),
		row("h200", "BENCH", "read", blocks, 123, 244, 485, 935, 1707, 2297, 2756),
		row("h100", "measured", "read", blocks, 121.4, 240.2, 477.5, 911.6, 1642.7, 2168, 2465.8),
		row("v100", "BENCH", "write", blocks[:4], 153, 306, 595, 895),
		row("a100", "BENCH", "write", blocks[4:5], 1503),
		row("h100-pcie", "BENCH", "write", blocks[4:5], 2017),
		row("h200", "BENCH", "write", blocks[4:5], 3891),
		row("h100", "measured", "write", blocks[:5], 339.1, 671.5, 1331.8, 2476, 3196.9),
	}
}

// device is the command's JSON object for a GPU.
type device struct {
	SMs   float64 `json:"sms"`
	Clock float64 `json:"clock_mhz"`
	Units struct{ FP32 float64 }
	Peak  struct {
		FP32   float64 `json:"fp32_gflops"`
		Tensor float64 `json:"tensor_gflops"`
	}
	Residency struct{ Carveouts []float64 }
	Memory    struct {
		L2Bytes float64 `json:"l2_bytes"`
	}
}

func (l *lab) device() (d device) {
	l.ask(&d, "gpu", l.gpu)
	return d
}

// bandwidth returns the bandwidth in GB/s of CTAs with block threads, two per SM: the carve-out is 16 KB of shared
// memory, and a CTA has 6. For reads it covers 60 generations of CTAs. L2 absorbs writes while it has room, and even
// more until write-backs limit it, so for writes it is the time of 24 MB after the size of L2 and 8 MB more were
// written.
func (l *lab) bandwidth(kernel string, block int) float64 {
	const generations = 60
	d := l.device()
	carveouts := d.Residency.Carveouts
	percent := int(100 * 16384 / carveouts[len(carveouts)-1])
	cycles := func(grid int) float64 {
		last := l.run("stream", flag("kernel", kernel), flag("grid", grid), flag("block", block), flag("carveout", percent), arg("a", fmt.Sprintf("zeros:%d:f64", grid*block))).last()
		if want := math.Ceil(float64(grid) / (2 * d.SMs)); last.Waves.Count != want {
			l.fail("the grid has %v waves, not %v", last.Waves.Count, want)
		}
		return last.Cycles
	}
	grid := int(2 * generations * d.SMs)
	more, took := grid, 0.0
	if kernel == "write" {
		grid, more = (int(d.Memory.L2Bytes)+8<<20)/(8*block), 24<<20/(8*block)
		took = cycles(grid)
		grid += more
	}
	return float64(8*more*block) / ((cycles(grid) - took) / d.Clock) / 1000
}
