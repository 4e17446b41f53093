package validate

import (
	"fmt"
	"slices"
)

// gridRows are about the waves of a grid.
func gridRows() []*Row {
	grids := []int{80, 81, 160, 161}
	return []*Row{
		{ID: "8.19", GPU: "v100", What: "time of uniform CTAs over that of one wave, one CTA an SM, by CTAs", At: words(grids), Source: "rule", Kind: Rule, Expected: percent(1, 1, 2, 2, 3),
			measure: func(l *lab) []float64 {
				cycles := func(grid int) float64 {
					return l.run("uniform", "--shared=60000", arg("rounds", 4000), flag("grid", grid)).last().Cycles
				}
				one := cycles(1)
				return each(grids, func(grid int) float64 { return cycles(grid) / one })
			}},
	}
}

// orders are the possible CTA orders.
var orders = []string{"most-room", "round-robin", "linear", "by-gpc"}

// textGridRows are the textbook's tables about the GigaThread engine.
func textGridRows() []*Row {
	grids := []int{528, 529, 600, 1000, 1056}
	efficiency := []float64{100, 50.1, 56.8, 94.7, 100}
	gpuSlices := []string{"1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"}
	return []*Row{
		{ID: "B1", GPU: "h100", What: "CTAs on an SM, and what each resource allows", At: []string{"CTAs", "slots", "warps", "registers", "shared"}, Source: "text", Kind: Rule, Expected: exactly(8, 32, 8, 8, 14),
			measure: func(l *lab) []float64 {
				o := l.occupancy("--threads", "256", "--regs", "32", "--shared", "16384", "--idealised")
				return []float64{o.Blocks, o.Limits.Blocks, o.Limits.Warps, o.Limits.Registers, o.Limits.Shared}
			}},
		{ID: "B2", GPU: "h100", What: "makespan of 1056 uniform CTAs over 8 of one, one CTA an SM, by order", At: orders, Source: "rule", Kind: Rule, Expected: percent(2, 1, 1, 1, 1), Long: true,
			measure: func(l *lab) []float64 {
				cycles := func(flags ...string) float64 {
					return l.run("uniform", append(flags, "--shared=120000", arg("rounds", 1600))...).last().Cycles
				}
				one := cycles("--grid=1")
				return each(orders, func(order string) float64 { return cycles("--grid=1056", flag("cta-order", order)) / (8 * one) })
			}},
		{ID: "B2", GPU: "h100", What: "makespan of 1056 log-normal CTAs in mean times of a CTA, one CTA an SM, by order", At: orders, Source: "GRAHAM", Kind: Rule,
			expect: func(l *lab) []Band {
				return rounded(percent(2, each(orders, func(string) float64 { return l.lognormal(orders[0]).planned })...))
			},
			measure: func(l *lab) []float64 {
				return each(orders, func(order string) float64 { return l.lognormal(order).makespan })
			}},
		{ID: "B2", GPU: "h100", What: "% of SMs that are in use meanwhile, by order", At: orders, Source: "GRAHAM", Kind: Rule,
			expect: func(l *lab) []Band {
				return rounded(percent(2, each(orders, func(string) float64 { return 800 / l.lognormal(orders[0]).planned })...))
			},
			measure: func(l *lab) []float64 {
				return each(orders, func(order string) float64 { return 100 * l.lognormal(order).used })
			}},
		{ID: "B2", GPU: "h100", What: "time of 264 CTAs, eight on an SM, that issue all the time, over most-room, by order", At: orders, Source: "rule", Kind: Rule, Expected: percent(5, 1, 1, 4, 1),
			measure: func(l *lab) []float64 {
				var all []float64
				for _, order := range orders {
					all = append(all, l.run("throughput", "--kernel=xor_b32", "--grid=264", "--block=256", arg("rounds", 2), flag("cta-order", order)).last().Cycles)
				}
				return []float64{1, all[1] / all[0], all[2] / all[0], all[3] / all[0]}
			}},
		{ID: "B4", GPU: "h100", What: "efficiency of waves in %, 4 CTAs an SM, by CTAs: formula", At: words(grids), Source: "text", Kind: Rule, Expected: within(0.05, efficiency...),
			measure: func(l *lab) []float64 {
				return each(words(grids), func(grid string) float64 {
					return 100 * l.occupancy("--threads", "32", "--shared", "50000", "--grid", grid).Waves.Efficiency
				})
			}},
		{ID: "B4", GPU: "h100", What: "how full the last wave is in %, by CTAs", At: words(grids), Source: "text", Kind: Rule, Expected: within(0.05, 100, 0.2, 13.6, 89.4, 100),
			measure: func(l *lab) []float64 {
				return each(words(grids), func(grid string) float64 {
					return 100 * l.occupancy("--threads", "32", "--shared", "50000", "--grid", grid).Waves.Last
				})
			}},
		{ID: "B4", GPU: "h100", What: "efficiency of waves in %, by CTAs: simulation", At: words(grids), Source: "text", Kind: Rule, Expected: percent(2, efficiency...), Long: true,
			measure: func(l *lab) []float64 {
				cycles := func(grid int) float64 {
					return l.run("uniform", "--shared=50000", arg("rounds", 2000), flag("grid", grid)).last().Cycles
				}
				wave := cycles(528)
				return each(grids, func(grid int) float64 { return 100 * float64(grid) / 528 * wave / cycles(grid) })
			}},
		{ID: "B5", GPU: "h100", What: "time of 1320 pieces of work by CTAs of their own over that by persistent CTAs, one an SM", Source: "text", Kind: Rule, Expected: []Band{moreThan(1)},
			measure: func(l *lab) []float64 {
				cycles := func(kernel string, grid int) float64 {
					return l.run("persistent", flag("kernel", kernel), flag("grid", grid), "--shared=120000").last().Cycles
				}
				return []float64{cycles("each", 1320) / cycles("claimed", 132)}
			}},
		{ID: "B5", GPU: "h100", What: "% of loaded sectors that hit L1: ten pieces by each persistent CTA, and one by a CTA of its own in a launch for each wave", At: []string{"persistent", "launches"}, Source: "rule", Kind: Rule, Expected: exactly(90, 0),
			measure: func(l *lab) []float64 {
				return each([]string{"claimed", "each"}, func(kernel string) float64 {
					return l.run("persistent", flag("kernel", kernel), "--grid=132", "--shared=120000", "--carveout=55").last().metric("l1_load_hit_rate")
				})
			}},
		{ID: "B6", GPU: "h100", What: "time of two kernels of 66 CTAs in two streams over that of one", Source: "text", Kind: Rule, Expected: percent(5, 1),
			measure: func(l *lab) []float64 {
				all := l.run("streams").Launches
				return []float64{max(all[0].Start+all[0].Cycles, all[1].Start+all[1].Cycles) / all[2].Cycles}
			}},
		{ID: "B6", GPU: "h100", What: "SMs of each of them, and of both", At: []string{"first", "second", "both"}, Source: "text", Kind: Rule, Expected: exactly(66, 66, 0),
			measure: func(l *lab) []float64 {
				all := l.run("streams").Launches
				n := make([]float64, 3)
				for i := range all[0].SMs {
					first, second := all[0].SMs[i].ActiveCycles > 0, all[1].SMs[i].ActiveCycles > 0
					for which, counts := range []bool{first, second, first && second} {
						if counts {
							n[which]++
						}
					}
				}
				return n
			}},
		{ID: "B6", GPU: "h100", What: "time of three processes (MPS), a third of each SM for each, over that of one", Source: "text", Kind: Rule, Expected: percent(5, 1),
			measure: func(l *lab) []float64 {
				all := l.run("processes").Launches
				end := 0.0
				for i := range all[:3] {
					end = max(end, all[i].Start+all[i].Cycles)
				}
				return []float64{end / all[3].Cycles}
			}},
		{ID: "B6", GPU: "h100", What: "SMs that all three of them share", Source: "text", Kind: Rule, Expected: exactly(132),
			measure: func(l *lab) []float64 {
				all := l.run("processes").Launches
				n := 0.0
				for i := range all[0].SMs {
					if all[0].SMs[i].ActiveCycles > 0 && all[1].SMs[i].ActiveCycles > 0 && all[2].SMs[i].ActiveCycles > 0 {
						n++
					}
				}
				return []float64{n}
			}},
		{ID: "B7", GPU: "h100", What: "SMs of a slice of the GPU", At: gpuSlices, Source: "text", Kind: Input, Expected: exactly(16, 33, 50, 66, 132),
			measure: func(l *lab) []float64 {
				return l.eachSlice(gpuSlices, func(l *lab) float64 { return l.device().SMs })
			}},
		{ID: "B7", GPU: "h100", What: "MB of its L2", At: gpuSlices, Source: "text", Kind: Input, Expected: exactly(5, 10, 20, 20, 50),
			measure: func(l *lab) []float64 {
				return l.eachSlice(gpuSlices, func(l *lab) float64 { return l.device().Memory.L2Bytes / (1 << 20) })
			}},
		{ID: "B7", GPU: "h100", What: "GB/s that it reads", At: gpuSlices, Source: "text", Kind: Input, Expected: percent(10, 400, 800, 1200, 1600, 3350), Long: true,
			measure: func(l *lab) []float64 { return l.eachSlice(gpuSlices, (*lab).reading) }},
		{ID: "B7", GPU: "h100", What: "waves of 264 CTAs, two an SM, on a slice", At: gpuSlices, Source: "text", Kind: Rule, Expected: exactly(9, 4, 3, 2, 1),
			measure: func(l *lab) []float64 {
				return l.eachSlice(gpuSlices, func(l *lab) float64 {
					return l.run("uniform", "--grid=264", "--shared=100000", arg("rounds", 10)).last().Waves.Count
				})
			}},
	}
}

