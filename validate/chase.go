package validate

import "fmt"

// chaseRows are latencies of dependent loads, by how many bytes they go over.
func chaseRows() []*Row {
	const kb, mb = 1 << 10, 1 << 20
	row := func(id, gpu, source string, share float64, points []int, expected ...Band) *Row {
		return &Row{ID: id, GPU: gpu, What: "cycles of a pointer chase, by bytes", At: sizes(points), Source: source, Kind: Input, Expected: expected, Long: true,
			measure: func(l *lab) []float64 { return each(points, l.chase) }}
	}
	return []*Row{
		row("8.6", "v100", "BENCH", 10, []int{32 * kb, 96 * kb, 256 * kb, 4 * mb, 64 * mb}, percent(10, 30, 30, 215, 215, 435)...),
		row("8.7", "a100", "BENCH", 10, []int{32 * kb, 1 * mb, 16 * mb, 35 * mb, 160 * mb}, percent(10, 36, 213, 213, 427, 572)...),
		row("8.8", "h100-pcie", "BENCH", 10, []int{32 * kb, 1 * mb, 20 * mb, 29 * mb, 35 * mb, 160 * mb}, percent(10, 34, 266, 266, 403, 475, 655)...),
		row("8.9", "b200", "DEW", 15, []int{32 * kb, 1 * mb, 40 * mb, 84 * mb, 116 * mb, 192 * mb}, percent(15, 40, 295, 295, 637, 662, 860)...),
	}
}

// sizes are the texts of numbers of bytes.
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

// chase is the latency of a load in a ring of so many bytes, with as much L1 as there is.
func (l *lab) chase(bytes int) float64 {
	const loads = 2048
	lines := bytes / 128
	step := lines*618/1000 | 1
	for divisor(lines, step) > 1 {
		step += 2
	}
	return l.run("chase", "--carveout=0", symbol("lines", lines), symbol("step", step), symbol("loads", loads)).dump()[0] / loads
}

// divisor is the greatest common one.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
