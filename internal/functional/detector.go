package functional

import (
	"bytes"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/warp"
)

// detector finds out whether lanes of a warp are livelocked: whether their state
// repeats while they change no memory. It compares the states at retreating branches,
// without which no loop closes, with that at an earlier one, the mark.
//
// That a state repeats proves a livelock if everything that decides what the lanes do
// next is compared, or known to be as it was. For the lanes S of a split between the
// mark and a later retreating branch that is:
//
//   - Where they are: PC and activation. An activation has a serial number, as its
//     frame serves others before and after it. No lane comes back to an activation
//     that it has left. So if S is in that of the mark again, it has not left it:
//     the callers' registers and PCs are as they were. Activations that were called
//     and left in between leave nothing behind.
//   - Registers and .param variables of the activation. They are compared, but for
//     registers that no path reads from here on before it writes them: what those hold
//     decides nothing.
//   - Memory, local memory included. No store and no atomic by S may have changed
//     any since the mark, no tensor memory was changed, and no call of a system function made. That
//     no other warp has changed memory is for Session.progress to say.
//   - Other lanes of the warp, as far as S depends on them: none but S has run since
//     the mark. So S was not at a .sync instruction that waits for others, nor at
//     a barrier, and no collective that it has executed depends on them: each names
//     its lanes.
//   - Which lanes of S run together. Lanes may diverge and reconverge, and time
//     slices, which do not repeat, may change when; but what one lane executes does
//     not depend on that: what it gets at .sync instructions is the same in any
//     order (a network of processes in the sense of Kahn, 1974). The exceptions
//     are instructions whose result depends on which lanes run together, such as
//     activemask. With one of them in the program S must be all live lanes, and
//     together at all times.
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
// The detector is on only in some quanta of a split, which grow rarer, and in all once
// the split was found polling or livelocked, but not where all loops count in which the split
// is. When it is on it observes accesses to memory beside the launch's own observers.
type detector struct {
	on        bool
	edgesLeft int  // retreating branches until it gives up
	wrote     bool // memory has changed since it was put on
	polled    bool // memory that others may write was read since the latest retreating branch
	warp      *warp.State
	frames    *divergence.Frames // of warp
	calls     uint64             // what the engine's Hidden was when it was put on

	mark     mark
	edges    int // retreating branches in the current interval
	interval int // after so many retreating branches the mark is taken anew

	before, after []byte // what the places of an access hold before and after it

	engine *interp.Engine
	p      *program.Program
	plain  interp.Observers // the launch's
	all    interp.Observers // the launch's, and the detector
}

// mark is the state of a split at a retreating branch, and what has happened since.
type mark struct {
	set    bool
	pc     int
	serial uint64 // of the activation
	depth  int    // of the activation
	mask   lanes.Mask
	regs   []byte // what program.Func.LiveAt names of the activation's registers
	params []byte // the activation's .param variables
	clocks uint64 // the engine's ClockReads
	calls  uint64 // the engine's Hidden

	wrote  bool // memory has changed
	others bool // lanes have run that are not in mask
	apart  bool // lanes of mask have run without the others of mask
	polls  int  // retreating branches behind which memory was read that others may write
}

// presumedPolling is how many iterations of a loop that reads memory which others may
// write, and changes nothing, make a split count as polling although its state does
// not repeat: it may count its tries.
const presumedPolling = 64

func (k *detector) init(p *program.Program, e *interp.Engine) { k.p, k.engine = p, e }

// attach makes os the launch's observers.
func (k *detector) attach(os interp.Observers) {
	k.plain, k.all = os, os.With(k)
	k.reattach()
}

// reattach makes the engine's observers those that the detector needs.
func (k *detector) reattach() {
	if k.on {
		k.engine.Observe(k.all)
	} else {
		k.engine.Observe(k.plain)
	}
}

