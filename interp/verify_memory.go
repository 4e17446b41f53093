package interp

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/source"
)

// storeLog is the lanes.Memory of a replay: it records the contents of memory before they are overwritten.
type storeLog struct {
	e   *Engine
	x   *program.Expansion // the PCs are of an expansion, or nil
	off bool               // nothing is recorded
	all []stored
	// Bytes of all, one after the other: before the replay and after it. Scratch is for undoOf.
	before, after, scratch []byte
}

// stored is memory that a lane stores to.
type stored struct {
	at   *byte
	size uint64
	pc   int // of the instruction, in the engine's function
}

func (s *stored) bytes() []byte { return unsafe.Slice(s.at, s.size) }

// begin clears the record.
func (l *storeLog) begin(e *Engine) { l.e, l.off, l.all, l.before = e, false, l.all[:0], l.before[:0] }

// Locate implements lanes.Memory.
func (l *storeLog) Locate(pc int, m lanes.Mask) *lanes.Access {
	if l.x != nil {
		if l.x.Inside(pc) != nil {
			return l.e.locateInlined(&l.x.Ops[pc], &l.x.Info[pc], m)
		}
		pc = l.x.Origin[pc]
	}
	var a *lanes.Access
	switch memory := l.e.path.Memory; {
	case l.e.yieldsInCode(pc):
		a = (*locator)(l.e).Locate(pc, m)
	case memory != nil:
		a = memory.Locate(pc, m)
	case !l.e.mayConflict(pc): // accesses are observed, by a ShadowObserver
		a = (*locator)(l.e).Locate(pc, m)
	}
	if a == nil {
		a = l.e.locateUnhinted(pc, m)
	}
	if a == nil || l.off || isa.Kind(l.e.fn.Ops[pc].Kind) == isa.Load {
		return a
	}
	for ; m != 0; m &= m - 1 {
		at := a.At(firstLane(m))
		s := stored{&a.Mem[at], a.Size, pc}
		l.all = append(l.all, s)
		l.before = append(l.before, s.bytes()...)
	}
	return a
}

// locateUnhinted is locator.Locate for an access to a region that the instruction's lanes did not access last. Code
// executes the access if it shares an area with an access of that region. It returns nil if the lanes may not access
// the region.
func (e *Engine) locateUnhinted(pc int, m lanes.Mask) *lanes.Access {
	op, in := &e.fn.Ops[pc], &e.fn.Info[pc]
	if in.Copy != nil || in.Mbarrier != nil || e.mayConflict(pc) && !e.yieldsInCode(pc) {
		return nil
	}
	if in.Space == isa.Generic && !in.OnlyShared && e.locateGenericLocal(op, in, m) { // whatever the hint is
		return &e.acc
	}
	t := e.find(in, narrowed(in.Space, e.laneAddr(op, in, firstLane(m))))
	if !t.isGlobal() || e.check(in, isa.Kind(op.Kind), uint64(in.Size), t) != nil {
		return nil
	}
	hint := e.hint[pc]
	defer func() { e.hint[pc] = hint }() // the next access must set it, also for code
	e.hint[pc] = t.region
	return (*locator)(e).Locate(pc, m)
}

// locateInlined is locator.Locate for a load of an inlined function. It returns nil if not all lanes are in one region.
func (e *Engine) locateInlined(op *lanes.Op, in *program.Info, m lanes.Mask) *lanes.Access {
	if in.Space == isa.Shared || in.Space == isa.Generic && e.locate(op, in, &e.cta.Shared, isa.SharedWindow, m) {
		if in.Space == isa.Generic || e.locate(op, in, &e.cta.Shared, 0, m) {
			return &e.acc
		}
		return nil
	}
	if in.Space == isa.Generic && e.locateGenericLocal(op, in, m) {
		return &e.acc
	}
	t := e.find(in, narrowed(in.Space, e.laneAddr(op, in, firstLane(m))))
	if !t.isGlobal() || e.check(in, isa.Kind(op.Kind), uint64(in.Size), t) != nil || !e.locate(op, in, t.region, 0, m) {
		return nil
	}
	return &e.acc
}

// keep records the contents of memory after the replay.
func (l *storeLog) keep() { l.after = l.held(l.after) }

// held returns the present contents of memory, in the memory of b.
func (l *storeLog) held(b []byte) []byte {
	b = b[:0]
	for i := range l.all {
		b = append(b, l.all[i].bytes()...)
	}
	return b
}

// undo restores the contents of memory before the replay.
func (l *storeLog) undo() { l.put(l.before) }

// put copies the contents in b to memory. If places overlap, the first one counts.
func (l *storeLog) put(b []byte) {
	end := uint64(len(b))
	for i := len(l.all) - 1; i >= 0; i-- {
		s := &l.all[i]
		copy(s.bytes(), b[end-s.size:end])
		end -= s.size
	}
}

// undoOf restores the contents of memory before the replay, records the contents after do, and restores them.
func (l *storeLog) undoOf(do func()) {
	l.scratch = l.held(l.scratch)
	l.undo()
	l.off = true
	do()
	l.off = false
	l.keep()
	l.put(l.scratch)
}

