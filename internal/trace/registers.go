package trace

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// emitWrites writes the results of s, which has been executed, in the lanes of m. The results of a call are known
// when lanes return.
func (t *Tracer) emitWrites(s *step, m lanes.Mask) {
	if !t.emits[write] || m == 0 {
		return
	}
	fr, fn := s.frame, s.fn
	var ids []isa.RegID
	switch in := s.in(); {
	case s.returns():
		fr = s.activation.Parent
		fn = s.w.Func(fr)
		ids = written(&fn.Code[s.activation.Ret-1])
	case in != nil && (in.Call == nil || !t.calls(in)):
		ids = written(in)
	}
	var parts []string
	for _, id := range ids {
		parts = append(parts, fmt.Sprintf("%s = %s", fn.Regs[id].Name, s.valueText(fr, fn, id, m)))
	}
	if parts != nil {
		t.emit(write, s, m, strings.Join(parts, "; "))
	}
}

// written returns the registers that an instruction writes, in textual order.
func written(in *isa.Instr) (ids []isa.RegID) {
	for ref := range in.Refs {
		if ref.Role.Writes() {
			ids = append(ids, ref.Reg)
		}
	}
	return ids
}

// valueText returns a register in the lanes of m; for a predicate, the lanes of m in which it is true.
func (s *step) valueText(fr divergence.FrameID, fn *isa.Func, id isa.RegID, m lanes.Mask) string {
	values, typ := s.w.Reg(fr, id), fn.Regs[id].Type
	if typ == isa.Pred {
		holds := lanes.Mask(0)
		for lane, v := range values {
			holds |= lanes.Mask(v) << lane
		}
		return fmt.Sprintf("%08x", uint32(holds&m))
	}
	if typ == isa.B128 {
		high := s.w.RegHigh(fr, id)
		return longText(&values, &high, m)
	}
	return valuesText(&values, m, typ)
}
