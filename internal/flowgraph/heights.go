package flowgraph

// heights are a height for each of many places, which only grow: a tree over them in which a range takes logarithmic time.
// Node i has the children 2i and 2i+1, and the places are the leaves from len(node)/2 on.
type heights struct {
	node []heightsNode
}

type heightsNode struct {
	all     int // no place below is lower
	highest int // of the places below, but for what nodes above say of all
}

func newHeights(places int) *heights {
	leaves := 1
	for leaves < places {
		leaves *= 2
	}
	return &heights{make([]heightsNode, 2*leaves)}
}

// highest is the greatest height from one place up to, but without, another; 0 if nothing was raised there.
func (h *heights) highest(from, to int) int {
	return h.query(1, 0, len(h.node)/2, from, to)
}

// raise gives the places in a range a height that none of them is above.
func (h *heights) raise(from, to, height int) {
	h.update(1, 0, len(h.node)/2, from, to, height)
}

// query is highest within node i, which has the places from first up to end.
func (h *heights) query(i, first, end, from, to int) int {
	n := &h.node[i]
	switch {
	case to <= first || end <= from:
		return 0
	case from <= first && end <= to:
		return n.highest
	}
	middle := (first + end) / 2
	return max(n.all, h.query(2*i, first, middle, from, to), h.query(2*i+1, middle, end, from, to))
}

// update is raise within node i, which has the places from first up to end.
func (h *heights) update(i, first, end, from, to, height int) {
	n := &h.node[i]
	if to <= first || end <= from {
		return
	}
	n.highest = max(n.highest, height)
	if from <= first && end <= to {
		n.all = max(n.all, height)
		return
	}
	middle := (first + end) / 2
	h.update(2*i, first, middle, from, to, height)
	h.update(2*i+1, middle, end, from, to, height)
}
