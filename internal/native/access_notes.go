package native

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// noted reports whether code records the access of a step: if it records any, those to memory that CTAs share, except
// atomics. The hints of atomics say where they go, and whether code may make them. In a shadow code records stores.
func (c *compiler) noted(st *step) bool {
	if c.shadow {
		return st.kind == stepStore && spaces(st) != 0
	}
	return c.notes && (st.kind == stepLoad || st.kind == stepStore) && st.own == jit.NotOwn && (st.info.Space == isa.Global || st.info.Space == isa.Generic)
}

// noteAccesses records the accesses of a region, all of which will be made, including dead ones, as lane functions
// make them. It precedes the region's subvectors, because it may have to ask for a page; therefore a guard of such an
// access must not be a result of the region.
func (c *compiler) noteAccesses(r *region) {
	if c.someNoted(r, stepLoad) {
		none := c.e.NewLabel()
		c.e.UnlessReadsNoted(none)
		c.noteAll(r, stepLoad)
		c.e.Bind(none)
	}
	c.noteAll(r, stepStore)
}

// someNoted reports whether accesses of a kind are recorded.
func (c *compiler) someNoted(r *region, kind stepKind) bool {
	for i := range r.steps {
		if s := &r.steps[i]; s.kind == kind && c.noted(s.step) {
			return true
		}
	}
	return false
}

// noteAll records the accesses of a kind.
func (c *compiler) noteAll(r *region, kind stepKind) {
	c.e.Lanes = jit.SubvectorLanes // at any level
	for i := range r.steps {
		s := &r.steps[i]
		if s.kind != kind || !c.noted(s.step) {
			continue
		}
		executing := func() *jit.Val {
			c.g.begin(r, true)
			return c.executing(s)
		}
		if c.shadow {
			c.e.Define(&s.access, s.affine, executing)
		} else {
			c.e.Note(&s.access, s.affine, executing, c.ask)
		}
	}
}

// marks reports whether code records accesses, or checks a shadow, before the subvectors of a region.
func (p *plan) marks() bool { return p.notes || p.shadow || p.trails }

// shadowed reports whether code checks that the memory of an access is defined.
func (c *compiler) shadowed(s *regionStep) bool {
	return c.shadow && s.kind != stepStore && spaces(s.step) != 0
}
