package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"io"

	"github.com/simtrun/simtrun/internal/svg"
)

// svgCanvas is the text of an SVG picture.
type svgCanvas struct{ bytes.Buffer }

func newSVG(width, height float64) canvas {
	c := new(svgCanvas)
	c.WriteString(svg.Start(width, height))
	c.WriteString("<g font-family=\"sans-serif\" stroke-linejoin=\"round\">\n")
	return c
}

func (c *svgCanvas) fill(outline []Point, colour color.NRGBA) {
	fmt.Fprintf(c, "<path d=\"%sZ\" fill=\"%s\"", pathOf(outline), hex(colour))
	if colour.A < 0xff {
		fmt.Fprintf(c, " fill-opacity=\"%s\"", svg.Number(float64(colour.A)/0xff))
	}
	c.WriteString("/>\n")
}

func (c *svgCanvas) stroke(lines [][]Point, width float64, colour color.NRGBA) {
	c.WriteString("<path d=\"")
	for _, line := range lines {
		c.WriteString(pathOf(line))
	}
	fmt.Fprintf(c, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"/>\n", hex(colour), svg.Number(width))
}

// pathOf returns a line in SVG notation: absolute moves, along an axis where possible.
func pathOf(line []Point) string {
	var b bytes.Buffer
	for i, p := range line {
		x, y := svg.Number(p.X), svg.Number(p.Y)
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M%s %s", x, y)
		case x == svg.Number(line[i-1].X):
			fmt.Fprintf(&b, "V%s", y)
		case y == svg.Number(line[i-1].Y):
			fmt.Fprintf(&b, "H%s", x)
		default:
			fmt.Fprintf(&b, "L%s %s", x, y)
		}
	}
	return b.String()
}

func (c *svgCanvas) dots(centres []Point, radius float64, colour color.NRGBA) {
	for _, p := range centres {
		fmt.Fprintf(c, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" fill=\"%s\"/>\n", svg.Number(p.X), svg.Number(p.Y), svg.Number(radius), hex(colour))
	}
}

func (c *svgCanvas) text(t *text) {
	x, y := svg.Number(t.x), svg.Number(t.y)
	fmt.Fprintf(c, "<text x=\"%s\" y=\"%s\" font-size=\"%s\" fill=\"%s\"", x, y, svg.Number(t.size), hex(t.colour))
	if t.anchor != start {
		fmt.Fprintf(c, " text-anchor=\"%s\"", [...]string{"start", "middle", "end"}[t.anchor])
	}
	if t.upwards {
		fmt.Fprintf(c, " transform=\"rotate(-90 %s %s)\"", x, y)
	}
	fmt.Fprintf(c, ">%s</text>\n", svg.Escape(t.s))
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func (c *svgCanvas) writeTo(w io.Writer) error {
	c.WriteString("</g>\n</svg>\n")
	_, err := w.Write(c.Bytes())
	return err
}
