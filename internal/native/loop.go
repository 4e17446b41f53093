package native

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// loop is a loop of runs and branches alone. Code keeps values of it in registers of their own, and not in slots and homes, from
// where the loop is entered to where it is left, in all passes over the strips.
//
// At the start of each run and of each block of the loop these registers have what slots and homes would have. Whoever comes from
// elsewhere loads them, and whatever leaves the loop stores those that the loop writes: into slots, as everything beyond knows
// them, in the lanes that execute. Blocks of the loop that follow each other do neither.
type loop struct {
	blocks []int
	inside []jit.Label // by block of the loop: where it begins
	bodies []jit.Label // likewise, behind the look whether the path ends there
	held   []held
	regs   uint32 // the registers that held values are in, as bits
	stores []heldStores
}

// held is a slot that a loop holds in registers.
type held struct {
	slot    slotID
	bits    uint8
	class   class // wherever it is live in the loop
	written bool  // in the loop
	// Registers may have any NaN of .f32 where the slot has the canonical one: no step of the loop sees which it is.
	anyNaN bool
	regs   [maxPasses]jit.Val
	value  valueID // what it holds where a run starts, in that
}

// heldStores is a routine that stores slots, by bits of their indices in loop.held.
type heldStores struct {
	which uint32
	at    jit.Label
}

// Limits of loops.
const (
	maxPasses     = 2 // over strips: AVX2 has too few registers for its four
	maxLoopBlocks = 8
	maxLoopSteps  = 64
	maxHeld       = 32
	freeVectors   = 14 // registers that runs of a loop have for what it does not hold
	scalarVectors = 16 // registers that may hold scalars: the lower ones, which have shorter instructions
)

// findLoops finds the loops of the version that hold values in registers.
func (c *compiler) findLoops() {
	blocks := c.f.Graph.Blocks()
	c.loops, c.loopOf = c.loops[:0], zeroed(c.loopOf, len(blocks))
	if c.e.Level < jit.AVX512 || c.crowded {
		return
	}
	for size := range 2 * maxLoopBlocks { // as text; an inner loop is shorter
		for head := range len(blocks) - size {
			last := head + size
			if !slices.Contains(blocks[last].Succ, head) || c.loopOf[last] != nil || slices.Max(blocks[head].Pred) != last {
				continue
			}
			if all := c.cycle(head, last); len(all) > 0 && len(all) <= maxLoopBlocks {
				c.addLoop(all)
			}
		}
	}
}

// cycle is the blocks from head to last, as text, through which head leads to last, if all of them are runs and branches alone and
// in no loop that was found before.
func (c *compiler) cycle(head, last int) (all []int) {
	blocks := c.f.Graph.Blocks()
	n := last - head + 1
	var simple, reached, reaching [2 * maxLoopBlocks]bool
	steps := 0
	for i := range n {
		simple[i] = c.loopOf[head+i] == nil && c.isSimple(head+i)
	}
	reached[0], reaching[n-1] = simple[0], simple[n-1]
	for changed := true; changed; {
		changed = false
		for i := range n {
			for _, next := range blocks[head+i].Succ {
				k := next - head
				if k < 0 || k >= n || !simple[i] || !simple[k] {
					continue
				}
				if reached[i] && !reached[k] {
					reached[k], changed = true, true
				}
				if reaching[k] && !reaching[i] {
					reaching[i], changed = true, true
				}
			}
		}
	}
	for i := range n {
		if reached[i] && reaching[i] {
			all = append(all, head+i)
			steps += blocks[head+i].End - blocks[head+i].Start
		}
	}
	if steps > maxLoopSteps {
		return nil
	}
	return all
}

// isSimple reports whether a block is runs and at most a branch behind them.
func (c *compiler) isSimple(b int) bool {
	block := &c.f.Graph.Blocks()[b]
	if block.End > len(c.steps)-1 || len(block.Succ) == 0 || block.End-block.Start > maxLoopSteps || c.f.Graph.Region(b) == flow.None || c.version == &c.apart && !c.inApart[b] {
		return false
	}
	copy(c.now, c.classes.in[b])
	for pc := block.Start; pc < block.End; pc++ {
		if k := c.kind(pc); !k.isStraight() && (k != stepJump || pc < block.End-1) || c.noted(&c.steps[pc]) {
			return false // what asks for notes leaves code, and loses vector registers
		}
		if st := &c.steps[pc]; st.across() && st.meets && !st.members.Known {
			return false // what looks at masks in a slot takes vector registers
		}
		if c.chases(block.Start, pc) {
			return false
		}
		c.classes.step(c.now, &c.live, pc, c.masked)
	}
	return true
}

