package flowgraph

import (
	"cmp"
	"slices"

	"github.com/simtrun/simtrun/internal/sorted"
)

// Sizes of a drawing, in pixels.
const (
	lineHeight  = 16
	charWidth   = 8 // of a monospaced font of 12 pixels, with some space
	padding     = 8 // between a box and its text
	blockGap    = 20
	columnWidth = 10
	margin      = 24 // at the edges, and between a box and the first column
	portGap     = 5  // between neighbouring ports, if there is room
)

// mostTracks is the number of routes of one kind to or from one block that have separate tracks.
const mostTracks = 12

// drawing is the layout of a function's graph. The blocks are below each other in text order. An edge to the next
// block is an arrow between the two; every other route has its own track: a port at the source, a column and a port
// at the target. Forward edges and reconvergence are on the right, retreating edges on the left. If more than
// mostTracks routes of one kind go to one block, some share a column.
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
	// Ports are near the last instruction for routes that start here, and from the heading
	// downwards for routes that end here.
	out, in int
}

// kind is the meaning of a route.
type kind uint8

const (
	next kind = iota // an edge to the next block
	forward
	retreating
	reconvergence
)

// String returns the kind's class in the drawing's style sheet.
func (k kind) String() string { return [...]string{"next", "forward", "retreating", "reconverge"}[k] }

// route is a line from one block to another.
type route struct {
	from, to int
	kind     kind
	leaves   bool
	text     string
	level    int // of its column, from the boxes outwards, from 1
	x        int // of its column
	out, in  int // y coordinates of its ports
}

// draw lays out g, starting at the y coordinate top.
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
	d.placePorts()
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

// column is the vertical line of a route, or of several routes to one block.
type column struct {
	to, top, bottom int // blocks
	routes          []*route
	level           int // from the boxes outwards, from 1
}

// placeColumns chooses a column for every route. Reconvergence is outside the forward edges.
func (d *drawing) placeColumns() {
	left, right := newHeights(len(d.boxes)), newHeights(len(d.boxes)) // columns next to each block so far
	backward := d.columns(retreating)
	stack(backward, left)
	onward, dashed := d.columns(forward), d.columns(reconvergence)
	stack(onward, right)
	stack(dashed, right)
	d.boxLeft = 2*margin + left.highest(0, len(d.boxes))*columnWidth
	boxRight := d.boxLeft + d.boxWidth
	d.width = max(d.width, boxRight+2*margin+right.highest(0, len(d.boxes))*columnWidth)
	for _, c := range backward {
		c.place(d.boxLeft - margin - c.level*columnWidth)
	}
	for _, c := range slices.Concat(onward, dashed) {
		c.place(boxRight + margin + c.level*columnWidth)
	}
}

func (c *column) place(x int) {
	for _, r := range c.routes {
		r.level, r.x = c.level, x
	}
}

// columns returns the columns of the routes of a kind, short ones first.
func (d *drawing) columns(k kind) []*column {
	byTarget := make([][]*route, len(d.boxes))
	for i := range d.routes {
		if r := &d.routes[i]; r.kind == k {
			byTarget[r.to] = append(byTarget[r.to], r)
		}
	}
	var all []*column
	for _, routes := range byTarget {
		for part := range slices.Chunk(routes, together(len(routes))) {
			c := &column{to: part[0].to, top: part[0].to, bottom: part[0].to, routes: part}
			for _, r := range part {
				c.top, c.bottom = min(c.top, r.from), max(c.bottom, r.from)
			}
			all = append(all, c)
		}
	}
	sorted.Stable(all, func(a, b *column) int {
		return cmp.Or(cmp.Compare(a.bottom-a.top, b.bottom-b.top), cmp.Compare(a.to, b.to))
	})
	return all
}

// together returns how many of n routes at one side of a block share a track or a port.
func together(n int) int {
	if n > mostTracks {
		return n
	}
	return 1
}

// placePorts places the ports of each route. On the right the innermost column ends highest and starts lowest, on the
// left the other way round, so that routes of one block do not cross there.
func (d *drawing) placePorts() {
	type side struct{ in, out []*route }
	sides := make([][2]side, len(d.boxes)) // left and right
	for i := range d.routes {
		r := &d.routes[i]
		if r.kind == next {
			continue
		}
		at := 1
		if r.kind == retreating {
			at = 0
		}
		sides[r.from][at].out = append(sides[r.from][at].out, r)
		sides[r.to][at].in = append(sides[r.to][at].in, r)
	}
	outwards := func(a, b *route) int { return cmp.Compare(a.level, b.level) }
	inwards := func(a, b *route) int { return cmp.Compare(b.level, a.level) }
	for b := range sides {
		for at, s := range sides[b] {
			ins, outs := outwards, inwards
			if at == 0 {
				ins, outs = inwards, outwards
			}
			sorted.Stable(s.in, ins)
			sorted.Stable(s.out, outs)
			d.boxes[b].spread(s.in, s.out)
		}
	}
}

// spread places the ports of routes at one side of a box: incoming ones from the heading downwards, outgoing ones
// around the last instruction.
func (b *box) spread(in, out []*route) {
	middle := (b.in + b.out) / 2
	groups := (len(in) + together(len(in)) - 1) / together(len(in))
	gap := min(portGap, (middle-b.in)/max(1, groups))
	for i, r := range in {
		r.in = b.in + i/together(len(in))*gap
	}
	bottom := b.top + b.height - padding/2
	groups = (len(out) + together(len(out)) - 1) / together(len(out))
	gap = min(portGap, (bottom-middle)/max(1, groups))
	first := min(b.out-gap*(groups-1)/2, bottom-gap*(groups-1))
	for i, r := range out {
		r.out = max(middle, first) + i/together(len(out))*gap
	}
}

// stack gives each column the lowest level above those next to the same blocks.
func stack(columns []*column, used *heights) {
	for _, c := range columns {
		c.level = used.highest(c.top, c.bottom+1) + 1
		used.raise(c.top, c.bottom+1, c.level)
	}
}
