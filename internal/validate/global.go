package validate

import "fmt"

// globalRows are about how the addresses of a warp map to sectors, lines and cycles.
func globalRows() []*Row {
	floats := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32}
	counts := func(metric string, expected ...float64) *Row {
		return &Row{ID: "8.4", GPU: "h100", What: metric + " of a load of 4 bytes a lane, by stride", At: words(floats), Source: "NCU", Kind: Rule, Expected: exactly(expected...),
			measure: func(l *lab) []float64 {
				return each(floats, func(stride int) float64 {
					return l.run("sectors", "--kernel=bytes4", arg("stride", stride)).last().metric("global_load_" + metric)
				})
			}}
	}
	wide := func(metric string, expected ...float64) *Row {
		return &Row{ID: "8.4", GPU: "h100", What: metric + " of loads side by side, by bytes a lane", At: []string{"8", "16"}, Source: "NCU", Kind: Rule, Expected: exactly(expected...),
			measure: func(l *lab) []float64 {
				return each([]int{8, 16}, func(bytes int) float64 {
					return l.run("sectors", flag("kernel", fmt.Sprint("bytes", bytes))).last().metric("global_load_" + metric)
				})
			}}
	}
	offsets := []int{4, 16, 32, 64, 124}
	shifted := func(metric string, expected ...float64) *Row {
		return &Row{ID: "8.4", GPU: "h100", What: metric + " of words side by side, by bytes behind a line", At: words(offsets), Source: "NCU", Kind: Rule, Expected: exactly(expected...),
			measure: func(l *lab) []float64 {
				return each(offsets, func(offset int) float64 {
					return l.run("sectors", "--kernel=bytes4", arg("offset", offset)).last().metric("global_load_" + metric)
				})
			}}
	}
	return []*Row{
		counts("sectors", 1, 4, 8, 12, 16, 20, 24, 28, 32, 32, 32),
		counts("lines", 1, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32),
		wide("sectors", 8, 16), wide("lines", 2, 4),
		shifted("sectors", 5, 5, 4, 4, 5), shifted("lines", 2, 2, 2, 2, 2),
		l1Row("powers of two", within(0.02, 1.02, 2, 4, 8, 16, 32, 32), 1, 2, 4, 8, 16, 32, 64),
		l1Row("other strides", within(0.6, 1.63, 2.20, 2.36, 2.67, 4, 8, 8.5, 8.8, 16), 3, 5, 6, 7, 12, 24, 31, 33, 48),
	}
}

// l1Row is the cycles of an SM for a warp's load that hits L1, by stride in words.
func l1Row(which string, expected []Band, strides ...int) *Row {
	return &Row{ID: "8.5", GPU: "a100", What: "cycles of an SM for a load that hits L1, " + which, At: words(strides), Source: "BENCH", Kind: Prediction, Expected: expected,
		measure: func(l *lab) []float64 {
			return each(strides, func(stride int) float64 {
				return l.slope(8, 24, "l1_strides", oneSM, "--carveout=0", arg("stride", stride)) / (64 * 16)
			})
		}}
}
