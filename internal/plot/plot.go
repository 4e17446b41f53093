// Package plot draws curves as pictures, SVG or PNG.
package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a picture: panels one below the other, with a title above. What of the
// texts is too long is cut off.
type Figure struct {
	Title, Subtitle string
	Labels          []string // of the lines that each panel has, in order; nil if nothing is to be said of them
	Panels          []Panel
}

// Panel is one system of axes.
type Panel struct {
	X, Y      string // what the axes show
	Ticks     []float64
	MinX      float64 // where the axis begins: 0, or a positive number, from which on its scale is logarithmic
	MaxX      float64
	MinY      float64 // as MinX
	MaxY      float64
	Steps     []Point // a curve: between two points it has the value of the second
	Lines     []Line  // curves of which points are known
	Mark      *Point  // a point of the curve that stands out; nil for none
	MarkLabel string
}

// Line is points of a curve, which straight lines connect, or steps if Stepped: between two
// points it has the value of the second then.
type Line struct {
	Points  []Point
	Stepped bool
}

// MaxLines is how many lines of a panel have a colour of their own.
const MaxLines = 8

// Point is a point of a curve.
type Point struct{ X, Y float64 }

const svg, png = ".svg", ".png"

// formats are the kinds of pictures by the extension of their files.
var formats = map[string]func(width, height vg.Length) vg.CanvasWriterTo{
	svg: func(w, h vg.Length) vg.CanvasWriterTo { return vgsvg.New(w, h) },
	png: func(w, h vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(150))}
	},
}

// Format is the extension of a file of a picture, in small letters. It is an error if
// there is no such format.
func Format(path string) (string, error) {
	format := strings.ToLower(filepath.Ext(path))
	if formats[format] == nil {
		return "", fmt.Errorf("%s: a picture is .svg or .png", path)
	}
	return format, nil
}

const (
	typeface    = "Liberation"
	variant     = "Sans"
	width       = 6.5 * vg.Inch
	panelHeight = 2 * vg.Inch
	titleHeight = 0.55 * vg.Inch
	labelHeight = 0.16 * vg.Inch
	margin      = 0.12 * vg.Inch
)

var (
	curveColour = color.NRGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	areaColour  = color.NRGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0x22}
	markColour  = color.NRGBA{R: 0xd1, G: 0x49, B: 0x1f, A: 0xff}
	lineColours = [MaxLines]color.NRGBA{curveColour, markColour, {0x2b, 0x8a, 0x3e, 0xff}, {0x7a, 0x3e, 0x9d, 0xff},
		{0xb8, 0x86, 0x0b, 0xff}, {0x0b, 0x8a, 0x8f, 0xff}, {0xa0, 0x2c, 0x5a, 0xff}, {0x55, 0x55, 0x55, 0xff}}
	gridColour = color.NRGBA{R: 0xdd, G: 0xdd, B: 0xdd, A: 0xff}
	textColour = color.NRGBA{R: 0x33, G: 0x33, B: 0x33, A: 0xff}
)

// Write writes f in a format that Format gives.
func (f *Figure) Write(w io.Writer, format string) error {
	labels := f.rows(width - 2*margin)
	above := titleHeight + labelHeight*vg.Length(len(labels))
	height := above + panelHeight*vg.Length(len(f.Panels))
	canvas := formats[format](width, height)
	page := draw.New(canvas)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	page = draw.Crop(page, margin, -margin, margin, -margin)

	below := page.Max.Y
	for _, line := range []struct {
		text   string
		points float64
	}{{f.Title, 12}, {f.Subtitle, 9}} {
		style := text(line.points)
		style.XAlign, style.YAlign = draw.XLeft, draw.YTop
		page.FillText(style, vg.Point{X: page.Min.X, Y: below}, cut(line.text, style, page.Max.X-page.Min.X))
		below -= 1.4 * vg.Points(line.points)
	}

	for _, row := range labels {
		for _, l := range row {
			l.draw(page, below)
		}
		below -= labelHeight
	}

	var rows [][]*plot.Plot
	for i := range f.Panels {
		p, err := f.Panels[i].plot()
		if err != nil {
			return err
		}
		rows = append(rows, []*plot.Plot{p})
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadTop: above, PadY: 0.15 * vg.Inch}
	for i, row := range plot.Align(rows, tiles, page) {
		rows[i][0].Draw(row[0])
	}
	var picture bytes.Buffer
	if _, err := canvas.WriteTo(&picture); err != nil {
		return err
	}
	data := picture.Bytes()
	if format == svg { // a viewer may not have the typeface
		const family = "font-family:" + typeface + " " + variant
		data = bytes.ReplaceAll(data, []byte(family), []byte(family+", Arial, sans-serif"))
	}
	_, err := w.Write(data)
	return err
}

