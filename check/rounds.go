package check

import (
	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// rounds counts, for the lanes of a warp, how often they came by the end of a loop
// in which memory is accessed since all threads of the CTA have met at a barrier.
// Between two such barriers threads that do the same are in the same round of a
// loop when they have come by as many ends. The advice for a race depends on it:
// whether what is missing is a barrier between two accesses, or one between the
// rounds.
type rounds struct {
	all  uint8 // modulo 256
	more [lanes.Width]uint8
	used bool // more is not all 0
}

func (r *rounds) of(lane int) uint8 { return r.all + r.more[lane] }

func (r *rounds) reset() {
	r.all = 0
	if r.used {
		*r = rounds{}
	}
}

// next is one more round of the lanes of m, of those that live.
func (r *rounds) next(m, live lanes.Mask) {
	if m == live {
		r.all++
		return
	}
	r.used = true
	for ; m != 0; m &= m - 1 {
		r.more[firstLane(m)]++
	}
}

// loopEnds are, by PC, the branches of fn that lead back to where a loop starts that
// accesses memory; nil if there are none. What calls may access memory.
func loopEnds(fn *isa.Func, sites []site) []bool {
	before := make([]int, len(fn.Code)+1) // accesses before each PC
	for pc := range fn.Code {
		before[pc+1] = before[pc]
		if in := &fn.Code[pc]; sites[pc].class != 0 || in.Spec != nil && in.Spec.Kind == isa.CallKind {
			before[pc+1]++
		}
	}
	var ends []bool
	fl := flow.New(fn)
	for pc := range fn.Code {
		if !fl.Retreating(pc) {
			continue
		}
		start := pc
		for _, s := range fl.Blocks()[fl.BlockOf(pc)].Succ {
			start = min(start, fl.Blocks()[s].Start)
		}
		if before[pc+1] > before[start] {
			if ends == nil {
				ends = make([]bool, len(fn.Code))
			}
			ends[pc] = true
		}
	}
	return ends
}

// Ran implements interp.RunObserver.
func (r *Races) Ran(at *interp.Place, _, end int, m lanes.Mask) {
	if ends := r.loopEnds[at.Func]; ends != nil && ends[end-1] {
		w := r.warp(at)
		w.rounds.next(m, w.live)
	}
}
