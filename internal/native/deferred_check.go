package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// deferredFail is the label where a region with deferred checks fails at a check, for a control mode of the vector
// unit.
type deferredFail struct {
	control jit.Control
	at      jit.Label
}

// prepareUndo finds the slots that a region with deferred checks restores when it fails, and saves the scalars of
// these.
func (c *compiler) prepareUndo(r *region, pending func(*value) bool) {
	r.undo = jit.Undo{}
	live := c.blockLive.before(r.start)
	for id := range r.values {
		v := &r.values[id]
		if v.liveIn || !v.liveOut || v.bits == 1 || !live.has(v.slot) {
			continue
		}
		before := r.before(v.slot)
		mustFit(len(r.undo.Slots), jit.MaxUndo, "values to restore")
		if v.class.kind != scalar {
			r.undo.Slots = append(r.undo.Slots, jit.UndoSlot{Off: c.s.all[v.slot].off, Bits: v.bits})
			if before != noValue && r.values[before].class.kind == scalar {
				before = noValue
			}
			r.undoValues = append(r.undoValues, before)
			continue
		}
		spill := jit.ScalarPlace{File: true, At: c.spillSlot(v.slot)}
		h := jit.UndoScalar{Spill: spill, Bits: v.bits}
		if before != noValue && r.values[before].class.kind == scalar && !r.values[before].scalar.File {
			h.Kept = r.values[before].scalar // for subvectors, too
		} else {
			h.Kept = c.newScalarPlace(r)
			t := c.g.temp(v.bits)
			c.e.LoadScalars(t, spill)
			c.e.StoreScalars(h.Kept, t)
			c.g.endStep(len(r.steps), pending)
		}
		r.undo.Scalars = append(r.undo.Scalars, h)
	}
	r.undo.Before = c.writesAfterChecks(r)
	c.findOffsets(r)
}

// findOffsets finds which areas are accessed more than once, and have a value with the lanes' offsets.
func (c *compiler) findOffsets(r *region) {
	for i := range r.steps {
		if s := &r.steps[i]; s.isAccess() && !s.affine && !s.dead {
			a := s.area
			a.reads, a.last, a.kept = a.reads+s.elems, i, a.kept || !s.gathersFrom()
		}
	}
	for i := range r.areas {
		a := &r.areas[i]
		a.off = noValue
		if a.reads > 1 && !a.kept {
			a.off = valueID(len(r.values))
			r.values = append(r.values, value{bits: 64, class: class{kind: vector}, last: a.last, pred: -1, spill: -1})
		}
	}
}

// gathersFrom reports whether a load gathers by offsets in registers.
func (s *regionStep) gathersFrom() bool { return s.elems == 1 && s.access.GathersFrom() }

// before returns the value of a slot at the start of the region, if a step uses it.
func (r *region) before(slot slotID) valueID {
	for id := range r.values {
		if v := &r.values[id]; v.liveIn && v.slot == slot {
			return valueID(id)
		}
	}
	return noValue
}

// log saves, at the start of a subvector, the values that may have to be restored.
func (c *compiler) log(r *region) {
	if len(r.undo.Slots) == 0 {
		return
	}
	for _, id := range r.undoValues { // also used by steps
		if id != noValue {
			c.g.use(c, id)
			c.g.release()
		}
	}
	last := c.e.NewLabel()
	if r.undo.Before { // only the checks of later subvectors can fail then
		c.e.UnlessMore(c.masked, last)
	}
	for i, s := range r.undo.Slots { // no value may stay in a register, because this may be skipped
		if id := r.undoValues[i]; id != noValue && r.values[id].inReg {
			c.e.Log(i, r.values[id].reg)
			continue
		}
		v := c.g.temp(s.Bits)
		c.e.LoadSlot(v, s.Off)
		c.e.Log(i, v)
		c.g.release()
	}
	c.e.Bind(last)
}

// writesAfterChecks reports whether each subvector makes all its checks before it writes a slot that is logged.
func (c *compiler) writesAfterChecks(r *region) bool {
	written := false
	for i := range r.steps {
		s := &r.steps[i]
		if written && s.checksLanes() {
			return false
		}
		for k := range s.results() {
			v := &r.values[s.dst[k]]
			written = written || v.liveOut && slices.ContainsFunc(r.undo.Slots, func(u jit.UndoSlot) bool { return u.Off == c.s.all[v.slot].off })
		}
	}
	return true
}

// deferredLoad checks the lanes of a load, unless that was done for its area, and emits the load if it gathers single
// elements by offsets in registers. It returns false if the caller must load by the offsets that the check has kept.
func (c *compiler) deferredLoad(r *region, s *regionStep) bool {
	w, a := c.lanesOf(s), s.area
	at := !s.dead && s.gathersFrom()
	if at && !s.first() && a.off == noValue {
		return false
	}
	var off jit.Val
	switch {
	case !s.first() && at:
		off = c.g.use(c, a.off)
	case !s.first():
		return s.dead
	default:
		addr := c.g.use(c, s.src[0])
		if a.off != noValue {
			off = c.g.define(a.off)
		} else {
			off = c.g.temp(64)
		}
		c.e.CheckLanes(off, addr, &a.Area, w, c.failDeferred(r))
		others := a.reads
		if at {
			others--
		}
		if others > 0 && a.off == noValue {
			c.e.KeepOffsets(&a.Area, off)
		}
	}
	if at {
		c.e.GatherFrom(c.g.define(s.dst[0]), &s.access, 0, off, w)
		c.finishResult(r, s, 0)
	}
	c.g.release()
	return at || s.dead
}

// failDeferred returns the label for a failed check of a region with deferred checks in the loop over its subvectors.
func (c *compiler) failDeferred(r *region) jit.Label {
	for _, f := range r.fails {
		if f.control == c.controlNow {
			return f.at
		}
	}
	f := deferredFail{c.controlNow, r.fail}
	undo, masked, fail := r.undo, c.masked, r.fail
	if f.control != jit.Nearest || len(undo.Slots)+len(undo.Scalars) > 0 {
		f.at = c.stub(func() {
			if f.control != jit.Nearest {
				c.e.SetControl(jit.Nearest)
			}
			c.e.Undo(&undo, masked)
			c.e.Jmp(fail)
		})
	}
	r.fails = append(r.fails, f)
	return f.at
}
