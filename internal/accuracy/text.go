package accuracy

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// worst is the number of launches in the list of the worst.
const worst = 10

// WriteText writes a line for each launch, statistics by group, gains of steps, and the launches with the largest
// errors.
func WriteText(w io.Writer, results []*Result) {
	fmt.Fprintf(w, "%-26s %-13s %-8s %9s %9s %6s %7s  %-17s %s\n", "launch", "kind", "half", "H100", "simtrun", "ratio", "instrs", "main stall: H100", "simtrun")
	for _, r := range results {
		fmt.Fprintln(w, r)
	}
	fmt.Fprintf(w, "\n%-18s %8s %6s %7s %9s %8s %9s %7s %11s\n", "cycles", "launches", "MAPE", "median", "geo. mean", "Pearson", "Spearman", "instrs", "main stall")
	for _, g := range groupsOf(results) {
		s := statisticsOf(g.Results)
		fmt.Fprintf(w, "%-18s %8d %6.1f %7.1f %9.2f %8s %9s %7.1f %11s\n", g.Name, s.Launches, s.MAPE, s.Median, s.GeometricMean,
			coefficient(s.Pearson), coefficient(s.Spearman), s.Instructions, fmt.Sprintf("%d of %d", s.MainStall, s.Launches))
	}
	writeGains(w, gainsOf(results))
	var list []string
	for _, r := range worstOf(results, worst) {
		list = append(list, fmt.Sprintf("%s %.2f", r.Name(), r.ratio()))
	}
	fmt.Fprintf(w, "\nfarthest off: %s\n", strings.Join(list, ", "))
}

// String returns the line of a launch.
func (r *Result) String() string {
	there, here := r.mainStalls()
	half := "tuned on"
	if r.heldOut() {
		half = "held out"
	}
	return fmt.Sprintf("%-26s %-13s %-8s %9.1f %9.1f %6.2f %7.2f  %-17s %s", r.Name(), r.Kind, half, r.Measured.Cycles, r.Cycles, r.ratio(), r.instructionRatio(), there, here)
}

func coefficient(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.3f", v)
}
