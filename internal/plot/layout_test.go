package plot_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"

	"github.com/simtrun/simtrun/internal/plot"
)

// drawing is a parsed SVG picture.
type drawing struct {
	Width   float64  `xml:"width,attr"`
	Height  float64  `xml:"height,attr"`
	Texts   []text   `xml:"g>text"`
	Circles []circle `xml:"g>circle"`
	Paths   []path   `xml:"g>path"`
}

type text struct {
	X         float64 `xml:"x,attr"`
	Y         float64 `xml:"y,attr"`
	Size      float64 `xml:"font-size,attr"`
	Anchor    string  `xml:"text-anchor,attr"`
	Transform string  `xml:"transform,attr"`
	Fill      string  `xml:"fill,attr"`
	Text      string  `xml:",chardata"`
}

type circle struct {
	X    float64 `xml:"cx,attr"`
	Y    float64 `xml:"cy,attr"`
	R    float64 `xml:"r,attr"`
	Fill string  `xml:"fill,attr"`
}

type path struct {
	D string `xml:"d,attr"`
}

// read draws a figure as SVG and parses it.
func read(t *testing.T, f *plot.Figure) *drawing {
	t.Helper()
	var picture bytes.Buffer
	if err := f.Write(&picture, ".svg"); err != nil {
		t.Fatal(err)
	}
	d := new(drawing)
	if err := xml.Unmarshal(picture.Bytes(), d); err != nil {
		t.Fatalf("%v in %s", err, picture.String())
	}
	return d
}

func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// box is the rectangle that a text covers.
type box struct{ left, right, top, bottom float64 }

func (a box) overlaps(b box) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

// widths measures the Go font at 1000 pixels.
var widths = func() font.Face {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 1000, DPI: 72})
	if err != nil {
		panic(err)
	}
	return face
}()

// box returns the rectangle of a text in a font that is 14 % wider than the Go font, as DejaVu Sans is. Capitals and
// digits reach three quarters of the size above the base line; a fifth is below.
func (t *text) box() box {
	w := 1.14 * t.Size * float64(font.MeasureString(widths, t.Text)) / 64 / 1000
	before := map[string]float64{"": 0, "middle": w / 2, "end": w}[t.Anchor]
	up, down := 0.75*t.Size, 0.2*t.Size
	if t.Transform == "" {
		return box{t.X - before, t.X - before + w, t.Y - up, t.Y + down}
	}
	return box{t.X - up, t.X + down, t.Y + before - w, t.Y + before}
}

