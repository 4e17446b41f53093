package program

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// span is the bytes that a slot takes.
type span struct {
	name     string
	from, to uint32
}

func TestSlotsDoNotOverlap(t *testing.T) {
	f := &isa.Func{Regs: []isa.Reg{{Name: "%p1", Type: isa.Pred}, {Name: "%r1", Type: isa.B32}, {Name: "%rd1", Type: isa.B64},
		{Name: "%rs1", Type: isa.B16}, {Name: "%p2", Type: isa.Pred}}}
	for range 40 { // more predicates than one slot holds
		f.Regs = append(f.Regs, isa.Reg{Name: "%p", Type: isa.Pred})
	}
	l := NewLayout(f)
	spans := []span{{"scratch", 0, lanes.ScratchBytes}, {"sink", l.Sink, l.Sink + lanes.Slot64},
		{"carry", l.Carry, l.Carry + 4}, {"true", l.True, l.True + 4}, {"sink predicate", l.SinkPred, l.SinkPred + 4}}
	for id, r := range f.Regs {
		size := uint32(lanes.Slot32)
		switch {
		case r.Type == isa.Pred:
			size = lanes.SlotPred
		case r.Type.Bits() > 32:
			size = lanes.Slot64
		}
		off := l.Reg(isa.RegID(id))
		spans = append(spans, span{r.Name, off, off + size})
	}
	c := l.Const(7, false)
	spans = append(spans, span{"7", c, c + lanes.Slot32}, span{"wide 7", l.Const(7, true), l.Const(7, true) + lanes.Slot64},
		span{"laneid", l.Special(isa.LaneID), l.Special(isa.LaneID) + lanes.Slot32})
	for i, a := range spans {
		if a.to > uint32(l.Bytes()) {
			t.Errorf("%s ends at %d of %d bytes", a.name, a.to, l.Bytes())
		}
		if a.to-a.from >= lanes.Slot32 && a.from%64 != 0 {
			t.Errorf("%s starts at %d, within a cache line", a.name, a.from)
		}
		for _, b := range spans[:i] {
			if a.from < b.to && b.from < a.to {
				t.Errorf("%s at %d and %s at %d overlap", a.name, a.from, b.name, b.from)
			}
		}
	}
	if l.Const(7, false) != c || l.Const(1<<32|7, false) != c {
		t.Error("one constant has two slots")
	}
}
