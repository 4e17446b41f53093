// Package plot draws curves as pictures, SVG or PNG.
package plot

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"
)

// Figure is a picture: panels below each other, with a title at the top. A title and labels that are too wide are
// cut; the subtitle, a list, continues on a second line.
type Figure struct {
	Title, Subtitle string
	Labels          []string // of the Lines of each panel, in order; nil draws no legend
	Panels          []Panel
}

// Panel is one system of axes.
type Panel struct {
	X, Y      string // titles of the axes
	Ticks     []float64
	MinX      float64 // start of the axis: 0, or a positive number, which makes its scale logarithmic
	MaxX      float64
	MinY      float64 // as MinX
	MaxY      float64
	Steps     []Point // a filled curve: between two points it has the value of the second
	Lines     []Line
	Mark      *Point // highlighted point of the curve; nil for none
	MarkLabel string
	Tall      bool // about as high as it is wide
}

// Line is a curve with a marker at each point. Straight lines connect the points, or steps if Stepped: between two
// points the curve then has the value of the second. Nothing connects the points if Scattered.
type Line struct {
	Points    []Point
	Stepped   bool
	Scattered bool
}

// MaxLines is the number of lines of a panel that have different colours.
const MaxLines = 8

// Point is a point of a curve, in the units of its axes.
type Point struct{ X, Y float64 }

// canvas is a picture being drawn. Its units are pixels from the top left corner.
type canvas interface {
	fill(outline []Point, c color.NRGBA)
	stroke(lines [][]Point, width float64, c color.NRGBA)
	dots(centres []Point, radius float64, c color.NRGBA)
	text(t *text)
	writeTo(w io.Writer) error
}

// formats are the kinds of pictures by the extension of their files.
var formats = map[string]func(width, height float64) canvas{".svg": newSVG, ".png": newPNG}

// Format returns the extension of a picture's file in lower case. An unknown extension is an error.
func Format(path string) (string, error) {
	format := strings.ToLower(filepath.Ext(path))
	if formats[format] == nil {
		return "", fmt.Errorf("%s: a picture is .svg or .png", path)
	}
	return format, nil
}

// Lengths and sizes of text are in pixels.
const (
	pageWidth    = 624.0
	margin       = 14.0
	panelHeight  = 196.0
	tallHeight   = 560.0
	titleSize    = 16.0
	subtitleSize = 12.0
	axisSize     = 12.0
	tickSize     = 11.0
	labelSize    = 11.5
	lineSpacing  = 1.4 // line height / size of text
	legendRow    = 18.0
	legendDot    = 3.5 // radius
	legendIndent = 13.0
	legendGap    = 20.0
	subtitleRows = 2
)

var (
	curveColour = color.NRGBA{0x1f, 0x5f, 0xa8, 0xff}
	areaColour  = color.NRGBA{0x1f, 0x5f, 0xa8, 0x22}
	markColour  = color.NRGBA{0xd1, 0x49, 0x1f, 0xff}
	lineColours = [MaxLines]color.NRGBA{curveColour, markColour, {0x2b, 0x8a, 0x3e, 0xff}, {0x7a, 0x3e, 0x9d, 0xff},
		{0xb8, 0x86, 0x0b, 0xff}, {0x0b, 0x8a, 0x8f, 0xff}, {0xa0, 0x2c, 0x5a, 0xff}, {0x55, 0x55, 0x55, 0xff}}
	gridColour = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
	textColour = color.NRGBA{0x33, 0x33, 0x33, 0xff}
	white      = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

// Write writes the picture in a format that Format returned.
func (f *Figure) Write(w io.Writer, format string) error {
	top := margin
	texts := f.heading(&top)
	rows := f.legend()
	legendTop := top
	top += legendRow * float64(len(rows))
	height := top + margin/2
	for i := range f.Panels {
		height += f.Panels[i].height()
	}

	c := formats[format](pageWidth, height)
	c.fill([]Point{{0, 0}, {pageWidth, 0}, {pageWidth, height}, {0, height}}, white)
	for i := range texts {
		c.text(&texts[i])
	}
	for i, row := range rows {
		for _, l := range row {
			l.draw(c, legendTop+legendRow*(float64(i)+0.5))
		}
	}
	left, right := f.sides()
	for i := range f.Panels {
		bottom := top + f.Panels[i].height()
		f.Panels[i].draw(c, box{left, right, top, bottom})
		top = bottom
	}
	return c.writeTo(w)
}

// heading returns title and subtitle, and moves top below them.
func (f *Figure) heading(top *float64) (all []text) {
	const space = pageWidth - 2*margin
	add := func(line string, size float64) {
		*top += lineSpacing * size
		all = append(all, text{s: line, x: margin, y: *top - 0.4*size, size: size, colour: textColour})
	}
	add(cut(f.Title, titleSize, space), titleSize)
	for _, line := range wrap(f.Subtitle, subtitleSize, space, subtitleRows) {
		add(line, subtitleSize)
	}
	*top += 6
	return all
}

// entry is a label of the legend.
type entry struct {
	label  string
	left   float64
	colour color.NRGBA
}

// legend returns Labels in rows that fit the page.
func (f *Figure) legend() (rows [][]entry) {
	const end = pageWidth - margin
	left := end
	for i, label := range f.Labels {
		label = cut(label, labelSize, end-margin-legendIndent)
		width := legendIndent + widthOf(label, labelSize)
		if left+width > end {
			rows, left = append(rows, nil), margin
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], entry{label, left, lineColours[i%MaxLines]})
		left += width + legendGap
	}
	return rows
}

func (e *entry) draw(c canvas, middle float64) {
	c.dots([]Point{{e.left + legendDot, middle}}, legendDot, e.colour)
	c.text(&text{s: e.label, x: e.left + legendIndent, y: middle + centred*labelSize, size: labelSize, colour: textColour})
}

// sides returns the left and right ends of all x axes. They are equal, so that panels are aligned, with room for the
// widest tick labels.
func (f *Figure) sides() (left, right float64) {
	var before, beyond float64
	for i := range f.Panels {
		x, y := f.Panels[i].axes(box{right: 1})
		for _, t := range y.ticks {
			before = max(before, widthOf(t.label, tickSize))
		}
		for _, t := range x.ticks {
			beyond = max(beyond, widthOf(t.label, tickSize)/2)
		}
	}
	return margin + lineSpacing*axisSize + before + tickLength + tickGap + 0.5, pageWidth - max(margin, beyond+4) - 0.5
}
