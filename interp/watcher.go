package interp

import (
	"errors"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// Watcher is notified of accesses to global memory before they are made. Unlike with an AccessObserver, engines keep
// their fast path to memory, and use compiled code, which notes its accesses. A Watcher would not see the accesses of
// system functions: a call of one is an error of an engine with a watcher.
type Watcher interface {
	// Access: the lanes of m, which is not empty, are about to make an access of kind Load, Store or Atomic. It is made
	// in a.Mem, which the watcher may replace.
	Access(kind isa.Kind, in *program.Info, a *lanes.Access, m lanes.Mask)
	// Notes is called before compiled code makes accesses of an instruction of that kind to a region. They are made in
	// data, which has the size of the region. Unless pages is empty, it is the page table for the whole region in which
	// code notes accesses other than atomics. If ok is false, code must not make the accesses.
	Notes(kind isa.Kind, in *program.Info, r *memory.Region) (data []byte, pages []*memory.Page, ok bool)
	// NeedsPage asks for the page of Notes that covers offset off in bytes of the region.
	NeedsPage(kind isa.Kind, r *memory.Region, off uint64)
}

// Watch notifies w of the engine's accesses to global memory.
func (e *Engine) Watch(w Watcher) {
	e.watcher = w
	e.Observe(e.observers)
}

// Isolate makes calls of system functions errors: they may print, or change the heap.
func (e *Engine) Isolate() { e.isolated = true }

// errWatched is the error of an engine with a watcher, or an isolated one, that calls a function of the system.
var errWatched = errors.New("a watched call of the system")

// watched is an Engine with a Watcher in its role as lanes.Memory.
type watched Engine

// Locate implements lanes.Memory.
func (w *watched) Locate(pc int, m lanes.Mask) *lanes.Access {
	e := (*Engine)(w)
	a := (*locator)(w).Locate(pc, m)
	if a != nil {
		e.watch(pc, m)
	}
	return a
}

// watch notifies the watcher of the access in e.acc.
func (e *Engine) watch(pc int, m lanes.Mask) {
	if isa.Space(e.acc.Space) == isa.Global {
		e.watcher.Access(isa.Kind(e.fn.Ops[pc].Kind), &e.fn.Info[pc], &e.acc, m)
	}
}