// chases reports whether the instruction at pc loads by addresses of each lane's own that instructions from first on compute: a late run gains
// more then than a loop that holds values.
func (c *compiler) chases(first, pc int) bool {
	st := &c.steps[pc]
	if c.notes || st.kind != stepLoad || c.isAffine(st) {
		return false
	}
	for ; first < pc; first++ {
		for _, d := range c.steps[first].results() {
			if d.slot == st.src[0].slot {
				return true
			}
		}
	}
	return false
}

// addLoop makes a loop of blocks, if it has something to hold in registers.
func (c *compiler) addLoop(all []int) {
	l := &loop{blocks: all}
	if !c.findHeld(l) {
		return
	}
	l.order(c.f.Graph.Blocks())
	for range all {
		l.inside, l.bodies = append(l.inside, c.e.NewLabel()), append(l.bodies, c.e.NewLabel())
	}
	for _, b := range all {
		c.loopOf[b] = l
	}
	c.loops = append(c.loops, l)
}

// order puts blocks behind those from which lanes come as a rule, from one on at which the loop is entered.
func (l *loop) order(blocks []flow.Block) {
	entered := func(b int) bool {
		return slices.ContainsFunc(blocks[b].Pred, func(p int) bool { return !slices.Contains(l.blocks, p) })
	}
	left := slices.Clone(l.blocks)
	next := max(0, slices.IndexFunc(left, entered))
	l.blocks = l.blocks[:0]
	for {
		b := left[next]
		l.blocks, left = append(l.blocks, b), slices.Delete(left, next, next+1)
		if len(left) == 0 {
			return
		}
		next = 0
		for _, s := range blocks[b].Succ { // the fall-through is the last
			if k := slices.Index(left, s); k >= 0 {
				next = k
			}
		}
	}
}

// uses is how a loop uses a slot.
type uses struct {
	slot    slotID
	class   class
	written bool
	several bool // classes
	seen    bool // which NaN it is
}

// findHeld finds what the loop holds in registers. It is false if that is nothing, or not possible.
func (c *compiler) findHeld(l *loop) bool {
	blocks := c.f.Graph.Blocks()
	c.uses = c.uses[:0]
	c.useOf = zeroed(c.useOf, len(c.s.all))
	note := func(id slotID) *uses {
		if c.useOf[id] == 0 {
			c.uses = append(c.uses, uses{slot: id, class: c.now[id]})
			c.useOf[id] = int32(len(c.uses))
		}
		u := &c.uses[c.useOf[id]-1]
		u.several = u.several || u.class != c.now[id]
		return u
	}
	for _, b := range l.blocks {
		copy(c.now, c.classes.in[b])
		for pc := blocks[b].Start; pc < blocks[b].End; pc++ {
			st := &c.steps[pc]
			if st.kind == stepJump || st.kind == stepNop {
				continue
			}
			for _, s := range st.sources() {
				u := note(s.slot)
				u.seen = u.seen || !st.blind()
			}
			c.classes.step(c.now, &c.live, pc, c.masked)
			for _, d := range st.results() {
				u := note(d.slot)
				u.written, u.seen = true, u.seen || !st.blind() || !st.template.NaN || st.ndst > 1
			}
		}
		for _, next := range blocks[b].Succ {
			if !slices.Contains(l.blocks, next) {
				continue
			}
			n := len(c.listed)
			scalars := c.toSlots(blocks[next].Start, c.now, c.classes.in[next])
			c.listed = c.listed[:n]
			if len(scalars) > 0 { // they are written by a routine that uses registers
				return false
			}
		}
	}
	for i := range c.uses {
		u := &c.uses[i]
		for _, b := range l.blocks {
			u.several = u.several || c.live.in[b].has(u.slot) && c.classes.in[b][u.slot] != u.class
		}
	}
	return c.choose(l)
}

