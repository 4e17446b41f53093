package trace

import (
	"fmt"
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// park emits s, which is a barrier or a collective, and records which of its lanes now wait for others.
func (t *Tracer) park(s *step, st *warpState) (m lanes.Mask) {
	in := s.in()
	isCollective := in != nil && in.Mods[isa.Sync] != 0 && s.executing != 0
	if !s.arrived && !isCollective && !s.atCluster {
		return 0
	}
	missing := lanes.Mask(0)
	for _, w := range waiting(s) {
		m |= w.Lanes & s.executing
		missing |= w.Missing
		st.waits = append(st.waits, wait{w.Lanes & s.executing, *s, waitText(s)})
	}
	switch {
	case isCollective && m != 0:
		t.emit(collective, s, s.executing, fmt.Sprintf("%08x waits for %08x", uint32(m), uint32(missing)))
	case isCollective:
		t.emit(collective, s, s.executing, "complete")
	case s.atCluster && m != 0:
		t.emit(cluster, s, s.executing, "waits")
	case s.atCluster:
		t.emit(cluster, s, s.executing, "complete")
	case in.Mods[isa.BarOp] == isa.BarArrive:
		t.emit(barrier, s, s.executing, fmt.Sprintf("barrier %d  arrives", s.barrier))
	case m != 0:
		t.emit(barrier, s, s.executing, fmt.Sprintf("barrier %d  waits", s.barrier))
	default:
		t.emit(barrier, s, s.executing, fmt.Sprintf("barrier %d  complete", s.barrier))
	}
	return m
}

// waitText names what the lanes of s wait for.
func waitText(s *step) string {
	if s.arrived {
		return fmt.Sprintf("barrier %d", s.barrier)
	}
	return s.in().Mnemonic()
}

// release emits which of the active lanes of s have waited until now.
func (t *Tracer) release(s *step, st *warpState) {
	kept := st.waits[:0]
	for _, w := range st.waits {
		if m := w.m & s.active; m != 0 {
			if w.step.arrived || t.options.Kind != Mask {
				t.emit(release, s, m, w.what)
			}
			t.emitWrites(&w.step, m)
			w.m &^= m
		}
		if w.m != 0 {
			kept = append(kept, w)
		}
	}
	clear(st.waits[len(kept):])
	st.waits = kept
}

func (t *Tracer) emitFence(s *step) {
	if in := s.in(); in != nil && in.Spec.Kind == isa.Fence {
		t.emit(fence, s, s.executing, "")
	}
}

// firstLane returns the lowest lane of m, which must not be empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) }
