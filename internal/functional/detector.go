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

// detector finds livelocked lanes of a warp: lanes that come back to an earlier state while they change no memory. It
// compares the states at retreating branches, which every loop needs, with that at an earlier one, the mark.
//
// A repeated state proves a livelock if everything that determines what the lanes do next is compared, or known to be
// unchanged. For the lanes S of a split between the mark and a later retreating branch that is:
//
//   - Where they are: PC and activation. An activation has a serial number, because its frame is reused. No lane comes
//     back to an activation that it has left. So if S is in that of the mark again, it has not left it: the callers'
//     registers and PCs are unchanged. Activations that were called and left in between leave no state.
//   - Registers and .param variables of the activation. They are compared, except registers that no path reads from
//     here on before it writes them, because their values have no effect.
//   - Memory, including local memory. Since the mark S must have changed none by a store or an atomic, changed no
//     tensor memory, and called no system function. Session.progress checks that no other warp has changed memory.
//   - Other lanes of the warp, as far as S depends on them: only S has run since the mark. So S was not at a .sync
//     instruction that waits for others, nor at a barrier, and no collective that it has executed depends on them,
//     because each names its lanes.
//   - Which lanes of S run together. Lanes may diverge and reconverge, and time slices, which do not repeat, may
//     change when. But a lane's behaviour does not depend on that: its results at .sync instructions are the same in
//     any order (a network of processes in the sense of Kahn, 1974). The exceptions are instructions with results
//     that depend on which lanes run together, such as activemask. If the program has one of them, S must be all
//     live lanes, and together at all times.
//   - Clocks: none was read.
//
// Then S repeats its behaviour for ever unless memory changes, independent of the other lanes and of the order in
// which the warp's lanes run: it never reaches a store that changes memory, a barrier, an instruction that waits for
// others, or its end.
//
// A new mark is taken after 1, 2, 4 and so on retreating branches (Brent's algorithm for finding cycles), so that
// loops within the loop do not hide the repetition. For the same reason a mark moves outwards, to an activation with
// fewer callers and to more lanes.
//
// The detector is on only in some quanta of a split, at increasing intervals, and in all quanta once the split was
// found polling or livelocked; it is off while all loops that contain the split are counting loops.
//
// Only an observer of accesses to memory sees whether they change it, and compiled code does not execute while there
// is one. Therefore the detector begins without: it sees which instructions were executed between branches, and
// assumes for all that may change memory that they do not (program.Func.Effects). If a state then repeats, that is a
// proof if there was no such instruction. Otherwise the detector begins again, and observes accesses in addition to
// the launch's own observers.
type detector struct {
	on        bool
	accesses  bool // accesses are observed
	edgesLeft int  // retreating branches until the detector is put off
	wrote     bool // memory has changed since the detector was put on
	might     bool // an instruction that may change memory was executed while accesses were not observed
	suspects  bool // accesses are observed because a state was found to repeat
	polled    bool // memory that others may write was read since the latest retreating branch
	warp      *warp.State
	frames    *divergence.Frames // of warp
	calls     uint64             // value of the engine's Hidden when the detector was put on

	mark     mark
	edges    int // retreating branches in the current interval
	interval int // number of retreating branches after which the next mark is taken

	before, after []byte // memory at the places of an access before and after it

	engine *interp.Engine
	p      *program.Program
	plain  interp.Observers // of the launch
	all    interp.Observers // of the launch, and the detector; made when they are first needed
	made   bool             // all
}

// mark is the state of a split at a retreating branch, and what happened since.
type mark struct {
	set    bool
	pc     int
	serial uint64 // of the activation
	depth  int    // of the activation
	mask   lanes.Mask
	regs   []byte // the activation's registers that program.Func.LiveAt names
	params []byte // the activation's .param variables
	steps  uint64 // of the warp
	clocks uint64 // the engine's ClockReads
	calls  uint64 // the engine's Hidden

	wrote  bool // memory has changed
	might  bool // an instruction that may change memory was executed while accesses were not observed
	others bool // lanes outside mask have run
	apart  bool // some lanes of mask have run without the others
	polls  int  // retreating branches after which memory was read that others may write
}

// presumedPolling is the number of iterations after which a split in a loop that reads memory which others may write,
// and changes nothing, counts as polling although its state does not repeat: it may count its tries.
const presumedPolling = 64

func (k *detector) init(p *program.Program, e *interp.Engine) { k.p, k.engine = p, e }

// attach sets the launch's observers.
func (k *detector) attach(os interp.Observers) {
	k.plain, k.made = os, false
	k.reattach()
}

// reattach sets the engine's observers: the launch's, with or without the detector.
func (k *detector) reattach() {
	if k.accesses {
		k.engine.Observe(k.observers())
	} else {
		k.engine.Observe(k.plain)
	}
}

// observers returns the launch's observers and the detector.
func (k *detector) observers() interp.Observers {
	if !k.made {
		k.all, k.made = k.plain.With(k), true
	}
	return k.all
}

