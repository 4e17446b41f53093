package sm

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
)

// scoreboard is the scoreboard of a frame, by register.
type scoreboard struct {
	ready   []moment // when it can be read; with pending, a lower bound
	flights []uint16 // number of flights that it waits for
}

// A register's moment on a scoreboard can have these bits, which make it later than any other moment.
const (
	// pending means that it is not known yet when the register can be read, because it waits for flights. The rest of
	// the moment is when it could be read without them.
	pending moment = 1 << 61
	// absent means that the register has no value yet either, because its access takes effect in an exchange.
	absent moment = 1 << 62
)

func (m moment) isKnown() bool { return m < pending }

// known returns m without the bits for unknown times.
func (m moment) known() moment { return m &^ (pending | absent) }

// register is a register of a frame.
type register struct {
	frame divergence.FrameID
	reg   uint16
}

// scoreboardOf returns the scoreboard of a frame.
func (x *slot) scoreboardOf(w *worker, id divergence.FrameID) *scoreboard {
	for len(x.scoreboards) <= int(id) {
		x.scoreboards = append(x.scoreboards, nil)
	}
	if x.scoreboards[id] == nil {
		x.scoreboards[id] = w.newScoreboard(x.registers(id))
	}
	return x.scoreboards[id]
}

// scoreboardPool is memory that scoreboards are cut from, so that the scoreboards of all warps take few allocations.
type scoreboardPool struct {
	boards  []scoreboard
	ready   []moment
	flights []uint16
}

// scoreboardsAtOnce is the number of scoreboards in one allocation.
const scoreboardsAtOnce = 64

// newScoreboard returns a scoreboard of this many registers, all of them ready.
func (w *worker) newScoreboard(registers int) *scoreboard {
	free := &w.scoreboards
	if len(free.boards) == 0 {
		free.boards = make([]scoreboard, scoreboardsAtOnce)
	}
	if len(free.ready) < registers {
		free.ready, free.flights = make([]moment, scoreboardsAtOnce*registers), make([]uint16, scoreboardsAtOnce*registers)
	}
	b := &free.boards[0]
	b.ready, b.flights = free.ready[:registers:registers], free.flights[:registers:registers]
	b.clear() // avoids a second page fault: first reading a page and then writing it takes two
	free.boards, free.ready, free.flights = free.boards[1:], free.ready[registers:], free.flights[registers:]
	return b
}

// registers returns the number of scoreboard registers of a frame's function.
func (x *slot) registers(id divergence.FrameID) int {
	return x.cta.launch.codes[x.warp.Windows[id].Func.Number].registers
}

func (b *scoreboard) clear() {
	clear(b.ready)
	clear(b.flights)
}

// forget clears the scoreboard of a frame that begins where another has ended.
func (x *slot) forget(m *multiprocessor, id divergence.FrameID) {
	if b := x.scoreboardOf(m.worker, id); len(b.ready) == x.registers(id) {
		b.clear()
	} else {
		x.scoreboards[id] = nil // it belonged to another function
	}
	for _, f := range x.flights {
		refs := m.flights[f].refs
		kept := refs[:0]
		for _, r := range refs {
			if r.frame != id {
				kept = append(kept, r)
			}
		}
		m.flights[f].refs = kept
	}
}

// sourcesReady returns when the registers that the next instruction waits for can be read. A call and a return also
// wait for all registers that have no value yet, because the next function does not know those of another. Nor may a
// register be written before it has its earlier value.
func (x *slot) sourcesReady(m *multiprocessor) moment {
	ready, b := moment(0), x.scoreboard.ready
	in := x.in
	for _, r := range in.sources {
		ready = max(ready, b[r])
	}
	for _, r := range in.guards {
		if b[r] != 0 {
			ready = max(ready, b[r]+m.guardDelay)
		}
	}
	if in.waitsForMore {
		ready = max(ready, x.moreReady(m))
	}
	return ready
}

// moreReady is sourcesReady for what an instruction may wait for besides the registers that it reads.
func (x *slot) moreReady(m *multiprocessor) (ready moment) {
	if x.in.groups > commitsGroup {
		ready = m.groupsDone(x)
	}
	if x.in.tensor == waitsForMoves {
		ready = max(ready, at(x.tensor.moved, ShortScoreboard))
	}
	if x.in.calls || x.in.returns || len(x.in.fresh) > 0 && len(x.flights) > 0 {
		ready = max(ready, x.othersReady())
	}
	return ready
}

// othersReady is sourcesReady without the registers that the instruction reads.
func (x *slot) othersReady() moment {
	ready, b := moment(0), x.scoreboard.ready
	if x.in.calls || x.in.returns {
		if ready = x.late; x.absent > 0 {
			ready = absent
		}
	}
	for _, r := range x.in.fresh {
		switch {
		case x.scoreboard.flights[r] == 0:
		case b[r] >= absent:
			ready = max(ready, b[r])
		default:
			ready = max(ready, b[r].known()) // when it got its value
		}
	}
	return ready
}

// set makes a register of the warp's frame ready at a moment, whatever it waited for before.
func (m *multiprocessor) set(x *slot, r uint16, ready moment) {
	if len(x.flights) > 0 {
		m.unawait(x, r)
	}
	x.scoreboard.ready[r] = ready
}

// unawait makes a register of the warp's frame wait for no flight, because it is written again.
func (m *multiprocessor) unawait(x *slot, r uint16) {
	if x.scoreboard.flights[r] == 0 {
		return
	}
	x.scoreboard.flights[r] = 0
	for _, id := range x.flights {
		f := &m.flights[id]
		if i := slices.Index(f.refs, register{x.frame, r}); i >= 0 {
			f.refs = slices.Delete(f.refs, i, i+1)
		}
	}
}
