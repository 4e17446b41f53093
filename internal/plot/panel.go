package plot

import (
	"math"
	"slices"
	"strconv"
)

// box is a rectangle of the page.
type box struct{ left, right, top, bottom float64 }

// Lengths in pixels.
const (
	tickLength  = 4.0
	tickGap     = 4.0 // between a tick and its label
	above       = 24.0
	below       = 40.0
	curveWidth  = 2.0
	lineWidth   = 1.6
	lineDot     = 2.7 // radius
	markDot     = 4.7 // radius
	markOffset  = 3.0
	labelMargin = 6.0 // between labels of ticks
)

// axis maps values to pixels.
type axis struct {
	min, max float64 // values; min above 0 makes the scale logarithmic
	from, to float64 // pixels of min and max
	ticks    []tick
}

// tick is a labelled position on an axis.
type tick struct {
	at    float64
	label string
}

func newAxis(least, most, from, to float64, ticks []float64) *axis {
	a := &axis{min: least, max: most, from: from, to: to}
	for _, at := range slices.Sorted(slices.Values(ticks)) {
		if at >= least && at <= most {
			a.ticks = append(a.ticks, tick{at, strconv.FormatFloat(at, 'f', -1, 32)}) // without rounding errors
		}
	}
	return a
}

// pixel returns the position of a value.
func (a *axis) pixel(v float64) float64 {
	share := (v - a.min) / (a.max - a.min)
	if a.min > 0 {
		share = math.Log(v/a.min) / math.Log(a.max/a.min)
	}
	return a.from + share*(a.to-a.from)
}

// axes returns the axes of a panel along the sides of a box.
func (p *Panel) axes(b box) (x, y *axis) {
	return newAxis(p.MinX, p.MaxX, b.left, b.right, p.Ticks), newAxis(p.MinY, p.MaxY, b.bottom, b.top, p.ticksY())
}

// ticksY divides an axis that starts at 0 into quarters.
func (p *Panel) ticksY() []float64 {
	if p.MinY > 0 {
		return LogTicks(p.MinY, p.MaxY)
	}
	return []float64{0, p.MaxY / 4, p.MaxY / 2, 3 * p.MaxY / 4, p.MaxY}
}

// LogTicks returns the ticks of a logarithmic axis: 1, 2 and 5 times powers of ten, or only the powers if the axis
// spans more than three of them.
func LogTicks(least, most float64) (all []float64) {
	digits := []float64{1, 2, 5}
	if most/least > 1000 {
		digits = digits[:1]
	}
	for e := math.Floor(math.Log10(least)); e <= math.Log10(most); e++ {
		for _, d := range digits {
			if at := d * math.Pow(10, e); at >= least && at <= most {
				all = append(all, at)
			}
		}
	}
	return all
}

// height returns the height of the panel with its labels, in pixels.
func (p *Panel) height() float64 {
	if p.Tall {
		return tallHeight
	}
	return panelHeight
}

// draw draws a panel. The box is as wide as its x axis; its height includes all labels.
func (p *Panel) draw(c canvas, b box) {
	inner := box{b.left, b.right, math.Floor(b.top+above) + 0.5, math.Floor(b.bottom-below) + 0.5} // sharp lines
	x, y := p.axes(inner)
	p.drawAxes(c, inner, x, y)

	at := func(points []Point) (pixels []Point) {
		for _, v := range points {
			pixels = append(pixels, Point{x.pixel(v.X), y.pixel(v.Y)})
		}
		return pixels
	}
	steps := stepped(at(p.Steps))
	if len(steps) > 0 {
		area := append(slices.Clone(steps), Point{steps[len(steps)-1].X, inner.bottom}, Point{steps[0].X, inner.bottom})
		c.fill(area, areaColour)
		c.stroke([][]Point{steps}, curveWidth, curveColour)
	}
	for i, line := range p.Lines {
		points, colour := at(line.Points), lineColours[i%MaxLines]
		curve := points
		if line.Stepped {
			curve = stepped(points)
		}
		if !line.Scattered {
			c.stroke([][]Point{curve}, lineWidth, colour)
		}
		c.dots(points, lineDot, colour)
	}
	if p.Mark != nil {
		dot := at([]Point{*p.Mark})
		c.dots(dot, markDot, markColour)
		c.text(p.markText(inner, dot[0], steps))
	}
}

