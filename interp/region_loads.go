package interp

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// Loaded has the accesses of the loads that Compute has executed by code, in their order. Each thread of the host needs
// one for its engines, because a trail is large.
type Loaded struct {
	Access []Moved
	trail  *trail // that code leaves of its loads
}

// LoadsInCode reports whether Compute may execute loads.
func (e *Engine) LoadsInCode() bool { return e.native.ctx != nil && e.grid.computing.loads != nil }

// prepareLoads sets the trail and the memory for code that executes loads, the first one at pc. It reports whether it
// has hidden the regions of some loads.
func (e *Engine) prepareLoads(n *compiledFunc, pc int, loads *Loaded) (hidden bool) {
	if loads.trail == nil {
		loads.trail = new(trail)
	}
	ctx, at := e.native.ctx, uintptr(unsafe.Pointer(loads.trail))
	ctx.TrailAt, ctx.TrailEnd = at, at+trailBytes
	ctx.Hints = unsafe.Pointer(unsafe.SliceData(n.hints))
	shared := hintOf(&e.cta.Shared)
	setMemory(&ctx.Shared, &shared, shared.Base)
	setMemory(&ctx.Window, &shared, shared.Base+isa.SharedWindow)
	return e.journal != nil && e.journal.Len() > 0 && e.hideLoads(n, pc)
}

// hideLoads makes code leave the loads in a row that may read what waits in the journal to the engine: code finds no
// address in their regions. It reports whether there are any.
func (e *Engine) hideLoads(n *compiledFunc, pc int) (hidden bool) {
	for next := e.grid.computing.next[e.fn.Number]; pc >= 0; pc = int(next[pc+1]) {
		if r := e.hint[pc]; r != nil && e.journal.HasRegion(r.Number) {
			n.hints[pc], hidden = nowhere(r), true
		}
	}
	return hidden
}

// showLoads undoes hideLoads.
func (e *Engine) showLoads(n *compiledFunc, pc int) {
	for next := e.grid.computing.next[e.fn.Number]; pc >= 0; pc = int(next[pc+1]) {
		if r := e.hint[pc]; r != nil {
			n.hints[pc] = e.hintAt(e.fn, pc, r)
		}
	}
}

// takeLoads appends the accesses of the loads that code has recorded in the trail.
func (e *Engine) takeLoads(n *compiledFunc, loads *Loaded) {
	t, entries := loads.trail, n.Trail()
	end := int(e.native.ctx.TrailAt - uintptr(t.at(0)))
	for at := 0; at < end; {
		head := (*jit.TrailHead)(t.at(at))
		entry := &entries[head.Site]
		for i := range entry.Sites {
			s := &entry.Sites[i]
			a := loads.next()
			a.Lanes = head.Mask
			locateSite(&a.Access, e.trailRegion(s), s, t.at(at+s.Places))
		}
		at += entry.Bytes
	}
}

// next appends an access and returns it. The caller sets all of its fields.
func (l *Loaded) next() *Moved {
	n := len(l.Access)
	if n == cap(l.Access) {
		l.Access = append(l.Access, Moved{})
	}
	l.Access = l.Access[:n+1]
	return &l.Access[n]
}
