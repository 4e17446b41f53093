package interp

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
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
			if a.fn == e.fn.Number && a.pc == pc && e.inSameCalls(a.frame) {
				continue
			}
			e.report(pc, &Warning{Error: true, Where: e.where(m), Rule: RuleDiverged, Msg: "lanes of one warp execute different barriers"}, func() []Involved {
				there := Involved{Role: Waits, Where: e.where(others), Place: e.placeIn(w, a.frame, a.pc), Text: e.p.Funcs[a.fn].Src.Text(a.pc), For: BarrierName(id), Barrier: id}
				return []Involved{arrived(), there}
			})
		}
	}
	for s := range w.Control.Splits() {
		others := s.Mask & absent
		if others == 0 {
			continue
		}
		switch e.fate(s, pc) {
		case unclear:
			e.warn(pc, m, RuleDiverged, "barrier inside divergent code; it counts lanes as they arrive, as on Volta and later", func() []Involved {
				return []Involved{arrived(), e.absent(others)}
			})
		case leavesOut:
			e.report(pc, &Warning{Error: true, Where: e.where(m), Rule: RuleDiverged, Msg: "lanes of the warp skip this barrier"}, func() []Involved {
				return []Involved{arrived(), e.absent(others)}
			})
		}
	}
}

// fate is the verdict on lanes that are elsewhere while other lanes of their warp are at a barrier: whether they will
// reach it.
type fate uint8

const (
	harmless  fate = iota + 1 // they reach it, or only have to exit
	leavesOut                 // they have skipped it, and reconverge with the others later
	unclear
)

// fateKey has the places, all in one function, that determine the fate of lanes.
type fateKey struct {
	fn, at, barrier int
	ends            bool // lanes that return from the function only have to exit
}

// fate returns the fate of a split, with lanes at the barrier at pc in the running split. If only one of the two has
// called a function, or each has called one, it depends on the places of their calls.
func (e *Engine) fate(s divergence.Split, pc int) fate {
	arrived, absent := e.callChain(e.split.Frame), e.callChain(s.Frame)
	n := 1
	for n < min(len(arrived), len(absent)) && e.isSameCall(arrived[n], absent[n]) {
		n++
	}
	at := s.PC
	if n < len(absent) {
		at = absent[n].Ret - 1
	}
	if n < len(arrived) {
		pc = arrived[n].Ret - 1
	}
	in := arrived[n-1]
	key := fateKey{in.Func, at, pc, e.returnsToEnd(in)}
	f := e.fates[key]
	if f == 0 {
		f = e.findFate(key)
		if e.fates == nil {
			e.fates = make(map[fateKey]fate)
		}
		e.fates[key] = f
	}
	return f
}

// callChain returns the frames from that of the kernel to a frame of the warp.
func (e *Engine) callChain(id divergence.FrameID) (all []*divergence.Frame) {
	for frames := e.warp.Control.Frames(); id != divergence.NoFrame; id = all[len(all)-1].Parent {
		all = append(all, frames.At(id))
	}
	slices.Reverse(all)
	return all
}

// isSameCall reports whether two frames with the same callers are activations of a function by the same call.
func (e *Engine) isSameCall(a, b *divergence.Frame) bool { return a.Func == b.Func && a.Ret == b.Ret }

// inSameCalls reports whether a frame and that of the running split come from the same calls.
func (e *Engine) inSameCalls(id divergence.FrameID) bool {
	return id == e.split.Frame || slices.EqualFunc(e.callChain(id)[1:], e.callChain(e.split.Frame)[1:], e.isSameCall)
}

// returnsToEnd reports whether lanes that return from a frame only have to exit.
func (e *Engine) returnsToEnd(f *divergence.Frame) bool {
	for f.Parent != divergence.NoFrame {
		caller := e.warp.Control.Frames().At(f.Parent)
		if !e.ends(caller.Func, f.Ret, true) {
			return false
		}
		f = caller
	}
	return true
}

func (e *Engine) findFate(k fateKey) fate {
	g := e.p.Funcs[k.fn].Graph
	switch meet := g.CommonPostdominator(k.barrier, k.at); {
	case meet == k.barrier:
		return harmless
	case meet != none && !e.ends(k.fn, meet, k.ends):
		return leavesOut
	case meet != none:
		return harmless
	}
	reached := g.ReachedFrom(g.BlockOf(k.barrier))
	for b := range g.ReachedFrom(g.BlockOf(k.at)) {
		if reached[b] && !e.ends(k.fn, g.Blocks()[b].Start, k.ends) {
			return unclear
		}
	}
	if !k.ends && e.returns(k, k.at) && e.returns(k, k.barrier) {
		return leavesOut
	}
	return harmless
}

// ends reports whether lanes at pc of a function only have to exit. If returned, it is enough that they only have to
// return.
func (e *Engine) ends(fn, pc int, returned bool) bool {
	f := e.p.Funcs[fn]
	code := f.Src.Code
	for range code {
		if pc == len(code) {
			return true
		}
		in := &code[pc]
		if in.Guard != isa.NoReg || !in.Is(isa.Branch) {
			return in.Guard == isa.NoReg && (in.Is(isa.Exit) || in.Is(isa.Return) && returned)
		}
		next := f.Graph.Blocks()[f.Graph.BlockOf(pc)].Succ
		if len(next) != 1 {
			return false
		}
		pc = f.Graph.Blocks()[next[0]].Start
	}
	return false
}

// returns reports whether lanes at pc may return from the function.
func (e *Engine) returns(k fateKey, pc int) bool {
	f := e.p.Funcs[k.fn]
	for b := range f.Graph.ReachedFrom(f.Graph.BlockOf(pc)) {
		if block := &f.Graph.Blocks()[b]; block.End > block.Start && f.Src.Code[block.End-1].Is(isa.Return) {
			return true
		}
	}
	return false
}
