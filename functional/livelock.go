package functional

import (
	"bytes"
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/program"
	"github.com/simtrun/simtrun/warp"
)

// detector finds out whether lanes of a warp only wait for something: whether
// their state comes back while they change no memory. It looks at retreating
// branches, without which no loop closes, and compares with the state at one of
// them, the mark.
//
// That a state comes back proves a livelock if everything is in the comparison,
// or known to be as it was, that decides what the lanes do next. For the lanes S
// of a split between the mark and a later retreating branch that is:
//
//   - Where they are: PC and activation. An activation has a serial number, as its
//     frame serves others before and after it. No lane comes back to an activation
//     that it has left. So if S is in that of the mark again, it has not left it:
//     the callers' registers are as they were, and so is what is to be returned to.
//     Activations called and left in between leave nothing behind.
//   - Registers and .param variables of the activation. They are compared.
//   - Memory, local memory included. No store and no atomic by S may have changed
//     any since the mark, and no call of a system function have been made. That
//     no other warp has changed memory is for Session.progress to say.
//   - Other lanes of the warp, as far as S meets them: none but S has run since
//     the mark. So S was not at a .sync instruction that waits for others, nor at
//     a barrier, and no collective it did execute depends on them: each names its
//     lanes.
//   - Which lanes of S run together. Lanes may diverge and reconverge, and time
//     slices, which do not repeat, may change when; but what one lane executes does
//     not depend on that: what it meets at .sync instructions is the same in any
//     order (a network of processes in the sense of Kahn, 1974). The exceptions
//     are instructions whose result says who runs together, such as activemask.
//     With one of them in the program S must be all live lanes, and together at
//     all times.
//   - Clocks: none was read.
//
// Then S will do the same for ever unless memory changes, whatever the other lanes
// do, and in whatever order the warp's lanes run: it never gets to a store that
// matters, a barrier, an instruction that waits for others, nor to its end.
//
// A new mark is taken after 1, 2, 4 and so on retreating branches (Brent's way of
// finding cycles), so that loops within the loop do not hide the repetition. For
// the same reason a mark moves outwards, to an activation with fewer callers and
// to more lanes.
//
// A split is watched only in some of its quanta, which grow rarer, and once it was
// found waiting in all. Then the detector observes accesses to memory beside the
// launch's own observers.
type detector struct {
	on     bool
	left   int  // retreating branches until the detector gives up
	ever   bool // memory changed since it is on
	polled bool // memory that others may write was read since the latest retreating branch
	warp   *warp.State
	frames *divergence.Frames // of warp
	calls  uint64             // the engine's SystemCalls when it was put on

	mark     mark
	edges    int // retreating branches since the mark was taken anew for their number
	interval int // how many of them there may be

	before, after []byte // what an access finds and leaves

	engine *interp.Engine
	p      *program.Program
	// The launch's observers, without and with the detector.
	plain, watching interp.Observers
}

// mark is a state of a split at a retreating branch, and what has happened since.
type mark struct {
	set    bool
	pc     int
	serial uint64 // of the activation
	depth  int
	mask   lanes.Mask
	regs   []byte
	params []byte
	clocks uint64 // the engine's ClockReads
	calls  uint64 // the engine's SystemCalls

	changed bool // memory changed
	others  bool // lanes ran that are not in mask
	apart   bool // some lanes of mask ran without the rest
	polls   int  // retreating branches before which memory was read that others may write
}

// presumed is how many iterations of a loop that reads memory which others may
// write, and changes nothing, make a split count as polling, though it counts them,
// say.
const presumed = 64

// A split is watched for so many retreating branches at first, and twice as many
// each time that nothing came of it, up to the most.
const (
	firstWatch = 8
	mostWatch  = 4096
)

func (k *detector) init(p *program.Program, e *interp.Engine) { k.p, k.engine = p, e }

// attach makes os the observers beside the detector.
func (k *detector) attach(os interp.Observers) {
	k.plain, k.watching = os, os.With(k)
	k.reattach()
}

// reattach makes the engine's observers those that the detector needs.
func (k *detector) reattach() {
	if k.on {
		k.engine.Observe(k.watching)
	} else {
		k.engine.Observe(k.plain)
	}
}

