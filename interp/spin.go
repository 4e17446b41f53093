package interp

import (
	"bytes"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/program"
	"github.com/simtrun/simtrun/warp"
)

// spinDetector finds out whether lanes of a warp only wait for something: whether
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
//     nobody else has changed memory is for the executor's quiet to say.
//   - Other lanes of the warp, as far as S meets them: nobody but S has run since
//     the mark. So S was not at a .sync instruction that waits for others, nor at
//     a barrier, and no collective it did execute depends on them: each names its
//     lanes.
//   - Which lanes of S run together. Lanes may diverge and meet again, and time
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
// A split is watched only in some of its time slices, which grow rarer, and once
// it was found waiting in all.
type spinDetector struct {
	on     bool
	left   int  // retreating branches until the detector gives up
	ever   bool // memory changed since it is on
	polled bool // memory that others may write was read since the latest retreating branch

	mark     spinMark
	edges    int // retreating branches since the mark was taken anew for their number
	interval int // how many of them there may be

	before, after []byte // what an access finds and leaves
}

// spinMark is a state of a split at a retreating branch, and what has happened
// since.
type spinMark struct {
	set    bool
	pc     int
	serial uint64 // of the activation
	depth  int
	mask   lanes.Mask
	regs   []byte
	params []byte

	changed bool // memory changed
	others  bool // lanes ran that are not in mask
	apart   bool // some lanes of mask ran without the rest
	clock   bool // a clock was read
	polls   int  // retreating branches before which memory was read that others may write
}

// presumed is how many rounds of a loop that looks at memory and changes
// nothing make a split count as waiting, though it counts them, say.
const presumed = 64

// due reports whether a split is to be watched in its time slice.
func (k *spinDetector) due(s *divergence.Split) bool {
	return s.Pace != divergence.Busy || s.Turns&(s.Turns-1) == 0 && s.Turns > 0
}

// A split is watched for so many retreating branches at first, and twice as many
// each time that nothing came of it, up to the most.
const (
	firstWatch = 32
	mostWatch  = 4096
)

// begin starts to watch, for so many retreating branches.
func (k *spinDetector) begin(edges int) {
	mark := spinMark{regs: k.mark.regs, params: k.mark.params}
	*k = spinDetector{on: true, left: edges, mark: mark, before: k.before, after: k.after}
}

// runs notes that lanes run which may not be those of the mark.
func (k *spinDetector) runs(mask lanes.Mask) {
	m := &k.mark
	m.others = m.others || mask&^m.mask != 0
	m.apart = m.apart || mask != m.mask
}

// edge looks at a retreating branch to pc of the split that runs, and returns its
// pace: Busy as long as it may yet get on.
func (x *executor) edge(w *warp.State, pc int) divergence.Pace {
	k, s := &x.spin, &x.split
	m := &k.mark
	if k.polled {
		m.polls, k.polled = m.polls+1, false
	}
	fr := s.Frame
	regs := fr.File.Bytes(x.fn.Layout.Bytes())
	same := m.set && !m.changed && m.serial == fr.Serial && m.mask == s.Mask
	switch {
	case same && m.pc == pc && x.sound(w) && bytes.Equal(m.regs, regs) && bytes.Equal(m.params, fr.Params):
		return divergence.Spinning
	case same && m.polls >= presumed:
		return divergence.Idle
	}
	anew := k.edges >= k.interval
	if anew {
		k.interval, k.edges = max(1, 2*k.interval), 0
	}
	if anew || !m.set || m.changed || fr.Depth < m.depth || m.others && !same {
		*m = spinMark{set: true, pc: pc, serial: fr.Serial, depth: fr.Depth, mask: s.Mask,
			regs: append(m.regs[:0], regs...), params: append(m.params[:0], fr.Params...)}
	}
	k.edges++
	k.left--
	return divergence.Busy
}

// sound reports whether what has happened since the mark allows for a proof.
func (x *executor) sound(w *warp.State) bool {
	m := &x.spin.mark
	if m.others || m.clock {
		return false
	}
	return !x.p.SeesLanes || m.mask == w.Live && !m.apart && x.m.cfg.Split == 0
}

// move makes an access whose place was found, and sees whether it changes
// memory. The .param variables of an activation are part of its state.
func (k *spinDetector) move(f *lanes.File, op *lanes.Op, in *program.Info, m lanes.Mask, acc *lanes.Access) {
	k.polled = k.polled || in.Polls
	if isa.Kind(op.Kind) == isa.Load || in.Space == isa.Param {
		in.Mem(f, op, m, acc)
		return
	}
	k.before = appendPlaces(k.before[:0], m, int(in.Size), acc)
	in.Mem(f, op, m, acc)
	k.after = appendPlaces(k.after[:0], m, int(in.Size), acc)
	if !bytes.Equal(k.before, k.after) {
		k.noteChange()
	}
}

// noteChange notes that memory has changed.
func (k *spinDetector) noteChange() { k.mark.changed, k.ever = true, true }

// appendPlaces appends what is where the lanes of m go.
func appendPlaces(b []byte, m lanes.Mask, size int, acc *lanes.Access) []byte {
	for ; m != 0; m &= m - 1 {
		b = append(b, acc.Mem[acc.At(firstLane(m)):][:size]...)
	}
	return b
}
