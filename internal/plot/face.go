package plot

import (
	"image"
	"image/draw"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// face is the Go font in a size. It implements font.Face with the pixels of golang.org/x/image/font/opentype.
type face struct {
	ppem fixed.Int26_6 // pixels per em
}

func newFace(size float64) face { return face{fixed.Int26_6(0.5 + 64*size)} }

// lookup returns the outline of a character, or that for missing ones and false.
func lookup(r rune) (*outline, bool) {
	if o := outlines()[r]; o != nil && r != missing {
		return o, true
	}
	return outlines()[missing], false
}

// scale converts units of the font to pixels, rounded to nearest, ties away from zero.
func (f face) scale(units fixed.Int26_6) fixed.Int26_6 {
	half := fixed.Int26_6(unitsPerEm / 2)
	if units < 0 {
		half = -half
	}
	return (units*f.ppem + half) / unitsPerEm
}

// scaled returns the pieces of an outline in pixels, and the rectangle around all their points.
func (f face) scaled(o *outline) (pieces []piece, bounds fixed.Rectangle26_6) {
	pieces = slices.Clone(o.pieces())
	for i := range pieces {
		p := &pieces[i]
		for j := range pointsOf[p.op] {
			at := fixed.Point26_6{X: f.scale(p.to[j].X), Y: f.scale(p.to[j].Y)}
			if i == 0 {
				bounds = fixed.Rectangle26_6{Min: at, Max: at} // an outline starts with one point
			}
			bounds.Min = fixed.Point26_6{X: min(bounds.Min.X, at.X), Y: min(bounds.Min.Y, at.Y)}
			bounds.Max = fixed.Point26_6{X: max(bounds.Max.X, at.X), Y: max(bounds.Max.Y, at.Y)}
			p.to[j] = at
		}
	}
	return pieces, bounds
}

// Glyph draws a character. Its mask starts at the point (0, 0).
func (f face) Glyph(dot fixed.Point26_6, r rune) (image.Rectangle, image.Image, image.Point, fixed.Int26_6, bool) {
	o, ok := lookup(r)
	pieces, bounds := f.scaled(o)
	bounds = bounds.Add(dot)
	to := image.Rect(bounds.Min.X.Floor(), bounds.Min.Y.Floor(), bounds.Max.X.Ceil(), bounds.Max.Y.Ceil())
	origin := dot.Sub(fixed.P(to.Min.X, to.Min.Y)) // in the mask

	z := vector.NewRasterizer(to.Dx(), to.Dy())
	z.DrawOp = draw.Src
	for _, p := range pieces {
		var x, y [2]float32
		for i, at := range p.to {
			x[i], y[i] = float32(at.X+origin.X)/64, float32(at.Y+origin.Y)/64
		}
		switch p.op {
		case moveTo:
			z.MoveTo(x[0], y[0])
		case lineTo:
			z.LineTo(x[0], y[0])
		case quadTo:
			z.QuadTo(x[0], y[0], x[1], y[1])
		}
	}
	mask := image.NewAlpha(image.Rectangle{Max: to.Size()})
	z.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	return to, mask, image.Point{}, f.advance(o), ok
}

func (f face) advance(o *outline) fixed.Int26_6 { return f.scale(fixed.Int26_6(o.advance)) }

// GlyphBounds returns the rectangle around a character's outline.
func (f face) GlyphBounds(r rune) (fixed.Rectangle26_6, fixed.Int26_6, bool) {
	o, ok := lookup(r)
	_, bounds := f.scaled(o)
	return bounds, f.advance(o), ok
}

// GlyphAdvance returns the width of a character.
func (f face) GlyphAdvance(r rune) (fixed.Int26_6, bool) {
	o, ok := lookup(r)
	return f.advance(o), ok
}

// Kern is 0: the font has no pairs.
func (face) Kern(rune, rune) fixed.Int26_6 { return 0 }

// Metrics has no values: texts of plots are single lines, whose places do not depend on the font.
func (face) Metrics() font.Metrics { return font.Metrics{} }

// Close does nothing: a face has no resources.
func (face) Close() error { return nil }