// choose chooses what the loop holds of what it uses: first what it hands from block to block and writes.
func (c *compiler) choose(l *loop) bool {
	for i := range c.uses {
		if u := &c.uses[i]; u.written && c.handedOn(l, u.slot) {
			c.hold(l, u)
		}
	}
	if len(l.held) == 0 {
		return false
	}
	for i := range c.uses {
		if u := &c.uses[i]; !u.written {
			c.hold(l, u)
		}
	}
	return true
}

// hold makes the loop hold a slot in registers, if there are enough and the slot can be held.
func (c *compiler) hold(l *loop, u *uses) {
	s := &c.s.all[u.slot]
	if len(l.held) == maxHeld || u.several || s.bits != 32 && s.bits != 64 || u.class.kind == unknown {
		return
	}
	h := held{slot: u.slot, bits: s.bits, class: u.class, written: u.written, anyNaN: u.written && !u.seen && u.class.kind != scalar}
	from, each := c.e.Vectors(), 1
	if u.class.kind == scalar {
		if !u.written {
			return
		}
		from = scalarVectors
	} else if c.e.AsStrips(); c.e.Two(s.bits) {
		each = 2
	}
	if bits.OnesCount32(l.regs)+each*h.copies() > c.e.Vectors()-freeVectors || each*h.copies() > l.free(from) {
		return
	}
	for p := range h.copies() {
		h.regs[p] = jit.Val{Bits: s.bits, Lo: l.take(from)}
		if each == 2 {
			h.regs[p].Hi = l.take(from)
		}
	}
	l.held = append(l.held, h)
}

// free returns how many registers with lower numbers than below the loop does not hold.
func (l *loop) free(below int) int { return bits.OnesCount32(^l.regs & (1<<below - 1)) }

// take returns the highest of them, which the loop then holds.
func (l *loop) take(below int) jit.Vec {
	v := bits.Len32(^l.regs&(1<<below-1)) - 1
	if v < 0 {
		panic("simtrun bug: a loop holds more values than there are registers")
	}
	l.regs |= 1 << v
	return jit.Vec(v)
}

// handedOn reports whether a slot is live at the start of a block of the loop.
func (c *compiler) handedOn(l *loop, s slotID) bool {
	return slices.ContainsFunc(l.blocks, func(b int) bool { return c.live.in[b].has(s) })
}

// copies is in how many places the loop holds the slot: one for each pass over the strips, or one for a scalar.
func (h *held) copies() int {
	if h.class.kind == scalar {
		return 1
	}
	return maxPasses
}

// now is where the loop holds the slot in the pass that code is for.
func (h *held) now(e *jit.Emit) jit.Val {
	if h.class.kind == scalar {
		return h.regs[0]
	}
	return h.regs[e.Pass()]
}

// writeLoop writes the code of the blocks of a loop.
func (c *compiler) writeLoop(l *loop) {
	var exits [maxLoopBlocks]jit.Label
	for i, b := range l.blocks {
		start, body := c.f.Graph.Blocks()[b].Start, l.bodies[i]
		stops := c.out.stops[start]
		if stops {
			exits[i] = c.stopExit(start)
		}
		leave := func() jit.Label {
			return c.exitAt(Exit{Why: AtOp, PC: start, First: start, Until: start + 1}, start, c.classes.in[b])
		}
		exit, load := exits[i], c.loads(l, start, leave)
		c.stubs = append(c.stubs, stub{at: c.blocks[b], write: func() {
			if stops {
				c.e.ExitAtStop(start, exit)
			}
			c.e.Bind(c.bodies[b])
			load()
			c.e.Jmp(body)
		}})
	}
	c.enterLoop(l)
	for i, b := range l.blocks {
		c.e.Bind(l.inside[i])
		if start := c.f.Graph.Blocks()[b].Start; c.out.stops[start] {
			c.e.ExitAtStop(start, c.storing(l, c.live.in[b], exits[i]))
		}
		c.e.Bind(l.bodies[i])
		c.blockBody(b)
	}
	c.enterLoop(nil)
}