// cut is as much of a text as is no wider than allowed.
func cut(s string, style draw.TextStyle, widest vg.Length) string {
	const dots = "…"
	if style.Width(s) <= widest {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && style.Width(string(runes)+dots) > widest {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + dots
}

// text is the style of texts of so many points.
func text(points float64) draw.TextStyle {
	return draw.TextStyle{Color: textColour, Font: font.Font{Typeface: typeface, Variant: variant, Size: vg.Points(points)}, Handler: plot.DefaultTextHandler}
}

// restyle changes a style, but for how the text is aligned.
func restyle(s *draw.TextStyle, to draw.TextStyle) { s.Color, s.Font = to.Color, to.Font }

func (p *Panel) plot() (*plot.Plot, error) {
	out := plot.New()
	for _, a := range []struct {
		axis     *plot.Axis
		label    string
		min, max float64
	}{{&out.X, p.X, p.MinX, p.MaxX}, {&out.Y, p.Y, p.MinY, p.MaxY}} {
		a.axis.Min, a.axis.Max, a.axis.Padding = a.min, a.max, 0
		if a.min > 0 {
			a.axis.Scale = plot.LogScale{}
		}
		a.axis.Label.Text = a.label
		restyle(&a.axis.Label.TextStyle, text(9))
		restyle(&a.axis.Tick.Label, text(8))
		a.axis.LineStyle.Color, a.axis.Tick.LineStyle.Color = textColour, textColour
	}
	out.X.Tick.Marker = ticks(p.Ticks)
	out.Y.Tick.Marker = ticks(p.ticksY())

	lines := plotter.NewGrid()
	lines.Vertical.Color, lines.Horizontal.Color = gridColour, gridColour
	out.Add(lines)

	if len(p.Steps) > 0 {
		curve, err := plotter.NewLine(points(p.Steps))
		if err != nil {
			return nil, err
		}
		curve.StepStyle, curve.FillColor = plotter.PreStep, areaColour
		curve.Color, curve.Width = curveColour, vg.Points(1.5)
		out.Add(curve)
	}
	if err := p.addLines(out); err != nil || p.Mark == nil {
		return out, err
	}
	return out, p.addMark(out)
}

// ticksY are quarters of an axis that begins at 0.
func (p *Panel) ticksY() []float64 {
	if p.MinY > 0 {
		return LogTicks(p.MinY, p.MaxY)
	}
	return []float64{0, p.MaxY / 4, p.MaxY / 2, 3 * p.MaxY / 4, p.MaxY}
}

// LogTicks are ticks of a logarithmic axis: 1, 2 and 5 times powers of ten, or the powers alone where the axis has many.
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

// addMark adds Mark and its label.
func (p *Panel) addMark(out *plot.Plot) error {
	mark, err := plotter.NewScatter(points([]Point{*p.Mark}))
	if err != nil {
		return err
	}
	mark.GlyphStyle = draw.GlyphStyle{Color: markColour, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}
	label, err := plotter.NewLabels(plotter.XYLabels{XYs: points([]Point{*p.Mark}), Labels: []string{p.MarkLabel}})
	if err != nil {
		return err
	}
	style := text(8.5)
	style.Color = markColour
	style.XAlign = p.markAlign(float64(style.Width(p.MarkLabel) / (width - 2*margin)))
	label.Offset = vg.Point{X: vg.Points(2) * vg.Length(1+2*style.XAlign), Y: vg.Points(6)} // away from the step
	label.TextStyle = []draw.TextStyle{style}
	out.Add(mark, label)
	return nil
}

// markAlign is how the label of Mark, which stands above it and takes the given share of the axis, is
// aligned with it so that Steps do not cross the label and it does not pass the end of the axis.
func (p *Panel) markAlign(share float64) draw.XAlignment {
	w := share * p.MaxX
	for _, a := range []draw.XAlignment{draw.XLeft, draw.XRight} {
		from := p.Mark.X + float64(a)*w
		if from >= 0 && from+w <= p.MaxX && p.highest(from, from+w) <= p.Mark.Y {
			return a
		}
	}
	return draw.XCenter
}

// highest is the highest value of Steps from one x to another.
func (p *Panel) highest(from, to float64) (most float64) {
	for i, s := range p.Steps {
		if s.X >= from {
			most = max(most, s.Y)
		}
		if s.X >= to { // its value holds from the point before it on
			break
		}
		if i == len(p.Steps)-1 {
			most = max(most, s.Y)
		}
	}
	return most
}

// label is what a line is.
type label struct {
	text   string
	at     vg.Length // from the left
	colour color.Color
}

// rows are the labels in rows that are no wider than allowed, if one by itself is not.
func (f *Figure) rows(widest vg.Length) (rows [][]label) {
	style, right := text(8.5), widest
	for i, words := range f.Labels {
		words = cut(words, style, widest-labelIndent)
		need := labelIndent + style.Width(words) + labelGap
		if right+need-labelGap > widest {
			rows, right = append(rows, nil), 0
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], label{words, right, lineColours[i%MaxLines]})
		right += need
	}
	return rows
}

const (
	labelIndent = 0.11 * vg.Inch // of the text from the dot
	labelGap    = 0.18 * vg.Inch
)

func (l *label) draw(page draw.Canvas, top vg.Length) {
	style := text(8.5)
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	middle := vg.Point{X: page.Min.X + l.at, Y: top - labelHeight/2}
	page.DrawGlyph(draw.GlyphStyle{Color: l.colour, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}, middle.Add(vg.Point{X: vg.Points(2.5)}))
	page.FillText(style, middle.Add(vg.Point{X: labelIndent}), l.text)
}

// addLines adds Lines.
func (p *Panel) addLines(out *plot.Plot) error {
	for i, line := range p.Lines {
		curve, dots, err := plotter.NewLinePoints(points(line.Points))
		if err != nil {
			return err
		}
		colour := lineColours[i%MaxLines]
		curve.Color, curve.Width = colour, vg.Points(1.2)
		if line.Stepped {
			curve.StepStyle = plotter.PreStep
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: vg.Points(2), Shape: draw.CircleGlyph{}}
		out.Add(curve, dots)
	}
	return nil
}

func points(all []Point) plotter.XYs {
	xys := make(plotter.XYs, len(all))
	for i, p := range all {
		xys[i] = plotter.XY{X: p.X, Y: p.Y}
	}
	return xys
}

// ticks are places of an axis that have a number.
type ticks []float64

func (t ticks) Ticks(least, most float64) []plot.Tick {
	var all []plot.Tick
	for _, at := range slices.Sorted(slices.Values(t)) {
		if at >= least && at <= most {
			all = append(all, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'f', -1, 32)}) // without the last digits of arithmetic
		}
	}
	return all
}
