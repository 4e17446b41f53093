package native

import "github.com/simtrun/simtrun/internal/lanes/jit"

// subvectorPhase emits the steps that are executed subvector by subvector.
func (c *compiler) subvectorPhase(r *region) {
	for id := range r.values {
		if v := &r.values[id]; v.pred >= 0 && v.class.kind != scalar {
			c.e.ClearPred(jit.PredRegs[v.pred])
		}
	}
	start := 0
	for _, cut := range r.cuts {
		c.partBySubvector(r, start, cut)
		for id := range r.values {
			if v := &r.values[id]; v.crosses && v.bits == 1 && v.def >= start && v.def < cut {
				c.e.StorePred(c.s.all[v.slot].off, jit.PredRegs[v.pred], c.masked)
			}
		}
		start = cut
	}
	c.partBySubvector(r, start, len(r.steps))
}

// partBySubvector is subvectorPhase for a part of the region.
func (c *compiler) partBySubvector(r *region, start, end int) {
	any := false
	for i := start; i < end; i++ {
		any = any || c.isBySubvector(&r.steps[i]) || r.deferred && r.steps[i].checksLanes()
	}
	if !any {
		return
	}
	c.e.AsSubvectors()
	kept := c.pointersInRegs(r, start, end)
	first := c.firstControl(r, start, end)
	c.control(first)
	c.eachSubvector(c.short(r), func() {
		c.g.begin(r, true)
		r.spills = firstSpill
		for id := range r.values {
			v := &r.values[id]
			v.spill, v.stored = -1, v.liveIn || v.class.kind == scalar || v.crosses && v.def < start
		}
		free := jit.PredRegs[r.preds:]
		for _, a := range kept {
			c.e.KeepPointers(&a.Area, free)
			free = free[c.e.PointerRegs():]
		}
		c.log(r)
		for i := start; i < end; i++ {
			s := &r.steps[i]
			if !c.isBySubvector(s) && !(r.deferred && s.checksLanes()) {
				continue
			}
			c.g.at = i
			c.mark(s.pc, "by subvector")
			c.subvectorStep(r, s)
			c.g.endStep(i, nil) // the step has given the slot its value
		}
		c.control(first)
	}, c.skipPreds(r, start, end))
	c.control(jit.Nearest)
}

// skipPreds returns a function that emits, for a subvector without executing lanes, the code that the predicates
// collected by a part of the region need.
func (c *compiler) skipPreds(r *region, start, end int) func() {
	if c.unrolls(c.short(r)) {
		return nil // CollectPred knows the present subvector
	}
	return func() {
		for id := range r.values {
			if v := &r.values[id]; v.pred >= 0 && v.def >= start && v.def < end {
				c.e.SkipPred(jit.PredRegs[v.pred])
			}
		}
	}
}

// pointersInRegs returns areas that several accesses of a part of the region use at affine addresses subvector by
// subvector: as many as fit, with their pointers, in the general registers that do not collect predicates.
func (c *compiler) pointersInRegs(r *region, start, end int) []*area {
	for i := range r.areas {
		r.areas[i].uses, r.areas[i].InRegs = 0, false
	}
	for i := start; i < end; i++ {
		if s := &r.steps[i]; c.isBySubvector(s) && s.affine {
			s.area.uses += s.elems
		}
	}
	c.pointerAreas = c.pointerAreas[:0]
	free := len(jit.PredRegs) - r.preds
	for i := range r.areas {
		if a := &r.areas[i]; a.uses > 1 && free >= c.e.PointerRegs() {
			c.pointerAreas = append(c.pointerAreas, a)
			free -= c.e.PointerRegs()
		}
	}
	return c.pointerAreas
}

// unrolls reports whether eachSubvector unrolls the loop over subvectors at the present width of values.
func (c *compiler) unrolls(short bool) bool { return c.e.Unrolls(short || c.loop != nil) }

// eachSubvector emits a loop over the subvectors with executing lanes; see jit.Emit.EachSubvector for short. For the
// other subvectors it emits skipped, as jit.Emit.EachExecutingSubvector does.
func (c *compiler) eachSubvector(short bool, body, skipped func()) {
	short = short || c.loop != nil
	c.mark(noPC, "loop over subvectors")
	each := func() {
		body()
		c.mark(noPC, "next subvector")
	}
	if c.masked {
		c.e.EachExecutingSubvector(short, each, skipped)
	} else {
		c.e.EachSubvector(short, each)
	}
}

// isBySubvector reports whether a step has code in the subvector phase.
func (c *compiler) isBySubvector(s *regionStep) bool {
	return s.kind != stepNop && !s.scalar && !s.dead
}