// enterLoop has the code that follows be that of a loop, or of none.
func (c *compiler) enterLoop(l *loop) {
	c.loop, c.g.loop = l, l
	clear(c.heldOf)
	if l == nil {
		return
	}
	for i := range l.held {
		c.heldOf[l.held[i].slot] = &l.held[i]
	}
}

// loads writes, when it is called, code that loads what a loop holds from where it is elsewhere, at pc. Code is left by an exit that leave
// makes if a slot has a NaN that is not to be taken for the canonical one.
func (c *compiler) loads(l *loop, pc int, leave func() jit.Label) func() {
	live := c.liveAt(pc)
	which, anyNaN := uint32(0), false
	for i := range l.held {
		h := &l.held[i]
		if live.has(h.slot) || c.s.all[h.slot].fixed {
			which |= 1 << i
			anyNaN = anyNaN || h.anyNaN
		}
	}
	var exit jit.Label
	if anyNaN {
		exit = leave()
	}
	return func() {
		for i := range l.held {
			if which>>i&1 == 0 {
				continue
			}
			h := &l.held[i]
			if h.class.kind == scalar {
				c.e.AsQuads()
				c.e.LoadQuad(h.regs[0], jit.Quad{File: true, At: c.home(h.slot)})
				continue
			}
			c.e.AsStrips()
			for p := range c.e.Passes() {
				c.e.InPass(p, func() { c.e.LoadSlot(h.regs[p], c.s.all[h.slot].off) })
				if h.anyNaN {
					c.e.UnlessCanonical(h.regs[p], exit)
				}
			}
		}
	}
}

// storing goes to a label with all that is live in slots and homes, from code of a loop that holds some of it, or of none.
func (c *compiler) storing(l *loop, live set, to jit.Label) jit.Label {
	if l == nil {
		return to
	}
	which := uint32(0)
	for i := range l.held {
		if h := &l.held[i]; h.written && live.has(h.slot) {
			which |= 1 << i
		}
	}
	if which == 0 {
		return to
	}
	k := slices.IndexFunc(l.stores, func(s heldStores) bool { return s.which == which })
	if k < 0 {
		k = len(l.stores)
		l.stores = append(l.stores, heldStores{which, c.later(func() { c.storeHeld(l, which) })})
	}
	routine := l.stores[k].at
	return c.later(func() {
		c.e.Call(routine)
		c.e.Jmp(to)
	})
}

// beginRun begins a run without values.
func (l *loop) beginRun() {
	for i := range l.held {
		l.held[i].value = noValue
	}
}

// storeHeldQuads stores scalars that the loop holds and strips of a run read.
func (c *compiler) storeHeldQuads(r *run) {
	c.e.AsQuads()
	for i := range c.loop.held {
		h := &c.loop.held[i]
		if h.value == noValue || h.class.kind != scalar {
			continue
		}
		if v := &r.values[h.value]; v.inStrip {
			v.quad = c.newQuad(r)
			c.e.StoreQuad(v.quad, h.regs[0])
		}
	}
}

// storeHeld writes a routine that stores what a loop holds. It uses no general registers.
func (c *compiler) storeHeld(l *loop, which uint32) {
	c.g.loop = l // whose registers are not free
	l.beginRun()
	c.e.AsStrips()
	c.g.begin(&c.run, true)
	for i := range l.held {
		h := &l.held[i]
		switch {
		case which>>i&1 == 0:
		case h.class.kind == scalar:
			c.e.AsQuads()
			c.e.StoreQuad(jit.Quad{File: true, At: c.home(h.slot)}, h.regs[0])
		default:
			c.e.AsStrips()
			for p := range c.e.Passes() {
				c.e.InPass(p, func() { c.storeStrip(h, h.regs[p]) })
			}
		}
	}
	c.g.loop = nil
	c.e.Ret()
}

// storeStrip writes a strip of what a loop holds to its slot, in the lanes that execute.
func (c *compiler) storeStrip(h *held, v jit.Val) {
	off := c.s.all[h.slot].off
	if h.anyNaN {
		c.e.Canonical(v)
	}
	if !c.masked {
		c.e.StoreSlot(off, v)
		return
	}
	c.e.MergeSlot(off, v)
	c.g.freeTemps()
}