// begin starts to watch a warp, for so many retreating branches.
func (k *detector) begin(w *warp.State, edges int) {
	if !k.on {
		k.engine.Observe(k.watching)
	}
	k.on, k.left, k.ever, k.polled, k.warp, k.frames, k.calls = true, edges, false, false, w, w.Control.Frames(), k.engine.SystemCalls
	k.mark = mark{regs: k.mark.regs, params: k.mark.params}
	k.edges, k.interval = 0, 0
}

// stop ends it.
func (k *detector) stop() {
	if k.on {
		k.on = false
		k.engine.Observe(k.plain)
	}
}

// changed reports whether memory changed while the detector was on.
func (k *detector) changed() bool {
	return k.on && (k.ever || k.engine.SystemCalls != k.calls)
}

// runs notes that lanes run which may not be those of the mark.
func (k *detector) runs(w *warp.State, mask lanes.Mask) {
	m := &k.mark
	m.others = m.others || w != k.warp || mask&^m.mask != 0
	m.apart = m.apart || mask != m.mask
}

// retreat looks at a split behind a retreating branch, and returns what is known
// of its progress.
func (k *detector) retreat(s *Session, w *warp.State, split *divergence.Split) progress {
	m, e := &k.mark, k.engine
	if w != k.warp {
		return progressing // after a halt, in which another warp was executed
	}
	if k.polled {
		m.polls, k.polled = m.polls+1, false
	}
	fr, win := k.frames.At(split.Frame), w.Windows[split.Frame]
	regs := win.File.Bytes(win.Func.Layout.Bytes())
	changed := m.changed || m.calls != e.SystemCalls
	same := m.set && !changed && m.serial == fr.Serial && m.mask == split.Mask
	switch {
	case same && m.pc == split.PC && k.sound(s, w) && bytes.Equal(m.regs, regs) && bytes.Equal(m.params, win.Params):
		return livelock
	case same && m.polls >= presumed:
		return polls
	}
	anew := k.edges >= k.interval
	if anew {
		k.interval, k.edges = max(1, 2*k.interval), 0
	}
	if anew || !m.set || changed || fr.Depth < m.depth || m.others && !same {
		*m = mark{set: true, pc: split.PC, serial: fr.Serial, depth: fr.Depth, mask: split.Mask,
			regs: append(m.regs[:0], regs...), params: append(m.params[:0], win.Params...),
			clocks: e.ClockReads, calls: e.SystemCalls}
	}
	k.edges++
	k.left--
	return progressing
}

// sound reports whether what has happened since the mark allows for a proof.
func (k *detector) sound(s *Session, w *warp.State) bool {
	m := &k.mark
	if m.others || m.clocks != k.engine.ClockReads {
		return false
	}
	return !k.p.SeesLanes || m.mask == w.Live && !m.apart && s.cfg.Split == 0
}

// Accessed implements interp.AccessObserver.
func (k *detector) Accessed(at *interp.Place, a *interp.Access) {
	k.polled = k.polled || k.p.Funcs[at.Func].Info[a.PC].Polls
	if k.mayChange(at, a) {
		k.before = appendPlaces(k.before[:0], a)
	}
}

// Completed implements interp.CompletionObserver.
func (k *detector) Completed(at *interp.Place, a *interp.Access) {
	if !k.mayChange(at, a) {
		return
	}
	k.after = appendPlaces(k.after[:0], a)
	if !bytes.Equal(k.before, k.after) {
		k.mark.changed, k.ever = true, true
	}
}

// mayChange reports whether an access may change memory. The .param variables of
// an activation are part of its state.
func (k *detector) mayChange(at *interp.Place, a *interp.Access) bool {
	f := k.p.Funcs[at.Func]
	return isa.Kind(f.Ops[a.PC].Kind) != isa.Load && f.Info[a.PC].Space != isa.Param
}

// appendPlaces appends what is where the lanes of an access go.
func appendPlaces(b []byte, a *interp.Access) []byte {
	for m := a.Lanes; m != 0; m &= m - 1 {
		b = append(b, a.Mem[a.At(bits.TrailingZeros32(uint32(m))):][:a.Size]...)
	}
	return b
}
