package trace

import (
	"encoding/binary"
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// ClusterArrived implements interp.ClusterObserver.
func (t *Tracer) ClusterArrived(*interp.Place, int, lanes.Mask) {
	if t.under {
		t.emit(cluster, &t.step, t.step.executing, "arrives")
	}
}

// ClusterWaits implements interp.ClusterObserver.
func (t *Tracer) ClusterWaits(*interp.Place, int, lanes.Mask) { t.step.atCluster = t.under }

// ClusterReleased implements interp.ClusterObserver.
func (t *Tracer) ClusterReleased([]int) {}

// Grouped implements interp.CopyObserver.
func (t *Tracer) Grouped(_ *interp.Place, _ int, m lanes.Mask) {
	if t.under {
		t.emit(group, &t.step, m, "")
	}
}

// mbarrierAt is an mbarrier that an instruction accesses: the lanes, its address in shared memory, the owner of that
// memory, and its bytes.
type mbarrierAt struct {
	m     lanes.Mask
	at    uint64
	of    string
	bytes []byte
}

// polled is the state of an mbarrier when lanes last polled it.
type polled struct {
	pc   int
	m    lanes.Mask
	text string
}

// noteMbarriers records which mbarriers s accesses with a, to be shown after s was executed.
func (t *Tracer) noteMbarriers(s *step, a *interp.Access) {
	if in := s.in(); !t.emits[mbarrier] || in == nil || in.MbarrierOp() == 0 || a.Size != lanes.MbarrierBytes {
		return
	}
next:
	for left := a.Lanes; left != 0; left &= left - 1 {
		at := a.At(firstLane(left))
		for i := range s.mbarriers {
			if b := &s.mbarriers[i]; b.at == at && &b.bytes[0] == &a.Mem[at] {
				b.m |= left & -left
				continue next
			}
		}
		s.mbarriers = append(s.mbarriers, mbarrierAt{left & -left, at, t.ofBlock(a), a.Mem[at:][:lanes.MbarrierBytes]})
	}
}

// ofBlock names the CTA whose shared memory is accessed, if it is another one.
func (t *Tracer) ofBlock(a *interp.Access) string {
	if owner, other := a.Peer(); other {
		return fmt.Sprintf(" of b%d", t.number(owner))
	}
	return ""
}

// emitMbarriers emits the state of the mbarriers after s.
func (t *Tracer) emitMbarriers(s *step) {
	st := t.state(s)
	for _, at := range s.mbarriers {
		text := fmt.Sprintf("shared%s at %d  ", at.of, at.at)
		if b := lanes.Mbarrier(binary.LittleEndian.Uint64(at.bytes)); b.IsValid() {
			text += fmt.Sprintf("parity %d  pending %d of %d  tx %d", b.Parity(), b.Pending(), b.Expected(), b.Tx())
		} else {
			text += "none"
		}
		if poll := (polled{s.pc, at.m, text}); s.in().Spec.Kind != isa.Load {
			st.polled = polled{}
		} else if st.polled == poll {
			continue // same state as before
		} else {
			st.polled = poll
		}
		t.emit(mbarrier, s, at.m, text)
	}
}
