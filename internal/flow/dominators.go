package flow

import "slices"

// dominators finds immediate dominators by the algorithm of Lengauer and Tarjan ("A Fast Algorithm for Finding
// Dominators in a Flowgraph", 1979) with simple links and path compression. It takes O(m log n) for every shape of
// the graph. Nodes are numbered in preorder of a depth-first walk from the root, which is 0.
type dominators struct {
	parent   []int32 // in the walk's tree
	semi     []int32 // semidominator
	idom     []int32
	ancestor []int32 // in the forest of linked nodes; -1 at its roots
	label    []int32 // a linked node above, or the node itself, with the least semidominator
	bucket   []int32 // the first node with this semidominator, or -1
	next     []int32 // the next such node, or -1
	path     []int32
}

// find returns the immediate dominator of each of n nodes, given their parents in the walk; preds calls each with the
// predecessors of a node. The root is its own dominator. The result is valid until the next call.
func (d *dominators) find(parent []int32, preds func(node int32, each func(int32))) []int32 {
	n := len(parent)
	d.parent = parent
	for _, s := range []*[]int32{&d.semi, &d.idom, &d.ancestor, &d.label, &d.bucket, &d.next} {
		*s = append((*s)[:0], make([]int32, n)...)
	}
	for i := range int32(n) {
		d.semi[i], d.label[i], d.ancestor[i], d.bucket[i] = i, i, -1, -1
	}
	for w := int32(n) - 1; w > 0; w-- {
		preds(w, func(v int32) { d.semi[w] = min(d.semi[w], d.semi[d.eval(v)]) })
		s := d.semi[w]
		d.next[w], d.bucket[s] = d.bucket[s], w
		p := parent[w]
		d.ancestor[w] = p
		for v := d.bucket[p]; v >= 0; v = d.next[v] {
			d.idom[v] = p
			if u := d.eval(v); d.semi[u] < d.semi[v] {
				d.idom[v] = u // preliminary: v has the same dominator as u
			}
		}
		d.bucket[p] = -1
	}
	for w := int32(1); w < int32(n); w++ {
		if d.idom[w] != d.semi[w] {
			d.idom[w] = d.idom[d.idom[w]]
		}
	}
	return d.idom
}

// eval returns v or the linked node above it with the least semidominator; v if it is not linked.
func (d *dominators) eval(v int32) int32 {
	if d.ancestor[v] < 0 {
		return v
	}
	d.path = d.path[:0]
	for u := v; d.ancestor[d.ancestor[u]] >= 0; u = d.ancestor[u] {
		d.path = append(d.path, u)
	}
	for i := len(d.path) - 1; i >= 0; i-- {
		u := d.path[i]
		a := d.ancestor[u]
		if d.semi[d.label[a]] < d.semi[d.label[u]] {
			d.label[u] = d.label[a]
		}
		d.ancestor[u] = d.ancestor[a]
	}
	return d.label[v]
}

// Dominators returns the immediate dominator of each block: the nearest other block on
// every path from the start. It is None for the first block and for unreachable blocks.
func (g *Graph) Dominators() []int {
	order, parent, index := g.preorder()
	var d dominators
	found := d.find(parent, func(node int32, each func(int32)) {
		for _, p := range g.blocks[order[node]].Pred {
			if index[p] >= 0 {
				each(index[p])
			}
		}
	})
	idom := make([]int, len(g.blocks))
	for b := range idom {
		idom[b] = None
		if i := index[b]; i > 0 {
			idom[b] = order[found[i]]
		}
	}
	return idom
}

// LoopHeads reports by block whether it is the head of a loop that can only be entered there: an edge leads to it from
// itself or from a block that it dominates, wherever that is in the text.
func (g *Graph) LoopHeads() []bool {
	idom, order := g.Dominators(), g.ReversePostorder(nil) // dominators come before what they dominate
	size := make([]int, len(g.blocks))                     // of the block's subtree in the tree of dominators
	for _, b := range slices.Backward(order) {
		size[b]++
		if idom[b] != None {
			size[idom[b]] += size[b]
		}
	}
	first, next := make([]int, len(g.blocks)), make([]int, len(g.blocks)) // a subtree is numbered from first on
	for _, b := range order {
		if p := idom[b]; p != None {
			first[b] = next[p]
			next[p] += size[b]
		}
		next[b] = first[b] + 1
	}
	heads := make([]bool, len(g.blocks))
	for b := range g.blocks {
		reachable := b == 0 || idom[b] != None
		heads[b] = reachable && slices.ContainsFunc(g.blocks[b].Pred, func(p int) bool {
			return (p == 0 || idom[p] != None) && first[b] <= first[p] && first[p] < first[b]+size[b]
		})
	}
	return heads
}

// preorder returns the reachable blocks in preorder of a depth-first walk, for each of them the index in order of its
// parent, and by block its index in order, or -1.
func (g *Graph) preorder() (order []int, parent, index []int32) {
	index = make([]int32, len(g.blocks))
	for b := range index {
		index[b] = -1
	}
	type found struct {
		block  int
		parent int32
	}
	for stack := []found{{}}; len(stack) > 0; {
		f := stack[len(stack)-1]
		if stack = stack[:len(stack)-1]; index[f.block] >= 0 {
			continue
		}
		n := int32(len(order))
		index[f.block] = n
		order, parent = append(order, f.block), append(parent, f.parent)
		for _, s := range g.blocks[f.block].Succ {
			stack = append(stack, found{s, n})
		}
	}
	return order, parent, index
}