// random returns a figure with random axes, labels and curves.
func random(r *rand.Rand) *plot.Figure {
	words := func(most int) string {
		return strings.TrimSpace(strings.Repeat(fmt.Sprintf("%x, ", r.Uint32()), r.IntN(most+1)))
	}
	f := &plot.Figure{Title: words(12), Subtitle: words(40)}
	for range r.IntN(plot.MaxLines + 1) {
		f.Labels = append(f.Labels, words(8))
	}
	for range 1 + r.IntN(3) {
		p := plot.Panel{X: words(3), Y: words(2), MaxX: math.Pow(10, 8*r.Float64()-2), MaxY: math.Pow(10, 8*r.Float64()-2)}
		if r.IntN(2) == 0 {
			p.MinX = p.MaxX / math.Pow(10, 1+6*r.Float64())
		}
		if r.IntN(2) == 0 {
			p.MinY = p.MaxY / math.Pow(10, 1+20*r.Float64())
		}
		at := func() plot.Point {
			return plot.Point{X: p.MinX + (p.MaxX-p.MinX)*r.Float64(), Y: p.MinY + (p.MaxY-p.MinY)*r.Float64()}
		}
		p.Ticks = []float64{0, p.MaxX / 4, p.MaxX / 2, 3 * p.MaxX / 4, p.MaxX}
		if p.MinX > 0 {
			p.Ticks = plot.LogTicks(p.MinX, p.MaxX)
		}
		for range r.IntN(6) {
			p.Ticks = append(p.Ticks, at().X)
		}
		for range f.Labels {
			p.Lines = append(p.Lines, plot.Line{Points: []plot.Point{at(), at(), at()}})
		}
		if len(f.Labels) == 0 {
			mark := at()
			if r.IntN(4) == 0 {
				mark.X = p.MaxX
			}
			before := p.MinX + (mark.X-p.MinX)*0.99
			p.Steps = []plot.Point{{X: p.MinX, Y: at().Y}, {X: before, Y: at().Y}, mark, {X: p.MaxX, Y: at().Y}}
			p.Mark, p.MarkLabel = &mark, "62.5 % of the peak"
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// TestTextsDoNotOverlap checks that all texts of random figures are within the page and do not overlap.
func TestTextsDoNotOverlap(t *testing.T) {
	for seed := range uint64(300) {
		d := read(t, random(rand.New(rand.NewPCG(seed, 0))))
		for i := range d.Texts {
			a := d.Texts[i].box()
			if a.left < 0 || a.right > d.Width || a.top < 0 || a.bottom > d.Height {
				t.Errorf("seed %d: %q leaves the page: %+v", seed, d.Texts[i].Text, a)
			}
			for j := range i {
				if b := d.Texts[j].box(); a.overlaps(b) {
					t.Errorf("seed %d: %q overlaps %q: %+v, %+v", seed, d.Texts[i].Text, d.Texts[j].Text, a, b)
				}
			}
		}
	}
}

// TestFormatsShowTheSame checks that a PNG picture has pixels of a text's colour where the SVG picture has the text,
// a dot where that has a dot, and a white border.
func TestFormatsShowTheSame(t *testing.T) {
	const scale = 2
	for seed := range uint64(6) {
		f := random(rand.New(rand.NewPCG(seed, 1)))
		d := read(t, f)
		var data bytes.Buffer
		if err := f.Write(&data, ".png"); err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(&data)
		if err != nil {
			t.Fatal(err)
		}
		size := picture.Bounds()
		if size.Dx() != int(math.Ceil(scale*d.Width)) || size.Dy() != int(math.Ceil(scale*d.Height)) {
			t.Errorf("seed %d: %v points, %g x %g in SVG", seed, size, d.Width, d.Height)
		}
		for _, text := range d.Texts {
			b := text.box()
			within := image.Rect(int(scale*b.left), int(scale*b.top), int(scale*b.right)+1, int(scale*b.bottom)+1)
			if text.Text != "" && !shows(picture, within, text.Fill) {
				t.Errorf("seed %d: the PNG picture has no %q at %v", seed, text.Text, within)
			}
		}
		for _, c := range d.Circles {
			x, y, r := int(scale*c.X), int(scale*c.Y), int(c.R)
			// Another dot may cover part of it.
			if !shows(picture, image.Rect(x-r, y-r, x+r, y+r), c.Fill) && !covered(d, c) {
				t.Errorf("seed %d: the PNG picture has no %+v", seed, c)
			}
		}
		for x := range size.Dx() {
			for _, y := range []int{0, size.Dy() - 1} {
				if hex(picture.At(x, y)) != "#ffffff" {
					t.Fatalf("seed %d: something is cut at %d, %d", seed, x, y)
				}
			}
		}
		for y := range size.Dy() {
			for _, x := range []int{0, size.Dx() - 1} {
				if hex(picture.At(x, y)) != "#ffffff" {
					t.Fatalf("seed %d: something is cut at %d, %d", seed, x, y)
				}
			}
		}
	}
}

// TestCornersOfStepsAreFilled checks that the pieces of a curve together cover its corners, and do not cancel each
// other.
func TestCornersOfStepsAreFilled(t *testing.T) {
	f := &plot.Figure{Panels: []plot.Panel{{MaxX: 10, MaxY: 100, Steps: []plot.Point{{X: 0, Y: 50}, {X: 3, Y: 50}, {X: 10, Y: 75}}}}}
	curve := regexp.MustCompile(`^M[\d.]+ ([\d.]+)H([\d.]+)V([\d.]+)H[\d.]+$`)
	var data bytes.Buffer
	if err := f.Write(&data, ".png"); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&data)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range read(t, f).Paths {
		m := curve.FindStringSubmatch(p.D)
		if m == nil {
			continue
		}
		for _, y := range []string{m[1], m[3]} {
			if c := hex(picture.At(int(2*number(m[2])), int(2*number(y)))); c != "#1f5fa8" {
				t.Errorf("the corner at %s, %s is %s", m[2], y, c)
			}
		}
		return
	}
	t.Error("no curve")
}

// shows reports whether a part of a picture has a pixel of a colour.
func shows(picture image.Image, part image.Rectangle, fill string) bool {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if hex(picture.At(x, y)) == fill {
				return true
			}
		}
	}
	return false
}

// covered reports whether a later dot covers one.
func covered(d *drawing, c circle) bool {
	for _, o := range d.Circles {
		if o != c && math.Hypot(o.X-c.X, o.Y-c.Y) < o.R+c.R {
			return true
		}
	}
	return false
}

func hex(c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
}
