package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// A region is a straight-line region that is executed subvector by subvector: all of it for the lanes of one
// subvector, then for those of the next. Scalars are computed first, once for all subvectors. All accesses of the
// region are checked before it changes anything that another lane or another thread can see: if a check fails, code
// exits at the start of the region, as if nothing had been executed.
//
// A region is cut where a lane reads memory that lanes of other subvectors write, and the other way round: all
// subvectors execute one part before the next part starts, and vectors that a later part uses are in their slots in
// between.
//
// A region that only loads may defer its checks: each subvector checks its lanes right before they load, at addresses
// that the region may have computed. If a check fails, slots that are live at the start of the region and were
// written since are restored. A loop that holds values in registers has no regions with deferred checks.
type region struct {
	start, end int // PCs
	steps      []regionStep
	cuts       []int // indices of the steps that begin another part
	values     []value
	areas      []area // areas with addresses that steps keep
	pointers   int    // number of areas at affine addresses
	gathers    int    // number of other areas
	deferred   bool   // bounds checks are made right before each access
	undo       jit.Undo
	undoValues []valueID // by slot of undo: its value at the start of the region; noValue if no step uses it
	fail       jit.Label
	fails      []deferredFail
	published  int // number of values that lanes read of others
	divisors   int // number of divisors that are checked in each lane
	scalars    int // number of scalars in the Context
	spills     int
	trailed    int32 // bytes of the trail of its accesses
	preds      int   // number of predicates that are collected in general registers
}

// valueID numbers the values of a region.
type valueID int32

const noValue valueID = -1

// regionStep is a step of a region, with values for its operands.
type regionStep struct {
	*step
	pc     int
	scalar bool // its result is computed for all subvectors at once
	dead   bool // its result is not used
	src    [maxElems + 1]valueID
	dst    [maxElems]valueID
	old    [maxElems]valueID // the old values of the results' slots, for a guarded step
	guard  valueID
	access jit.Access
	area   *area // of the access
	affine bool  // the address is scalar
	number int   // number of the value that lanes read of others
	// places and columns are where the places of its area and its columns are in the region's entry in the trail.
	places, columns int32
	// divisor must not be 0, unless it is noValue; members is the class of the step's membersIn.
	divisor valueID
	members class
}

// area is memory that accesses of a region use by the same address, in the same space and in the same way.
type area struct {
	jit.Area
	pc     int // of its first access
	addr   valueID
	affine bool
	space  isa.Space
	kind   stepKind
	uses   int // number of its accesses that are executed subvector by subvector
	// In a region with deferred checks: how many elements are read, the last step that does, and the value with the
	// lanes' offsets, which is noValue if they are used once, or kept in the Context.
	reads, last int
	off         valueID
	kept        bool
	// If the address is not affine: only lanes for which guard holds are checked.
	guard valueID
	not   bool
}

// value is the value of a slot in a part of a region.
type value struct {
	slot        slotID
	bits        uint8
	class       class
	liveIn      bool // at the start of the region it is in the slot, or in its spill slot
	liveOut     bool // at the end of the region it must be there
	bySubvector bool // a scalar that the subvector phase uses
	byScalars   bool // a scalar that the scalar phase uses
	seen        bool // the kind of a NaN is observable
	def         int  // index of the step that computes it
	last        int  // index of the last step that uses it
	crosses     bool // a later part of the region uses it
	pred        int  // general register that collects it, or -1

	scalar jit.ScalarPlace // its place as a scalar
	stored bool            // it is in memory: its place as a scalar, its slot, or a spill place
	spill  int             // index of its spill place; -1
	reg    jit.Val
	inReg  bool
	stamp  int // time of its latest use
}

// uniform reports whether the value is known to be the same in all lanes of a subvector.
func (v *value) uniform() bool { return v.class == class{kind: scalar} }

// Limits of a region: what a jit.Context and a trail have room for. Between two regions values go through memory.
const (
	maxSteps    = 80
	maxAccesses = 40
)

// callSteps is the number of instructions of a region from which on it ends after the next inlined call: all of its
// calls are left to the engine where the first of them would use up the budget.
const callSteps = 16

// spaces returns the spaces that an access may use, as bits.
func spaces(st *step) uint8 {
	switch {
	case st.own == jit.OwnLocal:
		return 4
	case st.anywhere:
		return 7
	}
	switch st.info.Space {
	case isa.Shared:
		return 1
	case isa.Global:
		return 2
	case isa.Param:
		if st.own != jit.NotOwn {
			return 8
		}
		return 0 // no kernel writes it
	case isa.Const:
		return 0
	}
	return 3
}

