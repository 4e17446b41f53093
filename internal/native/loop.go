package native

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// loop is a loop that has only regions and branches. Its code keeps values in dedicated registers, instead of slots and
// spill slots, from the entry of the loop to its exits, for all passes over the subvectors.
//
// At the start of each region and of each block of the loop these registers replace the slots and spill slots. Code
// that enters the loop loads them; code that leaves it stores those that the loop writes into slots, in the executing
// lanes, because all other code reads slots. Transitions between blocks of the loop do neither.
type loop struct {
	blocks  []int
	inside  []jit.Label // by block of the loop: where it begins
	bodies  []jit.Label // by block of the loop: after the check whether the path ends there
	carried []carried
	regs    uint32 // registers of held values, as bits
	stores  []carriedStores
}

// held is a slot that a loop holds in registers.
type carried struct {
	slot    slotID
	bits    uint8
	class   class // valid wherever the slot is live in the loop
	written bool  // in the loop
	// The registers may have any NaN of .f32 where the slot has the canonical one: no step of the loop can tell the
	// difference.
	anyNaN bool
	regs   [maxPasses]jit.Val
	value  valueID // its value at the start of the present region
}

// carriedStores is a routine that stores held slots, given as bits of their indices in loop.held.
type carriedStores struct {
	which uint32
	at    jit.Label
}

// Limits of loops.
const (
	maxPasses     = 2 // over subvectors: AVX2 has too few registers for its four passes
	maxLoopBlocks = 8
	maxLoopSteps  = 64
	maxCarried    = 32
	freeVectors   = 14 // registers left to regions of a loop for other values
	scalarVectors = 16 // registers that may hold scalars: the lower ones, which have shorter encodings
)

