package trace

import (
	"fmt"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

var accessEvents = map[isa.Kind]event{isa.Load: load, isa.Store: store, isa.Atomic: atomic}

// tellAccess tells where lanes of s go: how many bytes of which space, and at
// what offset of a buffer, of the CTA's shared memory, or of a lane's own part
// of local memory.
func (t *Tracer) tellAccess(s *step, m lanes.Mask, acc *lanes.Access) {
	e, known := accessEvents[s.in().Spec.Kind]
	if !known || !t.told[e] {
		return
	}
	space, perLane := isa.Space(acc.Space), acc.PerLane()
	var at [lanes.Width]uint64
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		at[lane] = acc.At(lane) - uint64(lane)*perLane
	}
	where := space.String()
	if space == isa.Global || space == isa.Const {
		where += " " + t.machine.Region(acc.Base).Name
	}
	bytes := "bytes"
	if acc.Size == 1 {
		bytes = "byte"
	}
	t.tell(e, s, m, fmt.Sprintf("%d %s of %s at %s", acc.Size, bytes, where, folded(&at, m, isa.U64)))
}
