package divergence

import (
	"iter"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes"
)

// singleLanes keeps every lane in a split of its own: lanes never reconverge, as PTX allows, and wait for each other
// only at .sync instructions and barriers. The ID of a split is its lane. Drivers that choose the order of single
// threads use it.
type singleLanes struct {
	frames       Frames
	live, parked lanes.Mask
	at           [lanes.Width]singleLane
}

type singleLane struct {
	pc    int
	frame FrameID
	group lanes.Mask // of a parked lane: those with which it wakes
}

var _ Control = (*singleLanes)(nil)

func newSingleLanes(g *flow.Graph) *singleLanes { return &singleLanes{frames: newFrames(g)} }

// Start implements Control.
func (w *singleLanes) Start(pc int, m lanes.Mask) {
	for rest := w.live; rest != 0; rest &= rest - 1 {
		lane := rest.First()
		w.frames.leaveAll(w.at[lane].frame, 1<<lane)
	}
	w.frames.start(m)
	w.live, w.parked = m, 0
	for lane := range w.at {
		w.at[lane] = singleLane{pc: pc, frame: Root}
	}
}

// Frames implements Control.
func (w *singleLanes) Frames() *Frames { return &w.frames }

func (w *singleLanes) split(lane int) Split {
	return Split{PC: w.at[lane].pc, Stop: flow.None, Mask: 1 << lane, Frame: w.at[lane].frame, ID: SplitID(lane)}
}

// Ready implements Control. Lower lanes are first.
func (w *singleLanes) Ready(except lanes.Mask, s *Split) bool {
	m := w.live &^ w.parked &^ except
	if m == 0 {
		return false
	}
	*s = w.split(m.First())
	return true
}

// Advance implements Control.
func (w *singleLanes) Advance(id SplitID, pc int) { w.at[id].pc = pc }

// Defer implements Control.
func (w *singleLanes) Defer(id SplitID, pc int) { w.at[id].pc = pc }

// Diverge implements Control. One lane goes to one place.
func (w *singleLanes) Diverge(id SplitID, _ int, to []Group) {
	for _, g := range to {
		if g.Mask != 0 {
			w.at[id].pc = g.PC
		}
	}
}

// Rejoined implements Control.
func (w *singleLanes) Rejoined(id SplitID) SplitID { return id }

// Called implements Control: there is no state to change.
func (w *singleLanes) Called(id SplitID) SplitID { return id }

// LeaveRegion implements Control.
func (w *singleLanes) LeaveRegion(id SplitID, pc int) { w.at[id].pc = pc }

// Call implements Control.
func (w *singleLanes) Call(id SplitID, to []Activation, stay lanes.Mask, next int) {
	w.at[id].pc = next
	for _, a := range to {
		if a.Mask != 0 {
			w.frames.At(a.Frame).Lanes |= a.Mask
			w.at[id].pc, w.at[id].frame = 0, a.Frame
		}
	}
}

// Return implements Control.
func (w *singleLanes) Return(id SplitID, m lanes.Mask, next int) {
	l := &w.at[id]
	if m == 0 {
		l.pc = next
		return
	}
	f := l.frame
	w.frames.leave(f, m)
	fr := w.frames.At(f)
	l.pc, l.frame = fr.Ret, fr.Parent
}

// Exit implements Control.
func (w *singleLanes) Exit(id SplitID, m lanes.Mask, next int) {
	if m == 0 {
		w.at[id].pc = next
		return
	}
	w.live &^= m
	w.frames.leaveAll(w.at[id].frame, m)
}

// Park implements Control.
func (w *singleLanes) Park(id SplitID, groups []lanes.Mask, next int) bool {
	w.at[id].pc = next
	for _, g := range groups {
		w.parked |= g
		w.at[id].group = g
	}
	return true
}

// Wake implements Control.
func (w *singleLanes) Wake(m lanes.Mask) {
	for rest := w.parked & m; rest != 0; rest &= rest - 1 {
		lane := rest.First()
		if w.at[lane].group&^m == 0 {
			w.parked &^= 1 << lane
		}
	}
}

// Break implements Control. No lane waits at a convergence barrier.
func (w *singleLanes) Break() bool { return false }

// Shatter implements Control.
func (w *singleLanes) Shatter(SplitID, lanes.Mask) bool { return false }

// Shattered implements Control: any lanes of the warp may belong together.
func (w *singleLanes) Shattered(SplitID) lanes.Mask { return w.live }

// Strict implements Control.
func (w *singleLanes) Strict() bool { return false }

// Live implements Control.
func (w *singleLanes) Live() lanes.Mask { return w.live }

// Depth implements Control: the number of splits.
func (w *singleLanes) Depth() int { return w.live.Count() }

// Splits implements Control.
func (w *singleLanes) Splits() iter.Seq[Split] {
	return func(yield func(Split) bool) {
		for _, all := range [...]lanes.Mask{w.live &^ w.parked, w.live & w.parked} {
			for ; all != 0; all &= all - 1 {
				if !yield(w.split(all.First())) {
					return
				}
			}
		}
	}
}

// CopyTo implements Control.
func (w *singleLanes) CopyTo(to Control) {
	t := to.(*singleLanes)
	w.frames.copyTo(&t.frames)
	t.live, t.parked, t.at = w.live, w.parked, w.at
}
