package interp

import (
	"cmp"
	"slices"
)

// NewEngines makes n engines, each for CTAs of its own, that can execute on as many
// threads of the host at the same time. Then nothing that they do depends on which of
// them is first, as long as their CTAs do not write what others access, and call no
// function of the system: calls of functions take memory of a share that each engine has
// of what all may take, and memory for so many resident CTAs is left besides.
//
// A CTA is executed by one engine from Start to End. Threads must not execute while
// another makes a CTA. The launch's observers are notified on
// the thread that executes.
func (g *Grid) NewEngines(n int, resident int64) []*Engine {
	sharing := max(1, min(int64(n), g.Launch.Grid.Count())) // without a CTA an engine takes nothing
	share := int64(0)
	if len(g.p.Funcs) > 1 || g.p.Kernel().Layout.Stack != 0 { // there is something to call, or local memory can grow
		b := g.m.budget
		share = max(0, min(b.Limit()/stackShare/g.beside, b.Left()-resident*g.ctaBytes)/sharing)
		if err := g.m.takeForLaunch("call stacks", share*sharing); err != nil {
			panic("simtrun bug: a part of what is left of the budget is not there")
		}
	}
	engines := make([]*Engine, n)
	for i := range engines {
		engines[i] = g.NewEngine()
		engines[i].stack = &callStacks{most: share, sharing: sharing}
	}
	return engines
}

// when orders what several engines have found: it is the cycle, or the number of the CTA
// in a launch without a clock.
func (e *Engine) when() int64 {
	if e.Clock != nil {
		cycle, _ := e.Clock.Now()
		return int64(cycle)
	}
	return e.grid.Shape.Number(e.cta.At)
}

// Take adds to e what other engines have executed since, CTAs of higher numbers, and makes
// those ones that have executed nothing. No CTA is under way.
func (e *Engine) Take(others []*Engine) {
	e.Stats = Total(append([]*Engine{e}, others...))
	e.firsts = make([]int64, len(e.Stats.Warnings)) // before all that is to come
	e.warned = make(map[warningKey]int)
	for i, w := range e.Stats.Warnings {
		e.warned[w.key()] = i
	}
	for _, o := range others {
		o.Stats, o.warned, o.firsts = Stats{}, nil, nil
		e.m.code.natives.keepHeat(o)
	}
}

// Total is what engines of one launch have executed together. Warnings are about what the
// first lanes did, and in that order: of cycles, of engines, and of what an engine
// executes. Without a clock the number of the CTA stands for the cycle.
func Total(engines []*Engine) Stats {
	type finding struct {
		at      int64
		warning Warning
	}
	var total Stats
	var all []finding
	for _, e := range engines {
		s := &e.Stats
		total.WarpInstrs += s.WarpInstrs
		total.LaneInstrs += s.LaneInstrs
		total.DivergentBranches += s.DivergentBranches
		for i, w := range s.Warnings {
			all = append(all, finding{e.firsts[i], w})
		}
	}
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Compare(a.at, b.at) })
	number := make(map[warningKey]int)
	for i := range all {
		w := &all[i].warning
		n, known := number[w.key()]
		if !known {
			number[w.key()] = len(total.Warnings)
			total.Warnings = append(total.Warnings, *w)
			continue
		}
		first := &total.Warnings[n]
		first.Count += w.Count
		first.Warps += w.Warps
		first.Blocks += w.Blocks
	}
	return total
}
