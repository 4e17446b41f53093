package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// checkLanes checks the accesses at addresses that are not affine, which must be in their slots, and divisors, and
// publishes the values that lanes read of others.
func (c *compiler) checkLanes(r *region, fail jit.Label) {
	if r.gathers == 0 && r.published == 0 && r.divisors == 0 {
		return
	}
	for i := range r.steps {
		if s := &r.steps[i]; s.across() && s.meets && !slices.ContainsFunc(r.steps[:i], s.meetsAs) {
			c.checkMembers(s.step, s.members, fail)
		}
	}
	c.e.AsSubvectors()
	for i := range r.areas {
		if a := &r.areas[i]; !a.affine {
			c.e.CheckSize(&a.Area, fail)
		}
	}
	if r.deferred && r.published == 0 && r.divisors == 0 {
		return
	}
	c.eachSubvector(false, func() {
		c.g.begin(r, true)
		for i := range r.steps {
			s := &r.steps[i]
			c.mark(s.pc, "checked by subvector")
			switch {
			case s.divides && !r.values[s.divisor].uniform():
				c.checkDivisor(s, c.executing(s), fail)
			case s.across() && !s.dead:
				c.e.Publish(s.number, c.g.use(c, s.src[0]), c.masked)
			case s.checksLanes() && !r.deferred:
				off := c.e.Temp(64)
				c.e.CheckLanes(off, c.g.use(c, s.src[0]), &s.area.Area, c.lanesOf(s), fail)
				c.e.KeepOffsets(&s.area.Area, off)
				if c.shadowed(s) {
					c.e.CheckShadowLanes(&s.area.Area, c.executing(s), fail)
				}
			}
			c.g.endStep(len(r.steps), func(*value) bool { return false })
		}
	}, c.publishNone(r))
}

// checkDivisor jumps to fail if lanes of p, or any if it is nil, have a divisor with which code does not execute s.
func (c *compiler) checkDivisor(s *regionStep, p *jit.Val, fail jit.Label) {
	v := c.g.use(c, s.divisor)
	if check := s.template.Check; check != nil {
		check(&c.e, v, p, fail)
		return
	}
	c.e.CheckNonZero(v, p, fail)
}

// publishNone returns a function that emits the values that a subvector without executing lanes publishes: those that
// other lanes read from absent lanes.
func (c *compiler) publishNone(r *region) func() {
	if r.published == 0 {
		return nil
	}
	return func() {
		c.g.begin(r, true)
		for i := range r.steps {
			if s := &r.steps[i]; s.across() && !s.dead {
				c.e.PublishNone(s.number)
				c.g.release()
			}
		}
	}
}

func (s *regionStep) isAccess() bool { return s.step.isAccess() }

// checksLanes reports whether the access of a step is checked lane by lane.
func (s *regionStep) checksLanes() bool { return s.isAccess() && !s.affine && s.first() }

// first reports whether an access is the first to its area.
func (s *regionStep) first() bool { return s.area.pc == s.pc }

// lanesOf returns the lanes of the subvector that execute the step.
func (c *compiler) lanesOf(s *regionStep) jit.Lanes {
	w := jit.Lanes{Masked: c.masked}
	if s.guard != noValue {
		p := c.g.use(c, s.guard)
		if s.step.guard.not {
			t := c.g.temp(1)
			c.e.Not(t, p)
			p = t
		}
		w.P = &p
	}
	return w
}

// executing returns these lanes as a predicate; nil for all.
func (c *compiler) executing(s *regionStep) *jit.Val {
	w := c.lanesOf(s)
	if w.P == nil && !w.Masked {
		return nil
	}
	p := c.e.Executing(w)
	return &p
}

// checkWrap jumps to fail if an affine source that the step extends wraps within a subvector.
func (c *compiler) checkWrap(r *region, s *regionStep, fail jit.Label) {
	signed := false
	switch s.template.Affine {
	case jit.AffineWidenSigned, jit.AffineMulWideSigned, jit.AffineMadWideSigned:
		signed = true
	case jit.AffineWidenUnsigned, jit.AffineMulWideUnsigned, jit.AffineMadWideUnsigned:
	default:
		return
	}
	for k := range s.sources() {
		if v := &r.values[s.src[k]]; v.bits == 32 && v.class.stride != 0 {
			c.control(jit.Nearest) // because a check may exit
			c.e.CheckWrap(c.g.use(c, s.src[k]), int64(v.class.stride), signed, fail)
		}
	}
}
