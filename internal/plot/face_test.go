package plot

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"testing"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/packed"
)

var update = flag.Bool("update", false, "rewrite the outlines of characters")

// goFont is the font that the outlines come from.
var goFont = func() *sfnt.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err)
	}
	return f
}()

// path returns a glyph of the font as a line of the embedded file without the character.
func path(glyph sfnt.GlyphIndex) (string, error) {
	em := fixed.Int26_6(unitsPerEm)
	advance, err := goFont.GlyphAdvance(nil, glyph, em, font.HintingNone)
	if err != nil {
		return "", err
	}
	segments, err := goFont.LoadGlyph(nil, glyph, em, nil)
	if err != nil {
		return "", err
	}
	var line bytes.Buffer
	fmt.Fprintf(&line, " %d", advance)
	var end fixed.Point26_6
	for _, s := range segments {
		op := map[sfnt.SegmentOp]byte{sfnt.SegmentOpMoveTo: moveTo, sfnt.SegmentOpLineTo: lineTo, sfnt.SegmentOpQuadTo: quadTo}[s.Op]
		points := s.Args[:pointsOf[op]]
		fmt.Fprintf(&line, " %c", op)
		for _, p := range points {
			fmt.Fprintf(&line, " %d %d", p.X-end.X, p.Y-end.Y)
		}
		end = points[len(points)-1]
	}
	return line.String() + "\n", nil
}

// TestOutlinesAreThoseOfTheFont checks that the embedded file has all characters of the font; -update rewrites it.
func TestOutlinesAreThoseOfTheFont(t *testing.T) {
	if goFont.UnitsPerEm() != unitsPerEm {
		t.Fatalf("%d units per em", goFont.UnitsPerEm())
	}
	var text bytes.Buffer
	line := func(name string, glyph sfnt.GlyphIndex) {
		p, err := path(glyph)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text.WriteString(name + p)
	}
	line("missing", 0)
	for r := range rune(unicode.MaxRune + 1) {
		if glyph, err := goFont.GlyphIndex(nil, r); err == nil && glyph != 0 {
			line(fmt.Sprintf("%04x", r), glyph)
		}
	}
	want := []txtar.File{{Name: glyphsFile, Data: text.Bytes()}}
	if err := packed.Compare("glyphs.txtar.gz", want, *update); err != nil {
		t.Fatal(err)
	}
}

// TestFaceDrawsAsOpentype compares all characters with those of opentype, in sizes of plots and others and at fractions
// of pixels: places, pixels, widths and bounds are equal.
func TestFaceDrawsAsOpentype(t *testing.T) {
	sizes := []float64{11, 24, 30, 37.29}
	if testing.Short() {
		sizes = []float64{24}
	}
	characters := []rune{missing, 0, '\n', '世', unicode.MaxRune, unicode.MaxRune + 1}
	for r := range outlines() {
		characters = append(characters, r)
	}
	for _, size := range sizes {
		want, err := opentype.NewFace(goFont, &opentype.FaceOptions{Size: size, DPI: 72})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range characters {
			dot := fixed.Point26_6{X: fixed.Int26_6(i * 37 % 1000), Y: fixed.Int26_6(-i * 59 % 1000)}
			if got, want := drawn(newFace(size), dot, r), drawn(want, dot, r); got != want {
				t.Errorf("%U in size %g:\n%s\n%s is wanted", r, size, got, want)
			}
		}
	}
}

// drawn has all that a face says about a character.
func drawn(f font.Face, dot fixed.Point26_6, r rune) string {
	bounds, advance, ok := f.GlyphBounds(r)
	width, found := f.GlyphAdvance(r)
	to, mask, from, step, known := f.Glyph(dot, r)
	text := fmt.Sprintln(bounds, advance, ok, width, found, to, step, known)
	m := mask.(*image.Alpha)
	for y := range to.Dy() {
		start := m.PixOffset(from.X, from.Y+y)
		text += fmt.Sprintf("%x\n", m.Pix[start:start+to.Dx()])
	}
	return text
}

// TestFontHasNoKerning checks that pairs of characters have the distance that their widths give.
func TestFontHasNoKerning(t *testing.T) {
	want, err := opentype.NewFace(goFont, &opentype.FaceOptions{Size: 1000, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	for a := range rune(0x180) {
		for b := range rune(0x180) {
			if k := want.Kern(a, b); k != newFace(1000).Kern(a, b) {
				t.Fatalf("%q and %q: %v", a, b, k)
			}
		}
	}
}
