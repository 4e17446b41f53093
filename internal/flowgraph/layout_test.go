package flowgraph

import (
	"fmt"
	"strings"
	"testing"
)

// TestTracksAreApart checks that routes that pass the same block are in different columns, that no two routes touch a
// block at the same height, and that columns do not touch the boxes and the picture's edge.
func TestTracksAreApart(t *testing.T) {
	for name, mod := range modules(t) {
		for _, g := range New(mod) {
			checkTracks(t, name, draw(g, 0))
		}
	}
}

// TestSwitchHasTwelveTracks checks that a branch to twelve blocks that all continue at the same block has twelve tracks
// at each end. With thirteen blocks the routes to the common block share one track.
func TestSwitchHasTwelveTracks(t *testing.T) {
	for _, cases := range []int{2, 12, 13, 40} {
		var labels, blocks strings.Builder
		for i := range cases {
			fmt.Fprintf(&labels, ", C%d", i)
			fmt.Fprintf(&blocks, "C%d: add.u32 %%r2, %%r2, %d;\nbra DONE;\n", i, i)
		}
		source := "CASES: .branchtargets " + labels.String()[2:] + ";\nmov.u32 %r1, %tid.x;\nbrx.idx %r1, CASES;\n" + blocks.String() + "mov.u32 %r2, 0;\nDONE: ret;"
		d := draw(New(parse(t, source))[0], 0)
		checkTracks(t, fmt.Sprint(cases), d)
		columns := make(map[int]bool)
		for _, r := range d.routes {
			if r.kind == forward && r.to == len(d.boxes)-1 {
				columns[r.x] = true
			}
		}
		want := cases
		if cases > mostTracks {
			want = 1
		}
		if len(columns) != want {
			t.Errorf("%d cases: the routes to the end have %d columns, want %d", cases, len(columns), want)
		}
	}
}

func checkTracks(t *testing.T, name string, d *drawing) {
	t.Helper()
	ends, starts := make(map[int]int), make(map[int]int) // by block
	for _, r := range d.routes {
		if r.kind != next {
			starts[r.from]++
			ends[r.to]++
		}
	}
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
		from, to := &d.boxes[a.from], &d.boxes[a.to]
		if a.out < from.top || a.out > from.top+from.height || a.in < to.top || a.in > to.top+to.height {
			t.Errorf("%s: B%d to B%d: ports at %d and %d, beyond the blocks", name, a.from, a.to, a.out, a.in)
		}
		for _, b := range d.routes[:i] {
			if b.kind == next || (b.kind == retreating) != (a.kind == retreating) {
				continue
			}
			shared := a.to == b.to && ends[a.to] > mostTracks
			if a.x == b.x && overlap(a, &b) && !(shared && a.kind == b.kind) {
				t.Errorf("%s: B%d to B%d and B%d to B%d share column %d", name, a.from, a.to, b.from, b.to, a.x)
			}
			if a.to == b.to && a.in == b.in && !shared || a.from == b.from && a.out == b.out && starts[a.from] <= mostTracks {
				t.Errorf("%s: B%d to B%d and B%d to B%d share a port", name, a.from, a.to, b.from, b.to)
			}
			if a.to == b.from && a.in == b.out || a.from == b.to && a.out == b.in {
				t.Errorf("%s: B%d to B%d ends where B%d to B%d starts", name, a.from, a.to, b.from, b.to)
			}
		}
	}
}

func overlap(a, b *route) bool {
	return min(a.from, a.to) <= max(b.from, b.to) && min(b.from, b.to) <= max(a.from, a.to)
}

// TestInnerRoutesAreNearer checks that for an if in an if, the inner route is nearer to the boxes, and reconvergence is
// outside of both.
func TestInnerRoutesAreNearer(t *testing.T) {
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
