package flowgraph

import (
	"bufio"
	"fmt"

	"github.com/simtrun/simtrun/internal/svg"
)

// svgStyle is the style sheet and the arrow head.
const svgStyle = `<style>
svg { background: #ffffff; }
text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1a1a1a; }
.title, .heading { font-weight: bold; }
rect { fill: #f6f8fa; stroke: #57606a; }
path { fill: none; stroke: #0b5cad; stroke-width: 1.5; }
path.next { stroke: #57606a; }
path.retreating { stroke: #b42318; }
path.leaves { stroke-dasharray: 2 3; }
path.reconverge { stroke: #6e7781; stroke-dasharray: 6 4; }
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#1a1a1a;stroke:none"/></marker></defs>
`

// writeSVG draws the functions below each other.
func writeSVG(w *bufio.Writer, graphs []*Graph) {
	var drawings []*drawing
	width, height := legendWidth, margin+len(legend)*lineHeight+margin
	for _, g := range graphs {
		d := draw(g, height)
		width, height = max(width, d.width), height+d.height+margin
		drawings = append(drawings, d)
	}
	w.WriteString(svg.Start(float64(width), float64(height)))
	w.WriteString(svgStyle)
	writeLegend(w)
	for n, d := range drawings {
		d.write(w, n)
	}
	w.WriteString("</svg>\n")
}

// legend describes the lines between blocks, by the class of a path.
var legend = []struct{ class, text string }{
	{"next", "the next block in the text"},
	{"forward", "a branch downwards"},
	{"retreating", "a branch upwards: a loop"},
	{"forward leaves", "dotted: lanes that take it leave an exit region and are not waited for there"},
	{"reconverge", "dashed: from a branch to its reconvergence PC, where its lanes reconverge"},
}

const (
	legendSample = 40 // width of a line
	legendWidth  = 640
)

// writeLegend writes the legend at the top of the picture.
func writeLegend(w *bufio.Writer) {
	w.WriteString("<g id=\"legend\">\n")
	for i, l := range legend {
		y := margin + i*lineHeight
		fmt.Fprintf(w, "<path class=\"%s\" d=\"M%d %dH%d\" marker-end=\"url(#head)\"/>\n", l.class, margin, y, margin+legendSample)
		writeSVGText(w, margin+legendSample+padding, y+4, "note", l.text)
	}
	w.WriteString("</g>\n")
}

// write writes function number n.
func (d *drawing) write(w *bufio.Writer, n int) {
	fmt.Fprintf(w, "<g id=\"f%d\">\n", n)
	y := d.boxes[0].top - padding - len(d.title)*lineHeight
	for i, line := range d.title {
		class := "note"
		if i == 0 {
			class = "title"
		}
		writeSVGText(w, margin, y+(i+1)*lineHeight-4, class, line)
	}
	for i := range d.routes {
		d.writeRoute(w, n, &d.routes[i])
	}
	for b := range d.boxes {
		d.writeBox(w, n, b)
	}
	w.WriteString("</g>\n")
}

func (d *drawing) writeBox(w *bufio.Writer, n, b int) {
	box := &d.boxes[b]
	fmt.Fprintf(w, "<g id=\"f%db%d\">\n", n, b)
	fmt.Fprintf(w, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n", d.boxLeft, box.top, d.boxWidth, box.height)
	for i, line := range box.lines {
		class := "code"
		if i == 0 {
			class = "heading"
		}
		writeSVGText(w, d.boxLeft+padding, box.top+(i+1)*lineHeight, class, line)
	}
	w.WriteString("</g>\n")
}

// writeRoute draws a route as lines at right angles.
func (d *drawing) writeRoute(w *bufio.Writer, n int, r *route) {
	from, to := &d.boxes[r.from], &d.boxes[r.to]
	class := r.kind.String()
	if r.leaves {
		class += " leaves"
	}
	var path string
	switch r.kind {
	case next:
		path = fmt.Sprintf("M%d %dV%d", d.boxLeft+margin, from.top+from.height, to.top)
	case retreating:
		path = fmt.Sprintf("M%d %dH%dV%dH%d", d.boxLeft, r.out, r.x, r.in, d.boxLeft)
	default:
		right := d.boxLeft + d.boxWidth
		path = fmt.Sprintf("M%d %dH%dV%dH%d", right, r.out, r.x, r.in, right)
	}
	title := svg.Escape(fmt.Sprintf("B%d to B%d: %s", r.from, r.to, r.text))
	fmt.Fprintf(w, "<path id=\"f%db%d-b%d-%s\" class=\"%s\" d=\"%s\" marker-end=\"url(#head)\"><title>%s</title></path>\n",
		n, r.from, r.to, r.kind, class, path, title)
}

func writeSVGText(w *bufio.Writer, x, y int, class, text string) {
	fmt.Fprintf(w, "<text x=\"%d\" y=\"%d\" class=\"%s\" xml:space=\"preserve\">%s</text>\n", x, y, class, svg.Escape(text))
}
