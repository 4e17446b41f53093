package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// productRoutine is the routine of a product of matrices in the code of a function.
type productRoutine struct {
	product lanes.Product
	at      jit.Label
}

// fragments is the table of the registers of a product.
type fragments struct {
	of *lanes.Fragments
	at jit.Label
}

// productAt writes the product at pc of block b, by a routine. It reads fragments from slots, so scalars are written to
// theirs. Code exits if some lanes are missing, or if the routine is not for the operands.
func (c *compiler) productAt(b, pc int) {
	st := &c.steps[pc]
	fail := c.exitAt(Exit{Why: AtOp, PC: pc, First: c.f.Graph.Blocks()[b].Start, Until: pc + 1}, pc, c.slotClass)
	if c.masked {
		c.e.Jmp(fail)
		return
	}
	start := len(c.listed)
	for _, id := range c.live.use[pc] {
		if k := c.slotClass[id]; k.kind == scalar && !c.s.all[id].fixed {
			c.listed = append(c.listed, c.scalarAt(id, k))
		}
	}
	if all := slices.Clip(c.listed[start:]); len(all) > 0 {
		c.e.Expand(c.expand, c.tableOf(all))
	}
	registers := c.e.NewLabel()
	c.fragments = append(c.fragments, fragments{st.op.Fragments(), registers})
	c.e.Multiply(c.routineOf(st.product), registers, fail)
}

// routineOf returns the routine of a product.
func (c *compiler) routineOf(p *lanes.Product) jit.Label {
	for i := range c.products {
		if c.products[i].product == *p {
			return c.products[i].at
		}
	}
	r := productRoutine{*p, c.e.NewLabel()}
	c.products = append(c.products, r)
	return r.at
}

// productRoutines writes the routines.
func (c *compiler) productRoutines() {
	for i := range c.products {
		c.e.ProductRoutine(c.products[i].at, &c.products[i].product)
	}
}
