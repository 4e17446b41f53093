package program

import (
	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/lanes"
)

// mostStraight bounds the instructions of StraightTo.
const mostStraight = 32

// StraightTo is the start of a block to which all lanes at pc come in a few instructions, each of which is on registers alone or
// an unconditional branch; flow.None if there is none.
func (f *Func) StraightTo(pc int) int {
	f.findStraight.Do(f.findStraightTo)
	return int(f.straight[pc])
}

func (f *Func) findStraightTo() {
	f.straight = make([]int32, len(f.Ops))
	starts := make([]bool, len(f.Ops)+1)
	for _, b := range f.Graph.Blocks() {
		starts[b.Start] = true
	}
	n := 0 // instructions from the one behind pc on
	for pc := len(f.Ops) - 1; pc >= 0; pc-- {
		to := int32(flow.None)
		switch op := &f.Ops[pc]; op.Kind {
		case lanes.Jump:
			if op.Guard == f.Layout.True {
				to, n = int32(op.Imm), 1
			}
		case lanes.Compute, lanes.Guarded, lanes.Nop:
			if starts[pc+1] {
				to, n = int32(pc+1), 1
			} else if n++; n <= mostStraight && pc+1 < len(f.Ops) {
				to = f.straight[pc+1]
			}
		}
		f.straight[pc] = to
	}
}