// subvectorStep emits a step for the lanes of a subvector.
func (c *compiler) subvectorStep(r *region, s *regionStep) {
	if s.trail && s.kind != stepLoad {
		c.trailBefore(r, s)
	}
	switch s.kind {
	case stepCompute:
		c.compute(r, s)
	case stepLoad:
		if r.deferred && !s.affine && c.deferredLoad(r, s) {
			return
		}
		if s.access.LoadsVector(c.width(r, s.dst[:s.elems]), s.affine) {
			c.loadVector(r, s)
			return
		}
		for k := range s.elems {
			d := c.g.define(s.dst[k])
			if s.affine {
				c.e.LoadElement(d, &s.access, k)
			} else {
				c.e.Gather(d, &s.access, k)
			}
			c.finishResult(r, s, k)
			c.g.release()
		}
		return
	case stepAtomic:
		c.control(s.control())
		p, b := c.executing(s), c.g.use(c, s.src[1])
		var d, third jit.Val
		if s.atomic == jit.AtomicCas {
			third = c.g.use(c, s.src[2])
		}
		if s.ndst > 0 {
			d = c.g.define(s.dst[0])
		}
		c.e.UpdateElement(s.atomic, d, b, third, &s.access, s.affine, p)
		if s.trail {
			c.trailAfter(r, s)
		}
	case stepStore:
		if s.access.StoresVector(c.width(r, s.src[1:1+s.elems]), s.affine, c.masked || s.guard != noValue) {
			c.storeVector(s)
			return
		}
		for k := range s.elems {
			p, v := c.executing(s), c.g.use(c, s.src[1+k])
			if s.affine {
				c.e.StoreElement(v, &s.access, k, p)
			} else {
				c.e.Scatter(v, &s.access, k, p)
			}
			c.g.release()
		}
		return
	}
	for k := range s.results() {
		c.finishResult(r, s, k)
	}
}

// width returns the common width of values, or 0 if they differ.
func (c *compiler) width(r *region, values []valueID) uint8 {
	bits := r.values[values[0]].bits
	for _, id := range values[1:] {
		if r.values[id].bits != bits {
			return 0
		}
	}
	return bits
}

// loadVector emits a load of all elements of a vector at once.
func (c *compiler) loadVector(r *region, s *regionStep) {
	var d [maxElems]jit.Val
	for k := range s.elems {
		d[k] = c.g.define(s.dst[k])
	}
	c.e.LoadVector(d[:s.elems], &s.access, s.affine)
	for k := range s.elems {
		c.g.release()
		c.g.use(c, s.dst[k]) // other elements may have needed its register
		c.finishResult(r, s, k)
	}
}

// storeVector emits a store of all elements of a vector at once.
func (c *compiler) storeVector(s *regionStep) {
	var v [maxElems]jit.Val
	for k := range s.elems {
		v[k] = c.g.use(c, s.src[1+k])
	}
	c.e.StoreVector(v[:s.elems], &s.access, s.affine, c.executing(s))
}

// finishResult stores result k of a step, if it is live after the region.
func (c *compiler) finishResult(r *region, s *regionStep, k int) {
	v := &r.values[s.dst[k]]
	c.g.release()
	c.g.pin(v)
	if s.guard != noValue {
		c.mergeGuarded(r, s, k)
		c.g.release()
		c.g.pin(v)
	}
	switch {
	case v.pred >= 0:
		c.e.CollectPred(jit.PredRegs[v.pred], v.reg, v.last < 0)
	case v.liveOut || v.crosses: // no later step uses the old value of the slot
		if h := c.g.carriedFor(v); h != nil {
			c.g.place(v, h)
		} else {
			c.store(v, v.reg)
		}
	}
}

// mergeGuarded merges result k of a guarded step with the old value of its slot in lanes where the guard does not
// hold.
func (c *compiler) mergeGuarded(r *region, s *regionStep, k int) {
	d, p, old := r.values[s.dst[k]].reg, c.g.use(c, s.guard), c.g.use(c, s.old[k])
	if s.step.guard.not {
		c.e.Select(d, p, old, d)
	} else {
		c.e.Select(d, p, d, old)
	}
}

// store writes a subvector of a value to its slot, in the lanes that execute.
func (c *compiler) store(v *value, reg jit.Val) {
	off := c.s.all[v.slot].off
	if c.masked {
		c.e.MergeSlot(off, reg)
	} else {
		c.e.StoreSlot(off, reg)
	}
	v.stored = true
}
