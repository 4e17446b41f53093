package trace

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

var accessEvents = map[isa.Kind]event{isa.Load: load, isa.Store: store, isa.Atomic: atomic}

// emitAccess writes the accesses of the lanes of s: the number of bytes, the state space, and the offset in a buffer,
// in the CTA's shared memory, or in a lane's part of local memory.
func (t *Tracer) emitAccess(s *step, a *interp.Access) {
	e, known := accessEvents[a.Kind]
	if !known || !t.emits[e] {
		return
	}
	space, perLane := isa.Space(a.Space), a.PerLane()
	var at [lanes.Width]uint64
	for left := a.Lanes; left != 0; left &= left - 1 {
		lane := firstLane(left)
		at[lane] = a.At(lane) - uint64(lane)*perLane
	}
	where := space.String()
	if space == isa.Global || space == isa.Const {
		where += " " + t.machine.Region(a.Base).Shown()
	}
	where += t.ofBlock(a)
	bytes := "bytes"
	if a.Size == 1 {
		bytes = "byte"
	}
	t.emit(e, s, a.Lanes, fmt.Sprintf("%d %s of %s at %s", a.Size, bytes, where, valuesText(&at, a.Lanes, isa.U64)))
}
