package validate

import "fmt"

// words formats points.
func words[T any](points []T) []string {
	var all []string
	for _, p := range points {
		all = append(all, fmt.Sprint(p))
	}
	return all
}

// strides are the strides for which wavefronts were counted by hand.
var strides = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32, 33}

// powers are numbers of lanes that access one address.
var powers = []int{1, 2, 4, 8, 16, 32}

// sharedRows are about shared memory.
func sharedRows() []*Row {
	load := func(l *lab, bytes, stride int) float64 {
		return l.run("shared_wavefronts", flag("kernel", fmt.Sprint("bytes", bytes)), arg("stride", stride)).last().metric("shared_load_wavefronts")
	}
	wavefronts := func(bytes int, expected ...float64) *Row {
		return &Row{ID: "8.2", GPU: "h100", What: fmt.Sprintf("wavefronts of a shared load of %d bytes a lane, by stride", bytes), At: words(strides), Source: "CPG", Kind: Rule, Expected: exactly(expected...),
			measure: func(l *lab) []float64 {
				return each(strides, func(stride int) float64 { return load(l, bytes, stride) })
			}}
	}
	return []*Row{
		wavefronts(4, 1, 2, 1, 4, 1, 2, 1, 8, 1, 4, 16, 8, 32, 1),
		wavefronts(8, 2, 4, 2, 8, 2, 4, 2, 16, 2, 8, 32, 16, 32, 2),
		wavefronts(16, 4, 8, 4, 16, 4, 8, 4, 32, 4, 16, 32, 32, 32, 4),
		{ID: "8.2", GPU: "h100", What: "wavefronts of a shared load of one place by all lanes, by bytes", At: []string{"4", "8", "16"}, Source: "measured", Kind: Rule, Expected: exactly(1, 1, 2),
			measure: func(l *lab) []float64 {
				return each([]int{4, 8, 16}, func(bytes int) float64 { return load(l, bytes, 0) })
			}},
		{ID: "8.3", GPU: "v100", What: "cycles of a shared load, by lanes in one bank", At: words(powers), Source: "JIA18", Kind: Input, Expected: within(1, 19, 21, 25, 33, 49, 81), measure: (*lab).sharedLatency},
	}
}

// sharedLatency returns the latency of a load from shared memory, by lanes per bank.
func (l *lab) sharedLatency() []float64 {
	return each(powers, func(lanes int) float64 { return l.run("shared_latency", arg("stride", lanes)).dump()[0] / 64 })
}
