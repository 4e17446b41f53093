// Package svg has the common parts of all SVG pictures: the start tag, numbers, and escaped text.
package svg

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// Start is the start tag of a file of the given size in pixels.
func Start(width, height float64) string {
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %[1]g %[2]g\">\n", width, height)
}

// Number is a coordinate with at most two decimals.
func Number(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

// Escape escapes text for an element or an attribute. Characters that XML does not allow become U+FFFD.
func Escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder has no errors
	return b.String()
}
