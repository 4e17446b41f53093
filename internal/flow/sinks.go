package flow

import (
	"cmp"
	"slices"
)

// sinks finds the order in which exits become the sinks of regions: the exit to which most instructions lead comes
// first. The number of these instructions is the exit's weight. Finding the weight of each exit would take a walk
// over the graph for each. But most exits, such as traps after checks, share nearly all blocks that lead to them, and
// a bound on their weight is enough to see that others come first.
type sinks struct {
	*regions
	comp   []int32 // by block: its strongly connected component; edges lead to the same or a larger one
	weight []int   // by component: the sum of its blocks' weights
	// top is, by component, the upper end of the chain that leads to it: the first component upwards that does not have
	// exactly one predecessor. tail is the weight of the chain without top.
	top  []int32
	tail []int

	bound []int   // by block, for an exit: an upper bound of its weight
	known []bool  // by block, for an exit: bound is its weight, found by a walk
	below [][]int // by component: the exits with a chain that starts at it
	// seen is, by component, the latest walk that reached it. above is the weight of everything that this walk had
	// reached when it was done with the component; it is at least the weight of the blocks that lead to the component.
	seen  []int32
	above []int
	// exact is, by component, the latest walk for which above is exactly the weight of the blocks that lead to the
	// component. This holds for components on the path without branches at the start of the walk.
	exact []int32

	waiting [][]int // exits by their bound, or an earlier bound
}

// closeAtWaysOut makes the regions with exits as sinks, given all reachable blocks in postorder.
//
// The blocks of a finished region no longer count for the remaining exits. So weights only decrease, and bounds stay
// valid.
func (r *regions) closeAtWaysOut(postorder []int) {
	s := newSinks(r, postorder)
	for w := len(s.waiting) - 1; w > 0; w-- {
		if len(s.waiting[w]) > 0 {
			s.walkAll(w)
			s.closeAll(w)
		}
	}
}

// newSinks returns sinks with all exits waiting, and no known weights.
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

// walkAll finds the weights of the exits that may have weight w, starting with those that many blocks lead to: such a
// walk bounds most other weights.
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

// depth is an estimate of the number of components that lead to an exit.
func (s *sinks) depth(sink int) int32 {
	deepest := int32(-1)
	for _, p := range s.blocks[sink].Pred {
		deepest = max(deepest, s.comp[p])
	}
	return deepest
}

// closeAll makes regions of the exits of weight w, the last in the text first.
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

// boundOthers lowers the bounds of exits to which blocks of the latest walk lead, given these blocks in postorder.
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

// lowerBound lowers the bound of an exit by the results of the latest walk: to the weight of the block itself, of the
// chains that lead to it, and of everything that the walk found above those.
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

// weigh returns the number of instructions in blocks. The empty block counts as one instruction, which ends the
// lanes.
func (r *regions) weigh(blocks []int) int {
	n := 0
	for _, b := range blocks {
		n += max(r.blocks[b].End-r.blocks[b].Start, 1)
	}
	return n
}

// findComponents finds components by the algorithm of Kosaraju and Sharir (1981): walks over the reversed graph from
// blocks in reverse postorder.
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

// findTops follows components upwards while each has one predecessor.
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
