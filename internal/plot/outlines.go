package plot

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/image/math/fixed"

	"github.com/simtrun/simtrun/internal/packed"
)

// unitsPerEm is the resolution of outlines.
const unitsPerEm = 2048

// outline is the shape of a character in units of the font: x to the right of its origin, y below the base line.
type outline struct {
	advance int            // to the origin of the next character
	pieces  func() []piece // parsed when they are first drawn: SVG needs widths only
}

// piece is a part of an outline.
type piece struct {
	op byte
	to [2]fixed.Point26_6 // as many points as pointsOf has; the last one is the end
}

// The operations are those of SVG paths with coordinates relative to the end of the previous piece.
const (
	moveTo = 'm' // starts a contour
	lineTo = 'l'
	quadTo = 'q' // a Bézier curve with one control point
)

// pointsOf is the number of an operation's points.
var pointsOf = map[byte]int{moveTo: 1, lineTo: 1, quadTo: 2}

//go:embed glyphs.txtar.gz
var archive []byte

var glyphs = packed.Open(archive)

// glyphsFile has the outlines of Go Regular, a line each: the character in hexadecimal digits, the advance, and a path.
// The first line is for characters that the font does not have. The test that writes the file compares it with the
// font, whose licence is in glyphs.LICENSE.
const glyphsFile = "glyphs"

// missing is the place of the outline for characters that the font does not have: no character has this number.
const missing rune = -1

// outlines returns the outlines of all characters.
var outlines = sync.OnceValue(func() map[rune]*outline {
	text, err := glyphs.Read(glyphsFile)
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	all := make(map[rune]*outline)
	for line := range strings.Lines(string(text)) {
		name, shape, _ := strings.Cut(strings.TrimSpace(line), " ")
		advance, path, _ := strings.Cut(shape, " ")
		r := missing
		if len(all) > 0 {
			r = rune(number(name, 16))
		}
		all[r] = &outline{number(advance, 10), sync.OnceValue(func() []piece { return parsePath(path) })}
	}
	return all
})

// parsePath returns the pieces of a path.
func parsePath(path string) (pieces []piece) {
	fields := strings.Fields(path)
	var end fixed.Point26_6
	for len(fields) > 0 {
		p := piece{op: fields[0][0]}
		fields = fields[1:]
		for i := range pointsOf[p.op] {
			d := fixed.Point26_6{X: fixed.Int26_6(number(fields[0], 10)), Y: fixed.Int26_6(number(fields[1], 10))}
			p.to[i] = end.Add(d)
			fields = fields[2:]
		}
		end = p.to[pointsOf[p.op]-1]
		pieces = append(pieces, p)
	}
	return pieces
}

// number is a number of the embedded file.
func number(s string, base int) int {
	n, err := strconv.ParseInt(s, base, 32)
	if err != nil {
		panic(fmt.Sprintf("simtrun bug: in the embedded outlines: %v", err))
	}
	return int(n)
}
