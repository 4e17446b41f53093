package native

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/flow"
)

// blockQueue has the blocks of a function whose facts must be computed again. Take returns the first of them in reverse
// postorder, where a block comes after all its predecessors, back edges of loops excepted. So the facts of a loop are
// complete before the code after it is looked at.
type blockQueue struct {
	graph  *flow.Graph
	order  []int    // the blocks, in that order
	place  []int32  // by block: its index in order
	queued []uint64 // by index in order
	first  int      // index of the first word of queued that is not 0, or a lower one
	count  int
}

// clear empties the queue, for the blocks of a function.
func (q *blockQueue) clear(g *flow.Graph) {
	n := len(g.Blocks())
	if q.graph != g {
		q.graph, q.order, q.place = g, g.ReversePostorder(q.order[:0]), sized(q.place, n)
		for i, b := range q.order {
			q.place[b] = int32(i)
		}
	}
	q.queued, q.first, q.count = zeroed(q.queued, (n+63)/64), 0, 0
}

func (q *blockQueue) isEmpty() bool { return q.count == 0 }

// add adds a block, unless it is in the queue.
func (q *blockQueue) add(b int) {
	word, bit := int(q.place[b]/64), uint64(1)<<(q.place[b]%64)
	if q.queued[word]&bit == 0 {
		q.queued[word] |= bit
		q.first = min(q.first, word)
		q.count++
	}
}

// take removes the first block of a queue that is not empty.
func (q *blockQueue) take() int {
	for q.queued[q.first] == 0 {
		q.first++
	}
	i := bits.TrailingZeros64(q.queued[q.first])
	q.queued[q.first] &^= 1 << i
	q.count--
	return q.order[64*q.first+i]
}
