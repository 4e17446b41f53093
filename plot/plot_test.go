package plot_test

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/plot"
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
