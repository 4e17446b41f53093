package flowgraph

// heights holds a height for each of many places; heights only grow. It is a segment tree, so that operations on a
// range take logarithmic time. Node i has the children 2i and 2i+1, and the places are the leaves from len(node)/2
// on.
type heights struct {
	node []heightsNode
}

type heightsNode struct {
	all     int // lower bound of all places below
	highest int // of the places below, ignoring the bounds of nodes above
}

func newHeights(places int) *heights {
	leaves := 1
	for leaves < places {
		leaves *= 2
	}
	return &heights{make([]heightsNode, 2*leaves)}
}

// highest returns the greatest height of the places from from to to-1; 0 if none was raised.
func (h *heights) highest(from, to int) int {
	return h.query(1, 0, len(h.node)/2, from, to)
}

// raise sets the height of the places from from to to-1, none of which may be higher.
func (h *heights) raise(from, to, height int) {
	h.update(1, 0, len(h.node)/2, from, to, height)
}

// query is highest within node i, which has the places from first to end-1.
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

// update is raise within node i, which has the places from first to end-1.
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
