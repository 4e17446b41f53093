package interp

import (
	"cmp"

	"github.com/simtrun/simtrun/internal/sorted"
)

// NewEngines makes n engines that can execute different CTAs on n threads of the host at the same time. Their results
// do not depend on their relative speed as long as no CTA writes what a CTA of another engine accesses, and none
// calls a system function. Each engine has an equal share of the memory that calls may take, and memory for the given
// number of resident CTAs is left over.
//
// A CTA is executed by one engine from Start to End. Threads must not execute while another thread allocates a CTA.
// The launch's observers are notified on the thread that executes.
func (g *Grid) NewEngines(n int, resident int64) []*Engine {
	sharing := max(1, min(int64(n), g.Launch.Grid.Count())) // an engine without a CTA takes nothing
	share := int64(0)
	if len(g.p.Funcs) > 1 || g.p.Kernel().Layout.Stack != 0 { // the kernel may call functions, or local memory can grow
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

// position is the key that orders the warnings of several engines: the position of the instruction in the journal, or
// without a journal the number of the CTA.
func (e *Engine) position() int64 {
	if e.journal != nil {
		return e.journal.Position
	}
	return e.grid.Shape.Number(e.cta.At)
}

// Take adds to e the counts that other engines, for CTAs with higher numbers, have accumulated since the last Take, and
// resets them. No CTA may be running.
func (e *Engine) Take(others []*Engine) {
	e.Stats = Total(append([]*Engine{e}, others...))
	e.firsts = make([]int64, len(e.Stats.Warnings)) // earlier than all that follows
	e.warned = make(map[warningKey]int)
	for i, w := range e.Stats.Warnings {
		e.warned[w.key()] = i
	}
	for _, o := range others {
		o.Stats, o.warned, o.firsts = Stats{}, nil, nil
		e.takeLeft(o)
		e.m.code.natives.keepHeat(o)
	}
}

// Total sums the counts of engines of one launch. A warning names the lanes that had it first, in the order of
// positions (see Engine.position), of engines, and of execution within an engine.
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
		total.Undefined |= s.Undefined
		for i, w := range s.Warnings {
			all = append(all, finding{e.firsts[i], w})
		}
	}
	sorted.Stable(all, func(a, b finding) int { return cmp.Compare(a.at, b.at) })
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
