package native

import (
	"fmt"
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// registers allocates the host's vector registers within one phase of a region, which is straight-line code. A value
// that loses its register stays in memory.
type registers struct {
	e           *jit.Emit
	r           *region
	bySubvector bool // the phase works on subvectors, else on scalars
	// Sets of registers, as bits. Each register is in exactly one of free, temps, values and loops (see check). The
	// current step needs those in held.
	free, temps, values, pinned uint32
	loops                       uint32                  // held by the loop
	owner                       [jit.MaxVectors]valueID // of registers of values
	last                        [jit.MaxVectors]int     // and the last steps that use these values
	clock                       int
	at                          int        // index of the current step
	loop                        *loop      // the loop that holds values in registers
	slots                       []*carried // by slot: how the loop holds it
	short                       bool       // a step of a loop needed more registers than there were
}

// tempVector is the owner of a temporary register.
const tempVector valueID = -1

// begin begins a phase: nothing is in registers.
func (g *registers) begin(r *region, subvector bool) {
	g.r, g.bySubvector, g.clock = r, subvector, 0
	g.free, g.temps, g.values, g.pinned, g.loops = g.all(), 0, 0, 0, 0
	for i := range r.values {
		r.values[i].inReg = false
	}
	if g.loop != nil {
		g.beginInLoop()
	}
}

// beginInLoop starts with the values that a loop holds in registers.
func (g *registers) beginInLoop() {
	for i := range g.loop.carried {
		h := &g.loop.carried[i]
		if h.value != noValue && g.bySubvector == (h.class.kind != scalar) {
			v := &g.r.values[h.value]
			v.reg, v.inReg = h.now(g.e), true
		}
	}
	g.loops = g.loop.regs
	g.free &^= g.loops
}

// all returns the vector registers of the instruction set.
func (g *registers) all() uint32 { return uint32(1<<g.e.Vectors() - 1) }

// check panics unless each vector register of the instruction set, and no other, is in exactly one of the sets. It
// takes a few host instructions for each step of the code.
func (g *registers) check() {
	sum := uint64(g.free) + uint64(g.temps) + uint64(g.values) + uint64(g.loops)
	if all := g.all(); sum != uint64(all) || g.free|g.temps|g.values|g.loops != all {
		panic(fmt.Sprintf("simtrun bug: vector registers in no set or in several: free %#x, temporaries %#x, values %#x, loop %#x", g.free, g.temps, g.values, g.loops))
	}
}

// temp allocates a register until the end of the step.
func (g *registers) temp(bits uint8) jit.Val { return g.take(bits, tempVector) }

// take allocates registers for an owner.
func (g *registers) take(bits uint8, owner valueID) jit.Val {
	if g.bySubvector != (g.e.Lanes != jit.ScalarLanes) {
		panic("simtrun bug: a phase allocates registers for values of a width that it does not have")
	}
	v := jit.Val{Bits: bits, Lo: g.one(owner)}
	if g.e.Two(bits) {
		v.Hi = g.one(owner)
	}
	return v
}

func (g *registers) one(owner valueID) jit.Vec {
	if g.free == 0 && !g.makeRoom() {
		g.short = true // the code will not be used
		return 0
	}
	v := bits.TrailingZeros32(g.free)
	g.free &^= 1 << v
	g.pinned |= 1 << v
	if owner == tempVector {
		g.temps |= 1 << v
	} else {
		g.values |= 1 << v
		g.owner[v], g.last[v] = owner, g.r.values[owner].last
	}
	return jit.Vec(v)
}

// makeRoom evicts a value that the step does not need. It returns false if there is none, in a loop that holds
// registers.
func (g *registers) makeRoom() bool {
	best := -1
	for left := g.values &^ g.pinned; left != 0; left &= left - 1 {
		if i := bits.TrailingZeros32(left); best < 0 || g.cheaper(g.owner[i], g.owner[best]) {
			best = i
		}
	}
	if best >= 0 {
		g.evict(g.owner[best])
	} else if g.loop == nil {
		panic("simtrun bug: a step needs more vector registers than there are")
	}
	return best >= 0
}

// cheaper reports whether evicting value a costs less than evicting b: it is in memory anyway, or else was not used
// for longer.
func (g *registers) cheaper(a, b valueID) bool {
	x, y := &g.r.values[a], &g.r.values[b]
	if x.stored != y.stored {
		return x.stored
	}
	return x.stamp < y.stamp
}

// evict moves a value out of its register.
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
	g.freeValue(v.reg.Lo)
	if g.e.Two(v.bits) {
		g.freeValue(v.reg.Hi)
	}
}

