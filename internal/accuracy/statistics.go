package accuracy

import (
	"cmp"
	"math"
	"slices"

	"github.com/simtrun/simtrun/internal/sorted"
)

// statistics are how near the cycles of some launches are to the GPU's. Errors are in percent of the GPU's figure.
type statistics struct {
	Launches      int
	MAPE          float64 // mean absolute percentage error
	Median        float64 // absolute percentage error
	GeometricMean float64 // of the ratios of cycles, simtrun's to the GPU's
	Pearson       float64 // correlation of the logarithms of cycles
	Spearman      float64 // correlation of the ranks of cycles
	Instructions  float64 // mean absolute percentage error of the machine instructions issued
	MainStall     int     // launches with the same main stall as on the GPU
}

// statisticsOf returns the statistics of at least one result. Correlations of fewer than three are NaN.
func statisticsOf(results []*Result) statistics {
	s := statistics{Launches: len(results)}
	n := float64(len(results))
	var here, there, errs []float64
	for _, r := range results {
		here, there = append(here, math.Log(r.Cycles)), append(there, math.Log(r.Measured.Cycles))
		errs = append(errs, 100*math.Abs(r.ratio()-1))
		s.Instructions += 100 * math.Abs(r.instructionRatio()-1) / n
		if a, b := r.mainStalls(); a == b {
			s.MainStall++
		}
	}
	s.MAPE, s.Median = mean(errs), median(errs)
	s.GeometricMean = math.Exp(mean(here) - mean(there))
	s.Pearson, s.Spearman = math.NaN(), math.NaN()
	if len(results) > 2 {
		s.Pearson, s.Spearman = correlation(here, there), correlation(ranks(here), ranks(there))
	}
	return s
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func median(values []float64) float64 {
	all := slices.Sorted(slices.Values(values))
	n := len(all)
	return (all[(n-1)/2] + all[n/2]) / 2
}

// correlation returns Pearson's correlation coefficient.
func correlation(a, b []float64) float64 {
	meanA, meanB := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - meanA) * (b[i] - meanB)
		aa += (a[i] - meanA) * (a[i] - meanA)
		bb += (b[i] - meanB) * (b[i] - meanB)
	}
	return ab / math.Sqrt(aa*bb)
}

// ranks returns the rank of each value, of equal values the mean of theirs.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	sorted.By(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	all := make([]float64, len(values))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && values[order[end]] == values[order[first]] {
			end++
		}
		for _, i := range order[first:end] {
			all[i] = float64(first+end-1) / 2
		}
		first = end
	}
	return all
}

// group is some of the results, with a name.
type group struct {
	Name    string
	Results []*Result
}

// groupsOf returns the groups with any results: all, those that parameters may be tuned on, those held out, each kind,
// and all that are not tiny.
func groupsOf(results []*Result) []group {
	tiny := kinds[0][0]
	groups := []group{
		{"all", results},
		{"tuned on", only(results, func(r *Result) bool { return !r.heldOut() })},
		{"held out", only(results, (*Result).heldOut)},
	}
	for _, k := range kinds {
		groups = append(groups, group{k[0], only(results, func(r *Result) bool { return r.Kind == k[0] })})
	}
	large := func(r *Result) bool { return r.Kind != tiny }
	groups = append(groups,
		group{"not tiny", only(results, large)},
		group{"not tiny, held out", only(results, func(r *Result) bool { return large(r) && r.heldOut() })})
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.Results) == 0 })
}

func only(results []*Result, has func(*Result) bool) []*Result {
	return slices.DeleteFunc(slices.Clone(results), func(r *Result) bool { return !has(r) })
}

// worstOf returns the n results with the largest errors, as factors, worst first.
func worstOf(results []*Result, n int) []*Result {
	factor := func(r *Result) float64 { return math.Abs(math.Log(r.ratio())) }
	all := slices.Clone(results)
	sorted.Stable(all, func(a, b *Result) int { return cmp.Compare(factor(b), factor(a)) })
	return all[:min(n, len(all))]
}
