package validate

import (
	"fmt"
	"math/bits"
)

// chaseRows are latencies of dependent loads, by the size of the memory that they cover.
func chaseRows() []*Row {
	const kb, mb = 1 << 10, 1 << 20
	row := func(id, gpu, source string, step int, points []int, expected ...Band) *Row {
		return &Row{ID: id, GPU: gpu, What: "cycles of a pointer chase, by bytes", At: sizes(points), Source: source, Kind: Input, Expected: expected, Long: true,
			measure: func(l *lab) []float64 { return each(points, func(n int) float64 { return l.chase(n, step, 1) }) }}
	}
	return []*Row{
		row("8.6", "v100", "BENCH", 64, []int{32 * kb, 96 * kb, 256 * kb, 4 * mb, 64 * mb}, percent(10, 30, 30, 215, 215, 435)...),
		row("8.7", "a100", "BENCH", 64, []int{32 * kb, 1 * mb, 16 * mb, 35 * mb, 160 * mb}, percent(10, 36, 213, 213, 427, 572)...),
		row("8.8", "h100-pcie", "BENCH", 64, []int{32 * kb, 1 * mb, 20 * mb, 29 * mb, 35 * mb, 160 * mb}, percent(10, 34, 266, 266, 403, 475, 655)...),
		row("8.9", "b200", "DEW", 128, []int{32 * kb, 1 * mb, 40 * mb, 84 * mb, 116 * mb, 192 * mb}, percent(15, 40, 295, 295, 637, 662, 860)...),
	}
}

// sizes formats numbers of bytes.
func sizes(points []int) []string {
	var all []string
	for _, n := range points {
		text := fmt.Sprintf("%dK", n>>10)
		if n >= 1<<20 {
			text = fmt.Sprintf("%dM", n>>20)
		}
		all = append(all, text)
	}
	return all
}

// chase returns the latency of a load in a random ring through size bytes, with an element every step bytes and the
// largest possible L1. All elements were read passes times before.
func (l *lab) chase(size, step, passes int) float64 {
	const loads = 2048
	places := size / step
	mask := 1<<bits.Len(uint(places-1)) - 1
	return l.run("chase", "--carveout=0", symbol("places", places), symbol("bytes", step), symbol("mask", mask), symbol("passes", passes), symbol("loads", loads)).dump()[0] / loads
}
