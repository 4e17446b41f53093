package validate

import "fmt"

// textMemoryRows are the textbook's tables of memory, with the figures of an H100.
func textMemoryRows() []*Row {
	const kb, mb = 1 << 10, 1 << 20
	const gpu = "h100"
	words32 := []int{1, 2, 4, 8, 16, 32}
	strides := []int{1, 2, 4, 8, 16, 32}
	tiles := []string{"plain", "padded", "swizzled"}
	return []*Row{
		{ID: "E1", GPU: gpu, What: "latency of a register, shared memory, local memory", Source: "measured", Kind: Input, Expected: percent(3, 4, 23, 29),
			measure: func(l *lab) []float64 {
				return []float64{l.latency("add_f32"), l.run("shared_latency").dump()[0] / 64, l.run("local_latency").dump()[0] / 64}
			}},
		{ID: "E1", GPU: gpu, What: "latency of global memory, by bytes", At: sizes([]int{32 * kb, 16 * mb, 192 * mb}), Source: "measured", Kind: Input, Expected: percent(5, 32, 277, 640),
			measure: func(l *lab) []float64 {
				// the last size does not fit, so it was not read before
				return []float64{l.chase(32*kb, 128, 1), l.chase(16*mb, 128, 1), l.chase(192*mb, 128, 0)}
			}},
		{ID: "E1", GPU: gpu, What: "latency of a constant, by different words of a warp", At: words(words32), Source: "measured", Kind: Input, Expected: percent(3, 28, 39, 61, 105, 193, 369),
			measure: func(l *lab) []float64 {
				return each(words32, func(n int) float64 { return l.run("constants", arg("n", n)).dump()[0] / 64 })
			}},
		{ID: "E1", GPU: gpu, What: "texture path", Source: "text", Kind: Rule, unmodelled: "the latency of the texture pipe is that of an older GPU, as none is known for this one"},
		{ID: "E2", GPU: gpu, What: "useful GB/s of device memory that threads read which are so many words apart", At: words(strides), Source: "measured", Kind: Prediction,
			Expected: percent(15, 1546, 1376, 773, 391, 196, 180), Long: true,
			measure: func(l *lab) []float64 {
				const few, many, threads = 1056, 4224, 256
				cycles := func(stride, grid int) float64 {
					return l.run("strided", flag("grid", grid), arg("stride", stride), arg("a", fmt.Sprintf("zeros:%d:u32", grid*threads*stride))).last().Cycles
				}
				return each(strides, func(stride int) float64 {
					return 4 * (many - few) * threads / (cycles(stride, many) - cycles(stride, few)) * l.device().Clock / 1000
				})
			}},
		{ID: "E3", GPU: gpu, What: "cycles of an SM for a load of a column of a tile", At: tiles, Source: "measured", Kind: Rule, Expected: percent(10, 32, 1, 1),
			measure: func(l *lab) []float64 {
				return each(tiles, func(kernel string) float64 { return l.slope(32, 96, "columns", flag("kernel", kernel)) / (32 * 8) })
			}},
		{ID: "E3", GPU: gpu, What: "latency of a shared load, by lanes in one bank", At: words(powers), Source: "measured", Kind: Input, Expected: within(1, 23, 25, 29, 37, 53, 85), measure: (*lab).sharedLatency},
		{ID: "E3", GPU: gpu, What: "latency of a shared atomic, by lanes at one address", At: words(powers), Source: "measured", Kind: Prediction, Expected: percent(10, 26.3, 28.3, 32.1, 40, 56, 88), measure: (*lab).sharedAtomics},
	}
}
