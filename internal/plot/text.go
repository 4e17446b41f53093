package plot

import (
	"image/color"
	"strings"

	"golang.org/x/image/font"
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

// widest is the width of texts in the widest usual sans-serif, DejaVu Sans, compared with the Go font, as measured with
// names of GPUs, numbers and lists of options: 1.05 to 1.15. Arial has 0.96 to 1.
const widest = 1.15

// width is the space that a text needs in any viewer, in pixels.
func widthOf(s string, size float64) float64 {
	return widest * float64(font.MeasureString(newFace(size), s)) / 64
}

// cut is a text, or its start and an ellipsis if the text is too wide.
func cut(s string, size, space float64) string {
	const dots = "…"
	if widthOf(s, size) <= space {
		return s
	}
	width := widthOf(dots, size)
	for i, r := range s {
		if width += widthOf(string(r), size); width > space {
			return s[:i] + dots
		}
	}
	return s
}

// wrap breaks a list after commas into at most the given number of lines, and truncates lines that are still too wide.
func wrap(s string, size, space float64, lines int) []string {
	after, width := 0, 0.0 // after the last comma that fits
	for i, r := range s {
		if width += widthOf(string(r), size); width > space {
			break
		}
		if r == ' ' && strings.HasSuffix(s[:i], ",") {
			after = i
		}
	}
	if lines == 1 || after == 0 || widthOf(s, size) <= space {
		return []string{cut(s, size, space)}
	}
	return append([]string{s[:after]}, wrap(s[after+1:], size, space, lines-1)...)
}