// difference describes the first byte that memory does not hold as after the replay, or returns "".
func (l *storeLog) difference() string {
	at := 0
	for i := range l.all {
		for k, b := range l.all[i].bytes() {
			if want := l.after[at+k]; b != want {
				at := unsafe.Add(unsafe.Pointer(l.all[i].at), k)
				return fmt.Sprintf("%s has %#x, by lane functions %#x, which %v writes last", l.e.byteAt(at), b, want, source.At(l.e.fn.Src, l.writer((*byte)(at))))
			}
		}
		at += int(l.all[i].size)
	}
	return ""
}

// writer returns the PC of the instruction that stores to a byte last.
func (l *storeLog) writer(b *byte) int {
	for i := len(l.all) - 1; i >= 0; i-- {
		if s := &l.all[i]; offsetIn(s.bytes(), b) >= 0 {
			return s.pc
		}
	}
	return 0
}

// guard finds stores of compiled code to other places than those of lane functions: in all of a small region, and in
// parts of a large one.
type guard struct {
	windows []guarded
	known   map[*byte]bool
	turn    uint64
}

// guarded is memory with its contents before code.
type guarded struct{ memory, before []byte }

// guardedBytes is the size of a region that is small, and guardedPart that of a part of another.
const (
	guardedBytes = 32 << 10
	guardedPart  = 4 << 10
)

// forget forgets the memory that was recorded.
func (g *guard) forget() { g.windows = g.windows[:0] }

// begin records memory that code might store to.
func (g *guard) begin(v *verifier) {
	if g.known == nil {
		g.known = make(map[*byte]bool)
	}
	clear(g.known)
	g.turn++
	g.add(v.e.cta.Shared.Data, &v.stores)
	g.add(v.e.warp.Local, &v.stores)
	g.add(v.e.window.Params, &v.stores)
	for pc := range v.entry.n.hints {
		h := &v.entry.n.hints[pc]
		if h.Len > 0 && pc < len(v.e.fn.Ops) && isa.Kind(v.e.fn.Ops[pc].Kind) != isa.Load { // inlined functions only load
			g.add(unsafe.Slice((*byte)(h.Data), h.Len), &v.stores)
		}
	}
}

// add records a region, or a part of it and the surroundings of a store.
func (g *guard) add(region []byte, l *storeLog) {
	if len(region) == 0 || g.known[&region[0]] {
		return
	}
	g.known[&region[0]] = true
	if len(region) <= guardedBytes {
		g.window(region)
		return
	}
	parts := uint64(len(region)) / guardedPart
	g.window(region[g.turn*0x9e3779b97f4a7c15%parts*guardedPart:][:guardedPart])
	for i := range l.all {
		if at := offsetIn(region, l.all[i].at); at >= 0 {
			g.window(region[max(0, at-guardedPart/2):min(len(region), at+guardedPart/2)])
			return
		}
	}
}

func (g *guard) window(memory []byte) {
	n := len(g.windows)
	if n < cap(g.windows) {
		g.windows = g.windows[:n+1]
	} else {
		g.windows = append(g.windows, guarded{})
	}
	w := &g.windows[n]
	w.memory, w.before = memory, append(w.before[:0], memory...)
}

// restore restores the contents.
func (g *guard) restore() {
	for i := range g.windows {
		copy(g.windows[i].memory, g.windows[i].before)
	}
}

// difference describes the first byte that has changed and is not in the log, or returns "".
func (g *guard) difference(l *storeLog) string {
	for i := range g.windows {
		w := &g.windows[i]
		if k := w.unlogged(l); k >= 0 {
			return fmt.Sprintf("%s has %#x; lane functions do not store there, and it had %#x", l.e.byteAt(unsafe.Pointer(&w.memory[k])), w.memory[k], w.before[k])
		}
	}
	return ""
}

// unlogged returns the offset of the first byte that has changed and is not in the log, or -1.
func (w *guarded) unlogged(l *storeLog) int {
	if bytes.Equal(w.memory, w.before) {
		return -1
	}
	allowed := make([]bool, len(w.memory))
	for k := range l.all {
		place := l.all[k].bytes()
		for n := range place { // a store may begin before the window
			if at := offsetIn(w.memory, &place[n]); at >= 0 {
				allowed[at] = true
			}
		}
	}
	for k, b := range w.memory {
		if b != w.before[k] && !allowed[k] {
			return k
		}
	}
	return -1
}

// offsetIn returns the offset of a byte in memory, or -1.
func offsetIn(memory []byte, at *byte) int {
	off := uintptr(unsafe.Pointer(at)) - uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	if off >= uintptr(len(memory)) {
		return -1
	}
	return int(off)
}

// byteAt describes the place of a byte of the host's memory that code can access.
func (e *Engine) byteAt(at unsafe.Pointer) string {
	b := (*byte)(at)
	if off := offsetIn(e.cta.Shared.Data, b); off >= 0 {
		return fmt.Sprintf("shared memory +%#x", off)
	}
	if off := offsetIn(e.warp.Local, b); off >= 0 {
		return fmt.Sprintf("local memory of the warp +%#x", off)
	}
	if off := offsetIn(e.window.Params, b); off >= 0 {
		return fmt.Sprintf("the call's parameters +%#x", off)
	}
	for _, r := range e.hint {
		if r == nil {
			continue
		}
		if off := offsetIn(r.Data, b); off >= 0 {
			return fmt.Sprintf("%s +%#x", r.Name, off)
		}
	}
	return "memory"
}
