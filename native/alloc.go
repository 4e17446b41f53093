package native

import "github.com/simtrun/simtrun/lanes/jit"

// registers hands out the vector registers of the host within one phase of a run, which is
// straight-line code. A value whose register another needs is left in memory.
type registers struct {
	e     *jit.Emit
	r     *run
	strip bool // the phase is that of strips, else that of scalars
	n     int  // of registers
	used  int  // of those, from the first one on, that were ever taken
	owner [jit.MaxVectors]valueID
	held  [jit.MaxVectors]bool // by the step that is emitted
	clock int
	at    int     // index of the step that is emitted
	loop  *loop   // which holds values in registers
	slots []*held // by slot: how the loop holds it
	short bool    // a step of a loop needed more registers than there were
}

// owners that are no values.
const (
	freeVector valueID = -1
	tempVector valueID = -2
	heldVector valueID = -3 // what a loop holds
)

// allFree has all registers free.
var allFree = func() (all [jit.MaxVectors]valueID) {
	for i := range all {
		all[i] = freeVector
	}
	return all
}()

// begin begins a phase: nothing is in registers.
func (g *registers) begin(r *run, strip bool) {
	g.r, g.strip, g.n, g.used, g.clock = r, strip, g.e.Vectors(), 0, 0
	g.owner, g.held = allFree, [jit.MaxVectors]bool{}
	for i := range r.values {
		r.values[i].inReg = false
	}
	if g.loop != nil {
		g.beginInLoop()
	}
}

// beginInLoop has values where a loop holds them.
func (g *registers) beginInLoop() {
	for i := range g.loop.held {
		h := &g.loop.held[i]
		if h.value != noValue && g.strip == (h.class.kind != scalar) {
			v := &g.r.values[h.value]
			v.reg, v.inReg = h.now(g.e), true
		}
		for _, v := range h.regs[:h.copies()] {
			g.owner[v.Lo] = heldVector
			if h.class.kind != scalar && g.e.Two(h.bits) { // as strips
				g.owner[v.Hi] = heldVector
			}
		}
	}
}

// temp is a register until the end of the step.
func (g *registers) temp(bits uint8) jit.Val { return g.take(bits, tempVector) }

// take gives registers to an owner.
func (g *registers) take(bits uint8, owner valueID) jit.Val {
	v := jit.Val{Bits: bits, Lo: g.one(owner)}
	if g.e.Two(bits) {
		v.Hi = g.one(owner)
	}
	return v
}

func (g *registers) one(owner valueID) jit.Vec {
	best := -1
	for i, o := range g.owner[:g.n] {
		if o == freeVector {
			best = i
			break
		}
		if g.held[i] || o == tempVector || o == heldVector {
			continue
		}
		if best < 0 || g.cheaper(o, g.owner[best]) {
			best = i
		}
	}
	if best < 0 && g.loop != nil {
		g.short = true // the code will not be used
		return 0
	}
	if best < 0 {
		panic("simtrun bug: a step needs more vector registers than there are")
	}
	if o := g.owner[best]; o >= 0 {
		g.evict(o)
	}
	g.owner[best], g.held[best], g.used = owner, true, max(g.used, best+1)
	return jit.Vec(best)
}

// cheaper reports whether value a had better leave its register than b: one that is in memory
// anyway, or else was not used for longer.
func (g *registers) cheaper(a, b valueID) bool {
	x, y := &g.r.values[a], &g.r.values[b]
	if x.stored != y.stored {
		return x.stored
	}
	return x.stamp < y.stamp
}

// evict makes a value leave its register.
func (g *registers) evict(id valueID) {
	v := &g.r.values[id]
	if !v.stored {
		g.spill(v)
	}
	g.drop(v)
}

// drop frees the register of a value.
func (g *registers) drop(v *value) {
	if !v.inReg {
		return
	}
	v.inReg = false
	g.owner[v.reg.Lo] = freeVector
	if g.e.Two(v.bits) {
		g.owner[v.reg.Hi] = freeVector
	}
}

// spill keeps a value that is in no slot in memory.
func (g *registers) spill(v *value) {
	if v.spill < 0 {
		v.spill = g.r.spills
		g.r.spills++
	}
	g.e.Spill(v.spill, v.reg)
	v.stored = true
}

// hold keeps the register of a value until the end of the step.
func (g *registers) hold(v *value) {
	g.clock++
	v.stamp = g.clock
	g.held[v.reg.Lo] = true
	if g.e.Two(v.bits) {
		g.held[v.reg.Hi] = true
	}
}

// use has a value in a register for the step.
func (g *registers) use(c *compiler, id valueID) jit.Val {
	v := &g.r.values[id]
	if !v.inReg {
		v.reg = g.take(v.bits, id)
		v.inReg = true
		g.load(c, v)
	}
	g.hold(v)
	return v.reg
}

// load reads a value from where it is in memory.
func (g *registers) load(c *compiler, v *value) {
	slot := &c.s.all[v.slot]
	switch {
	case v.spill >= 0:
		g.e.Unspill(v.reg, v.spill)
	case !g.strip:
		g.e.LoadQuad(v.reg, v.quad)
	case v.class.kind == scalar:
		g.e.LoadScalar(v.reg, v.quad, int64(v.class.stride))
	case v.bits == 1:
		g.e.LoadPredicate(v.reg, slot.off, false)
	default:
		g.e.LoadSlot(v.reg, slot.off)
	}
}

// define gives a value that is about to be computed a register.
func (g *registers) define(id valueID) jit.Val {
	v := &g.r.values[id]
	if h := g.heldFor(v); h != nil && g.lastUse(h) < g.at {
		v.reg = h.now(g.e)
	} else {
		v.reg = g.take(v.bits, id)
	}
	v.inReg, v.stored = true, false
	g.hold(v)
	return v.reg
}

// heldFor is how a loop holds a strip of a value that is live behind the run; nil if it does not.
func (g *registers) heldFor(v *value) *held {
	if g.loop == nil || !g.strip || !v.liveOut {
		return nil
	}
	if h := g.slots[v.slot]; h != nil && h.class.kind != scalar {
		return h
	}
	return nil
}

// lastUse is the index of the last step that uses what a loop holds where the run starts, or -1.
func (g *registers) lastUse(h *held) int {
	if h.value == noValue {
		return -1
	}
	return g.r.values[h.value].last
}

// place moves a strip of a value to where a loop holds it: no later step uses what that held before.
func (g *registers) place(v *value, h *held) {
	to := h.now(g.e)
	if v.reg == to {
		return
	}
	g.e.Move(to, v.reg)
	g.drop(v)
	v.reg, v.inReg = to, true
}

// endStep frees what the step at index i has held: temporaries, and values that no later step
// uses. Keep says which are still to be stored.
func (g *registers) endStep(i int, keep func(v *value) bool) {
	for reg, o := range g.owner[:g.used] {
		g.held[reg] = false
		switch {
		case o == tempVector:
			g.owner[reg] = freeVector
		case o >= 0:
			if v := &g.r.values[o]; v.last <= i && !keep(v) {
				v.inReg = false
				g.owner[reg] = freeVector
			}
		}
	}
}

// freeTemps frees the temporaries of the step.
func (g *registers) freeTemps() {
	for reg, o := range g.owner[:g.used] {
		if o == tempVector {
			g.owner[reg], g.held[reg] = freeVector, false
		}
	}
}

// release frees the temporaries of the step, and lets values leave their registers.
func (g *registers) release() {
	g.freeTemps()
	clear(g.held[:g.used])
}
