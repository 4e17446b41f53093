package interp

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// products are an engine's routines for products of matrices outside of compiled code: in the Go loop, and with a
// clock.
type products struct {
	of    map[*lanes.Product]*multiplier
	state *jit.MultiplierState
}

// multiplier is the routine of a product.
type multiplier struct {
	*jit.Multiplier     // nil until it is compiled, and if there is none
	executed        int // times, until it is compiled
}

// multiplierAfter is how often an engine executes a product by lane functions before it compiles a routine: that takes
// as long as some ten of them.
const multiplierAfter = 10

// multiplierKey identifies a routine of the natives.
type multiplierKey struct {
	product lanes.Product
	level   jit.Level
}

// multiplier returns the routine of a product; nil if there is none. With compiles it is compiled if that has not been
// done.
func (n *natives) multiplier(key multiplierKey, compiles bool) *jit.Multiplier {
	n.mu.Lock()
	defer n.mu.Unlock()
	m, known := n.multipliers[key]
	if known || !compiles {
		return m
	}
	if n.multipliers == nil {
		n.multipliers = make(map[multiplierKey]*jit.Multiplier)
	}
	if jit.HasProduct(&key.product) {
		var err error
		if m, err = jit.NewMultiplier(key.level, &key.product); err != nil {
			m = nil // the system has no memory for it
		}
	}
	n.multipliers[key] = m
	return m
}

// multiply executes the Op of a product by a routine. It returns false, and does nothing, if there is none, or if the
// lane function must execute it for these operands.
func (e *Engine) multiply(p *lanes.Product, op *lanes.Op) bool {
	m := e.products.of[p]
	if m == nil {
		m = e.newMultiplier(p)
	}
	if m.Multiplier == nil {
		if m.executed > multiplierAfter || !e.grid.multiplies() {
			return false
		}
		m.executed++
		m.Multiplier = e.m.code.natives.multiplier(multiplierKey{*p, e.m.cfg.lanes()}, m.executed > multiplierAfter)
		if m.Multiplier == nil {
			return false
		}
	}
	return m.Multiply(e.products.state, e.path.File, op)
}

// newMultiplier adds a product to those of the engine.
func (e *Engine) newMultiplier(p *lanes.Product) *multiplier {
	if e.products.of == nil {
		e.products = products{make(map[*lanes.Product]*multiplier), new(jit.MultiplierState)}
	}
	m := new(multiplier)
	e.products.of[p] = m
	return m
}

// multiplies reports whether products of the launch are executed by routines: not where all is to be executed by lane
// functions, or by a model of the CPU.
func (g *Grid) multiplies() bool {
	return g.compiles() && !g.m.cfg.Verify && g.m.cfg.Evaluate == nil
}
