package hazard

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// access is a load, store or atomic of shared or global memory.
type access struct {
	pc        int
	stores    bool // it writes, and does not read
	shared    bool // it accesses shared memory, and is weak
	size      int64
	addr      *affine
	base      string // the pointers and variables that the address is relative to
	pointer   symbol // the parameter that base is; one if it is something else
	guard     guard
	intervals *big.Int
}

// findAccesses finds the accesses of a function that others can collide with.
func (c *function) findAccesses() {
	idom, origins := c.g.Dominators(), flow.OriginsOf(c.f, c.g)
	var conditions [][]condition
	for pc := range c.f.Code {
		in := &c.f.Code[pc]
		a, ok := c.accessAt(pc, in)
		if !ok || flow.OriginsOfAddress(in, origins) == flow.FromLocal { // no other thread accesses local memory
			continue
		}
		c.accesses = append(c.accesses, a)
		conditions = append(conditions, c.v.conditions(pc, idom))
	}
	c.v.settle()
	known := make([][]comparison, len(c.accesses))
	for i := range c.accesses {
		c.accesses[i].addr = c.v.resolved(c.accesses[i].addr)
		known[i] = c.v.comparisons(conditions[i])
	}
	c.classify() // all symbols found so far
	for i := range c.accesses {
		a := &c.accesses[i]
		a.guard = c.guardOf(known[i])
		c.findBase(a)
	}
}

// accessAt returns the access of the instruction at pc. Strong loads and stores are excluded, because programs use
// them where they expect concurrent accesses. Volatile ones of shared memory are included, because old reductions use
// them without that expectation.
func (c *function) accessAt(pc int, in *isa.Instr) (a access, ok bool) {
	rows := in.Mods.Matrices() > 0                           // ldmatrix and stmatrix: each lane has the address of a row
	copies := in.Is(isa.Copy) && in.Mods[isa.CopyCache] != 0 // cp.async, a store to its first operand
	if !in.Is(isa.Load) && !in.Is(isa.Store) && !in.Is(isa.Atomic) && !copies || in.Spec.WholeWarp && !rows || in.MbarrierOp() != 0 {
		return a, false
	}
	switch in.Mods.MemSpace() {
	case isa.Shared, isa.Global, isa.Generic:
	default:
		return a, false
	}
	strong := in.Mods[isa.Sem] > isa.SemWeak && (in.Mods[isa.Sem] != isa.SemVolatile || in.Mods.MemSpace() != isa.Shared)
	if strong && !in.Is(isa.Atomic) || isReadOnly(in) {
		return a, false
	}
	for i := range in.Args {
		if in.Args[i].Kind == isa.AddrOperand {
			size := int64(in.Types[0].Bytes() * in.Mods.VecLen())
			switch {
			case rows:
				size = lanes.RowBytes
			case copies:
				size = int64(in.Args[2].Bits)
			}
			return access{pc: pc, stores: in.Is(isa.Store) || copies, shared: in.Mods.MemSpace() == isa.Shared && in.Mods[isa.Sem] <= isa.SemWeak, size: size, addr: c.v.address(pc, &in.Args[i]), intervals: c.iv.of(pc)}, true
		}
	}
	return a, false
}

// isReadOnly reports whether a load is from memory that no thread of the launch may write.
func isReadOnly(in *isa.Instr) bool { return in.Is(isa.Load) && in.Mods[isa.NC] != 0 }

// findBase finds the pointer or variable that an address is relative to.
func (c *function) findBase(a *access) {
	n := 0
	for _, t := range a.addr.terms {
		info := &c.v.symbols[t.sym]
		if t.dim != none || t.factor != 1 || info.kind != pointer && info.kind != variable && info.kind != loaded {
			continue
		}
		if a.base += fmt.Sprint(t.sym, " "); info.kind == pointer {
			a.pointer = t.sym
		}
		n++
	}
	if n != 1 {
		a.pointer = one
	}
}

// classify finds the symbols that differ from thread to thread, and those that differ between executions within an
// interval.
func (c *function) classify() {
	n := len(c.v.symbols)
	c.varying, c.unstable, c.apart = make([]bool, n), make([]bool, n), make([]bool, n)
	for changed := true; changed; {
		changed = false
		for s := range c.v.symbols {
			varying, unstable := c.classOf(symbol(s))
			apart := c.isApart(symbol(s))
			if varying && !c.varying[s] || unstable && !c.unstable[s] || apart && !c.apart[s] {
				c.varying[s], c.unstable[s], c.apart[s], changed = c.varying[s] || varying, c.unstable[s] || unstable, c.apart[s] || apart, true
			}
		}
	}
}

func (c *function) classOf(s symbol) (varying, unstable bool) {
	info := &c.v.symbols[s]
	if info.block >= 0 {
		unstable = c.cyclic[info.block]
	}
	parts := info.parts
	switch {
	case info.is != nil:
		parts, unstable = []*affine{info.is}, false
	case info.kind == own, info.kind == phi && !info.loop:
		varying = true
	}
	for _, p := range parts {
		varying = varying || p.indexed()
		for _, t := range p.terms {
			varying = varying || c.varying[t.sym]
			unstable = unstable || c.unstable[t.sym]
		}
	}
	return varying, unstable
}

// isApart reports whether a symbol may have different values in different CTAs, as far as is known.
func (c *function) isApart(s symbol) bool {
	info := &c.v.symbols[s]
	parts := info.parts
	if info.is != nil {
		parts = []*affine{info.is}
	} else if info.apart {
		return true
	}
	return slices.ContainsFunc(parts, func(p *affine) bool {
		return slices.ContainsFunc(p.terms, func(t term) bool { return c.apart[t.sym] })
	})
}

// repeats reports whether an access is to the same places of shared memory in every CTA.
func (c *function) repeats(a *access) bool {
	return a.shared && !slices.ContainsFunc(a.addr.terms, func(t term) bool { return int(t.sym) >= len(c.apart) || c.apart[t.sym] })
}

// comparable reports whether a value is the same for all threads that use it in one interval.
func (c *function) comparable(a *affine) bool {
	for _, t := range a.terms {
		if t.dim != none || c.varies(t.sym) {
			return false
		}
	}
	return true
}

// varies reports whether two threads may have different values of a symbol in one interval.
func (c *function) varies(s symbol) bool {
	return c.differs(s) || c.unstable[s]
}

// differs reports whether a symbol may have different values in two threads at any places.
func (c *function) differs(s symbol) bool { return int(s) >= len(c.varying) || c.varying[s] }
