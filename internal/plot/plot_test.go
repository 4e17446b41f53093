package plot_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
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

// TestPicturesAreReproducible checks that pictures are well-formed, show their texts, and are reproducible.
func TestPicturesAreReproducible(t *testing.T) {
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

// TestLogAxesShowFactorsAsLengths checks that on an axis that begins at a positive number equal factors are equal
// lengths.
func TestLogAxesShowFactorsAsLengths(t *testing.T) {
	f := &plot.Figure{Panels: []plot.Panel{{X: "x", Y: "y", Ticks: []float64{0, 1, 2, 4, 64}, MinX: 1, MaxX: 16, MinY: 0.1, MaxY: 100,
		Lines: []plot.Line{{Points: []plot.Point{{X: 1, Y: 0.1}, {X: 2, Y: 1}, {X: 4, Y: 10}, {X: 8, Y: 100}}}}}}}
	p := read(t, f)
	at := p.Circles
	if len(at) != 4 {
		t.Fatalf("%d dots, want 4", len(at))
	}
	for i := range 2 {
		dx, dy := at[i+1].X-at[i].X, at[i+1].Y-at[i].Y
		if dx <= 0 || dy >= 0 || math.Abs(dx-(at[3].X-at[2].X)) > 0.1 || math.Abs(dy-(at[3].Y-at[2].Y)) > 0.1 {
			t.Errorf("points at %+v", at)
		}
	}
	line := regexp.MustCompile(`^M([\d.]+) ([\d.]+)L[\d.]+ [\d.]+L[\d.]+ [\d.]+L([\d.]+) ([\d.]+)$`)
	if !slices.ContainsFunc(p.Paths, func(path path) bool {
		m := line.FindStringSubmatch(path.D)
		return m != nil && number(m[1]) == at[0].X && number(m[2]) == at[0].Y && number(m[3]) == at[3].X && number(m[4]) == at[3].Y
	}) {
		t.Errorf("no line connects the dots %+v: %+v", at, p.Paths)
	}
	for _, text := range p.Texts {
		if text.Text == "0" || text.Text == "64" {
			t.Errorf("a tick %s beyond the axis", text.Text)
		}
	}
}

// TestStepsTurnAtPoints checks that a step goes up or down at its first point, and that points within it are omitted.
func TestStepsTurnAtPoints(t *testing.T) {
	points := []plot.Point{{X: 0, Y: 100}, {X: 2, Y: 100}, {X: 4, Y: 100}, {X: 8, Y: 50}, {X: 10, Y: 50}}
	for name, panel := range map[string]plot.Panel{
		"curve": {MaxX: 10, MaxY: 100, Steps: points},
		"line":  {MaxX: 10, MaxY: 100, Lines: []plot.Line{{Points: points, Stepped: true}}},
	} {
		dots := read(t, &plot.Figure{Panels: []plot.Panel{{MaxX: 10, MaxY: 100, Lines: []plot.Line{{Points: points}}}}}).Circles
		want := fmt.Sprintf("M%g %gH%gV%gH%g", dots[0].X, dots[0].Y, dots[2].X, dots[3].Y, dots[4].X)
		if p := read(t, &plot.Figure{Panels: []plot.Panel{panel}}); !slices.ContainsFunc(p.Paths, func(path path) bool { return path.D == want }) {
			t.Errorf("%s: no path %s in %+v", name, want, p.Paths)
		}
	}
}

// TestLogTicksAreAtPowers checks the ticks of axes with few and with many powers of ten.
func TestLogTicksAreAtPowers(t *testing.T) {
	for _, c := range []struct{ least, most, first, last, n float64 }{{1, 100, 1, 100, 7}, {0.2, 30, 0.2, 20, 7}, {20, 320, 20, 200, 4}, {1, 1e6, 1, 1e6, 7}} {
		got := plot.LogTicks(c.least, c.most)
		if float64(len(got)) != c.n || got[0] != c.first || math.Abs(got[len(got)-1]/c.last-1) > 1e-9 {
			t.Errorf("from %g to %g: %v", c.least, c.most, got)
		}
	}
}

// TestMarkLabelIsClearOfTheCurve checks that the label is above its dot, on the side where no step rises above the
// dot, and within the axis.
func TestMarkLabelIsClearOfTheCurve(t *testing.T) {
	falling := []plot.Point{{X: 0, Y: 100}, {X: 5, Y: 100}, {X: 10, Y: 50}}
	rising := []plot.Point{{X: 0, Y: 50}, {X: 5, Y: 50}, {X: 10, Y: 100}}
	for _, c := range []struct {
		name  string
		steps []plot.Point
		mark  plot.Point
		right bool // the label is to the right of the dot
	}{
		{"at the top", falling, plot.Point{X: 2, Y: 100}, true},
		{"after a fall", falling, plot.Point{X: 5.5, Y: 50}, true},
		{"before a rise", rising, plot.Point{X: 5, Y: 50}, false},
		{"at the right end", rising, plot.Point{X: 10, Y: 100}, false},
	} {
		p := read(t, &plot.Figure{Panels: []plot.Panel{{MaxX: 10, MaxY: 100, Steps: c.steps, Mark: &c.mark, MarkLabel: "62.5 %"}}})
		i := slices.IndexFunc(p.Texts, func(t text) bool { return t.Text == "62.5 %" })
		if len(p.Circles) != 1 || i < 0 {
			t.Fatalf("%s: dots %+v, texts %+v", c.name, p.Circles, p.Texts)
		}
		dot, label := p.Circles[0], p.Texts[i].box()
		if label.bottom > dot.Y-dot.R || c.right && label.left < dot.X || !c.right && label.right > dot.X {
			t.Errorf("%s: the label is at %+v, the dot at %+v", c.name, label, dot)
		}
	}
}

// TestLongTitlesAreCut checks that a title is cut if it does not fit.
func TestLongTitlesAreCut(t *testing.T) {
	p := read(t, figure(strings.Repeat("kernel ", 100)))
	if title := p.Texts[0].Text; strings.Count(title, "kernel") < 5 || strings.Count(title, "kernel") > 12 || !strings.HasSuffix(title, "…") {
		t.Errorf("the title is %q", title)
	}
}

// TestLongSubtitleContinuesAfterAComma checks that lists take two lines, and are cut if that is not enough.
func TestLongSubtitleContinuesAfterAComma(t *testing.T) {
	list := "one item"
	for _, c := range []struct {
		items  int
		breaks bool
		cut    bool
	}{{2, false, false}, {12, true, false}, {40, true, true}} {
		f := figure("title")
		f.Subtitle = strings.Repeat(list+", ", c.items-1) + list
		p := read(t, f)
		first, second := p.Texts[1].Text, p.Texts[2].Text
		breaks := strings.HasPrefix(second, list)
		if !breaks {
			second = first
		}
		if breaks != c.breaks || breaks && !strings.HasSuffix(first, list+",") || strings.HasSuffix(second, "…") != c.cut {
			t.Errorf("%d items: %q, %q", c.items, first, second)
		}
		if !c.cut && breaks && first+" "+second != f.Subtitle {
			t.Errorf("%q and %q are not %q", first, second, f.Subtitle)
		}
	}
}

func TestUnknownFormatsAreRefused(t *testing.T) {
	for _, path := range []string{"x", "x.pdf", "svg"} {
		if format, err := plot.Format(path); err == nil {
			t.Errorf("%s is %s", path, format)
		}
	}
}
