package accuracy

import (
	"fmt"
	"math"

	"github.com/simtrun/simtrun/internal/plot"
)

// Figure draws the cycles of each launch in simtrun over those of the GPU, on logarithmic axes. On the diagonal they
// are equal.
func Figure(results []*Result) *plot.Figure {
	least, most := math.Inf(1), 0.0
	tuned, held := plot.Line{Scattered: true}, plot.Line{Scattered: true}
	for _, r := range results {
		line := &tuned
		if r.heldOut() {
			line = &held
		}
		line.Points = append(line.Points, plot.Point{X: r.Measured.Cycles, Y: r.Cycles})
		least, most = min(least, r.Cycles, r.Measured.Cycles), max(most, r.Cycles, r.Measured.Cycles)
	}
	least, most = math.Pow(10, math.Floor(math.Log10(least))), math.Pow(10, math.Ceil(math.Log10(most)))
	equal := plot.Line{Points: []plot.Point{{X: least, Y: least}, {X: most, Y: most}}}
	s := statisticsOf(results)
	return &plot.Figure{
		Title:    "Cycles of whole launches, simtrun's over an H100's",
		Subtitle: fmt.Sprintf("%d launches, MAPE %.1f %%, median %.1f %%, correlation of logarithms %s", s.Launches, s.MAPE, s.Median, coefficient(s.Pearson)),
		Labels:   []string{"tuned on", "held out", "equal"},
		Panels: []plot.Panel{{
			X: "H100: cycles in which an SM was active", Y: "simtrun", Tall: true,
			Ticks: plot.LogTicks(least, most), MinX: least, MaxX: most, MinY: least, MaxY: most,
			Lines: []plot.Line{tuned, held, equal},
		}},
	}
}
