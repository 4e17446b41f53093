package interp

import (
	"errors"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// Watcher is told of accesses to global memory, before they are made. Unlike an
// AccessObserver it leaves engines their fast way to memory, and compiled code, which notes them. Of what functions of the system
// do it would not be told: to call one is an error of an engine with a watcher.
type Watcher interface {
	// Access: the lanes of m, which is not empty, are about to make an access of kind
	// Load, Store or Atomic. It is made in a.Mem, which the watcher may replace.
	Access(kind isa.Kind, in *program.Info, a *lanes.Access, m lanes.Mask)
	// Notes is asked before compiled code makes accesses of an instruction of that kind to a region. They are made in data, which has
	// the size of the region. Those that are no atomics are noted in pages, of which the table is for the whole region, unless
	// it is empty. If ok is false code is not to make them.
	Notes(kind isa.Kind, in *program.Info, r *memory.Region) (data []byte, pages []*memory.Page, ok bool)
	// NeedsPage asks for the page of Notes for what is off bytes into the region.
	NeedsPage(kind isa.Kind, r *memory.Region, off uint64)
}

// Watch has w told of what the engine does to global memory.
func (e *Engine) Watch(w Watcher) {
	e.watcher = w
	e.Observe(e.observers)
}

// errWatched is that an engine with a watcher should call a function of the system.
var errWatched = errors.New("a watched call of the system")

// watched is an Engine with a Watcher, as lanes.Path.Exec sees it.
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

// watch tells the watcher of the access in e.acc.
func (e *Engine) watch(pc int, m lanes.Mask) {
	if isa.Space(e.acc.Space) == isa.Global {
		e.watcher.Access(isa.Kind(e.fn.Ops[pc].Kind), &e.fn.Info[pc], &e.acc, m)
	}
}
