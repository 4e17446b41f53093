package interp

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/source"
)

// Contend makes engines that are created later stop after accesses that may conflict with
// another warp of the CTA (program.Contention). Run and Issue return Yielded there, so that
// a driver can switch warps about as often as a GPU does. It has no effect if an observer
// of synchronisation is attached: a race checker should see the schedule with the most harm.
func (g *Grid) Contend() {
	if os := ObserversOf(g.Launch.Observers); len(os.sync) == 0 {
		g.contention = g.p.Contention(g.Launch.Block, g.Launch.Params)
	}
}

// Contention returns the accesses that may conflict, for Yield; nil if there are none.
func (g *Grid) Contention() *program.Contention { return g.contention }

// Yield sets the accesses after which the engine, and engines that are created later, stop; nil for none.
func (e *Engine) Yield(at *program.Contention) {
	if g := e.grid; g.contention != at {
		g.contention = at
		e.fn, e.window, e.native.ctx = nil, nil, nil
		e.Observe(e.observers)
	}
}

// Conflicted reports whether accesses of warps of a CTA that the engine executed have conflicted.
func (e *Engine) Conflicted() bool { return e.conflicted }

// contender is an Engine in its role as lanes.Memory, in launches with accesses that may conflict.
type contender Engine

// Locate implements lanes.Memory. It leaves accesses that may conflict to Engine.follow.
func (c *contender) Locate(pc int, m lanes.Mask) *lanes.Access {
	e := (*Engine)(c)
	switch {
	case e.mayConflict(pc):
		return nil
	case e.watcher != nil:
		return (*watched)(c).Locate(pc, m)
	}
	return (*locator)(c).Locate(pc, m)
}

// mayConflict reports whether the access at pc may conflict with another warp's.
func (e *Engine) mayConflict(pc int) bool { return e.conflicts != nil && e.conflicts[pc] }

// yieldsInCode reports whether compiled code may execute the access at pc although it may conflict.
func (e *Engine) yieldsInCode(pc int) bool {
	return e.mayConflict(pc) && e.grid.contention.YieldsInCode(e.fn, pc)
}

// conflicts records the accesses of warps of a CTA to words of its shared memory since the
// last barrier. Only accesses that may conflict are recorded.
type conflicts struct {
	interval uint32    // its number; 0 before the first
	words    []wordUse // nil before the first access
	at       []uint32  // the words of the present access
	was      []uint32  // their values before a store
}

// wordUse records the accesses of warps to a word.
type wordUse struct {
	interval  uint32
	readers   uint32 // a bit for each warp, by ID
	writer    int32  // ID of the warp that changed it last, or -1
	same      uint32 // a bit for each warp that has stored the value that it has, by ID
	read, set access // the latest load, and the store that changed it
}

// access is an instruction of one of the program's functions.
type access struct{ fn, pc int32 }

// nextInterval begins a new interval: accesses from now on are ordered after those before.
func (c *CTA) nextInterval() { c.conflicts.interval++ }

// watchesConflict reports whether results may depend on the order of warps because of an weak accesses by them.
func (e *Engine) watchesConflict(pc int) bool {
	if !e.mayConflict(pc) {
		return false
	}
	if in := &e.fn.Info[pc]; in.Strong || in.Polls && isa.Kind(e.fn.Ops[pc].Kind) == isa.Load {
		e.cta.nextInterval()
		return false
	}
	return isa.Space(e.acc.Space) == isa.Shared && e.acc.Region == e.cta.Shared.Number
}

// enterConflict finds the words that the lanes of m access by e.acc.
func (e *Engine) enterConflict(m lanes.Mask) {
	k := &e.cta.conflicts
	if k.words == nil {
		k.words = make([]wordUse, (len(e.cta.Shared.Data)+3)/4)
		k.interval++
	}
	k.at, k.was = k.at[:0], k.was[:0]
	for ; m != 0; m &= m - 1 {
		at := e.acc.At(firstLane(m))
		for i := at / 4; i <= (at+e.acc.Size-1)/4; i++ {
			k.at = append(k.at, uint32(i))
		}
	}
	for _, i := range k.at {
		if w := &k.words[i]; w.interval != k.interval {
			*w = wordUse{interval: k.interval, writer: -1}
		}
	}
}

// beforeConflict checks the access in e.acc, which the lanes of m are about to execute.
func (e *Engine) beforeConflict(pc int, kind isa.Kind, m lanes.Mask) {
	e.enterConflict(m)
	k, self := &e.cta.conflicts, int32(e.warp.ID)
	for _, i := range k.at {
		w := &k.words[i]
		if kind == isa.Store {
			k.was = append(k.was, e.sharedWord(i))
			continue
		}
		if w.writer >= 0 && w.same>>self&1 == 0 {
			e.warnOrder(pc, m, "load of what warp %d stored at %s", int(w.writer), w.set)
		}
		w.readers, w.read = w.readers|1<<self, access{int32(e.fn.Number), int32(pc)}
	}
}

// afterConflict checks the access that the lanes of m have executed. A store that does not
// change a word has no effect on others, and its warp loads the same value whichever warp has
// stored first. Atomics may be synchronisation.
func (e *Engine) afterConflict(pc int, kind isa.Kind, m lanes.Mask) {
	if kind == isa.Atomic {
		e.cta.nextInterval()
	}
	k, self := &e.cta.conflicts, int32(e.warp.ID)
	for n, was := range k.was {
		w := &k.words[k.at[n]]
		if e.sharedWord(k.at[n]) == was {
			if e.acc.Size >= 4 { // the store has written all of the word
				w.same |= 1 << self
			}
			continue
		}
		if others := w.readers &^ (1 << self); others != 0 {
			e.warnOrder(pc, m, "store over what warp %d loaded at %s", bits.TrailingZeros32(others), w.read)
		}
		w.writer, w.set, w.same = self, access{int32(e.fn.Number), int32(pc)}, 1<<self
	}
}

// sharedWord returns a word of the CTA's shared memory. The last word may have less than 4 bytes.
func (e *Engine) sharedWord(i uint32) uint32 {
	data := e.cta.Shared.Data[4*i:]
	if len(data) >= 4 {
		return binary.LittleEndian.Uint32(data)
	}
	var word [4]byte
	copy(word[:], data)
	return binary.LittleEndian.Uint32(word[:])
}

// warnOrder warns that results may depend on the order of warps. The format what describes the access; its arguments
// are another warp and the location of that warp's access.
func (e *Engine) warnOrder(pc int, m lanes.Mask, what string, warp int, by access) {
	e.conflicted = true
	msg := ""
	if _, known := e.warned[warningKey{pos: e.shownAt(e.fn.Src, pc), rule: RuleOrder}]; !known {
		at := source.At(e.p.Funcs[by.fn].Src, int(by.pc))
		msg = "results may depend on the order of warps: " + fmt.Sprintf(what, warp, at) + ", with no barrier in between; --check race reports more"
	}
	e.warn(pc, m, RuleOrder, msg, func() []Involved { return []Involved{involved(Affects, e.where(m))} })
}
