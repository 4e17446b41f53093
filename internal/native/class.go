package native

import (
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// class is what is known of how the value of a slot differs from lane to lane, in code that
// all lanes of a warp execute together.
//
// A scalar value is an affine function of the lane in each strip: its first lane's value
// and a stride, which is known when the code is made. Code computes it once for each strip, as one
// lane of a quad (compare Collange, Defour and Zhang, Dynamic Detection of Uniform and Affine
// Vectors in GPGPU Computations, 2009; scalar instructions of AMD's GPUs). By strips as
// blocks of CUDA code are 8 or 16 threads wide as often as 32.
//
// A predicate is a vector; its stride is fromData if it depends on what differs from lane to lane other than by
// where the lane is, as of data that was loaded: by such a predicate, lanes usually diverge.
type class struct {
	kind   classKind
	stride int32
}

const fromData = 1

type classKind uint8

const (
	unknown classKind = iota // no path that was looked at has given it a value
	scalar
	vector
)

// meet is the class of what is of class c on one path and of class o on another.
func (c class) meet(o class) class {
	switch {
	case c.kind == unknown:
		return o
	case o.kind == unknown || c == o:
		return c
	}
	return class{kind: vector}
}

// classes are the classes of slots at the start of each block, by slot.
type classes struct {
	s     *slots
	steps []step
	in    [][]class
	slab  []class // of in
}

// ofFixed is the class of a fixed slot.
func ofFixed(s *slot) class {
	switch {
	case s.bits == 1 || s.bits == 128:
		return class{kind: vector}
	case s.uniform:
		return class{kind: scalar}
	case s.ramp:
		return class{kind: scalar, stride: int32(s.stride)} // which is checked where code is entered
	}
	return class{kind: vector}
}

// maxStride bounds strides, so that a multiple of one by a lane's number in its strip is a
// displacement of 32 bits.
const maxStride = 1 << 24

// transfer is the class of the result of a step whose sources have the classes of now.
func (c *classes) transfer(now []class, st *step) class {
	if st.guarded || st.kind == stepAtomic || st.own != jit.NotOwn || st.across() {
		return class{kind: vector}
	}
	if st.kind == stepLoad {
		a := now[st.src[0].slot]
		if a.kind == scalar && a.stride == 0 && st.elems == 1 {
			return class{kind: scalar}
		}
		return class{kind: vector}
	}
	uniform := true
	for _, src := range st.sources() {
		switch k := now[src.slot]; {
		case k.kind != scalar:
			return class{kind: vector}
		case k.stride != 0:
			uniform = false
		}
	}
	if uniform {
		return class{kind: scalar}
	}
	if stride, ok := c.stride(now, st); ok && stride < maxStride && stride > -maxStride {
		return class{kind: scalar, stride: int32(stride)}
	}
	return class{kind: vector}
}

// predicate is the class of a predicate that a step gives whose sources have the classes of now.
func (c *classes) predicate(now []class, st *step) class {
	p := class{kind: vector}
	for _, src := range st.sources() {
		if k := now[src.slot]; k.kind == vector && (c.s.all[src.slot].bits > 1 || k.stride == fromData) {
			p.stride = fromData
		}
	}
	return p
}

// stride is the stride of the result of a step whose sources are scalar, and not all uniform.
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

// times is a stride times a known constant, if that is small. A constant of 32 bits may be taken as signed
// where the product wraps, too, but not where unsigned factors are extended.
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

// merge is where lanes meet again that have executed a side of a branch, or both: what that has written is no longer what it would be if
// all lanes had gone there.
type merge struct {
	join    int    // block
	guard   slotID // of the branch
	written []slotID
}

// meetMerged has what lanes have written come to where they meet, if they have diverged. It reports whether that changes classes.
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

// find finds the classes in code for warps all of whose lanes execute; merges are by block at whose end the branch is. With masked it does so in code for any,
// in which all that steps write is of class vector, and entry is the classes in the other code, which are
// those where lanes diverge.
func (c *classes) find(l *liveness, steps []step, masked bool, entry [][]class, merges []merge) {
	blocks := l.f.Graph.Blocks()
	n := len(l.s.all)
	c.clear(l, steps)
	for b := range entry {
		copy(c.in[b], entry[b])
	}
	if entry == nil {
		for id := range l.s.all {
			if s := &l.s.all[id]; !s.fixed {
				c.in[0][id] = class{kind: vector} // what may be read before it is written, and arguments
			}
		}
	}
	now := make([]class, n)
	visited := make([]bool, len(blocks))
	work := []int{0}
	if entry != nil {
		for b := range blocks[1:] {
			work = append(work, b+1)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		visited[b] = true
		copy(now, c.in[b])
		c.block(now, l, b, masked)
		for _, next := range blocks[b].Succ {
			if c.meet(l, next, now) || !visited[next] {
				work = append(work, next)
			}
		}
		if merges != nil && len(merges[b].written) > 0 && c.meetMerged(l, &merges[b], now) {
			work = append(work, merges[b].join)
		}
	}
}

// clear makes all classes unknown but those of fixed slots.
func (c *classes) clear(l *liveness, steps []step) {
	blocks := l.f.Graph.Blocks()
	n := len(l.s.all)
	c.s, c.steps, c.in, c.slab = l.s, steps, c.in[:0], zeroed(c.slab, n*len(blocks))
	for id := range l.s.all {
		if s := &l.s.all[id]; s.fixed {
			c.slab[id] = ofFixed(s)
		}
	}
	for b := range blocks {
		in := c.slab[b*n:][:n]
		copy(in, c.slab[:n])
		c.in = append(c.in, in)
	}
}

// meet has a path come to block b with the classes of now, and reports whether that changes those there.
func (c *classes) meet(l *liveness, b int, now []class) (changed bool) {
	for id := range l.in[b].each {
		if m := c.in[b][id].meet(now[id]); m != c.in[b][id] {
			c.in[b][id], changed = m, true
		}
	}
	return changed
}

// block makes now, the classes where block b starts, those at its end.
func (c *classes) block(now []class, l *liveness, b int, masked bool) {
	block := &l.f.Graph.Blocks()[b]
	for pc := block.Start; pc < block.End && pc < len(c.steps); pc++ {
		c.step(now, l, pc, masked)
	}
}

// step makes now, the classes before the instruction at pc, those behind it.
func (c *classes) step(now []class, l *liveness, pc int, masked bool) {
	st := &c.steps[pc]
	switch {
	case st.kind == stepLeave || st.kind == stepVote:
		for _, id := range l.def[pc] {
			now[id] = class{kind: vector}
		}
		if st.op == nil || pc >= len(l.f.Src.Code) {
			return
		}
		for ref := range l.f.Src.Code[pc].Refs { // also what is not written for sure
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