func (g *registers) freeValue(v jit.Vec) {
	if g.values>>v&1 == 0 {
		panic(fmt.Sprintf("simtrun bug: vector register %d is freed, but holds no value", v))
	}
	g.free |= 1 << v
	g.values &^= 1 << v
}

// spill stores a value without a slot in memory.
func (g *registers) spill(v *value) {
	if v.spill < 0 {
		mustFit(g.r.spills, jit.MaxSpills, "spilled values")
		v.spill = g.r.spills
		g.r.spills++
	}
	g.e.Spill(v.spill, v.reg)
	v.stored = true
}

// hold keeps the register of a value until the end of the step.
func (g *registers) pin(v *value) {
	g.clock++
	v.stamp = g.clock
	regs := uint32(1) << v.reg.Lo
	if g.e.Two(v.bits) {
		regs |= 1 << v.reg.Hi
	}
	if regs&^(g.values|g.loops) != 0 {
		panic(fmt.Sprintf("simtrun bug: a value is in vector registers %#x, which are not marked as holding values", regs))
	}
	g.pinned |= regs
}

// use loads a value into a register for the step.
func (g *registers) use(c *compiler, id valueID) jit.Val {
	v := &g.r.values[id]
	if !v.inReg {
		v.reg = g.take(v.bits, id)
		v.inReg = true
		g.load(c, v)
	}
	g.pin(v)
	return v.reg
}

// load reads a value from its place in memory.
func (g *registers) load(c *compiler, v *value) {
	slot := &c.s.all[v.slot]
	switch {
	case v.spill >= 0:
		g.e.Unspill(v.reg, v.spill)
	case !g.bySubvector:
		g.e.LoadScalars(v.reg, v.scalar)
	case v.class.kind == scalar:
		g.e.LoadScalar(v.reg, v.scalar, int64(v.class.stride))
	case v.bits == 1:
		g.e.LoadPredicate(v.reg, slot.off, false)
	default:
		g.e.LoadSlot(v.reg, slot.off)
	}
}

// define allocates a register for a value that the step computes.
func (g *registers) define(id valueID) jit.Val {
	v := &g.r.values[id]
	if h := g.carriedFor(v); h != nil && g.lastUse(h) < g.at {
		v.reg = h.now(g.e)
	} else {
		v.reg = g.take(v.bits, id)
	}
	v.inReg, v.stored = true, false
	g.pin(v)
	return v.reg
}

// carriedFor returns how a loop holds a subvector of a value that is live after the region; nil if it does not.
func (g *registers) carriedFor(v *value) *carried {
	if g.loop == nil || !g.bySubvector || !v.liveOut {
		return nil
	}
	if h := g.slots[v.slot]; h != nil && h.class.kind != scalar {
		return h
	}
	return nil
}

// lastUse returns the index of the last step that uses the value that a loop holds at the start of the region, or -1.
func (g *registers) lastUse(h *carried) int {
	if h.value == noValue {
		return -1
	}
	return g.r.values[h.value].last
}

// place moves a subvector of a value to the register in which a loop holds it. No later step may use the old contents.
func (g *registers) place(v *value, h *carried) {
	to := h.now(g.e)
	if v.reg == to {
		return
	}
	g.e.Move(to, v.reg)
	g.drop(v)
	v.reg, v.inReg = to, true
}

// endStep frees the registers that the step at index i has held: temporaries, and values that no later step uses.
// keep reports which values must still be stored; nil for none.
func (g *registers) endStep(i int, keep func(v *value) bool) {
	g.release()
	g.check()
	for left := g.values; left != 0; left &= left - 1 {
		reg := bits.TrailingZeros32(left)
		if g.last[reg] > i {
			continue
		}
		if v := &g.r.values[g.owner[reg]]; keep == nil || !keep(v) {
			v.inReg = false
			g.freeValue(jit.Vec(reg))
		}
	}
}

// freeTemps frees the temporaries of the step.
func (g *registers) freeTemps() {
	g.free |= g.temps
	g.pinned &^= g.temps
	g.temps = 0
}

// release frees the temporaries of the step, and evicts all values.
func (g *registers) release() {
	g.freeTemps()
	g.pinned = 0
}
