package validate

// instructionRows are latencies and throughput of arithmetic.
func instructionRows() []*Row {
	chains := []string{"add_f32", "mad_s32", "fma_f16x2", "fma_f64", "bfind_u32"}
	units := []struct {
		kernel string
		flops  float64
	}{{"fma_f32", 64}, {"fma_f64", 64}, {"fma_f16x2", 128}}
	return []*Row{
		{ID: "8.10", GPU: "v100", What: "latency of FADD IMAD HFMA2 DFMA FLO", Source: "JIA18", Kind: Input, Expected: within(0.1, 4, 5, 6, 8, 14),
			measure: func(l *lab) []float64 { return each(chains, l.latency) }},
		{ID: "8.10", GPU: "v100", What: "latency of MUFU", Source: "JIA18 ACC", Kind: Input, Expected: []Band{between(14, 21.1)},
			measure: func(l *lab) []float64 { return []float64{l.latency("ex2_f32")} }},
		{ID: "8.10", GPU: "h100", What: "latency of FADD LOP3 IMAD DFMA FLO MUFU SHFL", Source: "measured", Kind: Input, Expected: within(0.1, 4, 4, 4, 8, 17, 17, 24),
			measure: func(l *lab) []float64 {
				return each([]string{"add_f32", "xor_b32", "mad_s32", "fma_f64", "bfind_u32", "ex2_f32", "shfl_bfly"}, l.latency)
			}},
		{ID: "8.18", GPU: "v100", What: "FLOP a cycle and SM of FP32 FP64 FP16", Source: "ACC", Kind: Input, Expected: percent(3, 126.9, 63.9, 249),
			measure: func(l *lab) []float64 {
				var all []float64
				for _, u := range units {
					all = append(all, u.flops/l.perInstruction(u.kernel))
				}
				return all
			}},
		{ID: "8.22", GPU: "v100", What: "FFMA with three sources in one register bank", Source: "JIA18", Kind: Prediction, Expected: []Band{moreThan(1)},
			unmodelled: "PTX does not say which registers of the machine a kernel has; the assembler is taken to spread them over the banks"},
	}
}

// latency returns the latency of an instruction from a chain of 128 of them.
func (l *lab) latency(kernel string) float64 {
	return l.run("chains", flag("kernel", kernel)).dump()[0] / 127
}

// perInstruction returns the cycles of a full SM per warp instruction.
func (l *lab) perInstruction(kernel string) float64 {
	return l.slope(4, 12, "throughput", oneSM, flag("kernel", kernel)) / (64 * 256)
}
