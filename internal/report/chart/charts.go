// Package chart draws the figures of a report as SVG: for the page of a profile and for the explorer, which have its
// style sheet in common, too. Colours are classes of the style sheet.
package chart

import (
	"cmp"
	_ "embed"
	"fmt"
	stdhtml "html"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/internal/svg"
)

// Style is the style sheet: the colours of pages, light and dark, and the rules for figures.
//
//go:embed chart.css
var Style string

// Markup is SVG made here, which a page includes unchanged. Text from a program is escaped where it is inserted.
type Markup string

// Render writes the markup; with it, a Markup is a node of a page.
func (m Markup) Render(w io.Writer) error {
	_, err := io.WriteString(w, string(m))
	return err
}

// Figure is a picture with its name: one SVG element or several. Text says what is missing.
type Figure struct {
	Name, Note string
	SVG        []Markup
	Text       string
	Wide       bool // takes the whole width of a page
}

// Of returns the figures of where the time of a launch went; none without a clock.
func Of(l *report.Launch) []Figure {
	if l.Time == nil {
		return nil
	}
	roofs := Figure{Name: "Roofline"}
	if picture := roofChart(l); picture != "" {
		roofs.SVG = append(roofs.SVG, picture)
	} else { // no operations have a roof: there is only a bar for each peak, which is no roofline
		roofs.Name = "Peaks"
	}
	if len(l.Time.Roofline) > 0 {
		roofs.SVG = append(roofs.SVG, roofBars(l.Time.Roofline))
	} else {
		roofs.Text = "The launch has no operations or traffic with a peak."
	}
	memory := Figure{Name: "Memory"}
	if picture := memoryChart(l); picture != "" {
		memory.SVG = append(memory.SVG, picture)
	} else {
		memory.Text = "The GPU is modelled without caches."
	}
	return []Figure{
		{Name: "Warp states", Note: "cycles of warps", SVG: []Markup{stallBars(l.Time)}}, roofs, memory,
		{Name: "Waves over SMs", Note: "from the first block to the end of the last", SVG: []Markup{smBars(l.Time)}},
	}
}

// narrow is the width of pictures, which a telephone shows with texts of 9 pixels.
const narrow = 460.0

// mostCells limits the cells of the picture of SMs over time.
const mostCells = 9000

// chart is an SVG picture being drawn. Its units are pixels; colours are classes of the style sheet.
type chart struct {
	strings.Builder
	width, height float64
}

func newChart(width, height float64, label string) *chart {
	s := &chart{width: width, height: height}
	fmt.Fprintf(s, `<svg class="chart" viewBox="0 0 %g %g" style="max-width:%gpx" role="img" aria-label="%s">`, width, height, width, stdhtml.EscapeString(label))
	return s
}

func (s *chart) rect(x, y, w, h float64, class, title string) {
	fmt.Fprintf(s, `<rect x="%s" y="%s" width="%s" height="%s" class="%s">`, svg.Number(x), svg.Number(y), svg.Number(max(0, w)), svg.Number(h), class)
	if title != "" {
		fmt.Fprintf(s, `<title>%s</title>`, stdhtml.EscapeString(title))
	}
	s.WriteString(`</rect>`)
}

