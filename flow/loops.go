package flow

import "slices"

// Loop is a natural loop: the blocks that lead back to its header without passing
// through it, and the header. In an irregular graph, where a loop can be entered
// elsewhere too, it has the blocks on those ways as well.
type Loop struct {
	Header int   // a block
	Blocks []int // rising
}

// Contains reports whether block b is in the loop.
func (l *Loop) Contains(b int) bool {
	_, found := slices.BinarySearch(l.Blocks, b)
	return found
}

// Loops are the loops that retreating branches close, one for each header, in the
// order of the text.
func (g *Graph) Loops() []Loop {
	latches := make(map[int][]int) // by header: the blocks that go back to it
	for b := range g.blocks {
		for _, s := range g.blocks[b].Succ {
			if s <= b && g.region[b] != unreachable {
				latches[s] = append(latches[s], b)
			}
		}
	}
	var loops []Loop
	for b := range g.blocks {
		if latches[b] != nil {
			loops = append(loops, g.loop(b, latches[b]))
		}
	}
	return loops
}

// loop is the loop of the header that the latches go back to.
func (g *Graph) loop(header int, latches []int) Loop {
	in := map[int]bool{header: true}
	for work := latches; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !in[b] {
			in[b] = true
			work = append(work, g.blocks[b].Pred...)
		}
	}
	l := Loop{Header: header}
	for b := range in {
		l.Blocks = append(l.Blocks, b)
	}
	slices.Sort(l.Blocks)
	return l
}
