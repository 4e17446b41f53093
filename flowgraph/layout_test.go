package flowgraph

import "testing"

// TestColumns: ways to different blocks that pass by the same block do so in
// different columns, and all columns are clear of the boxes and of the edge.
func TestColumns(t *testing.T) {
	for name, mod := range modules(t) {
		for _, g := range New(mod) {
			d := draw(g, 0)
			for i := range d.routes {
				a := &d.routes[i]
				if a.kind == next {
					continue
				}
				left, right := d.boxLeft+d.boxWidth, d.width
				if a.kind == retreating {
					left, right = 0, d.boxLeft
				}
				if a.x <= left || a.x >= right {
					t.Errorf("%s: column at %d, not between %d and %d", name, a.x, left, right)
				}
				for _, b := range d.routes[:i] {
					if b.kind != next && a.x == b.x && (a.to != b.to || a.kind != b.kind) && overlap(a, &b) {
						t.Errorf("%s: B%d to B%d and B%d to B%d share column %d", name, a.from, a.to, b.from, b.to, a.x)
					}
				}
			}
		}
	}
}

func overlap(a, b *route) bool {
	return min(a.from, a.to) <= max(b.from, b.to) && min(b.from, b.to) <= max(a.from, a.to)
}

// TestNestedColumns: of an if in an if, the inner route is nearer to the boxes,
// and reconvergence is outside of both.
func TestNestedColumns(t *testing.T) {
	d := draw(New(parse(t, `
		@%p1 bra OUTER;
		@%p2 bra INNER;
		mov.u32 %r1, 1;
	INNER:	mov.u32 %r2, 1;
	OUTER:	ret;`))[0], 0)
	x := map[kind]map[int]int{forward: {}, reconvergence: {}} // of columns, by source
	for _, r := range d.routes {
		if r.kind != next {
			x[r.kind][r.from] = r.x
		}
	}
	order := []int{d.boxLeft + d.boxWidth, x[forward][1], x[forward][0], x[reconvergence][1], x[reconvergence][0], d.width}
	for i := 1; i < len(order); i++ {
		if order[i-1] >= order[i] {
			t.Fatalf("from left to right: %v", order)
		}
	}
}
