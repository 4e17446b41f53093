package divergence

import (
	"math"
	"math/bits"
	"slices"
)

// Lanes that leave a kernel early should not keep the others from meeting, so
// an early way out does not count as a path. The blocks are divided into
// rounds, each with a block that all of its paths lead to, its sink:
//
//   - The sink of the first round is the way out that most instructions lead
//     to (of equals, the last in the text); the round is all blocks that reach
//     it. The next round is made of what is left in the same way. A trap behind
//     an assertion so gets a round of its own, wherever it stands.
//   - Blocks that reach no way out are in endless loops. Of these, the last in
//     the text is the next sink.
//
// An edge leads to the same round or to a later one, never back: whatever
// reaches a block of a round reaches its sink. Postdominators are those of the
// graph of one round alone; the edges that leave the sink of an endless loop
// are not part of it. Guarded exits fall through.
type rounds struct {
	blocks []Block
	round  []int32 // by block: 0 and up, or undecided, or unreachable
	count  int32   // rounds found so far
	ipdom  []int32 // by block: its immediate postdominator, or noBlock

	walk    int32   // number of the latest walk over the graph
	entered []int32 // by block: the latest walk that came by
	index   []int32 // by block: its place in the order of the round being closed
}

const (
	undecided   = -1
	unreachable = math.MaxInt32 // later than all rounds
	noBlock     = -1
)

func findRounds(blocks []Block) *rounds {
	n := len(blocks)
	r := &rounds{
		blocks:  blocks,
		round:   slices.Repeat([]int32{undecided}, n),
		ipdom:   slices.Repeat([]int32{noBlock}, n),
		entered: make([]int32, n),
		index:   make([]int32, n),
	}
	reachable := r.postorder(0, r.succ)
	for b := range blocks {
		if r.entered[b] != r.walk {
			r.round[b] = unreachable
		}
	}
	r.closeAtWaysOut(reachable)
	for b := n - 1; b >= 0; b-- {
		if r.round[b] == undecided {
			r.close(r.postorder(b, r.pred))
		}
	}
	return r
}

func (r *rounds) succ(b int) []int { return r.blocks[b].Succ }
func (r *rounds) pred(b int) []int { return r.blocks[b].Pred }

// postorder is the undecided blocks that a depth-first walk from root finds
// along the edges that next gives, each after all it leads to. Root comes last.
func (r *rounds) postorder(root int, next func(int) []int) []int {
	type visit struct{ block, edges int } // edges already followed
	r.walk++
	r.entered[root] = r.walk
	var order []int
	for path := []visit{{block: root}}; len(path) > 0; {
		v := &path[len(path)-1]
		edges := next(v.block)
		if v.edges == len(edges) {
			order = append(order, v.block)
			path = path[:len(path)-1]
			continue
		}
		to := edges[v.edges]
		v.edges++
		if r.round[to] == undecided && r.entered[to] != r.walk {
			r.entered[to] = r.walk
			path = append(path, visit{block: to})
		}
	}
	return order
}

// closeAtWaysOut makes the rounds whose sinks are ways out, given all reachable
// blocks in postorder.
//
// A round takes its blocks from the sinks that still wait, so their weights
// only fall: each sink is taken up at its latest weight, weighed anew, and put
// back if it has lost some.
func (r *rounds) closeAtWaysOut(postorder []int) {
	var sinks []int
	for _, b := range postorder {
		if len(r.blocks[b].Succ) == 0 {
			sinks = append(sinks, b)
		}
	}
	waiting := make([][]int, r.weight(postorder)+1) // sinks by weight
	for i, w := range r.weigh(sinks, postorder) {
		waiting[w] = append(waiting[w], sinks[i])
	}
	for w := len(waiting) - 1; w > 0; w-- {
		slices.Sort(waiting[w])
		for _, sink := range slices.Backward(waiting[w]) {
			order := r.postorder(sink, r.pred)
			if now := r.weight(order); now < w {
				waiting[now] = append(waiting[now], sink)
				continue
			}
			r.close(order)
		}
	}
}

// weight is the number of instructions in blocks. The empty block counts as
// one, that which ends the lanes.
func (r *rounds) weight(blocks []int) int {
	n := 0
	for _, b := range blocks {
		n += max(r.blocks[b].End-r.blocks[b].Start, 1)
	}
	return n
}

// weigh is, for each sink, the weight of the blocks that reach it. It follows
// 64 sinks at a time, for kernels with a trap behind every check.
func (r *rounds) weigh(sinks, postorder []int) []int {
	weights := make([]int, 0, len(sinks))
	reached := make([]uint64, len(r.blocks)) // by block: which sinks of the batch
	for batch := range slices.Chunk(sinks, 64) {
		clear(reached)
		for i, sink := range batch {
			reached[sink] = 1 << i
		}
		r.spread(reached, postorder)
		var sum [64]int
		for i, b := range postorder {
			w := r.weight(postorder[i : i+1])
			for set := reached[b]; set != 0; set &= set - 1 {
				sum[bits.TrailingZeros64(set)] += w
			}
		}
		weights = append(weights, sum[:len(batch)]...)
	}
	return weights
}

// spread adds to every block's set those of its successors, until nothing
// changes.
func (r *rounds) spread(sets []uint64, postorder []int) {
	for changed := true; changed; {
		changed = false
		for _, b := range postorder {
			set := sets[b]
			for _, s := range r.blocks[b].Succ {
				set |= sets[s]
			}
			if set != sets[b] {
				sets[b] = set
				changed = true
			}
		}
	}
}

// close makes a round of the blocks in order, a postorder of the reversed graph
// with the round's sink last.
func (r *rounds) close(order []int) {
	for i, b := range order {
		r.round[b] = r.count
		r.index[b] = int32(i)
	}
	r.findPostdominators(order)
	r.count++
}

// findPostdominators is the algorithm of Cooper, Harvey and Kennedy ("A Simple,
// Fast Dominance Algorithm", 2001) on the reversed graph of a round.
func (r *rounds) findPostdominators(order []int) {
	last := len(order) - 1
	sink := order[last]
	r.ipdom[sink] = int32(sink)
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(order[:last]) {
			if d := r.meet(r.blocks[b].Succ); d != r.ipdom[b] {
				r.ipdom[b] = d
				changed = true
			}
		}
	}
	r.ipdom[sink] = noBlock
}

// meet is the nearest block that postdominates all those of succ that have a
// known postdominator. The others have not had their turn yet, or are in a later
// round.
func (r *rounds) meet(succ []int) int32 {
	d := int32(noBlock)
	for _, s := range succ {
		switch {
		case r.ipdom[s] == noBlock:
		case d == noBlock:
			d = int32(s)
		default:
			d = r.common(d, int32(s))
		}
	}
	return d
}

// common is the nearest block that postdominates both a and b.
func (r *rounds) common(a, b int32) int32 {
	for a != b {
		if r.index[a] < r.index[b] {
			a = r.ipdom[a]
		} else {
			b = r.ipdom[b]
		}
	}
	return a
}
