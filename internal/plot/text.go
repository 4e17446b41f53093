package plot

import (
	"image/color"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// text is a line of text.
type text struct {
	s       string
	x, y    float64 // of the anchor, on the base line
	anchor  anchor
	size    float64 // pixels
	colour  color.NRGBA
	upwards bool // turned by 90 degrees
}

// anchor is the place in a text that its coordinates mean.
type anchor int

const (
	start anchor = iota
	middle
	end
)

// centred is the distance of the base line from the middle of digits, as a share of the size.
const centred = 0.36

// typeface is the Go font. PNG pictures draw it; SVG pictures leave the choice of a sans-serif font to the viewer.
type typeface struct {
	font  *opentype.Font
	faces map[float64]font.Face // by size
}

func newTypeface() (*typeface, error) {
	f, err := opentype.Parse(goregular.TTF)
	return &typeface{f, make(map[float64]font.Face)}, err
}

// face is the font in a size in pixels.
func (f *typeface) face(size float64) font.Face {
	if f.faces[size] == nil {
		f.faces[size], _ = opentype.NewFace(f.font, &opentype.FaceOptions{Size: size, DPI: 72}) // has no errors
	}
	return f.faces[size]
}

// widest is the width of texts in the widest usual sans-serif, DejaVu Sans, compared with the Go font, as measured with
// names of GPUs, numbers and lists of options: 1.05 to 1.15. Arial has 0.96 to 1.
const widest = 1.15

// width is the space that a text needs in any viewer, in pixels.
func (f *typeface) width(s string, size float64) float64 {
	return widest * float64(font.MeasureString(f.face(size), s)) / 64
}

// cut is a text, or its start and an ellipsis if the text is too wide.
func (f *typeface) cut(s string, size, space float64) string {
	const dots = "…"
	if f.width(s, size) <= space {
		return s
	}
	width := f.width(dots, size)
	for i, r := range s {
		if width += f.width(string(r), size); width > space {
			return s[:i] + dots
		}
	}
	return s
}

// wrap breaks a list after commas into at most the given number of lines, and cuts what is still too wide.
func (f *typeface) wrap(s string, size, space float64, lines int) []string {
	after, width := 0, 0.0 // after the last comma that fits
	for i, r := range s {
		if width += f.width(string(r), size); width > space {
			break
		}
		if r == ' ' && strings.HasSuffix(s[:i], ",") {
			after = i
		}
	}
	if lines == 1 || after == 0 || f.width(s, size) <= space {
		return []string{f.cut(s, size, space)}
	}
	return append([]string{s[:after]}, f.wrap(s[after+1:], size, space, lines-1)...)
}