// stepped inserts the corners of steps between points, and omits points within a step.
func stepped(points []Point) (path []Point) {
	for i, p := range points {
		n := len(path)
		switch {
		case i > 0 && path[n-1].Y != p.Y:
			path = append(path, Point{path[n-1].X, p.Y}, p)
		case n > 1 && path[n-2].Y == p.Y:
			path[n-1] = p
		default:
			path = append(path, p)
		}
	}
	return path
}

// drawAxes draws the grid, the axes, and their labels.
func (p *Panel) drawAxes(c canvas, b box, x, y *axis) {
	var grid, ticks [][]Point
	var labels []text
	free := math.Inf(-1)
	for _, t := range x.ticks {
		at, half := x.pixel(t.at), widthOf(t.label, tickSize)/2
		grid = append(grid, []Point{{at, b.bottom}, {at, b.top}})
		ticks = append(ticks, []Point{{at, b.bottom}, {at, b.bottom + tickLength}})
		if at-half >= free {
			labels = append(labels, text{s: t.label, x: at, y: b.bottom + tickLength + tickGap + 0.75*tickSize, anchor: middle, size: tickSize})
			free = at + half + labelMargin
		}
	}
	free = math.Inf(1)
	for _, t := range y.ticks {
		at := y.pixel(t.at)
		grid = append(grid, []Point{{b.left, at}, {b.right, at}})
		ticks = append(ticks, []Point{{b.left, at}, {b.left - tickLength, at}})
		if at+tickSize/2 <= free {
			labels = append(labels, text{s: t.label, x: b.left - tickLength - tickGap, y: at + centred*tickSize, anchor: end, size: tickSize})
			free = at - tickSize/2
		}
	}
	labels = append(labels,
		text{s: cut(p.X, axisSize, b.right-b.left), x: (b.left + b.right) / 2, y: b.bottom + below - 6, anchor: middle, size: axisSize},
		text{s: cut(p.Y, axisSize, b.bottom-b.top+above), x: margin + 0.75*axisSize, y: (b.top + b.bottom) / 2, anchor: middle, size: axisSize, upwards: true})
	c.stroke(grid, 1, gridColour)
	c.stroke(append(ticks, []Point{{b.left, b.top}, {b.left, b.bottom}, {b.right, b.bottom}}), 1, textColour)
	for i := range labels {
		labels[i].colour = textColour
		c.text(&labels[i])
	}
}

// markText returns the label of Mark, above its dot: to the right or to the left, where the label stays within the
// axis and no step rises into it, otherwise centred.
func (p *Panel) markText(b box, dot Point, steps []Point) *text {
	t := &text{s: p.MarkLabel, y: dot.Y - 8, size: labelSize, colour: markColour}
	width := widthOf(t.s, labelSize)
	if from := dot.X + markOffset; from+width <= b.right && isClear(steps, from, from+width, dot.Y) {
		t.x = from
		return t
	}
	if to := dot.X - markOffset; to-width >= b.left && isClear(steps, to-width, to, dot.Y) {
		t.x, t.anchor = to, end
		return t
	}
	t.x, t.anchor = min(max(dot.X, b.left+width/2), b.right-width/2), middle
	return t
}

// isClear reports whether a curve stays at or below y from one x to another.
func isClear(curve []Point, from, to, y float64) bool {
	const rounding = 0.01
	for i := 1; i < len(curve); i++ {
		if curve[i].X >= from && curve[i-1].X <= to && min(curve[i].Y, curve[i-1].Y) < y-rounding {
			return false
		}
	}
	return true
}
