package check

// world is what is known of whole CTAs, by their number in the grid: a tree that
// is never changed, so that those who know nearly the same share nearly all of
// it. Thousands of CTAs that pass through one counter cost each of them a few
// nodes. nil is to know nothing.
type world struct {
	shift  uint8 // of the number, for the index in this node
	nodes  *[fanOut]*world
	leaves *[fanOut]crew // at shift 0
}

const (
	fanBits = 4
	fanOut  = 1 << fanBits
)

// of is what is known of a CTA.
func (w *world) of(cta int64) crew {
	if w == nil || cta>>w.shift >= fanOut {
		return nil
	}
	for w.shift > 0 {
		if w = w.nodes[cta>>w.shift&(fanOut-1)]; w == nil {
			return nil
		}
	}
	return w.leaves[cta&(fanOut-1)]
}

// with is w and c of a CTA, in the place of what was known of it.
func (w *world) with(cta int64, c crew) *world {
	if w == nil {
		w = &world{leaves: new([fanOut]crew)}
	}
	for cta>>w.shift >= fanOut {
		w = w.raised()
	}
	return w.replaced(cta, c)
}

// raised is w under a root that holds more numbers.
func (w *world) raised() *world {
	return &world{shift: w.shift + fanBits, nodes: &[fanOut]*world{w}}
}

func (w *world) replaced(cta int64, c crew) *world {
	i := cta >> w.shift & (fanOut - 1)
	if w.shift == 0 {
		leaves := *w.leaves
		leaves[i] = c
		return &world{leaves: &leaves}
	}
	nodes := *w.nodes
	if nodes[i] == nil {
		nodes[i] = emptyWorld(w.shift - fanBits)
	}
	nodes[i] = nodes[i].replaced(cta, c)
	return &world{shift: w.shift, nodes: &nodes}
}

func emptyWorld(shift uint8) *world {
	if shift == 0 {
		return &world{leaves: new([fanOut]crew)}
	}
	return &world{shift: shift, nodes: new([fanOut]*world)}
}

// joinWorlds is what a and b know together: one of them where nothing has to be
// added to it.
func joinWorlds(a, b *world) *world {
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
	var j [fanOut]*world
	isA, isB := true, true
	for i := range j {
		j[i] = joinWorlds(a.nodes[i], b.nodes[i])
		isA, isB = isA && j[i] == a.nodes[i], isB && j[i] == b.nodes[i]
	}
	return chosen(a, b, isA, isB, &world{shift: a.shift, nodes: &j})
}

func joinLeaves(a, b *world) *world {
	var j [fanOut]crew
	isA, isB := true, true
	for i := range j {
		j[i] = joinCrews(a.leaves[i], b.leaves[i])
		isA, isB = isA && j[i].same(a.leaves[i]), isB && j[i].same(b.leaves[i])
	}
	return chosen(a, b, isA, isB, &world{leaves: &j})
}

// chosen is a or b if the join is the same, else the join.
func chosen(a, b *world, isA, isB bool, join *world) *world {
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	return join
}
