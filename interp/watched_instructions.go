package interp

import (
	"bytes"
	"cmp"
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun/internal/program"
)

// watch finds the instructions that selective observers of the launch watch, which code leaves to the engine.
func (g *Grid) watch() {
	os := ObserversOf(g.Launch.Observers)
	if len(os.selective) == 0 || os.needEach() {
		return
	}
	at, late := make([][]bool, len(g.p.Funcs)), make([][]bool, len(g.p.Funcs))
	for i, f := range g.p.Funcs {
		at[i], late[i] = make([]bool, len(f.Ops)), make([]bool, len(f.Ops))
		for pc := range f.Src.Code {
			for _, o := range os.selective {
				if !o.Watches(i, pc) {
					continue
				}
				if l, ok := o.(LateObserver); ok && l.MayBeLate(i, pc) {
					late[i][pc], g.late = true, true
				} else {
					at[i][pc] = true
				}
			}
		}
	}
	if !g.late {
		late = nil // code that leaves a trail needs memory for it
	}
	g.watched = g.m.code.natives.watching(g.p, program.Watch(at, late))
	g.near = make([][]int32, len(at))
	for i, f := range g.p.Funcs {
		g.near[i] = nearWatched(f, at[i])
	}
}

// leaves returns the instructions that code leaves to the engine, other than those that it cannot execute; nil if there
// are none.
func (g *Grid) leaves() *program.Contention {
	if g.watched == nil || g.contention == nil {
		return cmp.Or(g.watched, g.contention)
	}
	return g.m.code.natives.watching(g.p, g.watched.And(g.contention))
}

// knows reports whether code of the launch leaves watched instructions of selective observers to the engine.
func (g *Grid) knows(os *Observers) bool {
	for _, o := range os.selective {
		if g.watched == nil || !slices.Contains(g.Launch.Observers, Observer(o)) {
			return false
		}
	}
	return true
}

// prepareDivergences lets code record at which branches lanes diverge, if all observers of divergence are selective.
// Otherwise code exits there.
func (e *Engine) prepareDivergences(n *compiledFunc) {
	ctx := e.native.ctx
	for _, o := range e.observers.divergence {
		if _, ok := o.(SelectiveObserver); !ok {
			ctx.Quantum = 0
			return
		}
	}
	if n.divergences == nil {
		n.divergences = make([]byte, n.instrs)
	}
	ctx.Divergences = unsafe.Pointer(unsafe.SliceData(n.divergences))
}

// notifyDivergences notifies observers of the branches at which lanes have diverged in code since it was entered, once
// of each.
func (e *Engine) notifyDivergences(n *compiledFunc) {
	e.groups = e.groups[:0]
	for pc := bytes.IndexByte(n.divergences, 1); pc >= 0; pc = bytes.IndexByte(n.divergences, 1) {
		n.divergences[pc] = 0
		e.notifyDiverged(pc)
	}
}

// leastWatched is the least number of instructions up to a watched one for which a warp enters compiled code: with
// fewer, entering and leaving takes longer than their lane functions.
const leastWatched = 3

// nearWatched returns, for each PC of a function from which a watched instruction is fewer than leastWatched
// instructions ahead, the PC after that instruction. Other PCs have 0.
func nearWatched(f *program.Func, watched []bool) []int32 {
	near := make([]int32, len(watched))
	for _, b := range f.Graph.Blocks() {
		next := -1
		for pc := min(b.End, len(watched)) - 1; pc >= b.Start; pc-- {
			if watched[pc] {
				next = pc
			}
			if next >= 0 && next-pc < leastWatched {
				near[pc] = int32(next + 1)
			}
		}
	}
	return near
}

// near returns the PC up to which lane functions execute the path, because a watched instruction is near; 0 if compiled
// code executes it.
func (e *Engine) near() int {
	if g := e.grid; g.watched != nil && e.path.PC < len(g.near[e.fn.Number]) {
		return int(g.near[e.fn.Number][e.path.PC])
	}
	return 0
}

// watching returns the set of watched instructions that an earlier launch of a program used, if it is the same, so that
// launches share compiled code.
func (n *natives) watching(p *program.Program, at *program.Contention) *program.Contention {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, w := range n.watched {
		if w.p == p && w.at.Equal(at) {
			return w.at
		}
	}
	n.watched = append(n.watched, watchedIn{p, at})
	return at
}

// watchedIn is the instructions of a program that selective observers watch.
type watchedIn struct {
	p  *program.Program
	at *program.Contention
}
