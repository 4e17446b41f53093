package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
)

// checkDiverged is called when the lanes m arrive at the aligned barrier at pc while the lanes absent of their warp are
// elsewhere. All threads of a warp must execute the same aligned barrier (PTX ISA 9.7.13.1). It is an error if absent
// lanes wait at another barrier, or have skipped this one and continue. It is not if they reach it later, or only have
// to exit: CUDA's __syncthreads() waits only for threads that have not returned.
func (e *Engine) checkDiverged(pc int, m, absent lanes.Mask) {
	w := e.warp
	arrived := func() Involved { return involved(Arrived, e.where(m)) }
	for id := range e.cta.barriers {
		for _, a := range e.cta.waitingAt(id, w) {
			others := a.mask & absent
			if others == 0 {
				continue
			}
			absent &^= others
			if a.fn == e.fn.Number && a.pc == pc {
				continue
			}
			e.report(pc, &Warning{Error: true, Where: e.where(m), Rule: RuleDiverged, Msg: "lanes of one warp execute different barriers"}, func() []Involved {
				there := Involved{Role: Waits, Where: e.where(others), Place: source.At(e.p.Funcs[a.fn].Src, a.pc), Text: e.p.Funcs[a.fn].Src.Text(a.pc), For: BarrierName(id), Barrier: id}
				return []Involved{arrived(), there}
			})
		}
	}
	for s := range w.Control.Splits() {
		others := s.Mask & absent
		switch {
		case others == 0:
		case s.Frame != e.split.Frame, e.fate(s.PC, pc) == unclear:
			e.warn(pc, m, RuleDiverged, "barrier inside divergent code; it counts lanes as they arrive, as on Volta and later", func() []Involved {
				return []Involved{arrived(), e.absent(others)}
			})
		case e.fate(s.PC, pc) == leavesOut:
			e.report(pc, &Warning{Error: true, Where: e.where(m), Rule: RuleDiverged, Msg: "lanes of the warp skip this barrier"}, func() []Involved {
				return []Involved{arrived(), e.absent(others)}
			})
		}
	}
}

// fate says whether lanes elsewhere in the function will reach a barrier at which other lanes of their warp are.
type fate uint8

const (
	harmless  fate = iota + 1 // they reach it, or only have to exit
	leavesOut                 // they have skipped it, and reconverge with the others later
	unclear
)

// fateKey is the PC of lanes in a function, and the PC of a barrier.
type fateKey struct{ fn, at, barrier int }

// fate returns the fate of lanes at a PC.
func (e *Engine) fate(at, barrier int) fate {
	key := fateKey{e.fn.Number, at, barrier}
	f := e.fates[key]
	if f == 0 {
		f = e.findFate(at, barrier)
		if e.fates == nil {
			e.fates = make(map[fateKey]fate)
		}
		e.fates[key] = f
	}
	return f
}

func (e *Engine) findFate(at, barrier int) fate {
	g := e.fn.Graph
	switch meet := g.Meeting(barrier, at); {
	case meet == barrier:
		return harmless
	case meet != none && !e.ends(meet):
		return leavesOut
	case meet != none:
		return harmless
	}
	reached := g.ReachedFrom(g.BlockOf(barrier))
	for b := range g.ReachedFrom(g.BlockOf(at)) {
		if reached[b] && !e.ends(g.Blocks()[b].Start) {
			return unclear
		}
	}
	return harmless
}

// ends reports whether lanes at pc only have to exit.
func (e *Engine) ends(pc int) bool {
	code := e.fn.Src.Code
	return pc == len(code) || code[pc].Guard == isa.NoReg && (code[pc].Is(isa.Exit) || e.fn.Src.Entry && code[pc].Is(isa.Return))
}
