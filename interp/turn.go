package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/warp"
)

// turnLength is how many instructions a warp runs before the next one of its
// CTA has its turn. A split that has company runs no more than firstSlice of
// them in its first turn, and twice as many in each further one, so many times.
// They are looked at on branches.
const (
	turnLength  = 4096
	firstSlice  = 64
	sliceGrowth = 3
)

// patience is how many turns a split may take while others wait for it at a
// join, without knowing that it does not get on: some millions of instructions.
const patience = 1 << 13

// warpTurn is a warp's turn, from which a Stepper may halt it.
type warpTurn struct {
	on     bool
	end    uint64 // of the warp's instructions
	lookAt uint64 // of the warp's instructions: look is asked at branches from there on
	fresh  bool   // a new slice begins
	inside bool   // between instructions at which nobody looks
}

// newSlice begins a slice of split, at the end of which look is asked.
func (x *executor) newSlice(w *warp.State, t *warpTurn, split *divergence.Split) {
	t.fresh = false
	if x.spin.on = x.spin.due(split); x.spin.on {
		if w.Watch == 0 {
			w.Watch = firstWatch
		}
		x.spin.begin(w.Watch)
		t.lookAt = 0
		return
	}
	x.quiet = false
	t.lookAt = x.unwatched(w, split, t.end)
}

// unwatched is the end of a slice in which nobody looks at what the lanes do.
func (x *executor) unwatched(w *warp.State, split *divergence.Split, end uint64) (lookAt uint64) {
	switch {
	case x.strict(w):
		return 0
	case split.Mask == w.Live:
		return end
	}
	slice := sliceOf(split)
	return min(end, w.Steps+slice+uneven(w, slice))
}

// strict reports whether the model wants to know of every branch.
func (x *executor) strict(w *warp.State) bool {
	return x.m.cfg.Divergence == divergence.LowestPC && w.Control.Strict()
}

// uneven is what to add to a turn of the given length, up to an eighth: turns of
// one length could end at the same place of a loop every time, while it holds a
// lock that somebody else wants. Lengths are powers of two.
func uneven(w *warp.State, length uint64) uint64 {
	return mix(w.Steps+uint64(w.ID)) & (length/8 - 1)
}

// sliceOf is how many instructions a split may execute before others have their
// turn.
func sliceOf(split *divergence.Split) uint64 { return firstSlice << min(split.Turns, sliceGrowth) }

// then is how a warp goes on after a look at it.
type then uint8

const (
	onward   then = iota // the split goes on
	anew                 // the model says who goes on, in the same slice
	another              // a split goes on that has not had its turn
	turnOver             // another warp has its turn
)

// look decides how split goes on after the branch at pc to next, its slice being
// used up, or looked at while it lasts. It returns when it is to be asked next.
func (x *executor) look(w *warp.State, split *divergence.Split, pc, next int, end uint64) (lookAt uint64, then then) {
	pace, k, strict := divergence.Busy, &x.spin, x.strict(w)
	if k.on {
		if next <= pc {
			pace = x.edge(w, next)
		}
		x.quiet = x.quiet && !k.ever
		if k.left == 0 {
			w.Watch = min(2*w.Watch, mostWatch)
			k.on = false
		}
	}
	if pace == divergence.Busy && w.Steps < end && (k.on || strict || split.Mask == w.Live) {
		if !k.on {
			x.quiet = false
			lookAt = x.unwatched(w, split, end)
		}
		if strict {
			w.Control.Suspend(next)
			return lookAt, anew
		}
		return lookAt, onward
	}
	if pace == divergence.Busy {
		x.quiet = false
	}
	more := w.Control.Yield(next, pace)
	if (split.Turns+1)%patience == 0 {
		w.Control.Relieve()
	}
	if more {
		return 0, another
	}
	return 0, turnOver
}
