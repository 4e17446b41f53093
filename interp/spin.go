package interp

import (
	"bytes"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// watch finds out whether the lanes of a split only wait for something: whether
// their state comes back while they change no memory, so that they will do the
// same for ever unless memory changes. It looks at taken retreating branches,
// without which no loop closes, and compares with the state at one of them,
// taken anew after 1, 2, 4 and so on of them (Brent's way of finding cycles):
// loops within the loop do not hide the repetition.
//
// A split is watched only in some of its turns, which grow rarer, and once it
// was found waiting in all.
type watch struct {
	on      bool
	edges   int // since the mark
	next    int // edges after which there is a new mark; 0: there is none yet
	left    int // edges until the watch ends
	changed bool
	polls   int // edges since the mark that came with a look at memory others may write
	polled  bool
	ever    bool // memory changed since the watch began

	// The state at the mark.
	pc     int
	frame  *divergence.Frame
	mask   lanes.Mask
	regs   []byte
	params []byte // .param variables of the activation

	before, after []byte // what an access finds and leaves
}

// presumed is how many rounds of a loop that looks at memory and changes
// nothing make a split count as waiting, though it counts them, say.
const presumed = 64

// due reports whether a split is to be watched in its turn.
func (k *watch) due(s *divergence.Split) bool {
	return s.Pace != divergence.Busy || s.Turns&(s.Turns-1) == 0 && s.Turns > 0
}

// A watch lasts for so many retreating branches at first, and twice as many
// each time that nothing came of it, up to the most.
const (
	firstWatch = 32
	mostWatch  = 4096
)

// begin starts to watch.
func (k *watch) begin(edges int) {
	*k = watch{on: true, left: edges, regs: k.regs, params: k.params, before: k.before, after: k.after}
}

// edge looks at a retreating branch to pc of a split with the given frame and
// lanes. It returns Busy as long as the lanes may yet get on. The file of the
// frame has so many bytes.
func (k *watch) edge(pc int, fr *divergence.Frame, mask lanes.Mask, fileBytes int) divergence.Pace {
	if k.polled {
		k.polls, k.polled = k.polls+1, false
	}
	regs := fr.File.Bytes(fileBytes)
	marked := k.next > 0 && !k.changed && k.frame == fr && k.mask == mask
	switch {
	case marked && k.pc == pc && bytes.Equal(k.regs, regs) && bytes.Equal(k.params, fr.Params):
		return divergence.Spinning
	case marked && k.polls >= presumed:
		return divergence.Idle
	}
	if k.edges >= k.next || !marked {
		k.next = max(1, 2*k.edges)
		k.edges, k.polls, k.changed = 0, 0, false
		k.pc, k.frame, k.mask = pc, fr, mask
		k.regs, k.params = append(k.regs[:0], regs...), append(k.params[:0], fr.Params...)
	}
	k.edges++
	k.left--
	return divergence.Busy
}

// move makes an access whose place was found, and sees whether it changes
// memory. The .param variables of an activation are part of its state.
func (k *watch) move(f *lanes.File, op *lanes.Op, in *instr, m lanes.Mask, acc *lanes.Access) {
	k.polled = k.polled || in.polls
	if isa.Kind(op.Kind) == isa.Load || in.space == isa.Param {
		in.mem(f, op, m, acc)
		return
	}
	k.before = appendPlaces(k.before[:0], m, int(in.size), acc)
	in.mem(f, op, m, acc)
	k.after = appendPlaces(k.after[:0], m, int(in.size), acc)
	if !bytes.Equal(k.before, k.after) {
		k.noteChange()
	}
}

// noteChange notes that memory has changed.
func (k *watch) noteChange() { k.changed, k.ever = true, true }

// appendPlaces appends what is where the lanes of m go.
func appendPlaces(b []byte, m lanes.Mask, size int, acc *lanes.Access) []byte {
	for ; m != 0; m &= m - 1 {
		b = append(b, acc.Mem[acc.At(firstLane(m)):][:size]...)
	}
	return b
}
