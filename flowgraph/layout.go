package flowgraph

import (
	"cmp"
	"slices"
)

// Sizes of a drawing, in pixels.
const (
	lineHeight  = 16
	charWidth   = 8 // of a monospaced font of 12 pixels, with room to spare
	padding     = 8 // between a box and its text
	blockGap    = 20
	columnWidth = 10
	margin      = 24 // at the edges, and between a box and the first column
)

// drawing is where the parts of a function's graph lie. The blocks stand below
// each other in text order. An edge to the next block is an arrow between the two;
// every other route runs along a column, which all routes of one kind to the same
// block share: forward edges and reconvergence on the right, retreating edges on the
// left.
type drawing struct {
	g             *Graph
	title         []string
	boxes         []box
	routes        []route
	width, height int
	boxLeft       int
	boxWidth      int
}

// box is the place of a block.
type box struct {
	lines       []string
	top, height int
	// Routes start at the last instruction and end at the heading.
	out, in int
}

// kind is what a route stands for.
type kind uint8

const (
	next kind = iota // an edge to the next block
	forward
	retreating
	reconvergence
)

// String is the name of the kind's class in the drawing's style sheet.
func (k kind) String() string { return [...]string{"next", "forward", "retreating", "reconverge"}[k] }

// route is a line from one block to another.
type route struct {
	from, to int
	kind     kind
	leaves   bool
	text     string
	x        int // of its column
}

// draw lays g out, starting at the height top.
func draw(g *Graph, top int) *drawing {
	d := &drawing{g: g, title: g.titleLines()}
	chars, y := 0, top+len(d.title)*lineHeight+padding
	for _, line := range d.title {
		d.width = max(d.width, 2*margin+charWidth*len([]rune(line)))
	}
	for b := range g.Blocks {
		lines := g.blockLines(b)
		for _, line := range lines {
			chars = max(chars, len([]rune(line)))
		}
		code := g.Blocks[b].End - g.Blocks[b].Start
		d.boxes = append(d.boxes, box{
			lines: lines, top: y, height: len(lines)*lineHeight + padding,
			in: y + lineHeight/2, out: y + code*lineHeight + lineHeight/2 + padding/2,
		})
		y += len(lines)*lineHeight + padding + blockGap
	}
	d.height = y - top
	d.boxWidth = chars*charWidth + 2*padding
	d.findRoutes()
	d.placeColumns()
	return d
}

func (d *drawing) findRoutes() {
	for b := range d.g.Blocks {
		block := &d.g.Blocks[b]
		for _, e := range block.Edges {
			r := route{from: b, to: e.To, kind: forward, leaves: e.Leaves, text: e.text()}
			switch {
			case e.Retreating:
				r.kind = retreating
			case e.To == b+1:
				r.kind = next
			}
			d.routes = append(d.routes, r)
		}
		for i := range block.Divergences {
			if to, ok := d.g.reconvergenceBlock(&block.Divergences[i]); ok {
				d.routes = append(d.routes, route{from: b, to: to, kind: reconvergence, text: "reconverge"})
			}
		}
	}
}

// column is a vertical line that routes to one block share.
type column struct {
	to, top, bottom int // blocks
	routes          []*route
	level           int // from the boxes outwards, 1 and up
}

// placeColumns finds a column for every route. Reconvergence lies outside of the
// forward edges.
func (d *drawing) placeColumns() {
	left := make([]int, len(d.boxes)) // by block: columns there so far
	right := make([]int, len(d.boxes))
	backward := d.columns(retreating)
	stack(backward, left)
	onward, dashed := d.columns(forward), d.columns(reconvergence)
	stack(onward, right)
	stack(dashed, right)
	d.boxLeft = 2*margin + slices.Max(left)*columnWidth
	boxRight := d.boxLeft + d.boxWidth
	d.width = max(d.width, boxRight+2*margin+slices.Max(right)*columnWidth)
	for _, c := range backward {
		c.place(d.boxLeft - margin - c.level*columnWidth)
	}
	for _, c := range slices.Concat(onward, dashed) {
		c.place(boxRight + margin + c.level*columnWidth)
	}
}

func (c *column) place(x int) {
	for _, r := range c.routes {
		r.x = x
	}
}

// columns is the columns of the routes of a kind, short ones first.
func (d *drawing) columns(k kind) []*column {
	byTarget := make([]*column, len(d.boxes))
	var all []*column
	for i := range d.routes {
		r := &d.routes[i]
		if r.kind != k {
			continue
		}
		c := byTarget[r.to]
		if c == nil {
			c = &column{to: r.to, top: r.to, bottom: r.to}
			byTarget[r.to] = c
			all = append(all, c)
		}
		c.top, c.bottom = min(c.top, r.from), max(c.bottom, r.from)
		c.routes = append(c.routes, r)
	}
	slices.SortFunc(all, func(a, b *column) int {
		return cmp.Or(cmp.Compare(a.bottom-a.top, b.bottom-b.top), cmp.Compare(a.to, b.to))
	})
	return all
}

// stack gives each column the lowest level above those beside the same blocks.
func stack(columns []*column, used []int) {
	for _, c := range columns {
		beside := used[c.top : c.bottom+1]
		c.level = slices.Max(beside) + 1
		for b := range beside {
			beside[b] = c.level
		}
	}
}
