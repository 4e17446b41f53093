package check

// gridClock is the part of a vector clock that is about the CTAs of the grid, by
// their number: a tree that is never changed, so that clocks that have nearly all in
// common share nearly all of it. Of thousands of CTAs that pass through one counter
// each takes a few nodes. nil is 0 of all threads.
type gridClock struct {
	shift  uint8 // of the number, for the index in this node
	nodes  *[fanOut]*gridClock
	leaves *[fanOut]ctaClock // at shift 0
}

const (
	fanBits = 4
	fanOut  = 1 << fanBits
)

// of is the part about one CTA.
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

// with is g with c for a CTA, in place of what it had.
func (g *gridClock) with(cta int64, c ctaClock) *gridClock {
	if g == nil {
		g = &gridClock{leaves: new([fanOut]ctaClock)}
	}
	for cta>>g.shift >= fanOut {
		g = g.raised()
	}
	return g.replaced(cta, c)
}

// raised is g under a root that holds more numbers.
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

// joinGridClocks is the join of a and b: one of them where it covers the other.
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

// chosen is a or b if the join is the same, else the join.
func chosen(a, b *gridClock, isA, isB bool, join *gridClock) *gridClock {
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	return join
}
