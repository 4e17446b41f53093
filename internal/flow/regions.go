package flow

import (
	"math"
	"slices"
)

// Lanes that leave a kernel early should not keep the others from reconverging, so an early exit does not count as a
// path. The blocks are divided into exit regions, each with a block that all of its paths lead to, its sink. (The
// literature has no term for this; it adds one exit block after all exits, and an exit in a loop then prevents the
// loop's lanes from reconverging in it.)
//
//   - The sink of the first region is the exit that most instructions lead to (of equals, the last in the text); the
//     region is all blocks that reach it. The next regions are made of the remaining blocks in the same way. So a trap
//     after an assertion gets a region of its own, wherever it is in the text.
//   - Blocks that reach no exit are in endless loops. The last of these blocks in the text is the next sink.
//
// An edge leads to the same region or to a later one, never back: a block that reaches a block of a region also
// reaches its sink. Postdominators are those in the graph of one region alone; edges that leave the sink of an
// endless loop are not part of it. Guarded exits fall through.
type regions struct {
	blocks []Block
	region []int32 // by block: its number from 0, or undecided, or unreachable
	count  int32   // number of regions found so far
	ipdom  []int32 // by block: its immediate postdominator, or noBlock

	walk     int32   // number of the latest walk over the graph
	entered  []int32 // by block: the latest walk that reached it
	preorder []int   // the blocks of the latest walk, in the order in which it reached them
	parent   []int32 // by index of preorder: the index of the block from which the walk came
	index    []int32 // by block of the region being closed: its index in preorder

	dominators dominators
}

const (
	undecided   = -1
	unreachable = math.MaxInt32 // later than all regions
	noBlock     = -1
)

func findRegions(blocks []Block) *regions {
	r := newRegions(blocks)
	r.closeAtWaysOut(r.markReachable())
	for b := len(blocks) - 1; b >= 0; b-- {
		if r.region[b] == undecided {
			r.postorder(b, r.pred)
			r.close()
		}
	}
	return r
}

// newRegions returns the state of the search before any region is found.
func newRegions(blocks []Block) *regions {
	n := len(blocks)
	return &regions{
		blocks:  blocks,
		region:  slices.Repeat([]int32{undecided}, n),
		ipdom:   slices.Repeat([]int32{noBlock}, n),
		entered: make([]int32, n),
		index:   make([]int32, n),
	}
}

// markReachable returns the reachable blocks, in postorder.
func (r *regions) markReachable() []int {
	reachable := r.postorder(0, r.succ)
	for b := range r.blocks {
		if r.entered[b] != r.walk {
			r.region[b] = unreachable
		}
	}
	return reachable
}

func (r *regions) succ(b int) []int { return r.blocks[b].Succ }
func (r *regions) pred(b int) []int { return r.blocks[b].Pred }

// postorder returns the undecided blocks that a depth-first walk from root reaches along the edges from next, each
// after all blocks that it leads to. Root is last.
func (r *regions) postorder(root int, next func(int) []int) []int {
	type visit struct {
		block, edges int // number of edges already followed
		number       int32
	}
	r.walk++
	r.preorder, r.parent = r.preorder[:0], r.parent[:0]
	enter := func(b int, from int32) visit {
		r.entered[b] = r.walk
		r.preorder, r.parent = append(r.preorder, b), append(r.parent, from)
		return visit{block: b, number: int32(len(r.preorder) - 1)}
	}
	var order []int
	for path := []visit{enter(root, 0)}; len(path) > 0; {
		v := &path[len(path)-1]
		edges := next(v.block)
		if v.edges == len(edges) {
			order = append(order, v.block)
			path = path[:len(path)-1]
			continue
		}
		to := edges[v.edges]
		v.edges++
		if r.region[to] == undecided && r.entered[to] != r.walk {
			path = append(path, enter(to, v.number))
		}
	}
	return order
}

// close makes a region of the blocks of the latest walk, which started at the region's sink in the reversed graph.
func (r *regions) close() {
	for _, b := range r.preorder {
		r.region[b] = r.count
	}
	r.findPostdominators()
	r.count++
}

// findPostdominators finds the immediate postdominators in the region of the latest walk: the dominators of its
// reversed graph.
func (r *regions) findPostdominators() {
	for i, b := range r.preorder {
		r.index[b] = int32(i)
	}
	ipdom := r.dominators.find(r.parent, func(node int32, each func(int32)) {
		b := r.preorder[node]
		for _, s := range r.blocks[b].Succ {
			if r.region[s] == r.region[b] { // the others are in later regions
				each(r.index[s])
			}
		}
	})
	for i, b := range r.preorder[1:] {
		r.ipdom[b] = int32(r.preorder[ipdom[i+1]])
	}
}
