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

// transposeStep is a kernel of transpose.cu. Its two launches in transpose.s, each after a copy, differ by rows of the
// matrix.
type transposeStep struct {
	kernel    string
	rows      int
	published float64 // GB/s, read and written
}

var transposeSteps = []transposeStep{
	{"naive", 64, 475.5},
	{"shared", 64, 996.1},
	{"padded", 128, 1693.4},
	{"coarse_2", 192, 2385.1},
	{"coarse_4", 192, 2772.4},
	{"wide", 192, 2939.8},
}

// sumStep is a kernel of reduce.cu, and the words that a thread reads.
type sumStep struct {
	kernel    string
	words     int
	published float64 // GB/s
}

var sumSteps = []sumStep{
	{"divergent", 1, 223},
	{"conflicts", 1, 317},
	{"sequential", 1, 331},
	{"warp", 1, 550},
	{"two", 2, 854},
}

// seriesRows are published series of optimisations.
func seriesRows() []*Row {
	row := func(id, gpu, what, source string, kernels []string, published []float64, measure func(l *lab) []float64) *Row {
		return &Row{ID: id, GPU: gpu, What: what, At: kernels, Source: source, Kind: Prediction, Long: true, Expected: times(0.6, 1.6, published...), Holds: alike(published), measure: measure}
	}
	kernels, published := inColumns(sgemmSteps, func(s step) (string, float64) { return s.kernel, s.published })
	transposes, copied := inColumns(transposeSteps, func(s transposeStep) (string, float64) { return s.kernel, s.published })
	sums, read := inColumns(sumSteps, func(s sumStep) (string, float64) { return s.kernel, s.published })
	last := len(transposes) - 1
	return []*Row{
		row("8.23", "a6000", "GFLOP/s of the product of 4096-wide matrices, by step of optimisation", "BOEHM", kernels, published, func(l *lab) []float64 { return each(sgemmSteps, l.sgemm) }),
		row("8.24", "h100:1g.10gb", "GB/s of a transpose, 8.25 times those of a slice with 16 of 132 SMs, by step of optimisation", "YENCAL", transposes[:last], copied[:last], func(l *lab) []float64 { return l.transposes()[:last] }),
		// Published is 1.06; a third more is the most.
		{ID: "8.24", GPU: "h100:1g.10gb", What: "gain of the last step, tiles of 64 by 64", Source: "YENCAL", Kind: Prediction, Long: true, Expected: []Band{between(1, 1.41)},
			measure: func(l *lab) []float64 { got := l.transposes(); return []float64{got[last] / got[last-1]} }},
		row("8.25", "rtx3090", "GB/s of a sum, by step of optimisation", "MASTER", sums, read, func(l *lab) []float64 { return each(sumSteps, l.sum) }),
	}
}

// inColumns returns the names and the figures of steps.
func inColumns[T any](steps []T, of func(T) (string, float64)) (names []string, figures []float64) {
	for _, s := range steps {
		name, figure := of(s)
		names, figures = append(names, name), append(figures, figure)
	}
	return names, figures
}

// sliceShare is how many times as many SMs a whole H100 has as the slice on which transposes run.
const sliceShare = 132. / 16

// transposes returns the GB/s of each step of transposes of a matrix of 8192 words a row: by the time that more rows of
// CTAs take. What the copy before them has left in L2 has to be written back, so that L2 does not absorb stores.
func (l *lab) transposes() []float64 {
	launches, clock := l.run("transpose").Launches, l.device().Clock
	var all []float64
	for i, s := range transposeSteps {
		took := launches[4*i+3].Cycles - launches[4*i+1].Cycles
		all = append(all, sliceShare*float64(2*4*8192*s.rows)/(took/clock)/1000)
	}
	return all
}

// sum returns the GB/s of a step of sums: by the time that 2^21 words take longer than 2^19, with CTAs of 256 threads.
func (l *lab) sum(s sumStep) float64 {
	const few, many, block = 1 << 19, 1 << 21, 256
	cycles := func(words int) float64 {
		return l.run("reduce", flag("kernel", s.kernel), flag("grid", words/(block*s.words)), arg("1", fmt.Sprintf("zeros:%d:f32", words)), arg("2", words)).last().Cycles
	}
	return 4 * (many - few) / ((cycles(many) - cycles(few)) / l.device().Clock) / 1000
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
