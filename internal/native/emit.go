package native

import "github.com/simtrun/simtrun/internal/lanes/jit"

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
	if r.end < block.End && !c.steps[r.end-1].yields && c.steps[r.end].kind == stepJump && c.steps[r.end].guarded {
		branch = c.steps[r.end].guard.slot
	}
	c.finish(r, c.blockLive.before(r.end), branch)
	c.branchReg = -1
	for id := range r.values {
		if v := &r.values[id]; v.pred >= 0 && v.slot == branch {
			c.branchReg, c.branchScalar = v.pred, v.class.kind == scalar && !c.live.out[b].has(branch)
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
	c.trailRoom(r)
	c.checkCalls(r)
	c.checkLanes(r, r.fail)
	c.scalarPhase(r, r.fail)
	c.noteAccesses(r)
	c.trailRegion(r)
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
	c.traceEntry(pc, c.listed[start+len(c.ramps):])
	c.enters = append(c.enters, jit.Entry{Routine: c.enter, Table: c.tableOf(c.listed[start:]), Body: body, Not: c.notEntered,
		// not a slot's spill slot: scratch memory is at 0
		Before: pc - c.f.Graph.Blocks()[b].Start, Fixed: len(c.ramps), Checked: c.f.Layout.SpillSlot(0)})
	at := c.e.NewLabel()
	c.stubs = append(c.stubs, stub{at: at, entry: &c.enters[len(c.enters)-1]})
	c.entries = append(c.entries, entry{pc, c.masked, at})
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

// scalarPhase computes the scalars of the region, and checks the accesses at affine addresses. Scalars that are live
// after the region are then in their spill slots.
func (c *compiler) scalarPhase(r *region, fail jit.Label) {
	c.e.AsScalars()
	c.g.begin(r, false)
	pending := func(v *value) bool { return !v.stored && (v.liveOut || v.pred >= 0) }
	for i := range r.steps {
		s := &r.steps[i]
		c.mark(s.pc, "once")
		if !s.hasScalarPhase(r) {
			continue
		}
		c.g.endStep(i-1, pending)
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
	}
	c.g.endStep(len(r.steps)-1, pending)
	c.control(jit.Nearest)
	// Copies of scalars that subvectors read after their spill slots get new values.
	for id := range r.values {
		v := &r.values[id]
		if v.liveIn && v.class.kind == scalar && v.bySubvector && c.redefined(r, v.slot) && c.carriedIn[v.slot] == nil {
			reg := c.g.use(c, valueID(id))
			v.scalar = c.newScalarPlace(r)
			c.e.StoreScalars(v.scalar, reg)
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
		if reg := c.g.use(c, valueID(id)); c.branchScalar && v.pred == c.branchReg {
			c.e.ScalarSubvectors(jit.PredRegs[v.pred], reg)
		} else {
			c.e.ScalarPred(jit.PredRegs[v.pred], reg, c.g.temp(32))
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
			c.e.StoreScalars(jit.ScalarPlace{File: true, At: c.spillSlot(v.slot)}, c.g.use(c, valueID(id)))
		}
		v.stored = true
		c.g.endStep(len(r.steps), pending)
	}
}

// hasScalarPhase reports whether the scalar phase has code for a step.
func (s *regionStep) hasScalarPhase(r *region) bool {
	return s.scalar && !s.dead || s.isAccess() && s.affine && s.first() || s.divides && r.values[s.divisor].uniform()
}

// redefined reports whether the region computes a new scalar value of s that is needed after the region, so that it
// changes what is stored in the spill slot of s.
func (c *compiler) redefined(r *region, s slotID) bool {
	v := &r.values[c.valueIn[s]] // of all values of a slot, only the last may be live after the region
	return !v.liveIn && v.liveOut && v.class.kind == scalar
}

// newScalarPlace allocates a place in the Context.
func (c *compiler) newScalarPlace(r *region) jit.ScalarPlace {
	mustFit(r.scalars, jit.MaxScalars, "scalars")
	r.scalars++
	return jit.ScalarPlace{At: uint32(r.scalars - 1)}
}

// scalarStep computes the result of a step for all subvectors at once.
func (c *compiler) scalarStep(r *region, s *regionStep, fail jit.Label) {
	if s.kind == stepCompute {
		c.checkWrap(r, s, fail)
		c.compute(r, s)
	} else {
		c.e.LoadAsScalars(c.g.define(s.dst[0]), &s.access)
	}
	for k := range s.results() {
		v := &r.values[s.dst[k]]
		if !v.inReg || !v.bySubvector {
			continue
		}
		v.scalar = c.newScalarPlace(r)
		c.e.StoreScalars(v.scalar, v.reg)
		if !v.liveOut && v.pred < 0 {
			v.stored = true
		}
	}
}

// compute emits the template of a step with its values.
func (c *compiler) compute(r *region, s *regionStep) {
	o := &c.operands
	*o = jit.Operands{Op: s.op, Published: s.number, Masked: c.masked}
	sources := s.sources()
	last, known := c.knownLast(r, s)
	if known {
		sources = sources[:len(sources)-1]
	}
	for k, src := range sources {
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
	if known {
		s.template.Known(&c.e, o, last)
	} else {
		s.template.Body(&c.e, o)
	}
	if s.template.NaN && (r.values[s.dst[0]].seen || s.guard != noValue) {
		c.e.Canonical(o.D)
	}
}

// knownLast returns the value of a step's last source, if it is known and the template needs no register for it.
func (c *compiler) knownLast(r *region, s *regionStep) (value uint64, known bool) {
	if s.template.Known == nil {
		return 0, false
	}
	slot := &c.s.all[r.values[s.src[s.nsrc-1]].slot]
	return slot.value, slot.known
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