// text writes a text with the anchor start, middle or end.
func (s *chart) text(x, y float64, anchor, class, text string) {
	fmt.Fprintf(s, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`, svg.Number(x), svg.Number(y), anchor, class, stdhtml.EscapeString(text))
}

func (s *chart) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(s, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, svg.Number(x1), svg.Number(y1), svg.Number(x2), svg.Number(y2), class)
}

func (s *chart) end() Markup {
	s.WriteString(`</svg>`)
	return Markup(s.String())
}

// stallBars draws a bar for each warp state with any cycles, the longest first.
func stallBars(t *report.Time) Markup {
	var states []sm.State
	most := uint64(1)
	for state, n := range t.Stalls {
		if n > 0 {
			states = append(states, sm.State(state))
			most = max(most, n)
		}
	}
	sorted.Stable(states, func(a, b sm.State) int { return cmp.Compare(t.Stalls[b], t.Stalls[a]) })
	const row, left, right = 22.0, 140.0, 330.0
	s := newChart(narrow, row*float64(len(states))+4, "cycles of warps by state")
	for i, state := range states {
		y, n := row*float64(i), t.Stalls[state]
		class := "filled"
		if state == sm.Selected {
			class = "filled good"
		}
		fmt.Fprintf(s, `<g><title>%s: %d cycles of warps. %s</title>`, state, n, stdhtml.EscapeString(state.Doc()))
		s.text(left-8, y+15, "end", "label", state.String())
		w := (right - left) * float64(n) / float64(most)
		s.rect(left, y+3, w, row-6, class, "")
		s.text(left+w+6, y+15, "start", "value", fmt.Sprintf("%s  %d", Percent(Ratio(float64(n), float64(t.WarpCycles))), n))
		s.WriteString(`</g>`)
	}
	return s.end()
}

// smBars draws a bar for each SM that got a block, from its first cycle to its last.
func smBars(t *report.Time) Markup {
	var used []int
	for id := range t.SMs {
		if t.SMs[id].Blocks > 0 {
			used = append(used, id)
		}
	}
	row := max(1.5, min(16, 400/float64(max(1, len(used)))))
	const left, right, top, bottom = 50.0, narrow - 20, 8.0, 20.0
	s := newChart(narrow, top+row*float64(len(used))+bottom+4, "when each SM had blocks")
	for i, id := range used {
		m := &t.SMs[id]
		x := func(c int64) float64 { return left + (right-left)*float64(c)/float64(max(1, t.Cycles)) }
		y := top + row*float64(i)
		s.rect(x(m.FirstCycle), y, x(m.LastCycle)-x(m.FirstCycle), row*0.85, "filled", fmt.Sprintf("SM %d: %s, cycles %d to %d, busy %s", id, report.Count(int64(m.Blocks), "block"), m.FirstCycle, m.LastCycle,
			Percent(Ratio(float64(m.ActiveCycles), float64(t.Cycles)))))
		if i == 0 || i == len(used)-1 || i%max(1, int(14/row)) == 0 && row*float64(len(used)-1-i) > 12 {
			s.text(left-6, y+row*0.5+4, "end", "tick", fmt.Sprintf("SM %d", id))
		}
	}
	y := top + row*float64(len(used))
	s.line(left, y+2, right, y+2, "axis")
	s.text(left, y+16, "start", "tick", "0")
	s.text(right, y+16, "end", "tick", report.Count(t.Cycles, "cycle"))
	return s.end()
}

// bytesText formats a number of bytes with a unit and three digits.
func bytesText(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	x, i := float64(n), 0
	for x >= 1024 && i < len(units)-1 {
		x, i = x/1024, i+1
	}
	return fmt.Sprintf("%.4g %s", x, units[i])
}

// roofBars compares achieved rates with peaks.
func roofBars(roofs []report.Roof) Markup {
	const row, left, right = 24.0, 70.0, 230.0
	s := newChart(narrow, row*float64(max(1, len(roofs))), "shares of peaks")
	for i, r := range roofs {
		y := row * float64(i)
		s.text(left-8, y+16, "end", "label", r.Name)
		s.rect(left, y+4, right-left, row-8, "track", "")
		s.rect(left, y+4, (right-left)*min(1, r.OfPeak), row-8, "filled", "")
		s.text(right+8, y+16, "start", "value", fmt.Sprintf("%s: %.1f of %.1f %s", Percent(r.OfPeak), r.Achieved, r.Peak, r.Unit))
	}
	return s.end()
}

// roofChart has logarithmic axes: operations per byte to the right, operations per second upwards. A slope is a level
// of memory, a flat roof a type of operations, a dot an achieved combination of both.
func roofChart(l *report.Launch) Markup {
	var flat, slopes []report.Roof
	for _, r := range l.Time.Roofline {
		switch {
		case r.Unit == "GFLOPS":
			flat = append(flat, r)
		case r.Name != "shared" && r.Achieved > 0:
			slopes = append(slopes, r)
		}
	}
	if len(flat) == 0 || len(slopes) == 0 {
		return ""
	}
	c := &roofAxes{chart: newChart(narrow, 310, "roofline")}
	c.fit(flat, slopes)
	c.grid()
	highest := slices.MaxFunc(flat, func(a, b report.Roof) int { return cmp.Compare(a.Peak, b.Peak) }).Peak
	for i, m := range slopes {
		c.slope(i, m, highest)
		for k, f := range flat {
			fmt.Fprintf(c, `<circle cx="%s" cy="%s" r="%s" class="dot c%d"><title>%s</title></circle>`, svg.Number(c.x(f.Achieved/m.Achieved)), svg.Number(c.y(f.Achieved)), svg.Number(7-1.6*float64(i)), i,
				stdhtml.EscapeString(fmt.Sprintf("%s against %s: %.4g GFLOPS, %.4g FLOP a byte", f.Name, m.Name, f.Achieved, f.Achieved/m.Achieved)))
			if k == 0 {
				c.text(roofRight+8, roofTop+50+18*float64(i), "start", fmt.Sprintf("label c%d", i), m.Name)
			}
		}
	}
	for _, f := range flat {
		c.line(c.x(f.Peak/slopes[0].Peak), c.y(f.Peak), roofRight, c.y(f.Peak), "roof flat")
		c.text(roofRight+8, c.y(f.Peak)+4, "start", "label", f.Name)
	}
	return c.end()
}

// Position of the axes of a roofline.
const roofLeft, roofRight, roofTop, roofBottom = 60.0, 390.0, 10.0, 270.0

// roofAxes is a picture with the decades on its axes, as exponents of 10.
type roofAxes struct {
	*chart
	minX, maxX, minY, maxY float64
}

// fit chooses the decades so that they contain all peaks and achieved rates.
func (c *roofAxes) fit(flat, slopes []report.Roof) {
	minX, maxX, minY, maxY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, f := range flat {
		for _, m := range slopes {
			for _, x := range []float64{f.Achieved / m.Achieved, f.Peak / m.Peak} {
				minX, maxX = min(minX, math.Log10(x)), max(maxX, math.Log10(x))
			}
		}
		minY, maxY = min(minY, math.Log10(f.Achieved)), max(maxY, math.Log10(f.Peak))
	}
	c.minX, c.maxX, c.minY, c.maxY = math.Floor(minX-0.3), math.Ceil(maxX+0.3), math.Floor(minY-0.3), math.Ceil(maxY+0.1)
}

// x and y convert operations per byte and operations per second to coordinates.
func (c *roofAxes) x(v float64) float64 {
	return roofLeft + (roofRight-roofLeft)*(math.Log10(v)-c.minX)/(c.maxX-c.minX)
}

func (c *roofAxes) y(v float64) float64 {
	return roofBottom - (roofBottom-roofTop)*(math.Log10(v)-c.minY)/(c.maxY-c.minY)
}

// grid draws a line for each decade, and names the axes. Where decades are narrower than a number, not each has one.
func (c *roofAxes) grid() {
	const number = 45.0
	every := max(1, int(math.Ceil(number*(c.maxX-c.minX)/(roofRight-roofLeft))))
	for e := c.minX; e <= c.maxX; e++ {
		x := c.x(math.Pow(10, e))
		c.line(x, roofTop, x, roofBottom, "grid")
		if int(e-c.minX)%every == 0 {
			c.text(x, roofBottom+15, "middle", "tick", fmt.Sprintf("%g", math.Pow(10, e)))
		}
	}
	for e := c.minY; e <= c.maxY; e++ {
		y := c.y(math.Pow(10, e))
		c.line(roofLeft, y, roofRight, y, "grid")
		c.text(roofLeft-6, y+4, "end", "tick", fmt.Sprintf("%g", math.Pow(10, e)))
	}
	c.text((roofLeft+roofRight)/2, roofBottom+34, "middle", "tick", "FLOP a byte")
	c.text(0, roofBottom+34, "start", "tick", "↑ GFLOPS")
}

// slope draws the roof of a level of memory, from the edge of the picture up to the highest flat roof.
func (c *roofAxes) slope(i int, m report.Roof, highest float64) {
	x1, x2 := math.Pow(10, c.minX), highest/m.Peak
	y1 := x1 * m.Peak
	if low := math.Pow(10, c.minY); y1 < low {
		x1, y1 = low/m.Peak, low
	}
	c.line(c.x(x1), c.y(y1), c.x(x2), c.y(highest), fmt.Sprintf("roof c%d", i))
}

// OverTime returns the figures of a run's history; none without one.
func OverTime(d *report.Document) []Figure {
	h := d.History
	if h == nil || len(h.Warps) == 0 {
		return nil
	}
	bins := 0
	for _, sm := range h.Warps {
		bins = max(bins, len(sm))
	}
	warps, issued := make([]float64, bins), make([]float64, bins)
	most := 0.0
	for id := range h.Warps {
		for i, n := range h.Warps[id] {
			warps[i] += float64(n)
			most = max(most, float64(n))
		}
		for i, n := range h.Issued[id] {
			issued[i] += float64(n)
		}
	}
	n := float64(h.BinCycles) * float64(len(h.Warps))
	for i := range bins {
		warps[i], issued[i] = warps[i]/n, issued[i]/n
	}
	note := "means over " + report.Count(h.BinCycles, "cycle")
	return []Figure{
		{Name: "Warps on an SM", Note: note + ", of all SMs", SVG: []Markup{curve(d, warps, "warps")}},
		{Name: "Instructions that an SM issues in a cycle", Note: note + ", of all SMs", SVG: []Markup{curve(d, issued, "issued")}},
		{Name: "Warps on each SM", Note: note + fmt.Sprintf("; the darkest is %.1f warps", most/float64(h.BinCycles)), SVG: []Markup{heatMap(d, bins, most)}, Wide: true},
	}
}

// On a wide page two curves are next to each other, and the heat map has the full width.
const (
	timeLeft   = 50.0
	curveRight = narrow - timeMargin
	heatRight  = 1440.0
	timeMargin = 20.0 // to the right of the axis
)

// timeAxis draws the axis of the run's time from timeLeft to right, with launches above it.
func timeAxis(s *chart, d *report.Document, bins int, right, top, bottom float64) {
	end := int64(bins) * d.History.BinCycles
	x := func(c int64) float64 { return timeLeft + (right-timeLeft)*float64(c)/float64(end) }
	s.line(timeLeft, bottom, right, bottom, "axis")
	s.text(timeLeft, bottom+16, "start", "tick", "0")
	s.text(right, bottom+16, "end", "tick", fmt.Sprintf("%d cycles", end))
	for i := range d.Launches {
		if t := d.Launches[i].Time; t != nil && i > 0 {
			s.line(x(t.Start), top, x(t.Start), bottom, "mark")
		}
	}
}

// curve draws an area over the run's time.
func curve(d *report.Document, values []float64, name string) Markup {
	const top, bottom = 10.0, 120.0
	most := max(slices.Max(values), 1e-9)
	s := newChart(curveRight+timeMargin, 145, name+" over time")
	s.text(timeLeft-6, top+8, "end", "tick", fmt.Sprintf("%.3g", most))
	s.text(timeLeft-6, bottom, "end", "tick", "0")
	fmt.Fprintf(s, `<path class="area" d="M%s %s`, svg.Number(timeLeft), svg.Number(bottom))
	w := (curveRight - timeLeft) / float64(len(values))
	for i, v := range values {
		y := bottom - (bottom-top)*v/most
		fmt.Fprintf(s, `L%s %sH%s`, svg.Number(timeLeft+w*float64(i)), svg.Number(y), svg.Number(timeLeft+w*float64(i+1)))
	}
	fmt.Fprintf(s, `V%sz"/>`, svg.Number(bottom))
	timeAxis(s, d, len(values), curveRight, top, bottom)
	return s.end()
}

// heatMap has a row for each SM, darker where more warps are resident.
func heatMap(d *report.Document, bins int, most float64) Markup {
	const levels = 8
	h := d.History
	together := max(1, (bins*len(h.Warps)+mostCells-1)/mostCells) // bins per cell
	row := max(2, min(14, 420/float64(len(h.Warps))))
	bottom := row * float64(len(h.Warps))
	s := newChart(heatRight+timeMargin, bottom+25, "warps on each SM over time")
	var paths [levels + 1]strings.Builder
	w := (heatRight - timeLeft) / float64(bins) * float64(together)
	for id, counts := range h.Warps {
		cells := joined(counts, together)
		for i := 0; i < len(cells); {
			level := levelOf(cells[i], most, levels)
			from := i
			for i++; i < len(cells) && levelOf(cells[i], most, levels) == level; i++ {
			}
			fmt.Fprintf(&paths[level], "M%s %sh%sv%sh-%sz", svg.Number(timeLeft+w*float64(from)), svg.Number(row*float64(id)), svg.Number(w*float64(i-from)), svg.Number(row*0.9), svg.Number(w*float64(i-from)))
		}
	}
	for level := 1; level <= levels; level++ {
		if paths[level].Len() > 0 {
			fmt.Fprintf(s, `<path class="cell" fill-opacity="%.2f" d="%s"/>`, float64(level)/levels, paths[level].String())
		}
	}
	s.text(timeLeft-6, 10, "end", "tick", "SM 0")
	s.text(timeLeft-6, bottom, "end", "tick", fmt.Sprintf("SM %d", len(h.Warps)-1))
	timeAxis(s, d, bins, heatRight, 0, bottom)
	return s.end()
}

// joined returns the means of groups of neighbouring counts.
func joined(counts []uint64, together int) (cells []uint64) {
	for part := range slices.Chunk(counts, together) {
		sum := uint64(0)
		for _, n := range part {
			sum += n
		}
		cells = append(cells, (sum+uint64(together)-1)/uint64(together))
	}
	return cells
}

// levelOf scales n to a level from 0 for zero to levels for the maximum.
func levelOf(n uint64, most float64, levels int) int {
	return int(math.Ceil(float64(levels) * float64(n) / max(1, most)))
}
