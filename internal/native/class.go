package native

import (
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// class says how the value of a slot differs between lanes, in code that all lanes of a warp execute together.
//
// A scalar value is an affine function of the lane in each subvector: the value of its first lane and a stride, which
// is a compile-time constant. Code computes the four values at once, in one register (compare Collange,
// Defour and Zhang, Dynamic Detection of Uniform and Affine Vectors in GPGPU Computations, 2009; scalar instructions
// of AMD's GPUs). The granularity is a subvector because blocks of CUDA code are 8 or 16 threads wide as often as 32.
//
// A predicate is a vector. Its stride is fromData if it depends on values that differ between lanes for other reasons
// than the lane's index, for example loaded data: lanes usually diverge at such a predicate.
//
// Classes form a lattice of three levels: unknown is below every class, a scalar below vector, and any other predicate
// below one fromData. All that classes.find does only moves classes up, so that its result does not depend on the order
// in which it visits blocks, and a slot's class at the start of a block changes at most twice.
type class struct {
	kind   classKind
	stride int32
}

const fromData = 1

type classKind uint8

const (
	unknown classKind = iota // no path analysed so far has given it a value
	scalar
	vector
)

// meet returns the class of a slot that is c on one path and o on another.
func (c class) meet(o class) class {
	switch {
	case c.kind == unknown:
		return o
	case o.kind == unknown || c == o:
		return c
	case c.kind == vector && o.kind == vector: // predicates
		return class{kind: vector, stride: fromData}
	}
	return class{kind: vector}
}

// classes has the classes of slots at the start of each block, by slot.
type classes struct {
	s     *slots
	steps []step
	in    [][]class
	slab  []class // of in
	// vectors are the classes at the start of blocks outside of the part, in place of their own: all values are in slots.
	vectors []class
	work    blockQueue
	visits  int // of blocks, by find
}

// ofFixed returns the class of a fixed slot.
func ofFixed(s *slot) class {
	switch {
	case s.bits == 1 || s.bits == 128:
		return class{kind: vector}
	case s.uniform:
		return class{kind: scalar}
	case s.ramp:
		return class{kind: scalar, stride: int32(s.stride)} // checked when code is entered
	}
	return class{kind: vector}
}

// maxStride bounds strides, so that a stride times a lane's number in its subvector is a 32-bit displacement.
const maxStride = 1 << 24

// transfer returns the class of the result of a step, given the classes of slots before it.
func (c *classes) transfer(now []class, st *step) class {
	if st.guarded || st.kind == stepAtomic || st.own != jit.NotOwn || st.mixed || st.across() {
		return class{kind: vector}
	}
	if st.kind == stepLoad {
		switch a := now[st.src[0].slot]; {
		case st.elems != 1:
		case a.kind == unknown:
			return class{}
		case a.kind == scalar && a.stride == 0:
			return class{kind: scalar}
		}
		return class{kind: vector}
	}
	known, uniform := true, true
	for _, src := range st.sources() {
		switch k := now[src.slot]; {
		case k.kind == vector:
			return class{kind: vector}
		case k.kind == unknown:
			known = false
		case k.stride != 0:
			uniform = false
		}
	}
	switch {
	case !known: // no path has come here yet
		return class{}
	case uniform:
		return class{kind: scalar}
	}
	if stride, ok := c.stride(now, st); ok && stride < maxStride && stride > -maxStride {
		return class{kind: scalar, stride: int32(stride)}
	}
	return class{kind: vector}
}

// predicate returns the class of the predicate that a step computes, given the classes of slots before it.
func (c *classes) predicate(now []class, st *step) class {
	p := class{kind: vector}
	for _, src := range st.sources() {
		if k := now[src.slot]; k.kind == vector && (c.s.all[src.slot].bits > 1 || k.stride == fromData) {
			p.stride = fromData
		}
	}
	return p
}

// stride returns the stride of the result of a step with scalar sources that are not all uniform.
func (c *classes) stride(now []class, st *step) (stride int64, ok bool) {
	of := func(field byte) (stride int64, s *slot) {
		for i, src := range st.sources() {
			if st.field[i] == field {
				return int64(now[src.slot].stride), &c.s.all[src.slot]
			}
		}
		return 0, nil
	}
	a, sa := of('a')
	b, sb := of('b')
	product := func() (int64, bool) {
		switch {
		case sa == nil || sb == nil:
			return 0, false
		case sb.known:
			return times(a, sb, st.template.Affine)
		case sa.known:
			return times(b, sa, st.template.Affine)
		}
		return 0, a == 0 && b == 0
	}
	switch st.template.Affine {
	case jit.AffineCopy, jit.AffineWidenSigned, jit.AffineWidenUnsigned:
		return a, true
	case jit.AffineAdd:
		return a + b, true
	case jit.AffineSub:
		return a - b, true
	case jit.AffineNeg:
		return -a, true
	case jit.AffineMul, jit.AffineMulWideSigned, jit.AffineMulWideUnsigned:
		return product()
	case jit.AffineMad, jit.AffineMadWideSigned, jit.AffineMadWideUnsigned:
		s, ok := product()
		d, _ := of('c')
		return s + d, ok
	case jit.AffineShift:
		if sb == nil || !sb.known || sb.value > 24 {
			return 0, false
		}
		return a << sb.value, true
	}
	return 0, false
}

// times returns a stride times a known constant, if that is small. A 32-bit constant may be taken as signed even
// where the product wraps, but not where unsigned factors are extended.
func times(stride int64, k *slot, rule jit.Affine) (int64, bool) {
	v := int64(k.value)
	switch {
	case k.bits != 32:
	case rule == jit.AffineMulWideUnsigned || rule == jit.AffineMadWideUnsigned:
		v = int64(uint32(k.value))
	default:
		v = int64(int32(k.value))
	}
	return stride * v, v < maxStride && v > -maxStride
}

// merge is the reconvergence PC of lanes that have executed one side of a branch, or both: slots that a side writes
// then differ from a warp in which all lanes take one side.
type merge struct {
	join    int    // block at the reconvergence PC
	guard   slotID // of the branch
	written []slotID
}

// meetMerged merges the slots that diverged lanes have written, at their reconvergence PC. It reports whether that
// changes classes.
func (c *classes) meetMerged(l *liveness, m *merge, now []class) (changed bool) {
	if now[m.guard].stride != fromData {
		return false
	}
	for _, id := range m.written {
		if l.in[m.join].has(id) && c.in[m.join][id].kind != vector {
			c.in[m.join][id], changed = class{kind: vector}, true
		}
	}
	return changed
}

// find finds the classes in code for full warps; merges are indexed by the block with the branch at its end. If
// masked is set, it finds those in code for any mask, in which all results of steps are vectors. entry then has the
// classes of the other code, from where lanes diverge.
//
// Blocks are visited after those that lead to them, and again only if their classes have changed: about as often as
// loops are nested.
func (c *classes) find(l *liveness, steps []step, masked bool, entry [][]class, merges []merge) {
	blocks := l.f.Graph.Blocks()
	n := len(l.s.all)
	c.clear(l, steps)
	for b := range entry {
		copy(c.in[b], entry[b])
	}
	now := make([]class, n)
	visited := make([]bool, len(blocks))
	work := &c.work
	work.clear(l.f.Graph)
	for b := range blocks {
		switch {
		case !l.inside[b]:
		case entry != nil:
			work.add(b)
		case b == 0 || l.isEntered(b): // slots may be read before they are written, and arguments
			copy(c.in[b], c.vectors)
			work.add(b)
		}
	}
	for c.visits = 0; !work.isEmpty(); c.visits++ {
		b := work.take()
		visited[b] = true
		copy(now, c.in[b])
		c.block(now, l, b, masked)
		for _, next := range blocks[b].Succ {
			if l.inside[next] && (c.meet(l, next, now) || !visited[next]) {
				work.add(next)
			}
		}
		if merges != nil && len(merges[b].written) > 0 && c.meetMerged(l, &merges[b], now) {
			work.add(merges[b].join)
		}
	}
}

// clear resets the classes of all slots except fixed ones to unknown.
func (c *classes) clear(l *liveness, steps []step) {
	blocks := l.f.Graph.Blocks()
	n, count := len(l.s.all), 2
	for b := range blocks {
		if l.inside[b] {
			count++
		}
	}
	c.s, c.steps, c.in, c.slab = l.s, steps, c.in[:0], zeroed(c.slab, n*count)
	unknowns, rest := c.slab[:n], c.slab[2*n:]
	c.vectors = c.slab[n : 2*n]
	for id := range l.s.all {
		s := &l.s.all[id]
		if c.vectors[id] = (class{kind: vector}); s.fixed {
			unknowns[id], c.vectors[id] = ofFixed(s), ofFixed(s)
		}
	}
	for b := range blocks {
		if !l.inside[b] {
			c.in = append(c.in, c.vectors)
			continue
		}
		copy(rest, unknowns)
		c.in, rest = append(c.in, rest[:n]), rest[n:]
	}
}

// meet merges the classes now of a path that leads to block b, and reports whether that changes the classes there.
func (c *classes) meet(l *liveness, b int, now []class) (changed bool) {
	for id := range l.in[b].each {
		if m := c.in[b][id].meet(now[id]); m != c.in[b][id] {
			c.in[b][id], changed = m, true
		}
	}
	return changed
}

// block transforms now from the classes at the start of block b to those at its end.
func (c *classes) block(now []class, l *liveness, b int, masked bool) {
	block := &l.f.Graph.Blocks()[b]
	start, end := l.part.within(block)
	for pc := start; pc < end && pc < len(c.steps); pc++ {
		c.step(now, l, pc, masked)
	}
}

// step transforms now from the classes before the instruction at pc to those after it.
func (c *classes) step(now []class, l *liveness, pc int, masked bool) {
	c.apply(now, l, pc, &c.steps[pc], masked)
}

// apply is step with another step in the place of the instruction's.
func (c *classes) apply(now []class, l *liveness, pc int, st *step, masked bool) {
	switch {
	case st.kind == stepLeave || st.kind == stepVote || st.kind == stepProduct || st.kind == stepMatrix || st.kind == stepFetch || st.kind == stepLanes:
		for _, id := range l.defs(pc) {
			now[id] = class{kind: vector}
		}
		if st.op == nil || pc >= len(l.f.Src.Code) {
			return
		}
		for _, ref := range l.f.Graph.Refs(pc) { // including conditional writes
			if id := l.s.lookup(l.f.Layout.Reg(ref.Reg)); ref.Role.Writes() && id != noSlot && !l.s.all[id].fixed {
				now[id] = class{kind: vector}
			}
		}
	case st.kind == stepCompute || st.kind == stepLoad || st.kind == stepAtomic:
		k := class{kind: vector}
		if !masked {
			k = c.transfer(now, st)
		}
		for _, d := range st.results() {
			r := k
			if l.s.all[d.slot].bits == 1 {
				r = c.predicate(now, st)
			}
			now[d.slot] = r
		}
	}
}
