package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// firstSpill is the index of the first place of a jit.Context for spilled values: those before are scratch memory.
const firstSpill = jit.ScratchSpills

// writeRegion writes the region of block b that starts at pc, and returns where it ends. It advances the classes now
// past the region.
func (c *compiler) writeRegion(b, pc, end int) int {
	block := &c.f.Graph.Blocks()[b]
	body := c.e.NewLabel()
	left := len(c.out.exits)
	fail := c.exitAt(Exit{Why: AtOp, PC: pc, First: block.Start}, pc, c.slotClass)
	entry := body
	if l := c.loop; l != nil && c.version != &c.divergent { // loops are not entered in code for diverged lanes
		load := c.loads(l, pc, func() jit.Label { return fail })
		entry = c.stub(func() {
			load()
			c.e.Jmp(body)
		})
	}
	c.addEntry(b, pc, entry)
	c.e.Bind(body)
	c.mark(pc, "begin of a region")
	fail = c.storing(c.loop, c.liveAt(pc), fail)
	r := c.regionFrom(pc, end)
	r.fail = fail
	c.out.exits[left].Until = r.end
	branch := noSlot
	if r.end < block.End && c.steps[r.end].kind == stepJump && c.steps[r.end].guarded {
		branch = c.steps[r.end].guard.slot
	}
	c.finish(r, c.blockLive.before(r.end), branch)
	c.branchReg = -1
	for id := range r.values {
		if v := &r.values[id]; v.pred >= 0 && v.slot == branch {
			c.branchReg, c.branchQuad = v.pred, v.class.kind == scalar && !c.live.out[b].has(branch)
		}
	}
	if c.loop != nil {
		c.storeCarriedScalars(r)
	}
	c.traceRegion(b, r)
	c.writePhases(r)
	for id := range r.values {
		if v := &r.values[id]; v.pred >= 0 && v.liveOut && (v.slot != branch || c.live.out[b].has(branch)) {
			c.e.StorePred(c.s.all[v.slot].off, jit.PredRegs[v.pred], c.masked)
		}
	}
	return r.end
}

// writePhases writes the phases of a region.
func (c *compiler) writePhases(r *region) {
	c.checkCalls(r)
	c.checkLanes(r, r.fail)
	c.scalarPhase(r, r.fail)
	c.noteAccesses(r)
	c.subvectorPhase(r)
	c.noteCalls(r)
}

// addEntry adds an entry at the start of a region, unless the code is for diverged lanes.
func (c *compiler) addEntry(b, pc int, body jit.Label) {
	if c.version == &c.divergent || !c.isEnterable(pc) {
		return
	}
	start := len(c.listed)
	c.listed = append(c.listed, c.ramps...)
	c.scalars(pc, c.slotClass, nil) // collects the scalars in listed
	c.enters = append(c.enters, jit.Entry{Routine: c.enter, Table: c.tableOf(c.listed[start:]), Body: body, Not: c.notEntered,
		// not a slot's spill slot: scratch memory is at 0
		Before: pc - c.f.Graph.Blocks()[b].Start, Fixed: len(c.ramps), Checked: c.f.Layout.Home(0)})
	at := c.e.NewLabel()
	c.stubs = append(c.stubs, stub{at: at, entry: &c.enters[len(c.enters)-1]})
	c.entries = append(c.entries, entry{pc, c.masked, at})
}

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
	c.e.AsStrips()
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

// meetsAs reports whether another step must be executed by the same lanes.
func (s *regionStep) meetsAs(o regionStep) bool {
	return o.step.across() && o.meets && o.step.members == s.step.members
}

// mostShort is the largest number of steps of a short region: the cost of a loop matters there more than the size of
// the code.
const mostShort = 10

