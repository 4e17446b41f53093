package validate

// textSMRows are the textbook's tables of the throughput of an SM, and of the throughput that kernels achieve.
func textSMRows() []*Row {
	const gpu = "h100-text"
	active := []int{1, 2, 4, 6, 8, 12, 16, 24, 32}
	hiding := []int{4, 16, 32, 64}
	return []*Row{
		{ID: "C5", GPU: "h100", What: "cycles of an SM for a load that hits L2, by warps with one at a time", At: words(active), Source: "measured", Kind: Prediction,
			Expected: percent(15, 273.5, 133.3, 67, 52.7, 39.5, 26.7, 20.1, 13.6, 10.2),
			measure: func(l *lab) []float64 {
				return each(active, func(n int) float64 { return l.slope(8, 24, "warps", flag("block", 32*n)) / float64(16*n) })
			}},
		{ID: "C6", GPU: gpu, What: "issue slots used in % with a load for four additions, by warps", At: words(hiding), Source: "LITTLE", Kind: Rule,
			expect: func(l *lab) []Band {
				one := l.hiding(1)
				return rounded(percent(5, each(hiding, func(warps int) float64 { return float64(warps) * one })...))
			},
			measure: func(l *lab) []float64 { return each(hiding, l.hiding) }},
		{ID: "C6", GPU: gpu, What: "the same for 64 warps: the latency is not hidden", Source: "text", Kind: Rule, Expected: []Band{lessThan(100)},
			measure: func(l *lab) []float64 { return []float64{l.hiding(64)} }},
		{ID: "D5", GPU: gpu, What: "latency of FP32 INT32 FP64", Source: "text", Kind: Input, Expected: within(0.1, 4, 4, 8),
			measure: func(l *lab) []float64 { return each([]string{"add_f32", "xor_b32", "fma_f64"}, l.latency) }},
		{ID: "D5", GPU: gpu, What: "results a cycle and SM of FP32 INT32 FP64", Source: "text", Kind: Input, Expected: percent(3, 128, 64, 64),
			measure: func(l *lab) []float64 {
				return each([]string{"fma_f32", "xor_b32", "fma_f64"}, func(kernel string) float64 { return 32 / l.perInstruction(kernel) })
			}},
		{ID: "D5", GPU: gpu, What: "latency of shared memory and of a barrier", Source: "text", Kind: Input, Expected: []Band{between(22, 30), between(5, 20)},
			measure: func(l *lab) []float64 {
				return []float64{l.run("shared_latency").dump()[0] / 64, l.run("barrier").dump()[0] / 64}
			}},
		{ID: "D5", GPU: gpu, What: "latency of L2 and of global memory", Source: "text", Kind: Input, Expected: []Band{between(190, 210), between(300, 800)},
			measure: func(l *lab) []float64 { return []float64{l.chase(1<<20, 128, 1), l.chase(160<<20, 128, 0)} }},
		{ID: "D5", GPU: gpu, What: "latency of HMMA 16x8x16, and products a cycle and SM", Source: "text", Kind: Input, Expected: []Band{between(16, 32), percent(3, 1024)[0]},
			measure: func(l *lab) []float64 {
				return []float64{l.latency("mma_f16"), 16 * 8 * 16 / l.perInstruction("mma_f16")}
			}},
		{ID: "D8", GPU: gpu, What: "peak GFLOPS of an SM and TFLOPS, on FP32 and on tensor cores", Source: "text", Kind: Rule, Expected: percent(0.2, 468.5, 61.8, 3750, 495),
			measure: func(l *lab) []float64 {
				d := l.device()
				return []float64{d.Peak.FP32 / d.SMs, d.Peak.FP32 / 1000, d.Peak.Tensor / d.SMs, d.Peak.Tensor / 1000}
			}},
		{ID: "D8", GPU: gpu, What: "achieved GFLOPS of an SM on FP32, of that peak", Source: "text", Kind: Rule, Expected: percent(3, 468.5),
			measure: func(l *lab) []float64 { return []float64{64 * l.device().Clock / 1000 / l.perInstruction("fma_f32")} }},
	}
}

// hiding returns the share of an SM's issue slots, in percent, that warps with four additions per load use.
func (l *lab) hiding(warps int) float64 {
	block := min(warps, 32)
	return 100 * l.run("hiding", flag("block", 32*block), flag("grid", warps/block), oneSM).last().metric("issue_active")
}
