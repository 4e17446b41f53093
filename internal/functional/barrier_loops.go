package functional

import (
	"bytes"
	"encoding/binary"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/warp"
)

// repetition finds out whether a CTA of a probed launch comes back to an earlier state, with barriers between: a loop
// around a barrier makes progress for the detector, which sees one warp.
//
// A Prover ends its launch when memory changes that threads share, or a function of the system is called. So between
// two states of the CTA no thread of the launch has changed memory. Each lane is then a sequential process whose
// results depend on its registers, local memory, and results of collectives and of barriers for all threads of the CTA,
// which do not depend on the order in which lanes arrive. In every schedule lanes execute the same instructions (a
// network of processes in the sense of Kahn, 1974), and so none changes memory in another one either. If the CTA is
// where it was, with the same registers, variables and local memory, it repeats that for ever, unless other CTAs change
// memory.
//
// The order could matter at barriers for a part of the threads, for clocks, for instructions that see which lanes run
// together, and for warps that own a changing number of registers. Then there is no proof; nor is there one in a
// cluster of several CTAs, or while lanes are diverged or wait when a round ends.
type repetition struct {
	state, mark []byte
	clocks      uint64 // the engine's ClockReads at the mark
	hidden      uint64 // its Hidden
	left        int    // states before the next mark, which doubles (Brent's algorithm)
	interval    int
	// Once the mark has recurred, the CTA goes on through the cycle of its states, to the least of them, so that the
	// report does not depend on where the search began.
	recurred, seenAll, found bool
	least                    []byte
}

// begin forgets what was found.
func (p *repetition) begin() {
	p.mark, p.least, p.left, p.interval = p.mark[:0], p.least[:0], 0, 0
	p.recurred, p.seenAll, p.found = false, false, false
}

// repeats compares the state of a CTA of a probed launch, after a barrier, with earlier ones. It reports whether the
// CTA never makes progress unless memory changes, and then records this for its warps.
func (s *Session) repeats(r *resident) bool {
	p := &r.repetition
	if !s.orderless || !s.appendState(r) {
		return false
	}
	if !p.recurred {
		p.search(s.engine)
	}
	if !p.recurred {
		return false
	}
	if len(p.least) == 0 || bytes.Compare(p.state, p.least) < 0 {
		p.least = append(p.least[:0], p.state...)
	} else if bytes.Equal(p.state, p.mark) {
		p.seenAll = true
	}
	if p.found = p.seenAll && bytes.Equal(p.state, p.least); p.found {
		for _, w := range r.Warps {
			r.warps[w.ID].setProgress(lanes.AllLanes, livelocked)
		}
	}
	return p.found
}

// search compares the state with the mark, and may take a new one.
func (p *repetition) search(e *interp.Engine) {
	same := len(p.mark) > 0 && p.clocks == e.ClockReads && p.hidden == e.Hidden()
	if p.recurred = same && bytes.Equal(p.mark, p.state); p.recurred {
		return
	}
	if p.left--; p.left < 0 || !same {
		p.interval = max(1, 2*p.interval)
		p.left, p.clocks, p.hidden = p.interval, e.ClockReads, e.Hidden()
		p.mark = append(p.mark[:0], p.state...)
	}
}

// appendState sets the state in the repetition of a CTA. It returns false if that is not all of the CTA's state.
func (s *Session) appendState(r *resident) bool {
	if !r.IsBetweenBarriers() {
		return false
	}
	state := r.repetition.state[:0]
	for _, w := range r.Warps {
		state = binary.LittleEndian.AppendUint32(state, uint32(w.Live))
		if w.Live == 0 {
			continue
		}
		split := &s.split
		if !w.Control.Ready(0, split) || split.Mask != w.Live {
			return false
		}
		state = binary.LittleEndian.AppendUint64(state, uint64(split.PC))
		state = appendActivations(state, w, split.Frame)
		state = binary.LittleEndian.AppendUint64(state, uint64(len(w.Local)))
		state = append(state, w.Local...)
	}
	r.repetition.state = state
	return true
}

// comparedCallers limits the callers of an activation whose state is compared: a state is taken after each barrier, and
// a recursion may have thousands of activations.
const comparedCallers = 8

// appendActivations appends the state of an activation in which all lanes of a warp are, and of its callers. An
// activation that lanes have not left has the same callers, with the same registers, so its number stands for them. A
// loop that waits in a function calls it in new activations, whose callers have to be compared up to the loop's.
func appendActivations(state []byte, w *warp.State, id divergence.FrameID) []byte {
	for callers := comparedCallers; ; callers-- {
		frame, win := w.Control.Frames().At(id), w.Windows[id]
		state = append(state, win.File.Bytes(win.Func.Layout.Bytes())...)
		state = append(state, win.Params...)
		if callers == 0 || frame.Parent == divergence.NoFrame {
			return binary.LittleEndian.AppendUint64(state, frame.Serial)
		}
		for _, v := range []uint64{uint64(frame.Func), uint64(frame.Ret), uint64(frame.Parent), win.Local} {
			state = binary.LittleEndian.AppendUint64(state, v)
		}
		id = frame.Parent
	}
}

// loopsAroundBarrier reports whether a function of the launch has a loop with a barrier.
func (s *Session) loopsAroundBarrier() bool {
	for _, f := range s.grid.Program().Funcs {
		if f.LoopsAroundBarrier() {
			return true
		}
	}
	return false
}

// isOrderless reports whether what lanes of the launch do does not depend on the order in which they run, as long as
// memory does not change and no clock is read.
func (s *Session) isOrderless() bool {
	p := s.grid.Program()
	for _, f := range p.Funcs {
		for i := range f.Info {
			if isa.Kind(f.Ops[i].Kind) == isa.Barrier && (f.Info[i].Counted || f.Info[i].Barrier == program.AnyBarrier) {
				return false
			}
		}
	}
	return !p.SeesLanes && s.cfg.Split == 0
}

// A launch in whose loops there are barriers is probed when it has executed probeAfter instructions since a CTA ended,
// and then after twice as many each time. A probe executes at most a part of them, by probeShare, because it takes some
// 40 times as long for an instruction.
const (
	probeAfter = 1 << 22
	probeShare = 256
)

// probe tries to prove that the launch hangs in loops around barriers. It is called between two rounds.
func (s *Session) probe() error {
	n := s.engine.Stats.WarpInstrs - s.lastDone
	if s.probed > n {
		s.probed = 0
	}
	if n < max(probeAfter, 2*s.probed) || s.probing || s.single || s.capacity.CTAs < s.capacity.GPU && s.next < s.total {
		return nil
	}
	s.probed = n
	if !s.loopsAroundBarrier() {
		return nil
	}
	var ctas []*interp.CTA
	for _, r := range s.resident {
		ctas = append(ctas, r.CTA)
	}
	return s.prover.Prove(s.grid, ctas, s.total-s.next, n/probeShare)
}

// hangs reports whether the CTAs that workers run wait for something that none of them does.
func (t *team) hangs(steps uint64) bool {
	var ctas []*interp.CTA
	for _, w := range t.workers {
		for _, r := range w.peers {
			if w.busy() && r.Live > 0 {
				ctas = append(ctas, r.CTA)
			}
		}
	}
	return len(ctas) > 0 && t.s.loopsAroundBarrier() && t.s.prover.Prove(t.s.grid, ctas, t.s.total-t.next.Load(), steps) != nil
}