// regionFrom makes the region that starts at pc, and moves the classes of now behind it.
func (c *compiler) regionFrom(pc, end int) *region {
	c.endValues()
	r := &c.region
	*r = region{start: pc, spills: firstSpill, steps: r.steps[:0], cuts: r.cuts[:0], values: r.values[:0], areas: r.areas[:0], undoValues: r.undoValues[:0], fails: r.fails[:0]}
	if c.loop != nil {
		c.loop.beginRegion()
	}
	t := regionTotals{live: c.blockLive.before(pc)}
	short := !c.isEnterable(pc) // it may follow an instruction that was left to the engine
	nops := 0                   // in functions with inlined calls, many instructions do nothing
	for ; pc < end && len(r.steps) < maxSteps+min(nops, maxSteps) && !(short && c.isEnterable(pc)); pc++ {
		short = short || pc >= r.start+callSteps && c.isCall(pc)
		st := c.stepAt(pc)
		if !c.kind(pc).isStraight() {
			break
		}
		if st.across() && (c.definedIn(r, st.src[0].slot) || st.membersIn != noSlot && c.definedIn(r, st.membersIn) || r.published == jit.MaxAcross) {
			break
		}
		if st.kind == stepNop {
			r.steps = append(r.steps, regionStep{step: st, pc: pc, dead: true, guard: noValue, divisor: noValue})
			if c.x != nil {
				nops++
			}
			continue
		}
		if st.divides && (c.definedIn(r, st.divisor().slot) || st.guarded && c.definedIn(r, st.guard.slot)) {
			break
		}
		memory := st.isAccess()
		affine := memory && c.isAffine(st)
		if memory && !c.takesAccess(r, &t, st, affine) || !c.takesResults(r, &t, st, memory && !affine) {
			break
		}
		c.addStep(r, st, pc, affine)
		c.classes.apply(c.slotClass, &c.live, pc, st, c.masked)
		if st.yields {
			pc++
			break
		}
	}
	r.end = pc
	for n := len(r.cuts); n > 0 && r.cuts[n-1] == len(r.steps); n-- { // the step did not become part of the region
		r.cuts = r.cuts[:n-1]
	}
	r.deferred = r.deferred || r.gathers > 0 && !t.changes && !c.marks() && c.loop == nil && t.undo <= jit.MaxUndo
	return r
}

// endValues forgets the values of the latest region.
func (c *compiler) endValues() {
	for i := range c.region.values {
		c.valueIn[c.region.values[i].slot] = noValue
	}
	c.region.values = c.region.values[:0]
}

// regionTotals is the state that decides whether a region can take one more step.
type regionTotals struct {
	loaded, stored uint8 // spaces, since the latest cut
	everStored     uint8 // spaces
	accesses       int
	changes        bool // the region has stores
	undo           int  // live values that a region with deferred checks must restore if a check fails
	preds, results int  // each may have to be spilled once
	live           set
}

// takesAccess reports whether a region can take one more access, before which it may be cut.
func (c *compiler) takesAccess(r *region, t *regionTotals, st *step, affine bool) bool {
	in := spaces(st)
	cut := t.stored&in != 0 || st.kind != stepLoad && t.loaded&in != 0
	if cut && c.loop != nil || t.everStored&in != 0 && st.kind == stepLoad && !c.masked && c.classes.transfer(c.slotClass, st).kind == scalar {
		return false // scalars are loaded before all parts
	}
	if !affine && r.gathers == jit.MaxGathers || t.accesses == maxAccesses {
		return false
	}
	late := !affine && (c.definedIn(r, st.src[0].slot) || st.guarded && c.definedIn(r, st.guard.slot))
	if late && (c.marks() || c.loop != nil || t.changes || t.undo > jit.MaxUndo) || (late || r.deferred) && st.kind != stepLoad {
		return false
	}
	if st.guarded && c.definedIn(r, st.guard.slot) && c.noted(st) {
		return false
	}
	if cut {
		r.cuts = append(r.cuts, len(r.steps))
		t.loaded, t.stored = 0, 0
	}
	if st.kind == stepLoad {
		t.loaded |= in
	} else {
		t.stored, t.everStored, t.changes = t.stored|in, t.everStored|in, true
	}
	r.deferred = r.deferred || late
	t.accesses++
	return true
}

