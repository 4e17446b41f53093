package plot_test

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/plot"
)

func figure(title string) *plot.Figure {
	return &plot.Figure{Title: title, Subtitle: "a < b", Labels: []string{"first & only", strings.Repeat("second ", 15), "third"}, Panels: []plot.Panel{
		{X: "quantity", Y: "percent", Ticks: []float64{0, 5, 10}, MaxX: 10, MaxY: 100, Steps: []plot.Point{{X: 0, Y: 100}, {X: 4, Y: 100}, {X: 10, Y: 25}}, Mark: &plot.Point{X: 9, Y: 25}, MarkLabel: "25 %"},
		{X: "another", Y: "percent", Ticks: []float64{0, 20}, MaxX: 10, MaxY: 100, Steps: []plot.Point{{X: 0, Y: 0}, {X: 10, Y: 0}}},
		{X: "lines", Y: "tenths", Ticks: []float64{0, 0.1 + 0.2}, MaxX: 1, MaxY: 0.4, Lines: []plot.Line{
			{Points: []plot.Point{{X: 0, Y: 0}, {X: 1, Y: 0.4}}}, {Points: []plot.Point{{X: 0, Y: 0.1}, {X: 1, Y: 0.3}}, Stepped: true}, {Points: []plot.Point{{X: 0.5, Y: 0.2}}}}},
	}}
}

// TestWrite: pictures are well-formed, show their texts, and are the same every time.
func TestWrite(t *testing.T) {
	for _, path := range []string{"x.svg", "X.PNG"} {
		format, err := plot.Format(path)
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		for _, w := range []*bytes.Buffer{&first, &second} {
			if err := figure("occupancy").Write(w, format); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two pictures of the same differ", path)
		}
		if format == ".png" {
			picture, err := png.Decode(&first)
			if err != nil {
				t.Fatal(err)
			}
			if size := picture.Bounds().Size(); size.X < 900 || size.Y < 600 {
				t.Errorf("%s: %v points", path, size)
			}
			continue
		}
		for _, want := range []string{">occupancy<", ">a &lt; b<", ">quantity<", ">another<", ">percent<", ">25 %<", ">10<", ">first &amp; only<", ">third<", ">lines<", ">0.3<", ">0.1<"} {
			if !strings.Contains(first.String(), want) {
				t.Errorf("no %s in %s", want, path)
			}
		}
		if strings.Contains(first.String(), ">20<") {
			t.Errorf("a tick past the end of an axis")
		}
		wellFormed(t, &first)
	}
}

func wellFormed(t *testing.T, r io.Reader) {
	t.Helper()
	d := xml.NewDecoder(r)
	for {
		_, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestLogAxes: on an axis that begins at a positive number equal factors are equal lengths.
func TestLogAxes(t *testing.T) {
	f := &plot.Figure{Panels: []plot.Panel{{X: "x", Y: "y", Ticks: []float64{0, 1, 2, 4, 64}, MinX: 1, MaxX: 16, MinY: 0.1, MaxY: 100,
		Lines: []plot.Line{{Points: []plot.Point{{X: 1, Y: 0.1}, {X: 2, Y: 1}, {X: 4, Y: 10}, {X: 8, Y: 100}}}}}}}
	var picture bytes.Buffer
	if err := f.Write(&picture, ".svg"); err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`<path d="M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)L([\d.]+),([\d.]+)L([\d.]+),([\d.]+)"`).FindStringSubmatch(picture.String())
	if m == nil {
		t.Fatalf("no line in %s", picture.String())
	}
	var at []float64
	for _, text := range m[1:] {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, v)
	}
	for i := range 2 {
		if dx, dy := at[2*i+2]-at[2*i], at[2*i+3]-at[2*i+1]; math.Abs(dx-(at[6]-at[4])) > 0.1 || math.Abs(dy-(at[7]-at[5])) > 0.1 {
			t.Errorf("points at %v", at)
		}
	}
	for _, text := range []string{">0<", ">64<"} {
		if strings.Contains(picture.String(), text) {
			t.Errorf("a tick %s beyond the axis", text)
		}
	}
}

// TestLogTicks types in ticks of axes of few and of many powers of ten.
func TestLogTicks(t *testing.T) {
	for _, c := range []struct{ least, most, first, last, n float64 }{{1, 100, 1, 100, 7}, {0.2, 30, 0.2, 20, 7}, {20, 320, 20, 200, 4}, {1, 1e6, 1, 1e6, 7}} {
		got := plot.LogTicks(c.least, c.most)
		if float64(len(got)) != c.n || got[0] != c.first || math.Abs(got[len(got)-1]/c.last-1) > 1e-9 {
			t.Errorf("from %g to %g: %v", c.least, c.most, got)
		}
	}
}

// TestMarkLabelIsClearOfTheCurve: the label stands above its dot, on the side where no step rises above the dot, and
// within the axis.
func TestMarkLabelIsClearOfTheCurve(t *testing.T) {
	falling := []plot.Point{{X: 0, Y: 100}, {X: 5, Y: 100}, {X: 10, Y: 50}}
	rising := []plot.Point{{X: 0, Y: 50}, {X: 5, Y: 50}, {X: 10, Y: 100}}
	for _, c := range []struct {
		name  string
		steps []plot.Point
		mark  plot.Point
		right bool // the label stands to the right of the dot
	}{
		{"at the top", falling, plot.Point{X: 2, Y: 100}, true},
		{"after a fall", falling, plot.Point{X: 5.5, Y: 50}, true},
		{"before a rise", rising, plot.Point{X: 5, Y: 50}, false},
		{"at the right end", rising, plot.Point{X: 10, Y: 100}, false},
	} {
		f := &plot.Figure{Panels: []plot.Panel{{MaxX: 10, MaxY: 100, Steps: c.steps, Mark: &c.mark, MarkLabel: "62.5 %"}}}
		var picture bytes.Buffer
		if err := f.Write(&picture, ".svg"); err != nil {
			t.Fatal(err)
		}
		dot := regexp.MustCompile(`M([\d.]+),([\d.]+)A3.5,`).FindStringSubmatch(picture.String())
		label := regexp.MustCompile(`<text x="([\d.]+)" y="(-?[\d.]+)" transform="scale\(1, -1\)"[^>]*>62.5 %`).FindStringSubmatch(picture.String())
		if dot == nil || label == nil {
			t.Fatalf("%s: dot %v, label %v in %s", c.name, dot, label, picture.String())
		}
		number := func(text string) float64 { v, _ := strconv.ParseFloat(text, 64); return v }
		const radius, length = 3.5, 20 // of the dot; at least, of the label
		x, y, left, below := number(dot[1])-radius, number(dot[2]), number(label[1]), -number(label[2])
		if below < y+radius || c.right && left < x || !c.right && left+length > x {
			t.Errorf("%s: the label begins at %g, %g, the dot is at %g, %g", c.name, left, below, x, y)
		}
	}
}

// TestLongTitle: what does not fit is cut off.
func TestLongTitle(t *testing.T) {
	var picture bytes.Buffer
	if err := figure(strings.Repeat("kernel ", 100)).Write(&picture, ".svg"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(picture.String(), "kernel"); n == 0 || n > 12 || !strings.Contains(picture.String(), "…<") {
		t.Errorf("a title with %d words", n)
	}
}

func TestFormat(t *testing.T) {
	for _, path := range []string{"x", "x.pdf", "svg"} {
		if format, err := plot.Format(path); err == nil {
			t.Errorf("%s is %s", path, format)
		}
	}
}
