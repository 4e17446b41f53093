package interp

import (
	"bytes"
	"maps"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
)

// kept is a launch that has ended without error, for later launches of the kernel in the same shape. To it, these are
// further CTAs of the same launch, with other parameters. It keeps the state that belongs to the kernel: registers with
// constants, the regions of accesses, and compiled code with its context. Making all this takes longer than executing a
// small kernel.
type kept struct {
	grid   *Grid
	engine *Engine
	cta    *CTA
	driver any
	busy   bool // a launch has it, or had it and failed
}

// keptAs has the properties that launches must share to be kept for each other.
type keptAs struct {
	m           *Machine
	kernel      string
	grid, block isa.Dim
	shared      int64
}

func (m *Machine) keptAs(l *Launch) keptAs { return keptAs{m, l.Kernel, l.Grid, l.Block, l.Shared} }

// A launch is kept if its CTA takes at most mostKeptCTA bytes. It is taken to need besideKept bytes in addition to its
// CTA. All kept launches are dropped when they need more than mostKept bytes together.
const (
	mostKept    = 8 << 20
	mostKeptCTA = 256 << 10
	besideKept  = 16 << 10
)

// isPlain reports whether a launch has no rare feature, so that it can be kept, and use a kept one.
func (l *Launch) isPlain() bool {
	return len(l.Observers) == 0 && l.Order == nil && l.Cluster == isa.Dim{} && !l.Precise && !l.Cooperative
}

// Again is Prepare with the kept state of an earlier launch. It returns the driver's part of that state. It returns
// nil, and has no effect, if no kept launch suits, or if Prepare would return an error. The driver then continues with
// Grid.Retake.
func (m *Machine) Again(l Launch) (driver any) {
	k := m.kept[m.keptAs(&l)]
	if k == nil || k.busy || !l.isPlain() {
		return nil
	}
	g := k.grid
	if len(l.Params) != len(g.params.Data) || m.unbound(g.p) != "" || g.p.Contention(l.Block, l.Params) != g.contention {
		return nil
	}
	k.busy = true
	if g.Launch = l; !bytes.Equal(g.params.Data, l.Params) {
		copy(g.params.Data, l.Params) // in place: engines know the address
		for _, w := range k.cta.Warps {
			g.setParams(w.Windows[divergence.Root])
		}
	}
	k.engine.again()
	m.beginLaunch()
	m.total.Add(l.Grid.Count())
	return k.driver
}

// Retake takes the host memory of the CTA that was kept. Capacity has said that it is there.
func (g *Grid) Retake() {
	if err := g.m.takeForLaunch("a resident block", g.ctaBytes); err != nil {
		panic("simtrun bug: " + err.Error())
	}
}

// Keep is Ended for a launch that never had another resident CTA than cta. It keeps the launch and the driver's state
// for Again if the launch is of a kind that can be kept. The driver must not use them once another launch has begun.
func (g *Grid) Keep(e *Engine, cta *CTA, driver any) {
	if !g.canKeep(e) {
		g.Ended(e)
		return
	}
	g.ended(e)
	if g.files.spare != nil {
		g.m.spare.files, g.files = g.files.left, fileMemory{}
	}
	e.rest()
	if g.kept != nil {
		g.kept.busy = false
		return
	}
	m := g.m
	if m.keptBytes += g.ctaBytes + besideKept; m.kept == nil || m.keptBytes > mostKept {
		m.kept, m.keptBytes = make(map[keptAs]*kept), g.ctaBytes+besideKept
	}
	g.kept = &kept{grid: g, engine: e, cta: cta, driver: driver}
	m.kept[m.keptAs(&g.Launch)] = g.kept
}

// canKeep reports whether the launch can be kept.
func (g *Grid) canKeep(e *Engine) bool {
	cfg := &g.m.cfg
	return g.Launch.isPlain() && g.Shape.Cluster == isa.Dim{} && cfg.Split == 0 && !cfg.Verify && g.beside == 1 && g.slots == 1 &&
		e.stack == &g.stack && g.stack.taken == 0 && g.ctaBytes <= mostKeptCTA
}

// rest resets an engine of a kept launch, except its knowledge of the kernel and its findings.
func (e *Engine) rest() {
	stats, found, hints, native, canceler := e.Stats, e.findings, e.regionHints, e.native, e.Canceler
	native.possible, native.turnsOf, native.inTurn, native.withheld = false, nil, false, false
	*e = Engine{Stats: stats, launched: e.launched, findings: found, regionHints: hints, native: native, Canceler: canceler}
	e.init()
}

// again clears the engine's findings of a launch that was kept.
func (e *Engine) again() {
	e.Stats, e.findings, e.native.left = Stats{}, findings{}, nil
	for i := range e.native.funcs {
		f := &e.native.funcs[i]
		clear(f.left)
		for k := range f.parts {
			clear(f.parts[k].left)
		}
	}
}

// forgetKept makes launches that are kept forget all regions, because one was freed just now and they would keep its
// memory from the garbage collector. Engine.enter sees to it that they do not access it.
func (m *Memory) forgetKept() {
	for _, k := range m.kept {
		if e := k.engine; !k.busy && e.freed == m.freed-1 { // else it has forgotten them already
			e.clearHints()
		}
	}
}

// dropKept drops the launches of m that are kept.
func (m *Machine) dropKept() {
	maps.DeleteFunc(m.kept, func(key keptAs, _ *kept) bool { return key.m == m })
}