// short reports whether the subvector phase of a region is short.
func (c *compiler) short(r *region) bool {
	n := 0
	for i := range r.steps {
		s := &r.steps[i]
		if s.isAccess() && !s.affine || s.kind == stepAtomic {
			return false
		}
		if c.isBySubvector(s) {
			n++
		}
	}
	return n <= mostShort
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

// scalarPhase computes the scalars of the region, and checks the accesses at affine addresses. Scalars that are live
// after the region are then in their spill slots.
func (c *compiler) scalarPhase(r *region, fail jit.Label) {
	c.e.AsQuads()
	c.g.begin(r, false)
	pending := func(v *value) bool { return !v.stored && (v.liveOut || v.pred >= 0) }
	for i := range r.steps {
		s := &r.steps[i]
		c.mark(s.pc, "once")
		if s.isAccess() && s.affine && s.first() {
			c.control(jit.Nearest) // because a check may exit
			c.e.CheckAffine(c.g.use(c, s.src[0]), &s.area.Area, fail)
			if c.shadowed(s) {
				c.e.CheckShadow(&s.area.Area, fail)
			}
		}
		if s.divides && r.values[s.divisor].uniform() { // checked even if no lane divides
			c.control(jit.Nearest)
			c.checkDivisor(s, nil, fail)
		}
		if s.scalar && !s.dead {
			c.scalarStep(r, s, fail)
		}
		c.g.endStep(i, pending)
	}
	c.control(jit.Nearest)
	// Copies of scalars that subvectors read after their spill slots get new values.
	for id := range r.values {
		v := &r.values[id]
		if v.liveIn && v.class.kind == scalar && v.bySubvector && c.redefined(r, v.slot) && c.carriedIn[v.slot] == nil {
			reg := c.g.use(c, valueID(id))
			v.quad = c.newQuad(r)
			c.e.StoreQuad(v.quad, reg)
			c.g.endStep(len(r.steps), pending)
		}
	}
	if r.deferred {
		c.prepareUndo(r, pending)
	}
	for id := range r.values {
		v := &r.values[id]
		if v.liveIn || v.class.kind != scalar || v.pred < 0 {
			continue
		}
		if reg := c.g.use(c, valueID(id)); c.branchQuad && v.pred == c.branchReg {
			c.e.QuadStrips(jit.PredRegs[v.pred], reg)
		} else {
			c.e.QuadPred(jit.PredRegs[v.pred], reg, c.g.temp(32))
		}
		v.stored = true
		c.g.endStep(len(r.steps), pending)
	}
	for id := range r.values {
		v := &r.values[id]
		if v.liveIn || v.class.kind != scalar || v.pred >= 0 || !v.liveOut {
			continue
		}
		if h := c.carriedIn[v.slot]; h != nil {
			c.e.Move(h.regs[0], c.g.use(c, valueID(id)))
		} else {
			c.e.StoreQuad(jit.Quad{File: true, At: c.spillSlot(v.slot)}, c.g.use(c, valueID(id)))
		}
		v.stored = true
		c.g.endStep(len(r.steps), pending)
	}
}

// redefined reports whether the region computes a new scalar value of s that is needed after the region, so that it
// changes what is stored in the spill slot of s.
func (c *compiler) redefined(r *region, s slotID) bool {
	for i := range r.values {
		if v := &r.values[i]; v.slot == s && !v.liveIn && v.liveOut && v.class.kind == scalar {
			return true
		}
	}
	return false
}

// newQuad allocates a quad in the Context.
func (c *compiler) newQuad(r *region) jit.Quad {
	mustFit(r.quads, jit.MaxQuads, "scalars")
	r.quads++
	return jit.Quad{At: uint32(r.quads - 1)}
}

// scalarStep computes the result of a step for all subvectors at once.
func (c *compiler) scalarStep(r *region, s *regionStep, fail jit.Label) {
	if s.kind == stepCompute {
		c.checkWrap(r, s, fail)
		c.compute(r, s)
	} else {
		c.e.LoadAsQuad(c.g.define(s.dst[0]), &s.access)
	}
	for k := range s.results() {
		v := &r.values[s.dst[k]]
		if !v.inReg || !v.bySubvector {
			continue
		}
		v.quad = c.newQuad(r)
		c.e.StoreQuad(v.quad, v.reg)
		if !v.liveOut && v.pred < 0 {
			v.stored = true
		}
	}
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

// compute emits the template of a step with its values.
func (c *compiler) compute(r *region, s *regionStep) {
	o := &c.operands
	*o = jit.Operands{Op: s.op, Published: s.number}
	for k, src := range s.sources() {
		v := c.g.use(c, s.src[k])
		if src.not {
			t := c.g.temp(1)
			c.e.Not(t, v)
			v = t
		}
		switch s.field[k] {
		case 'a':
			o.A = v
		case 'b':
			o.B = v
		case 'c':
			o.C = v
		case 'e':
			o.E = v
		default:
			o.Elems[s.field[k]-firstElem] = v
		}
	}
	for k := range s.results() {
		d := c.g.define(s.dst[k])
		switch s.dstField[k] {
		case 'd':
			o.D = d
		case 'q':
			o.D2 = d
		default:
			o.Elems[s.dstField[k]-firstElem] = d
		}
	}
	c.control(s.control())
	s.template.Body(&c.e, o)
	if s.template.NaN && (r.values[s.dst[0]].seen || s.guard != noValue) {
		c.e.Canonical(o.D)
	}
}

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
	c.e.AsStrips()
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
		stored := func(*value) bool { return false } // the step has given the slot its value
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
			c.g.endStep(i, stored)
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

// eachSubvector emits a loop over the subvectors with executing lanes; see jit.Emit.EachStrip for short. For the
// other subvectors it emits skipped, as jit.Emit.EachExecutingStrip does.
func (c *compiler) eachSubvector(short bool, body, skipped func()) {
	short = short || c.loop != nil
	c.mark(noPC, "loop over subvectors")
	each := func() {
		body()
		c.mark(noPC, "next subvector")
	}
	if c.masked {
		c.e.EachExecutingStrip(short, each, skipped)
	} else {
		c.e.EachStrip(short, each)
	}
}

// firstControl returns a control mode for the first steps of a subvector in a part of the region: for as many of them
// as need no other mode.
func (c *compiler) firstControl(r *region, start, end int) jit.Control {
	first := jit.AnyControl
	for i := start; i < end; i++ {
		if s := &r.steps[i]; c.isBySubvector(s) {
			both, ok := first.And(s.control())
			if !ok {
				break
			}
			first = both
		}
	}
	return first.After(jit.Nearest)
}

// control returns the control mode of the vector unit that a step needs.
func (s *step) control() jit.Control {
	switch {
	case s.kind == stepCompute:
		return s.template.Control
	case s.atomic.AddsFloats():
		return jit.Nearest
	}
	return jit.AnyControl
}

// control switches the vector unit to the mode that a step needs. Between regions, and at every exit, the mode is
// jit.Nearest.
func (c *compiler) control(need jit.Control) {
	if next := need.After(c.controlNow); next != c.controlNow {
		c.e.SetControl(next)
		c.controlNow = next
	}
}

// isBySubvector reports whether a step has code in the subvector phase.
func (c *compiler) isBySubvector(s *regionStep) bool {
	return s.kind != stepNop && !s.scalar && !s.dead
}

// subvectorStep emits a step for the lanes of a subvector.
func (c *compiler) subvectorStep(r *region, s *regionStep) {
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