// takesResults reports whether a region can take the results of one more step, and its lane offsets if it gathers.
func (c *compiler) takesResults(r *region, t *regionTotals, st *step, gathers bool) bool {
	for _, d := range st.results() {
		if c.s.all[d.slot].bits == 1 {
			t.preds++
		} else if t.live.has(d.slot) && !c.definedIn(r, d.slot) {
			t.undo++
		}
	}
	if r.deferred && t.undo > jit.MaxUndo {
		return false
	}
	spills := r.gathers // values with the lanes' offsets
	if gathers {
		spills++
	}
	t.results += len(st.results())
	return t.preds <= len(jit.PredRegs) && t.results+spills <= jit.MaxSpills-firstSpill
}

// isAffine reports whether an access has affine addresses, all aligned in a subvector if the first is. Memory of which
// each lane owns a part is accessed lane by lane.
func (c *compiler) isAffine(st *step) bool {
	k, size := c.slotClass[st.src[0].slot], int64(st.elem.Bytes)*int64(st.elems)
	return k.kind == scalar && int64(k.stride)%size == 0 && st.own == jit.NotOwn && !st.mixed
}

// definedIn reports whether the region has given a slot its value.
func (c *compiler) definedIn(r *region, s slotID) bool {
	v := c.valueIn[s]
	return v != noValue && !r.values[v].liveIn
}

// addStep adds a step to the region. Its operands are the present values of the slots.
func (c *compiler) addStep(r *region, st *step, pc int, affine bool) {
	i := len(r.steps)
	r.steps = r.steps[:i+1]
	s := &r.steps[i]
	*s = regionStep{} // in place
	s.step, s.pc, s.guard, s.affine = st, pc, noValue, affine
	result := class{kind: vector}
	if !c.masked && (st.kind == stepCompute || st.kind == stepLoad) {
		result = c.classes.transfer(c.slotClass, st)
		s.scalar = result.kind == scalar
	}
	for k, src := range st.sources() {
		s.src[k] = c.valueOf(r, src.slot)
		r.values[s.src[k]].last = i
		if s.scalar || k == 0 && affine {
			r.values[s.src[k]].byScalars = true
		} else {
			r.values[s.src[k]].bySubvector = true
		}
	}
	if st.guarded {
		s.guard = c.valueOf(r, st.guard.slot)
		r.values[s.guard].last, r.values[s.guard].bySubvector = i, true
	}
	if st.isAccess() {
		c.areaOf(r, s)
	}
	if s.members = (class{}); st.across() && st.membersIn != noSlot {
		s.members = r.values[c.valueOf(r, st.membersIn)].class
	}
	if s.divisor = noValue; st.divides {
		if s.divisor = c.valueOf(r, st.divisor().slot); !r.values[s.divisor].uniform() {
			r.divisors++
		}
	}
	if st.across() {
		mustFit(r.published, jit.MaxAcross, "published values")
		s.number = r.published
		r.published++
	}
	for k, d := range st.results() {
		if st.guarded {
			s.old[k] = c.valueOf(r, d.slot)
			r.values[s.old[k]].last, r.values[s.old[k]].bySubvector = i, true
		}
	}
	for k, d := range st.results() {
		s.dst[k] = valueID(len(r.values))
		v := r.newValue(d.slot, c.s.all[d.slot].bits, result)
		v.def = i
	}
	for k, d := range st.results() {
		c.valueIn[d.slot] = s.dst[k]
	}
}

