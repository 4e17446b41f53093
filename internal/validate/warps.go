package validate

import "strings"

// warpRows are about the warps of an SM: latency hiding, waiting, and divergence.
func warpRows() []*Row {
	warps := []int{1, 2, 4, 8, 16, 32}
	ways := []int{2, 4, 8, 16, 32}
	return []*Row{
		{ID: "8.11", GPU: "v100", What: "cycles of an SM for a DFMA, by warps with a chain each", At: words(warps), Source: "BENCH", Kind: Prediction, Expected: percent(10, 8.67, 4.29, 2.14, 1.08, 1.03, 1.03),
			measure: func(l *lab) []float64 { return each(warps, func(n int) float64 { return l.dfma("one_chain", n) }) }},
		{ID: "8.11", GPU: "v100", What: "the same for one warp with two chains", Source: "BENCH", Kind: Prediction, Expected: percent(10, 4.6),
			measure: func(l *lab) []float64 { return []float64{l.dfma("two_chains", 1)} }},
		{ID: "8.12", GPU: "v100", What: "two warps on one scheduler over two on two: time", Source: "JIA18", Kind: Rule, Expected: like(1.57), Holds: func(got []float64) bool { return got[0] > 1 },
			measure: func(l *lab) []float64 {
				cycles := func(other int) float64 { return l.run("two_warps", arg("other", other)).last().Cycles }
				return []float64{cycles(4) / cycles(1)}
			}},
		{ID: "8.13", GPU: "a6000", What: "cycles between loads of a warp, 2nd to 9th", Source: "HUE25", Kind: Prediction, Expected: exactly(1, 1, 1, 1, 7, 4, 4, 4),
			measure: func(l *lab) []float64 { return l.burst(1) }},
		{ID: "8.13", GPU: "a6000", What: "cycles between 8th and 9th, by warps on schedulers of their own", At: words([]int{1, 2, 3, 4}), Source: "HUE25", Kind: Prediction, Expected: exactly(4, 4, 6, 8),
			measure: func(l *lab) []float64 {
				return each([]int{1, 2, 3, 4}, func(n int) float64 { return l.burst(n)[7] })
			}},
		{ID: "8.14", GPU: "b200", What: "cycles of a barrier, by warps", At: []string{"1", "8", "32"}, Source: "B300X", Kind: Input, Expected: within(2, 24, 38, 86),
			measure: func(l *lab) []float64 {
				return each([]int{1, 8, 32}, func(n int) float64 { return l.run("barrier", flag("block", 32*n)).dump()[0] / 64 })
			}},
		{ID: "8.15", GPU: "v100", What: "cycles of a shared atomic, by lanes at one address; only that they rise", At: words(powers), Source: "JIA18", Kind: Rule, Expected: like(6, 7, 11, 18, 24, 66), Holds: rising,
			measure: (*lab).sharedAtomics},
		{ID: "8.16", GPU: "a100", What: "time of a branch to k places over one to one, by k", At: words(ways), Source: "DIV26", Kind: Rule, Expected: percent(3, 2, 4, 8, 16, 31.8),
			measure: func(l *lab) []float64 {
				one := l.run("ways", arg("k", 1)).last().Cycles
				return each(ways, func(k int) float64 { return l.run("ways", arg("k", k)).last().Cycles / one })
			}},
		{ID: "8.17", GPU: "a100", What: "lanes of an instruction in the arms of a branch to two places", Source: "DIV26", Kind: Rule, Expected: exactly(16),
			measure: func(l *lab) []float64 {
				lanes, instructions := 0.0, 0.0
				for _, line := range l.run("ways", arg("k", 2)).last().Lines {
					if strings.HasPrefix(line.Instruction, "add.f32") {
						lanes += valueOf(line.Metrics, "lane_instructions")
						instructions += valueOf(line.Metrics, "warp_instructions")
					}
				}
				return []float64{lanes / instructions}
			}},
		{ID: "8.20", GPU: "h100", What: "exit status of a spin lock in a warp, 5 if it hangs, under stack and its", At: []string{"stack", "its"}, Source: "CPG", Kind: Rule, Expected: exactly(5, 0),
			measure: func(l *lab) []float64 {
				return each([]string{"stack", "its"}, func(model string) float64 {
					_, code := l.try("warp_lock", flag("divergence", model))
					return float64(code)
				})
			}},
	}
}

// dfma returns the cycles that an SM takes for a DFMA of a warp while so many warps execute them. kernel says how many
// independent chains of DFMAs each warp has: one_chain or two_chains.
func (l *lab) dfma(kernel string, warps int) float64 {
	const rounds = 200
	cycles := l.run("dfma", flag("kernel", kernel), flag("block", 32*warps), arg("rounds", rounds)).last().Cycles
	return cycles / float64(16*rounds*warps)
}

// burst returns the cycles between the independent loads of a warp, nine in a row, averaged over warps with a
// scheduler each. The kernel that was measured lacks the cycles that an assembler leaves between loads.
func (l *lab) burst(warps int) []float64 {
	var gaps []float64
	for _, line := range l.run("burst", flag("block", 32*warps), "--cost=ptx").last().Lines {
		if !strings.HasPrefix(line.Instruction, "ld.global") {
			continue
		}
		cycles := 0.0
		for name := range line.Metrics {
			if strings.HasPrefix(name, "cycles_") {
				cycles += valueOf(line.Metrics, name)
			}
		}
		gaps = append(gaps, cycles/float64(warps))
	}
	if len(gaps) != 10 {
		l.fail("the kernel has %d loads", len(gaps))
	}
	return gaps[2:] // the first loads the line, the second waits for a barrier
}

// sharedAtomics returns the latency of an atomic on shared memory, by lanes per address.
func (l *lab) sharedAtomics() []float64 {
	return each(powers, func(lanes int) float64 { return l.run("shared_atomics", arg("n", lanes)).dump()[0] / 32 })
}
