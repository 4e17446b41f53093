package check

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// iterations counts, for the lanes of a warp, iterations of memory-accessing loops since the latest barrier for all
// threads of the CTA. Between two such barriers threads that execute the same code are in the same iteration of a
// loop if their counts are equal. The advice for a race depends on this: whether a barrier is missing between two
// accesses, or between the iterations.
type iterations struct {
	all  uint8 // modulo 256
	more [lanes.Width]uint8
	used bool // more is not all zeros
}

func (r *iterations) of(lane int) uint8 { return r.all + r.more[lane] }

func (r *iterations) reset() {
	r.all = 0
	if r.used {
		*r = iterations{}
	}
}

// next counts one more iteration of the lanes of m, some or all of the live lanes.
func (r *iterations) next(m, live lanes.Mask) {
	if m == live {
		r.all++
		return
	}
	r.used = true
	for ; m != 0; m &= m - 1 {
		r.more[firstLane(m)]++
	}
}

// loopEnds returns by PC the retreating branches of fn with loops that access memory or call; nil if there are none.
// Loops that only poll do not count: threads that wait for the same leave them after different numbers of iterations.
// It marks the sites that are in loops without barriers.
func loopEnds(fn *isa.Func, sites []site) []bool {
	before := make([]int, len(fn.Code)+1) // accesses before each PC
	for pc := range fn.Code {
		before[pc+1] = before[pc]
		if in := &fn.Code[pc]; sites[pc].class&(reads|writes) != 0 && !sites[pc].polls || in.Spec != nil && in.Spec.Kind == isa.CallKind {
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
			markRepeated(sites[start : pc+1])
		}
	}
	return ends
}

// markRepeated marks the sites of a loop, unless there is a barrier among them.
func markRepeated(loop []site) {
	for i := range loop {
		if in := loop[i].in(); in.Spec != nil && in.Spec.Kind == isa.Barrier {
			return
		}
	}
	for i := range loop {
		loop[i].repeated = true
	}
}

// settleIterations corrects the evidence for two accesses in the loop whose first instruction is at header. Counts
// include the iterations of inner loops: with such a loop between the accesses, counts that differ do not tell
// iterations of the outer one apart. If a barrier for all threads is on every path, the accesses do not race across it.
func (c *race) settleIterations(header int) {
	a, b, code := c.first.pc, c.second.pc, c.r.code(c.first.fn)
	if a == b || c.blocks {
		return
	}
	arms := !code.reaches(a, b, nowhere) && !code.reaches(b, a, nowhere)
	same := arms || code.reaches(a, b, code.isBarrier) || code.reaches(b, a, code.isBarrier)
	other := code.reachesNext(a, b, header) || code.reachesNext(b, a, header)
	if c.otherIteration && c.loopBetween(code, header) {
		c.sameIteration = true
	}
	if same, other = same && c.sameIteration, other && c.otherIteration; same || other {
		c.sameIteration, c.otherIteration = same, other
	}
}

// loopBetween reports whether an iteration of an inner loop ends on a path from one of the accesses to the other, in
// one iteration of the loop at header.
func (c *race) loopBetween(code *code, header int) bool {
	a, b, outer := c.first.pc, c.second.pc, code.fl.BlockOf(header)
	for pc, ends := range c.r.loopEnds[slices.Index(c.r.fns, c.first.fn)] {
		if ends && code.inLoop(outer, pc) && !slices.Contains(code.blocks[code.fl.BlockOf(pc)].Succ, outer) &&
			(code.reaches(a, pc, nowhere) && code.reaches(pc, b, nowhere) || code.reaches(b, pc, nowhere) && code.reaches(pc, a, nowhere)) {
			return true
		}
	}
	return false
}

// Ran implements interp.RunObserver.
func (r *Races) Ran(at *interp.Place, _, end int, m lanes.Mask) {
	if ends := r.loopEnds[at.Func]; ends != nil && ends[end-1] {
		w := r.warp(at)
		if m != w.live { // deferred reads know a count of all lanes
			r.checkDeferred(w.cta)
		}
		r.log.endIteration(w)
		w.iterations.next(m, w.live)
	}
}
