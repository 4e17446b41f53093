package flow

import (
	"cmp"
	"slices"
)

// sinks finds the order in which ways out become the sinks of regions: the one
// that most instructions lead to first. The number of those is the way out's weight.
// To know the weight of each would take a walk over the graph for each; but most ways
// out, such as traps behind checks, share nearly all that leads to them, and a bound
// on their weight is enough to see that others come first.
type sinks struct {
	*regions
	comp   []int32 // by block: its strongly connected component; edges lead to the same or a greater one
	weight []int   // by component, of its blocks
	// top is, by component, the upper end of the chain that leads to it: the first
	// component upwards that does not have exactly one before it. tail is the weight of
	// the chain without top.
	top  []int32
	tail []int

	bound []int   // by block, of a way out: its weight is not greater
	known []bool  // by block, of a way out: a walk has found its weight
	below [][]int // by component: the ways out with a chain of which it is top
	// seen is, by component, the latest walk that found it. above is the weight of all
	// that this walk had found when it was done with the component, which is at least
	// what leads to it.
	seen  []int32
	above []int
	// exact is, by component, the latest walk for which above is just what leads to the
	// component, as it is on the path without a fork with which that walk began.
	exact []int32

	waiting [][]int // ways out, by what is or was their bound
}

// closeAtWaysOut makes the regions whose sinks are ways out, given all reachable
// blocks in postorder.
//
// The blocks of a region no longer count for the ways out that still wait. So their
// weights only fall, and bounds stay bounds.
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
					s.addBelow(s.top[s.comp[p]], b)
				}
			}
		}
	}
	return s
}

func (s *sinks) addBelow(top int32, sink int) {
	if n := len(s.below[top]); n == 0 || s.below[top][n-1] != sink {
		s.below[top] = append(s.below[top], sink)
	}
}

func (s *sinks) wait(sink, bound int) {
	s.bound[sink] = bound
	s.waiting[bound] = append(s.waiting[bound], sink)
}

// walkAll finds the weights of the ways out that may have weight w, first of those
// that many blocks lead to: such a walk bounds most other weights.
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
		s.boundOthers(order)
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

// boundOthers lowers the bounds of ways out to which blocks of the latest walk lead,
// given those blocks in postorder.
func (s *sinks) boundOthers(order []int) {
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
		s.below[c] = slices.DeleteFunc(s.below[c], func(other int) bool {
			if s.region[other] == undecided && !s.known[other] {
				s.lowerBound(other)
			}
			return s.region[other] != undecided || s.known[other]
		})
	}
}

// lowerBound lowers the bound of a way out by the latest walk: to the weight of the
// block itself, of the chains that lead to it, and of what the walk found above those.
func (s *sinks) lowerBound(sink int) {
	bound, above, tails, exact := s.weigh([]int{sink}), 0, 0, true
	for _, p := range s.blocks[sink].Pred {
		c := s.comp[p]
		if s.region[p] != undecided {
			continue // p is unreachable, or in an earlier region
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
	s.top, s.tail, s.below = make([]int32, n), make([]int, n), make([][]int, n)
	s.seen, s.above, s.exact = make([]int32, n), make([]int, n), make([]int32, n)
	for c := range int32(n) {
		s.top[c] = c
		if p := before[c]; p >= 0 {
			s.top[c], s.tail[c] = s.top[p], s.tail[p]+s.weight[c]
		}
	}
}
