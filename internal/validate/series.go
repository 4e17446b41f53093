package validate

import (
	"fmt"
	"math"
)

// step is a kernel of sgemm.cu, which multiplies matrices of 4096 by 4096 in one step of optimisation more than the
// kernel before it.
type step struct {
	kernel     string
	block      string
	regs       int    // registers of a thread, by ptxas 12.4 for sm_86
	waves      int    // for which the CTAs fill the 84 SMs of an RTX A6000
	wave, rest string // grids of one of them, and of the CTAs that are left over for the last one
	published  float64
}

var sgemmSteps = []step{
	{"naive", "32x32", 40, 195, "84", "4", 309.0},
	{"coalesced", "1024", 40, 195, "84", "4", 1986.5},
	{"shared", "1024", 37, 195, "84", "4", 2980.3},
	{"tile_1d", "512", 48, 24, "56x3", "64", 8474.7},
	{"tile_2d", "256", 128, 6, "28x6", "16", 15971.7},
	{"vectors", "256", 115, 6, "28x6", "16", 18237.3},
	{"warp_tile", "128", 165, 4, "28x9", "16", 21779.3},
}

// seriesRows are published series of optimisations.
func seriesRows() []*Row {
	var kernels []string
	var published []float64
	for _, s := range sgemmSteps {
		kernels = append(kernels, s.kernel)
		published = append(published, s.published)
	}
	return []*Row{
		{ID: "8.23", GPU: "a6000", What: "GFLOP/s of the product of 4096-wide matrices, by step of optimisation", At: kernels, Source: "BOEHM", Kind: Prediction, Long: true,
			Expected: times(0.6, 1.6, published...), Holds: alike(published),
			measure: func(l *lab) []float64 { return each(sgemmSteps, l.sgemm) }},
	}
}

// sgemm returns the GFLOP/s of a step for sums so long that the start and the end of CTAs do not count: by the time
// that sums of 64 products take longer than those of 32, in each wave.
func (l *lab) sgemm(s step) float64 {
	const few, many, width = 32, 64, 4096
	cycles := func(grid string, depth int) float64 {
		last := l.run("sgemm", flag("kernel", s.kernel), flag("grid", grid), flag("block", s.block), flag("regs", s.regs), arg("4", depth),
			arg("0", fmt.Sprintf("zeros:%d:f32", 2688*width)), arg("1", fmt.Sprintf("zeros:%d:f32", depth*width)), arg("2", fmt.Sprintf("zeros:%d:f32", 2688*width))).last()
		if last.Waves.Count != 1 {
			l.fail("the grid has %v waves, not 1", last.Waves.Count)
		}
		return last.Cycles
	}
	product := func(grid string) float64 { return (cycles(grid, many) - cycles(grid, few)) / (many - few) }
	return 2 * width * width / ((float64(s.waves)*product(s.wave) + product(s.rest)) / l.device().Clock) / 1000
}

// alike returns whether the figures of a series are near the published ones: in the same order, from 0.8 to 1.25 times
// as high in the geometric mean, and with gains from step to step that are no more than a third off.
func alike(published []float64) func(got []float64) bool {
	return func(got []float64) bool {
		logs := 0.0
		for i, v := range got {
			logs += math.Log(v / published[i])
			if i == 0 {
				continue
			}
			gain, expected := v/got[i-1], published[i]/published[i-1]
			if gain > 1 != (expected > 1) || gain > expected*4/3 || gain < expected*3/4 {
				return false
			}
		}
		mean := math.Exp(logs / float64(len(got)))
		return mean >= 0.8 && mean <= 1.25
	}
}
