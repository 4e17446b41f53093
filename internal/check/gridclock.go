package check

// gridClock is the part of a vector clock for the CTAs of the grid, by their number. It is an immutable tree, so that
// clocks that are nearly equal share nearly all of it. If thousands of CTAs pass through one counter, each needs a
// few nodes. nil is 0 for all threads.
type gridClock struct {
	shift  uint8 // of the CTA's number, for the index in this node
	nodes  *[fanOut]*gridClock
	leaves *[fanOut]ctaClock // at shift 0
}

const (
	fanBits = 4
	fanOut  = 1 << fanBits
)

// of returns the part for one CTA.
func (g *gridClock) of(cta int64) ctaClock {
	if g == nil || cta>>g.shift >= fanOut {
		return nil
	}
	for g.shift > 0 {
		if g = g.nodes[cta>>g.shift&(fanOut-1)]; g == nil {
			return nil
		}
	}
	return g.leaves[cta&(fanOut-1)]
}

// with returns g with c for a CTA, in place of its old value.
func (g *gridClock) with(cta int64, c ctaClock) *gridClock {
	if g == nil {
		g = &gridClock{leaves: new([fanOut]ctaClock)}
	}
	for cta>>g.shift >= fanOut {
		g = g.raised()
	}
	return g.replaced(cta, c)
}

// raised returns g under a root that has room for larger numbers.
func (g *gridClock) raised() *gridClock {
	return &gridClock{shift: g.shift + fanBits, nodes: &[fanOut]*gridClock{g}}
}

func (g *gridClock) replaced(cta int64, c ctaClock) *gridClock {
	i := cta >> g.shift & (fanOut - 1)
	if g.shift == 0 {
		leaves := *g.leaves
		leaves[i] = c
		return &gridClock{leaves: &leaves}
	}
	nodes := *g.nodes
	if nodes[i] == nil {
		nodes[i] = emptyGridClock(g.shift - fanBits)
	}
	nodes[i] = nodes[i].replaced(cta, c)
	return &gridClock{shift: g.shift, nodes: &nodes}
}

func emptyGridClock(shift uint8) *gridClock {
	if shift == 0 {
		return &gridClock{leaves: new([fanOut]ctaClock)}
	}
	return &gridClock{shift: shift, nodes: new([fanOut]*gridClock)}
}

// joinGridClocks returns the join of a and b: one of them if it covers the other.
func joinGridClocks(a, b *gridClock) *gridClock {
	if a == b || b == nil {
		return a
	}
	if a == nil {
		return b
	}
	for a.shift < b.shift {
		a = a.raised()
	}
	for b.shift < a.shift {
		b = b.raised()
	}
	if a.shift == 0 {
		return joinLeaves(a, b)
	}
	var j [fanOut]*gridClock
	isA, isB := true, true
	for i := range j {
		j[i] = joinGridClocks(a.nodes[i], b.nodes[i])
		isA, isB = isA && j[i] == a.nodes[i], isB && j[i] == b.nodes[i]
	}
	return chosen(a, b, isA, isB, &gridClock{shift: a.shift, nodes: &j})
}

func joinLeaves(a, b *gridClock) *gridClock {
	var j [fanOut]ctaClock
	isA, isB := true, true
	for i := range j {
		j[i] = joinCTAClocks(a.leaves[i], b.leaves[i])
		isA, isB = isA && j[i].same(a.leaves[i]), isB && j[i].same(b.leaves[i])
	}
	return chosen(a, b, isA, isB, &gridClock{leaves: &j})
}

// chosen returns a or b if the join is the same, else the join.
func chosen(a, b *gridClock, isA, isB bool, join *gridClock) *gridClock {
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	return join
}
