package sm

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
)

// board is the scoreboard of an activation, by register.
type board struct {
	ready   []moment // when it can be read; with pending, not before
	flights []uint16 // how many flights it waits for that have not landed; and landed
}

// landed, added to how many flights a register waits for, says that it waited for one before: its
// value is from memory.
const landed = 1 << 15

// A moment of a register on a board can have these bits, which make it later than any other.
const (
	// pending says that it is not known yet when the register can be read: it waits for
	// flights. The rest of the moment is when it could be read but for those.
	pending moment = 1 << 61
	// absent says that its value is not there either, as its access takes effect in an
	// exchange.
	absent moment = 1 << 62
)

func (m moment) isKnown() bool { return m < pending }

// known is m without what is not known.
func (m moment) known() moment { return m &^ (pending | absent) }

// ref is a register of an activation.
type ref struct {
	frame divergence.FrameID
	reg   uint16
}

// boardOf is the scoreboard of an activation.
func (x *slot) boardOf(id divergence.FrameID) *board {
	for len(x.boards) <= int(id) {
		x.boards = append(x.boards, nil)
	}
	if x.boards[id] == nil {
		n := x.registers(id)
		x.boards[id] = &board{make([]moment, n), make([]uint16, n)}
	}
	return x.boards[id]
}

// registers is how many registers the function of an activation has on its scoreboard.
func (x *slot) registers(id divergence.FrameID) int {
	return x.cta.launch.codes[x.warp.Windows[id].Func.Number].registers
}

func (b *board) clear() {
	clear(b.ready)
	clear(b.flights)
}

// forget clears the scoreboard of an activation that begins where another has ended.
func (x *slot) forget(m *multiprocessor, id divergence.FrameID) {
	if b := x.boardOf(id); len(b.ready) == x.registers(id) {
		b.clear()
	} else {
		x.boards[id] = nil // it was another function's
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

// sourcesReady is when the registers that the next instruction waits for can be read. A
// call and a return wait for registers that have no value yet, too: the function that goes on
// knows nothing of those of another. A register is not written before what it waits for from
// memory is there.
func (x *slot) sourcesReady() moment {
	ready, b := moment(0), x.board.ready
	if x.in.calls || x.in.returns {
		if ready = x.late; x.absent > 0 {
			ready = absent
		}
	}
	for _, r := range x.in.sources {
		ready = max(ready, b[r])
	}
	for _, r := range x.in.fresh {
		if x.board.flights[r] != 0 {
			ready = max(ready, b[r])
		}
	}
	return ready
}

// fromMemory reports whether a register that the next instruction waits for has, or waits for, a
// value from memory.
func (x *slot) fromMemory() bool {
	waited := func(r uint16) bool { return x.board.flights[r] != 0 }
	return slices.ContainsFunc(x.in.sources, waited) || slices.ContainsFunc(x.in.fresh, waited)
}
