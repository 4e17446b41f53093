package native

import (
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

// productAt writes the product at pc of block b, by a routine. Code exits if some lanes are missing, or if the routine
// is not for the operands.
func (c *compiler) productAt(b, pc int) {
	st := &c.steps[pc]
	if registers, fail, ok := c.fragmentsAt(b, pc, st.op); ok {
		c.e.Multiply(c.routineOf(st.product), registers, fail)
	}
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
