package divergence

import (
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Break implements Control. It breaks the deepest barrier at which lanes wait. They continue, but still reconverge
// with the others: at the immediate postdominator of the barrier's PC. Because that moves up the tree of
// postdominators with each break, every lane makes progress in the end.
func (w *ITS) Break() bool {
	id := w.deepest()
	if id == noBarrier {
		return false
	}
	w.broken = true
	b := *w.barriers.at(id)
	graph, parent := w.frames.At(b.frame).Graph, b.parent
	if rpc := graph.Reconvergence(b.pc); rpc != flow.None {
		parent = w.barriers.addOrReuse(rpc, b.frame, b.participants, parent)
	} else {
		parent = w.returnBarrier(b.frame, b.participants, parent)
	}
	p := w.barriers.at(id)
	p.parent, p.arrived, p.participants = parent, 0, b.participants&^b.arrived
	w.enqueue(b.pc, b.frame, b.arrived, parent)
	return true
}

// deepest returns the convergence barrier with arrived lanes that has the most ancestors; among several, that with
// the lowest lane. Every barrier is an ancestor of some split's.
func (w *ITS) deepest() barrierID {
	best, most, lowest := noBarrier, 0, lanes.Mask(0)
	for i := range w.splits {
		for at := w.splits[i].at; at != noBarrier; at = w.barriers.at(at).parent {
			arrived := w.barriers.at(at).arrived
			if arrived == 0 {
				continue
			}
			depth, first := w.barriers.depth(at), arrived&-arrived
			if depth > most || depth == most && first < lowest {
				best, most, lowest = at, depth, first
			}
		}
	}
	return best
}
