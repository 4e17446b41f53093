package plot

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// scale is the number of PNG pixels per pixel of the layout, so that pictures are sharp on dense screens.
const scale = 2

// pngCanvas is a picture of pixels.
type pngCanvas struct {
	picture *image.NRGBA
}

func newPNG(width, height float64) canvas {
	return &pngCanvas{image.NewNRGBA(image.Rect(0, 0, int(math.Ceil(scale*width)), int(math.Ceil(scale*height))))}
}

// paint fills polygons. All must have the same orientation, so that the rasterizer adds where they overlap.
func (c *pngCanvas) paint(polygons [][]Point, colour color.NRGBA) {
	var r image.Rectangle // around them: the rasterizer takes time for every pixel of its area
	for _, polygon := range polygons {
		for _, p := range polygon {
			x, y := int(math.Floor(scale*p.X)), int(math.Floor(scale*p.Y))
			r = r.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	r = r.Intersect(c.picture.Rect)
	if r.Empty() {
		return
	}
	z := vector.NewRasterizer(r.Dx(), r.Dy())
	for _, polygon := range polygons {
		for i, p := range polygon {
			x, y := float32(scale*p.X)-float32(r.Min.X), float32(scale*p.Y)-float32(r.Min.Y)
			if i == 0 {
				z.MoveTo(x, y)
			} else {
				z.LineTo(x, y)
			}
		}
		z.ClosePath()
	}
	z.Draw(c.picture, r, image.NewUniform(colour), image.Point{})
}

func (c *pngCanvas) fill(outline []Point, colour color.NRGBA) {
	c.paint([][]Point{outline}, colour)
}

// stroke paints a rectangle for each piece of a line, and a disc where two of them meet.
func (c *pngCanvas) stroke(lines [][]Point, width float64, colour color.NRGBA) {
	var polygons [][]Point
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			a, b := line[i-1], line[i]
			dx, dy := b.X-a.X, b.Y-a.Y
			length := math.Hypot(dx, dy)
			if length == 0 {
				continue
			}
			dx, dy = dx/length*width/2, dy/length*width/2
			polygons = append(polygons, []Point{{a.X - dy, a.Y + dx}, {b.X - dy, b.Y + dx}, {b.X + dy, b.Y - dx}, {a.X + dy, a.Y - dx}})
			if i > 1 {
				polygons = append(polygons, disc(a, width/2))
			}
		}
	}
	c.paint(polygons, colour)
}

func (c *pngCanvas) dots(centres []Point, radius float64, colour color.NRGBA) {
	var polygons [][]Point
	for _, p := range centres {
		polygons = append(polygons, disc(p, radius))
	}
	c.paint(polygons, colour)
}

// disc is a polygon that looks like a circle, with the orientation of stroke's rectangles.
func disc(centre Point, radius float64) (polygon []Point) {
	const corners = 24
	for i := range corners {
		sin, cos := math.Sincos(-2 * math.Pi * float64(i) / corners)
		polygon = append(polygon, Point{centre.X + radius*cos, centre.Y + radius*sin})
	}
	return polygon
}

func (c *pngCanvas) text(t *text) {
	face := newFace(scale * t.size)
	back := fixed.Int26_6(t.anchor) * font.MeasureString(face, t.s) / 2
	at := fixed.Point26_6{X: fixed.Int26_6(64 * scale * t.x), Y: fixed.Int26_6(64 * scale * t.y)}
	if !t.upwards {
		d := font.Drawer{Dst: c.picture, Src: image.NewUniform(t.colour), Face: face, Dot: at.Sub(fixed.Point26_6{X: back})}
		d.DrawString(t.s)
		return
	}
	// The font draws from left to right only: draw at the origin, and turn the result.
	bounds, _ := font.BoundString(face, t.s)
	flat := image.NewAlpha(image.Rect(bounds.Min.X.Floor(), bounds.Min.Y.Floor(), bounds.Max.X.Ceil(), bounds.Max.Y.Ceil()))
	d := font.Drawer{Dst: flat, Src: image.Opaque, Face: face}
	d.DrawString(t.s)
	r := flat.Rect
	turned := image.NewAlpha(image.Rect(r.Min.Y, 1-r.Max.X, r.Max.Y, 1-r.Min.X))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			turned.SetAlpha(y, -x, flat.AlphaAt(x, y))
		}
	}
	to := turned.Rect.Add(image.Pt(at.X.Round(), (at.Y + back).Round()))
	draw.DrawMask(c.picture, to, image.NewUniform(t.colour), image.Point{}, turned, turned.Rect.Min, draw.Over)
}

func (c *pngCanvas) writeTo(w io.Writer) error { return png.Encode(w, c.picture) }