// eachSlice returns a figure for each slice of the row's GPU.
func (l *lab) eachSlice(slices []string, figure func(l *lab) float64) []float64 {
	whole := l.gpu
	defer func() { l.gpu = whole }()
	return each(slices, func(slice string) float64 {
		l.gpu = whole + ":" + slice
		return figure(l)
	})
}

// reading returns the read bandwidth in GB/s of CTAs that are all resident, without their start and end.
func (l *lab) reading() float64 {
	const few, many, bytesOfThread = 16, 32, 64
	d := l.device()
	grid := int(2 * d.SMs)
	bytes := float64(grid * 1024 * bytesOfThread)
	perRound := l.slope(few, many, "reading", flag("grid", grid), arg("a", fmt.Sprintf("zeros:%d:f32", int(bytes)*many/4)))
	return bytes / (perRound / d.Clock) / 1000
}

// schedule is the outcome of CTAs with log-normal run times.
type schedule struct {
	makespan float64 // in mean run times of a CTA
	planned  float64 // the same by list scheduling of their trip counts
	used     float64 // mean share of SMs with a resident CTA
}

func (l *lab) lognormal(order string) schedule {
	o := l.run("lognormal", flag("cta-order", order))
	trips, last := o.dump(), o.last()
	work := 0.0
	for _, sm := range last.SMs {
		work += sm.ActiveCycles
	}
	return schedule{last.Cycles / (work / float64(len(trips))), listSchedule(len(last.SMs), trips), work / (last.Cycles * float64(len(last.SMs)))}
}

// listSchedule returns the makespan of list scheduling: each machine takes the next job when it is done with one. The
// unit is the mean time of a job.
func listSchedule(machines int, jobs []float64) float64 {
	busy := make([]float64, machines) // end of each machine's current job
	sum := 0.0
	for _, job := range jobs {
		first := slices.Index(busy, slices.Min(busy))
		busy[first] += job
		sum += job
	}
	return slices.Max(busy) / (sum / float64(len(jobs)))
}
