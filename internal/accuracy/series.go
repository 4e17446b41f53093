package accuracy

import (
	"fmt"
	"io"
	"slices"
)

// series are launches that do the same work in steps of optimisation, by their names, slowest first on the GPU.
var series = []struct {
	Work  string
	Steps []string
}{
	{"transpose of 1024 x 1024 words", []string{"transpose_naive 1024", "transpose 32x32", "transpose_swizzle 1024"}},
	{"product of 256 x 256 matrices", []string{"matmul_naive 16x16", "matmul_tiled 16x16"}},
	{"product of 256 x 256 matrices, compiled", []string{"w:matmul_naive", "w:matmul_tiled"}},
	{"sum of 1,000,000 numbers", []string{"reduce_tree 528", "reduce_shuffle 528"}},
}

// gain is how many times as fast a step of a series is as the one before it.
type gain struct {
	Work, From, To string
	There, Here    float64 // on the GPU, and in simtrun
}

// gainsOf returns the gains of the steps that have both launches among the results.
func gainsOf(results []*Result) (all []gain) {
	find := func(name string) *Result {
		if i := slices.IndexFunc(results, func(r *Result) bool { return r.Name() == name }); i >= 0 {
			return results[i]
		}
		return nil
	}
	for _, s := range series {
		for i := range s.Steps[1:] {
			from, to := find(s.Steps[i]), find(s.Steps[i+1])
			if from != nil && to != nil {
				all = append(all, gain{s.Work, from.Name(), to.Name(), from.Measured.Cycles / to.Measured.Cycles, from.Cycles / to.Cycles})
			}
		}
	}
	return all
}

// writeGains writes a line for each step of the series; nothing if there is none.
func writeGains(w io.Writer, gains []gain) {
	if len(gains) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%-40s %-22s %-22s %6s %8s\n", "gain of a step", "from", "to", "H100", "simtrun")
	for _, g := range gains {
		fmt.Fprintf(w, "%-40s %-22s %-22s %6.2f %8.2f\n", g.Work, g.From, g.To, g.There, g.Here)
	}
}
