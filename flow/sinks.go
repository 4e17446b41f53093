package flow

import (
	"cmp"
	"slices"
)

// sinks finds the order in which ways out become the sinks of regions: the one
// that most instructions lead to first. The weight of a way out is the number of
// those. To know that of each would take a walk over the graph for each; most
// ways out, such as traps behind checks, share nearly all that leads to them,
// and a bound on their weight is enough to see that others come first.
type sinks struct {
	*regions
	comp   []int32 // by block: its strongly connected component; edges lead to the same or a greater one
	weight []int   // by component, of its blocks
	// By component: following the only component before it, and the only one
	// before that, a component that has several before it, or none; and the weight
	// on the way, without that one.
	top  []int32
	tail []int

	bound []int   // by block, of a way out: its weight is not greater
	known []bool  // by block: the bound was its weight once
	under [][]int // by component: the ways out of which it is top of what leads there
	// By component: the latest walk that came by, and the weight of all that the
	// walk had found when it was done with the component: at least what leads there.
	seen  []int32
	above []int
	// exact says by component, likewise, that above is no more than what leads
	// there: the walk went there straight.
	exact []int32

	waiting [][]int // ways out by bound; those whose bound has fallen since are there too
}

// closeAtWaysOut makes the regions whose sinks are ways out, given all reachable
// blocks in postorder.
//
// A region takes its blocks from the ways out that still wait, so their weights
// only fall, and bounds stay bounds.
func (r *regions) closeAtWaysOut(postorder []int) {
	s := newSinks(r, postorder)
	for w := len(s.waiting) - 1; w > 0; w-- {
		s.walkAll(w)
		s.closeAll(w)
	}
}

// newSinks has all ways out wait, of whose weights nothing is known.
func newSinks(r *regions, postorder []int) *sinks {
	s := &sinks{regions: r, bound: make([]int, len(r.blocks)), known: make([]bool, len(r.blocks))}
	s.findComponents(postorder)
	s.findTops(postorder)
	total := r.weigh(postorder)
	s.waiting = make([][]int, total+1)
	for _, b := range postorder {
		if len(r.blocks[b].Succ) == 0 {
			s.wait(b, total)
			for _, p := range r.blocks[b].Pred {
				if r.region[p] == undecided {
					s.putUnder(s.top[s.comp[p]], b)
				}
			}
		}
	}
	return s
}

func (s *sinks) putUnder(top int32, sink int) {
	if n := len(s.under[top]); n == 0 || s.under[top][n-1] != sink {
		s.under[top] = append(s.under[top], sink)
	}
}

func (s *sinks) wait(sink, bound int) {
	s.bound[sink] = bound
	s.waiting[bound] = append(s.waiting[bound], sink)
}

// walkAll finds the weights of the ways out that may have weight w. What many
// blocks lead to is walked first: it bounds most others.
func (s *sinks) walkAll(w int) {
	var unknown []int
	for _, sink := range s.waiting[w] {
		if s.bound[sink] == w && !s.known[sink] {
			unknown = append(unknown, sink)
		}
	}
	slices.SortStableFunc(unknown, func(a, b int) int { return cmp.Compare(s.depth(b), s.depth(a)) })
	for _, sink := range unknown {
		if s.bound[sink] != w || s.known[sink] {
			continue
		}
		order := s.postorder(sink, s.pred)
		s.known[sink] = true
		if now := s.weigh(order); now < w {
			s.wait(sink, now)
		}
		s.bindOthers(order)
	}
}

// depth is greater for a way out that more components may lead to.
func (s *sinks) depth(sink int) int32 {
	deepest := int32(-1)
	for _, p := range s.blocks[sink].Pred {
		deepest = max(deepest, s.comp[p])
	}
	return deepest
}