// areaOf finds the area of an access, or adds one to the region.
//
// Accesses by one address share an area if they have the same kind and space: the hint of the first then holds for
// all. Either each would find the same place by a hint of its own, because an address is in at most one region, or
// code leaves the region to lane functions. Accesses of 32 bytes have separate areas, because there are no hints for
// them in regions that begin at an odd multiple of 16.
func (c *compiler) areaOf(r *region, s *regionStep) {
	disp := int64(s.op.Imm)
	narrow := !s.info.Wide
	if narrow { // 32-bit sums may wrap
		disp = int64(int32(disp))
	}
	if s.own == jit.OwnLocal && s.info.Space == isa.Generic {
		disp -= isa.LocalWindow
	}
	s.access = jit.Access{Element: s.elem, Elems: s.elems, Disp: disp}
	shared := s.info.Space == isa.Shared
	want := area{pc: s.pc, addr: s.src[0], affine: s.affine, space: s.info.Space, kind: s.kind, guard: noValue}
	if s.anywhere && !s.affine {
		want.LocalAt = isa.LocalWindow
	}
	if !s.affine && s.guarded {
		want.guard, want.not = s.guard, s.step.guard.not
	}
	for i := range r.areas {
		if a := &r.areas[i]; a.addr == want.addr && a.space == want.space && a.Own == s.own && a.LocalAt == want.LocalAt && a.kind == want.kind && a.guard == want.guard && a.not == want.not &&
			(s.kind != stepAtomic || !c.notes) && // the hint of one says nothing about another
			(a.Align > 16) == (s.access.Size() > 16) &&
			(shared || !narrow) && a.Add(&s.access) {
			s.area, s.access.Area = a, &a.Area
			return
		}
	}
	want.Area = jit.Area{Disp: disp, Span: s.access.Size(), Align: s.access.Size(), PC: c.hint(s.pc), Shared: shared, Generic: s.info.Space == isa.Generic, Own: s.own, LocalAt: want.LocalAt}
	if s.affine {
		want.Stride = int64(c.slotClass[s.step.src[0].slot].stride)
		mustFit(r.pointers, jit.MaxPointers, "pointers")
		want.Number = r.pointers
		r.pointers++
	} else {
		mustFit(r.gathers, jit.MaxGathers, "vectors of addresses")
		want.Number = r.gathers
		r.gathers++
	}
	r.areas = append(r.areas, want)
	s.area = &r.areas[len(r.areas)-1]
	s.access.Area = &s.area.Area
}

// valueOf returns the present value of a slot.
func (c *compiler) valueOf(r *region, s slotID) valueID {
	if id := c.valueIn[s]; id != noValue {
		return id
	}
	slot := &c.s.all[s]
	id := valueID(len(r.values))
	v := r.newValue(s, slot.bits, c.slotClass[s])
	v.liveIn, v.stored = true, true
	if v.class.kind == scalar {
		v.scalar = c.scalarPlaceOf(s)
	}
	c.valueIn[s] = id
	if h := c.carriedIn[s]; h != nil {
		h.value = id
	}
	return id
}

// newValue adds a value to the region. It is valid until the next one is added.
func (r *region) newValue(s slotID, bits uint8, k class) *value {
	n := len(r.values)
	r.values = slices.Grow(r.values, 1)[:n+1]
	v := &r.values[n]
	*v = value{} // in place
	v.slot, v.bits, v.class, v.last, v.pred, v.spill = s, bits, k, -1, -1, -1
	return v
}

// scalarPlaceOf returns the place of a slot's scalar.
func (c *compiler) scalarPlaceOf(s slotID) jit.ScalarPlace {
	slot := &c.s.all[s]
	switch {
	case slot.known:
		return jit.ScalarPlace{Known: true, Value: slot.value}
	case slot.fixed && slot.uniform:
		return jit.ScalarPlace{File: true, At: slot.off, Uniform: true}
	}
	return jit.ScalarPlace{File: true, At: c.spillSlot(s)}
}

// finish finds which values are live after the region and which are unused. branches are the slots of the predicates of
// branches after the region.
func (c *compiler) finish(r *region, live set, branches ...slotID) {
	r.findCrossing()
	for id := range r.values {
		v := &r.values[id]
		now := !v.liveIn && c.valueIn[v.slot] == valueID(id)
		v.liveOut = now && live.has(v.slot)
		if v.bits == 1 && (v.crosses || v.liveOut || now && slices.Contains(branches, v.slot)) {
			v.pred = r.preds
			r.preds++
		}
	}
	for i := len(r.steps) - 1; i >= 0; i-- {
		s := &r.steps[i]
		if s.kind == stepNop {
			continue
		}
		blind := s.blind()
		used := s.kind == stepStore || s.kind == stepAtomic || s.across()
		for k := range s.results() {
			v := &r.values[s.dst[k]]
			used = used || v.liveOut || v.pred >= 0 || v.last >= 0
			v.seen = v.seen || v.liveOut && !c.holdsAnyNaN(v)
		}
		if s.dead = !used; s.dead {
			continue
		}
		if s.kind == stepLoad && s.scalar {
			c.loadBySubvector(r, s)
		}
		for k := range s.sources() {
			v := &r.values[s.src[k]]
			v.seen = v.seen || !blind
		}
		for k := range s.results() {
			if s.guarded {
				r.values[s.old[k]].seen = true
			}
		}
	}
}

// holdsAnyNaN reports whether a loop holds a value that may be any NaN.
func (c *compiler) holdsAnyNaN(v *value) bool {
	h := c.carriedIn[v.slot]
	return h != nil && h.anyNaN
}
