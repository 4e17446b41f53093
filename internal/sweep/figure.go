package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/plot"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Figure returns a picture of the results: time against the first axis of numbers, waves against the grid if that is
// the axis, and throughput against the resident warps per SM.
func (t *Table) Figure() (*plot.Figure, error) {
	x := t.numbers()
	curves := t.curves(x)
	switch {
	case len(curves) == 0:
		return nil, fmt.Errorf("no point came to its end: there is nothing to draw")
	case len(curves) > plot.MaxLines:
		return nil, fmt.Errorf("%d curves are too many for a picture: at most %d, one for each combination of all axes but one of numbers", len(curves), plot.MaxLines)
	}
	title := strings.TrimSuffix(t.title(), "\n")
	name, rest, _ := strings.Cut(title, "  ")
	f := &plot.Figure{Title: name, Subtitle: strings.ReplaceAll(rest, "  ", ", ")}
	if len(curves) > 1 {
		for _, c := range curves {
			f.Labels = append(f.Labels, c.label)
		}
	}
	if x >= 0 {
		f.Panels = append(f.Panels, panel(curves, t.axisTitle(x), "time, us", false, func(r *Result) plot.Point {
			return plot.Point{X: numberOf(r.Values[x]), Y: r.Microseconds}
		}))
		if t.Matrix[x].Directive == "grid" {
			f.Panels = append(f.Panels, panel(curves, t.axisTitle(x), "waves", true, func(r *Result) plot.Point {
				return plot.Point{X: numberOf(r.Values[x]), Y: float64(r.Waves.Count)}
			}))
			last := &f.Panels[len(f.Panels)-1]
			last.MaxY = 4 * math.Ceil(last.MaxY/4) // whole numbers
		}
	}
	unit, throughput := t.throughput()
	last := panel(curves, "active warps of an SM", unit, false, func(r *Result) plot.Point {
		return plot.Point{X: r.Warps, Y: throughput(r.Figures)}
	})
	if x < 0 || !coincide(&last) {
		f.Panels = append(f.Panels, last)
	}
	return f, nil
}

// coincide reports whether most points of a panel coincide with others, which makes the panel useless. A sweep over
// waves has the same number of warps per SM at nearly all of its points.
func coincide(p *plot.Panel) bool {
	const near = 0.02 // of an axis: the size of a dot
	var spots []plot.Point
	points := 0
	for _, line := range p.Lines {
		for _, a := range line.Points {
			points++
			if !slices.ContainsFunc(spots, func(b plot.Point) bool {
				return math.Abs(a.X-b.X) <= near*p.MaxX && math.Abs(a.Y-b.Y) <= near*p.MaxY
			}) {
				spots = append(spots, a)
			}
		}
	}
	return 2*len(spots) < points
}

// throughput returns the traffic between SMs and L2 in GB/s or, if there is none, the instructions per SM and cycle.
func (t *Table) throughput() (unit string, of func(f *Figures) float64) {
	for _, r := range t.Results {
		if r.Figures != nil && r.L2Bytes > 0 {
			return "L2 and SMs, GB/s", func(f *Figures) float64 { return float64(f.L2Bytes) / f.Microseconds / 1e3 }
		}
	}
	return "instructions/cycle", func(f *Figures) float64 { return f.IPC }
}

// numbers returns the first axis with several values that are all numbers or extents; -1 if there is none.
func (t *Table) numbers() int {
	for _, k := range t.varying() {
		if !slices.ContainsFunc(t.Matrix[k].Values, func(v string) bool { return math.IsNaN(numberOf(v)) }) {
			return k
		}
	}
	return -1
}

// numberOf returns the value as a number, the product for an extent; NaN if it is neither.
func numberOf(text string) float64 {
	product := 1.0
	for part := range strings.SplitSeq(text, "x") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || v < 0 || math.IsInf(v, 0) {
			return math.NaN()
		}
		product *= v
	}
	return product
}

