package hazard

import (
	"math/big"
	"slices"
)

// A symbol of a loop, such as a bound that is halved, has another value in each pass. Two accesses of one interval
// use the same value of it if it was computed on every path to both, and only once. In an interval that begins at a
// barrier within the loop, one access may come before the value changes, and the other one after it.

// instances determines whether accesses use the same value of a symbol.
type instances struct {
	born    map[symbol][]int32   // the blocks that compute the values on which a symbol depends
	without map[avoided]*big.Int // by block: whether it is reached
}

// avoided is the start of an interval, and a block that paths from there must not enter.
type avoided struct {
	interval int
	block    int32
}

// same reports whether both accesses use the same values of all symbols of a.
func (c *function) same(a *affine, w, r *access) bool {
	return !slices.ContainsFunc(a.terms, func(t term) bool { return !c.sameSymbol(t.sym, w, r) })
}

func (c *function) sameSymbol(s symbol, w, r *access) bool {
	common := new(big.Int).And(w.intervals, r.intervals)
	for _, b := range c.bornIn(s) {
		for n := range common.BitLen() {
			if common.Bit(n) == 1 && c.iv.entered[b].Bit(n) == 1 && (c.reaches(n, b, w) || c.reaches(n, b, r)) {
				return false
			}
		}
	}
	return true
}

// bornIn returns the blocks that compute the values on which a symbol depends.
func (c *function) bornIn(s symbol) []int32 {
	if blocks, known := c.instances.born[s]; known {
		return blocks
	}
	c.instances.born[s] = nil // ends the recursion of a symbol that depends on itself
	info := &c.v.symbols[s]
	var blocks []int32
	parts := info.parts
	if info.is != nil {
		parts = []*affine{info.is}
	} else if info.block >= 0 {
		blocks = append(blocks, info.block)
	}
	for _, p := range parts {
		for _, t := range p.terms {
			blocks = append(blocks, c.bornIn(t.sym)...)
		}
	}
	slices.Sort(blocks)
	blocks = slices.Compact(blocks)
	c.instances.born[s] = blocks
	return blocks
}

// reaches reports whether a path leads from the start of an interval to an access without entering a block.
func (c *function) reaches(interval int, block int32, a *access) bool {
	key := avoided{interval, block}
	found := c.instances.without[key]
	if found == nil {
		found = c.iv.avoiding(interval, int(block), c.f.Entry)
		c.instances.without[key] = found
	}
	b := c.g.BlockOf(a.pc)
	if last := c.iv.lastSync(a.pc); last >= 0 { // the interval begins in the block of the access, or has ended there
		return c.iv.begins[last] == interval
	}
	return found.Bit(b) == 1
}