// findLoops finds the loops of the version that can hold values in registers.
func (c *compiler) findLoops() {
	blocks := c.f.Graph.Blocks()
	c.loops, c.loopOf = c.loops[:0], zeroed(c.loopOf, len(blocks))
	if c.e.Level < jit.AVX512 || !c.carries {
		return
	}
	start, end := c.part.of(c.f)
	first, most := c.f.Graph.BlockOf(start), c.f.Graph.BlockOf(end)
	for size := range 2 * maxLoopBlocks { // in text order; an inner loop is shorter
		for head := first; head+size <= most; head++ {
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

// cycle returns the blocks in the text from head to last that form a loop, if they consist of regions and branches only
// and are in no loop found before.
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

// isSimple reports whether a block has only regions and at most a branch after them.
func (c *compiler) isSimple(b int) bool {
	block := &c.f.Graph.Blocks()[b]
	if block.End > len(c.steps)-1 || len(block.Succ) == 0 || block.End-block.Start > maxLoopSteps || c.f.Graph.Region(b) == flow.None || c.version == &c.divergent && !c.inDivergent[b] {
		return false
	}
	copy(c.slotClass, c.classes.in[b])
	for pc := block.Start; pc < block.End; pc++ {
		if k := c.kind(pc); !k.isStraight() && (k != stepJump || pc < block.End-1) || c.noted(&c.steps[pc]) || c.steps[pc].yields {
			return false // code that records accesses loses vector registers
		}
		if st := &c.steps[pc]; st.across() && st.meets && !st.members.Known {
			return false // a check of masks in a slot uses vector registers
		}
		if c.chases(block.Start, pc) {
			return false
		}
		c.classes.step(c.slotClass, &c.live, pc, c.masked)
	}
	return true
}

// chases reports whether the instruction at pc loads by per-lane addresses that instructions from first on compute: a
// region with deferred checks then gains more than a loop that holds values.
func (c *compiler) chases(first, pc int) bool {
	st := &c.steps[pc]
	if c.marks() || st.kind != stepLoad || c.isAffine(st) {
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

// addLoop makes a loop of blocks, if it has a value to hold in registers.
func (c *compiler) addLoop(all []int) {
	l := &loop{blocks: all}
	if !c.findCarried(l) {
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

// order sorts blocks after their usual predecessors, starting with one at which the loop is entered.
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
		for _, s := range blocks[b].Succ { // the fall-through is last
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
	seen    bool // the kind of a NaN is observable
}

// findCarried finds the slots that the loop holds in registers. It returns false if there are none, or if that is not
// possible.
func (c *compiler) findCarried(l *loop) bool {
	blocks := c.f.Graph.Blocks()
	c.uses = c.uses[:0]
	c.useOf = zeroed(c.useOf, len(c.s.all))
	note := func(id slotID) *uses {
		if c.useOf[id] == 0 {
			c.uses = append(c.uses, uses{slot: id, class: c.slotClass[id]})
			c.useOf[id] = int32(len(c.uses))
		}
		u := &c.uses[c.useOf[id]-1]
		u.several = u.several || u.class != c.slotClass[id]
		return u
	}
	for _, b := range l.blocks {
		copy(c.slotClass, c.classes.in[b])
		for pc := blocks[b].Start; pc < blocks[b].End; pc++ {
			st := &c.steps[pc]
			if st.kind == stepJump || st.kind == stepNop {
				continue
			}
			for _, s := range st.sources() {
				u := note(s.slot)
				u.seen = u.seen || !st.blind()
			}
			c.classes.step(c.slotClass, &c.live, pc, c.masked)
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
			scalars := c.toSlots(blocks[next].Start, c.slotClass, c.classes.in[next])
			c.listed = c.listed[:n]
			if len(scalars) > 0 { // a routine writes them, which uses registers
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

// choose selects the slots that the loop holds: first those that are live across its blocks and written.
func (c *compiler) choose(l *loop) bool {
	for i := range c.uses {
		if u := &c.uses[i]; u.written && c.isCarried(l, u.slot) {
			c.carry(l, u)
		}
	}
	if len(l.carried) == 0 {
		return false
	}
	for i := range c.uses {
		if u := &c.uses[i]; !u.written {
			c.carry(l, u)
		}
	}
	return true
}

// hold makes the loop hold a slot in registers, if there are enough and the slot can be held.
func (c *compiler) carry(l *loop, u *uses) {
	s := &c.s.all[u.slot]
	if len(l.carried) == maxCarried || u.several || s.bits != 32 && s.bits != 64 || u.class.kind == unknown {
		return
	}
	h := carried{slot: u.slot, bits: s.bits, class: u.class, written: u.written, anyNaN: u.written && !u.seen && u.class.kind != scalar}
	from, each := c.e.Vectors(), 1
	if u.class.kind == scalar {
		if !u.written {
			return
		}
		from = scalarVectors
	} else if c.e.AsSubvectors(); c.e.Two(s.bits) {
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
	l.carried = append(l.carried, h)
}

// free returns how many registers with lower numbers than below the loop does not hold.
func (l *loop) free(below int) int { return bits.OnesCount32(^l.regs & (1<<below - 1)) }

// take allocates the highest of them for the loop.
func (l *loop) take(below int) jit.Vec {
	v := bits.Len32(^l.regs&(1<<below-1)) - 1
	if v < 0 {
		panic("simtrun bug: a loop holds more values than there are registers")
	}
	l.regs |= 1 << v
	return jit.Vec(v)
}

// isCarried reports whether a slot is live at the start of a block of the loop.
func (c *compiler) isCarried(l *loop, s slotID) bool {
	return slices.ContainsFunc(l.blocks, func(b int) bool { return c.live.in[b].has(s) })
}

// copies returns how many registers hold the slot: one for each pass over the subvectors, or one for a scalar.
func (h *carried) copies() int {
	if h.class.kind == scalar {
		return 1
	}
	return maxPasses
}

// now returns the register of the slot in the present pass.
func (h *carried) now(e *jit.Emit) jit.Val {
	if h.class.kind == scalar {
		return h.regs[0]
	}
	return h.regs[e.Pass()]
}