var axisTitles = map[string]string{"grid": "blocks of the grid", "block": "threads of a block", "shared": "dynamic shared memory of a block, bytes",
	"regs": "registers of a thread", "carveout": "carve-out, %"}

func (t *Table) axisTitle(k int) string {
	return cmp.Or(axisTitles[t.Matrix[k].Directive], t.Matrix[k].label())
}

// curve is points that differ on one axis.
type curve struct {
	label   string
	results []*Result
}

// curves groups the completed points by their values of all axes except x.
func (t *Table) curves(x int) []curve {
	var all []curve
	for _, r := range t.Results {
		if r.Figures == nil {
			continue
		}
		var words []string
		for _, k := range t.varying() {
			if k != x {
				words = append(words, t.Matrix[k].label()+" "+r.Values[k])
			}
		}
		label := strings.Join(words, ", ")
		if x < 0 {
			label = "" // no axis distinguishes them
		}
		i := slices.IndexFunc(all, func(c curve) bool { return c.label == label })
		if i < 0 {
			i, all = len(all), append(all, curve{label: label})
		}
		all[i].results = append(all[i].results, r)
	}
	return all
}

// panel returns a panel of curves.
func panel(curves []curve, x, y string, stepped bool, at func(r *Result) plot.Point) plot.Panel {
	p := plot.Panel{X: x, Y: y}
	for _, c := range curves {
		line := plot.Line{Stepped: stepped}
		for _, r := range c.results {
			point := at(r)
			p.MaxX, p.MaxY = max(p.MaxX, point.X), max(p.MaxY, point.Y)
			line.Points = append(line.Points, point)
		}
		sorted.Stable(line.Points, func(a, b plot.Point) int { return cmp.Compare(a.X, b.X) })
		p.Lines = append(p.Lines, line)
	}
	p.MaxX, p.MaxY = roundUp(p.MaxX), roundUp(p.MaxY)
	p.Ticks = []float64{0, p.MaxX / 4, p.MaxX / 2, 3 * p.MaxX / 4, p.MaxX}
	spread(&p, stepped)
	return p
}

// spread gives axes a logarithmic scale if points are too close on a linear one. The y axis gets one if its values
// differ by more than ten times and whole is false. The x axis gets one if its values are the first one times powers
// of two; if most are in the first tenth of the axis; or if they too differ by more than ten times, so that a
// proportion is a straight line.
func spread(p *plot.Panel, whole bool) {
	var xs, ys []float64
	for _, line := range p.Lines {
		for _, point := range line.Points {
			xs, ys = append(xs, point.X), append(ys, point.Y)
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	least, most := slices.Min(ys), slices.Max(ys)
	if !whole && least > 0 && most > 10*least {
		p.MinY, p.MaxY = roundDown(least), roundUp(most)
	}
	const edge = 1.1 // so that no dot lies on an axis
	first, last := xs[0], xs[len(xs)-1]
	switch {
	case first <= 0:
	case len(xs) > 2 && doubling(xs):
		p.MinX, p.MaxX, p.Ticks = first/edge, last*edge, xs
	case p.MinY > 0 && last > 10*first, last > 10*xs[len(xs)/2]:
		p.MinX, p.MaxX, p.Ticks = first/edge, last*edge, plot.LogTicks(first/edge, last*edge)
	}
}

// doubling reports whether all of xs, positive and sorted, are the first one times powers of two.
func doubling(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool {
		fraction, _ := math.Frexp(x / xs[0])
		return fraction != 0.5
	})
}

// roundDown returns the largest 1, 2 or 5 times a power of ten that is not greater than a positive number.
func roundDown(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{5, 2} {
		if n*unit <= v {
			return n * unit
		}
	}
	return unit
}

// roundUp returns a number that is at least v and has a quarter with few digits.
func roundUp(v float64) float64 {
	if v <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8} {
		if n*unit >= v {
			return n * unit
		}
	}
	return 10 * unit
}
