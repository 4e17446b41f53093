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
func (t *Tracer) tellAccess(s *step, space isa.Space, size int, m lanes.Mask, acc *lanes.Access) {
	e, known := accessEvents[s.in().Spec.Kind]
	if !known || !t.told[e] {
		return
	}
	perLane := uint64(0)
	if space == isa.Local || space == isa.Param && sameStart(acc.Mem, s.frame.Params) {
		perLane = uint64(len(acc.Mem) / lanes.Width)
	}
	var at [lanes.Width]uint64
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		at[lane] = acc.At(lane) - uint64(lane)*perLane
	}
	where := space.String()
	if space == isa.Global || space == isa.Const {
		where += " " + t.regionName(s, m)
	}
	bytes := "bytes"
	if size == 1 {
		bytes = "byte"
	}
	t.tell(e, s, m, fmt.Sprintf("%d %s of %s at %s", size, bytes, where, folded(&at, m, isa.U64)))
}

// sameStart reports whether two pieces of memory begin at the same place.
func sameStart(a, b []byte) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// regionName is the buffer or variable of global or constant memory that the
// lanes of m go to.
func (t *Tracer) regionName(s *step, m lanes.Mask) string {
	in := s.in()
	for i := range in.Args {
		a := &in.Args[i]
		switch {
		case a.Kind != isa.AddrOperand:
		case a.Sym != "":
			return a.Sym
		default:
			addr := a.Bits
			if a.Reg != isa.NoReg {
				addr += s.w.Reg(s.frame, a.Reg)[firstLane(m)]
			}
			if r := t.machine.Region(addr); r != nil {
				return r.Name
			}
		}
	}
	return "?"
}