// begin puts the detector on, for a number of retreating branches of a warp.
func (k *detector) begin(w *warp.State, edges int, accesses bool) {
	k.observeAccesses(accesses)
	k.on, k.edgesLeft, k.wrote, k.might, k.suspects, k.polled, k.warp, k.frames, k.calls = true, edges, false, false, false, false, w, w.Control.Frames(), k.engine.Hidden()
	k.mark = mark{regs: k.mark.regs, params: k.mark.params}
	k.edges, k.interval = 0, 0
}

// observeAccesses says whether accesses are observed.
func (k *detector) observeAccesses(on bool) {
	if k.accesses != on {
		k.accesses = on
		k.reattach()
	}
}

// stop puts the detector off.
func (k *detector) stop() {
	k.on = false
	k.observeAccesses(false)
}

// changed reports whether memory has changed since the detector was put on, or may have while accesses were not
// observed.
func (k *detector) changed() bool {
	return k.on && (k.wrote || k.might || k.engine.Hidden() != k.calls)
}

// sketches reports whether the detector is on, and accesses are not observed.
func (k *detector) sketches() bool { return k.on && !k.accesses }

// ran tells the detector, when it sketches, that the lanes of the split executed the instructions of f from first up
// to, but without, end.
func (k *detector) ran(f *program.Func, first, end int) {
	might, polled := f.Effects(first, end)
	k.polled = k.polled || polled
	if might {
		k.might, k.mark.might = true, true
	}
}

// runs tells the detector that lanes mask of a warp will run next.
func (k *detector) runs(w *warp.State, mask lanes.Mask) {
	m := &k.mark
	m.others = m.others || w != k.warp || mask&^m.mask != 0
	m.apart = m.apart || mask != m.mask
}

// retreat compares the state of a split after a retreating branch with the mark, and returns the progress that this
// shows.
func (k *detector) retreat(s *Session, w *warp.State, split *divergence.Split) progress {
	m, e := &k.mark, k.engine
	if w != k.warp {
		return progressing // after a halt in which another warp was executed
	}
	if k.polled {
		m.polls, k.polled = m.polls+1, false
	}
	fr, win := k.frames.At(split.Frame), w.Windows[split.Frame]
	wrote := m.wrote || m.calls != e.Hidden()
	same := m.set && !wrote && m.serial == fr.Serial && m.mask == split.Mask
	if found := k.verdict(s, w, split, same); found != progressing {
		if !m.might {
			return found
		}
		if k.isWorth(w.Steps-m.steps, w) {
			k.suspects, m.set = true, false
			k.observeAccesses(true)
			k.edges, k.edgesLeft = 0, max(k.edgesLeft, k.interval+2)
		}
	}
	anew := k.edges >= k.interval
	if anew {
		k.interval, k.edges = max(1, 2*k.interval), 0
	}
	if anew || !m.set || wrote || fr.Depth < m.depth || m.others && !same {
		*m = mark{set: true, pc: split.PC, serial: fr.Serial, depth: fr.Depth, mask: split.Mask,
			regs: appendLive(m.regs[:0], win, split.PC), params: append(m.params[:0], win.Params...),
			clocks: e.ClockReads, calls: e.Hidden(), steps: w.Steps}
	}
	k.edges++
	if k.edgesLeft--; wrote && k.suspects {
		k.suspects, k.edgesLeft = false, 0
	}
	return progressing
}

// verdict returns the conclusion from the state of a split after a retreating branch, provided that no instruction
// since the mark has changed memory unseen. same says that everything except PC and registers is as it was at the mark.
func (k *detector) verdict(s *Session, w *warp.State, split *divergence.Split, same bool) progress {
	switch m := &k.mark; {
	case same && m.pc == split.PC && k.sound(s, w) && m.holds(w.Windows[split.Frame]):
		return livelocked
	case same && m.polls >= presumedPolling:
		return polling
	}
	return progressing
}

// shortCycle and worthCycles limit the length of a cycle of states, in instructions, for which accesses are observed:
// to shortCycle, or the part 1/worthCycles of the warp's executed instructions. Under an observer instructions take
// about 40 times as long. Loops that repeat their registers and make progress, such as those that take work from a
// list, have long cycles.
const (
	shortCycle  = 32
	worthCycles = 128
)

// isWorth reports whether accesses should be observed for a cycle of states of a warp.
func (k *detector) isWorth(cycle uint64, w *warp.State) bool {
	return cycle <= max(shortCycle, w.Steps/worthCycles)
}

// appendLive appends the live registers of an activation at pc.
func appendLive(to []byte, win *warp.Window, pc int) []byte {
	file := win.File.Bytes(win.Func.Layout.Bytes())
	for _, span := range win.Func.LiveAt(pc) {
		to = append(to, file[span.Off:span.End]...)
	}
	return to
}

// holds reports whether the live state of an activation, which is the mark's and at the mark's PC, is that of the
// mark.
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

// sound reports whether the events since the mark allow a proof.
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
