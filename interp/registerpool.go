package interp

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/warp"
)

// registerPool divides the registers of a CTA among its warps (PTX ISA, setmaxnreg). A warp starts with the kernel's
// registers. setmaxnreg.dec and the end of a warp release registers to the pool; setmaxnreg.inc takes some, and blocks
// the warp until the pool has enough. Counts are registers per thread: a warp owns 32 times as many.
type registerPool struct {
	owned   []int // by warp
	free    int
	waiting []registerWait
}

// registerWait is a warp that is blocked at setmaxnreg.inc, and the registers per thread that it needs.
type registerWait struct {
	arrival
	wants int
}

// fillPool gives each warp of a new CTA its registers per thread. None are free.
func (c *CTA) fillPool(registers int) {
	if c.pool == nil {
		c.pool = &registerPool{owned: make([]int, len(c.Warps))}
	}
	p := c.pool
	p.free, p.waiting = 0, p.waiting[:0]
	for i := range p.owned {
		p.owned[i] = registers
	}
}

// copyTo sets *to to a copy of p.
func (p *registerPool) copyTo(to **registerPool) {
	if p == nil {
		*to = nil
		return
	}
	*to = &registerPool{slices.Clone(p.owned), p.free, slices.Clone(p.waiting)}
}

// total returns the registers of the CTA.
func (p *registerPool) total() int {
	n := p.free
	for _, owned := range p.owned {
		n += owned
	}
	return n * lanes.Width
}

// asked returns the registers that the warps would own if every blocked request were granted.
func (p *registerPool) asked() int {
	n := 0
	for _, owned := range p.owned {
		n += owned
	}
	for _, a := range p.waiting {
		n += a.wants - p.owned[a.warp]
	}
	return n * lanes.Width
}

// poolRegisters returns the registers per thread with which warps of the kernel start; 0 if setmaxnreg has no effect.
// NVIDIA's assembler ignores setmaxnreg in kernels without a directive or an option that limits their registers.
func (g *Grid) poolRegisters() int {
	if !g.p.AdjustsRegisters || g.Resources.From == RegistersLiveness {
		return 0
	}
	unit := g.m.cfg.GPU.Residency.RegisterUnit / lanes.Width
	return (g.Resources.Registers + unit - 1) / unit * unit
}

// adjustRegisters executes the setmaxnreg at pc for the warp, and reports whether the warp is blocked.
func (e *Engine) adjustRegisters(pc int, x *program.Warpgroup) (waits bool, err error) {
	if err := e.joinGroup(pc, issued{fn: e.fn.Number, pc: pc, warp: e.warp.ID}); err != nil {
		return false, err
	}
	p := e.cta.pool
	more := x.Registers - p.owned[e.warp.ID]
	switch {
	case x.More && more < 0:
		return false, e.fault(pc, lanes.AllLanes, violated(RuleRegisters, "setmaxnreg.inc to %d registers, and each thread of the warp has %d already", x.Registers, p.owned[e.warp.ID]))
	case !x.More && more > 0:
		return false, e.fault(pc, lanes.AllLanes, violated(RuleRegisters, "setmaxnreg.dec to %d registers, and each thread of the warp has only %d", x.Registers, p.owned[e.warp.ID]))
	case more > p.free:
		p.waiting = append(p.waiting, registerWait{e.arrival(pc, lanes.AllLanes), x.Registers})
		e.cta.Waiting |= 1 << e.warp.ID
		return true, nil
	}
	e.setOwned(e.warp.ID, x.Registers)
	e.servePool()
	return false, nil
}

// setOwned changes the registers per thread that a warp owns; the pool provides or receives the difference.
func (e *Engine) setOwned(warp, registers int) {
	p := e.cta.pool
	p.free -= registers - p.owned[warp]
	p.owned[warp] = registers
	e.hiddenChanges++
}

// servePool unblocks the warps for which the pool has enough registers.
func (e *Engine) servePool() {
	c, p := e.cta, e.cta.pool
	kept := p.waiting[:0]
	for _, a := range p.waiting {
		if a.wants-p.owned[a.warp] > p.free {
			kept = append(kept, a)
			continue
		}
		e.setOwned(a.warp, a.wants)
		c.Waiting &^= 1 << a.warp
		c.Warps[a.warp].Control.Wake(a.mask)
		if e.effect != nil {
			e.effect.Served = true
		}
	}
	p.waiting = kept
}

// waitingForRegisters lists the waits of a warp for registers.
func (c *CTA) waitingForRegisters(w *warp.State) (all []registerWait) {
	if c.pool == nil {
		return nil
	}
	for _, a := range c.pool.waiting {
		if a.warp == w.ID {
			all = append(all, a)
		}
	}
	return all
}

// wanted says for how many registers a blocked warp waits.
func (p *registerPool) wanted(a *registerWait) string {
	return fmt.Sprintf("for %d registers (%d to %d a thread); %d are free in the pool of the block", (a.wants-p.owned[a.warp])*lanes.Width, p.owned[a.warp], a.wants, p.free*lanes.Width)
}

// ExplainPool adds the state of a CTA's register pool to a hang, if warps are blocked for registers.
func (h *Hang) ExplainPool(c *CTA) {
	p := c.pool
	if p == nil || len(p.waiting) == 0 {
		return
	}
	h.Notes = append(h.Notes, fmt.Sprintf("pool    block (%d,%d,%d) has %d registers (%d threads of %d); with those that setmaxnreg.inc waits for its warps would have %d",
		c.At.X, c.At.Y, c.At.Z, p.total(), len(p.owned)*lanes.Width, p.total()/len(p.owned)/lanes.Width, p.asked()))
	h.Fix = "have other warps release registers first, by setmaxnreg.dec or by ending, or ask for fewer"
}