// begin puts the detector on, to observe a warp for so many retreating branches.
func (k *detector) begin(w *warp.State, edges int) {
	if !k.on {
		k.engine.Observe(k.all)
	}
	k.on, k.edgesLeft, k.wrote, k.polled, k.warp, k.frames, k.calls = true, edges, false, false, w, w.Control.Frames(), k.engine.Hidden()
	k.mark = mark{regs: k.mark.regs, params: k.mark.params}
	k.edges, k.interval = 0, 0
}

// stop puts the detector off.
func (k *detector) stop() {
	if k.on {
		k.on = false
		k.engine.Observe(k.plain)
	}
}

// changed reports whether memory has changed since the detector was put on.
func (k *detector) changed() bool {
	return k.on && (k.wrote || k.engine.Hidden() != k.calls)
}

// runs says that lanes of a warp, mask, are going to run.
func (k *detector) runs(w *warp.State, mask lanes.Mask) {
	m := &k.mark
	m.others = m.others || w != k.warp || mask&^m.mask != 0
	m.apart = m.apart || mask != m.mask
}

// retreat compares the state of a split behind a retreating branch with the mark, and
// returns what is known of the split's progress.
func (k *detector) retreat(s *Session, w *warp.State, split *divergence.Split) progress {
	m, e := &k.mark, k.engine
	if w != k.warp {
		return progressing // after a halt, in which another warp was executed
	}
	if k.polled {
		m.polls, k.polled = m.polls+1, false
	}
	fr, win := k.frames.At(split.Frame), w.Windows[split.Frame]
	wrote := m.wrote || m.calls != e.Hidden()
	same := m.set && !wrote && m.serial == fr.Serial && m.mask == split.Mask
	switch {
	case same && m.pc == split.PC && k.sound(s, w) && m.holds(win):
		return livelocked
	case same && m.polls >= presumedPolling:
		return polling
	}
	anew := k.edges >= k.interval
	if anew {
		k.interval, k.edges = max(1, 2*k.interval), 0
	}
	if anew || !m.set || wrote || fr.Depth < m.depth || m.others && !same {
		*m = mark{set: true, pc: split.PC, serial: fr.Serial, depth: fr.Depth, mask: split.Mask,
			regs: appendLive(m.regs[:0], win, split.PC), params: append(m.params[:0], win.Params...),
			clocks: e.ClockReads, calls: e.Hidden()}
	}
	k.edges++
	k.edgesLeft--
	return progressing
}

// appendLive appends what is live in the registers of an activation at pc.
func appendLive(to []byte, win *warp.Window, pc int) []byte {
	file := win.File.Bytes(win.Func.Layout.Bytes())
	for _, span := range win.Func.LiveAt(pc) {
		to = append(to, file[span.Off:span.End]...)
	}
	return to
}

// holds reports whether an activation, which is that of the mark and at the mark's PC, holds
// what it held there.
func (m *mark) holds(win *warp.Window) bool {
	file, held := win.File.Bytes(win.Func.Layout.Bytes()), m.regs
	for _, span := range win.Func.LiveAt(m.pc) {
		n := span.End - span.Off
		if !bytes.Equal(held[:n], file[span.Off:span.End]) {
			return false
		}
		held = held[n:]
	}
	return bytes.Equal(m.params, win.Params)
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
	k.polled = k.polled || k.p.Funcs[at.Func].Info[a.PC].Learns
	if k.mayChange(at, a) {
		k.before = a.AppendTo(k.before[:0], a.Lanes)
	}
}

// Completed implements interp.CompletionObserver.
func (k *detector) Completed(at *interp.Place, a *interp.Access) {
	if !k.mayChange(at, a) {
		return
	}
	k.after = a.AppendTo(k.after[:0], a.Lanes)
	if !bytes.Equal(k.before, k.after) {
		k.mark.wrote, k.wrote = true, true
	}
}

// mayChange reports whether an access may change memory. The .param variables of
// an activation are part of its state.
func (k *detector) mayChange(at *interp.Place, a *interp.Access) bool {
	f := k.p.Funcs[at.Func]
	return a.Kind != isa.Load && f.Info[a.PC].Space != isa.Param
}