// closeAll makes regions of the ways out of weight w, the last in the text first.
func (s *sinks) closeAll(w int) {
	list := s.waiting[w]
	s.waiting[w] = nil
	slices.Sort(list)
	for _, sink := range slices.Backward(slices.Compact(list)) {
		if s.bound[sink] != w || s.region[sink] != undecided {
			continue
		}
		if now := s.weigh(s.postorder(sink, s.pred)); now < w {
			s.wait(sink, now)
		} else {
			s.close()
		}
	}
}

// bindOthers lowers the bounds of ways out to which blocks of a walk lead, which
// found the blocks in the given postorder.
func (s *sinks) bindOthers(order []int) {
	sum := 0
	for i, b := range order {
		sum += s.weigh(order[i : i+1])
		c := s.comp[b]
		s.seen[c], s.above[c] = s.walk, sum
	}
	for i := 0; i < len(s.preorder) && int(s.parent[i]) == max(i-1, 0); i++ {
		s.exact[s.comp[s.preorder[i]]] = s.walk
	}
	for _, b := range order {
		c := s.comp[b]
		s.under[c] = slices.DeleteFunc(s.under[c], func(other int) bool {
			if s.region[other] == undecided && !s.known[other] {
				s.bind(other)
			}
			return s.region[other] != undecided || s.known[other]
		})
	}
}

// bind lowers the bound of a way out by the latest walk: to the block itself, the
// components that lead there alone, and what the walk found above them.
func (s *sinks) bind(sink int) {
	bound, above, tails, exact := s.weigh([]int{sink}), 0, 0, true
	for _, p := range s.blocks[sink].Pred {
		c := s.comp[p]
		if s.region[p] != undecided {
			continue // nothing leads here through p any more, or ever
		}
		if s.seen[c] != s.walk {
			bound += s.tail[c]
			tails++
			c = s.top[c]
		}
		if s.seen[c] != s.walk {
			return
		}
		above = max(above, s.above[c])
		exact = exact && s.exact[c] == s.walk
	}
	s.known[sink] = exact && (tails == 0 || len(s.blocks[sink].Pred) == 1)
	if bound += above; bound < s.bound[sink] {
		s.wait(sink, bound)
	}
}

// weigh is the number of instructions in blocks. The empty block counts as one,
// that which ends the lanes.
func (r *regions) weigh(blocks []int) int {
	n := 0
	for _, b := range blocks {
		n += max(r.blocks[b].End-r.blocks[b].Start, 1)
	}
	return n
}

// findComponents is the algorithm of Kosaraju and Sharir (1981): walks over the
// reversed graph from blocks in reverse postorder.
func (s *sinks) findComponents(postorder []int) {
	s.comp = slices.Repeat([]int32{-1}, len(s.blocks))
	var work []int
	for _, root := range slices.Backward(postorder) {
		if s.comp[root] >= 0 {
			continue
		}
		c := int32(len(s.weight))
		s.weight = append(s.weight, 0)
		s.comp[root] = c
		for work = append(work, root); len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			s.weight[c] += s.weigh([]int{b})
			for _, p := range s.blocks[b].Pred {
				if s.region[p] == undecided && s.comp[p] < 0 {
					s.comp[p] = c
					work = append(work, p)
				}
			}
		}
	}
}

// findTops follows components upwards as long as each has one before it.
func (s *sinks) findTops(postorder []int) {
	n := len(s.weight)
	const none, several = -1, -2
	before := slices.Repeat([]int32{none}, n)
	for _, b := range postorder {
		c := s.comp[b]
		for _, p := range s.blocks[b].Pred {
			if s.region[p] != undecided || s.comp[p] == c {
				continue
			}
			switch before[c] {
			case none:
				before[c] = s.comp[p]
			case s.comp[p]:
			default:
				before[c] = several
			}
		}
	}
	s.top, s.tail, s.under = make([]int32, n), make([]int, n), make([][]int, n)
	s.seen, s.above, s.exact = make([]int32, n), make([]int, n), make([]int32, n)
	for c := range int32(n) {
		s.top[c] = c
		if p := before[c]; p >= 0 {
			s.top[c], s.tail[c] = s.top[p], s.tail[p]+s.weight[c]
		}
	}
}
