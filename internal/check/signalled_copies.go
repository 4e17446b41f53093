package check

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// A copy that signals an mbarrier (cp.async.bulk and copies of tensors to shared memory) is complete when the phase is
// that counts its bytes. Barriers do not wait for it, not even for the thread that started it. So an access to its
// destination before any thread of the CTA has found that phase complete may come too early. Whether the accessing
// thread is ordered after such a wait is a matter of races.
//
// Only copies to shared memory of the CTA that starts them are followed, with an mbarrier of the same CTA.

// mbarrierPhase is a phase of an mbarrier in shared memory.
type mbarrierPhase struct {
	addr   uint64
	parity uint32
}

// signalsOwn reports whether the instruction is a copy that signals an mbarrier.
func (s *site) signalsOwn() bool { return s.signalled != nil && s.isCopy() }

// isWait reports whether the instruction waits at an mbarrier, or tests a phase.
func (s *site) isWait() bool {
	op := s.in().MbarrierOp()
	return op == isa.MbarTestWait || op == isa.MbarTryWait
}

// writesCopy adds a piece that a copy of a lane writes to the range of shared memory that it has written so far.
func (w *warp) writesCopy(s *site, a *interp.Access) {
	lane := firstLane(a.Lanes)
	at, p := a.At(lane), &w.arriving
	if p.site != s || p.lanes != a.Lanes {
		*p = pendingCopy{site: s, kind: signalledDestination, lanes: a.Lanes, low: at, high: at}
	}
	p.low, p.high = min(p.low, at), max(p.high, at+a.Size)
	p.off[lane], p.size = p.low, p.high-p.low
}

// signals makes the copy that has been written pending until the phase of the mbarrier that an access signals.
func (w *warp) signals(a *interp.Access) {
	p, lane := w.arriving, firstLane(a.Lanes)
	w.arriving = pendingCopy{}
	if p.site != nil && p.site.pc == a.PC && p.lanes == a.Lanes {
		p.phase = mbarrierPhase{a.At(lane), a.Mbarrier(lane).Parity()}
		w.pending = append(w.pending, p)
	}
}

// waitsAt records that lanes have looked at the phases of mbarriers: copies that signalled earlier phases are complete.
func (c *cta) waitsAt(a *interp.Access) {
	for _, w := range c.warps {
		kept := w.pending[:0]
		for _, p := range w.pending {
			if p.kind != signalledDestination || !p.phase.isOver(a) {
				kept = append(kept, p)
			}
		}
		w.pending = kept
	}
}

// isOver reports whether a lane of an access to mbarriers has found a later phase of the mbarrier.
func (p mbarrierPhase) isOver(a *interp.Access) bool {
	for m := a.Lanes; m != 0; m &= m - 1 {
		if lane := m.First(); a.At(lane) == p.addr && a.Mbarrier(lane).Parity() != p.parity {
			return true
		}
	}
	return false
}

// isOfUnwaited reports whether a race is between a copy that signals an mbarrier and an access that has not waited for
// it. The finding about the wait covers it: no barrier of the CTA would order the two.
func (r *Races) isOfUnwaited(key pair) bool {
	for _, k := range []pair{key, {key.b, key.a}} {
		if _, found := r.copies[k]; found && r.byIndex[k.a].signalsOwn() {
			return true
		}
	}
	return false
}

// completesLater reports whether the first access is a write that is complete when the phase of an mbarrier is, so that
// no barrier of the CTA or the cluster orders it: by an asynchronous store, a copy, or what cancels a launch.
func (c *race) completesLater() bool {
	s := c.first
	return s.class&writes != 0 && s != c.second && (s.isCopy() || s.cancels()) && s.signals()
}

// phaseWait advises a wait for the phase of the mbarrier that a write signals, before the site uses what was written.
func (s *site) phaseWait(write *site) string {
	pos := s.place().Pos()
	return fmt.Sprintf("%s before line %d, for the mbarrier that %s signals, in each thread that uses the bytes", s.words().phaseWait, pos.Line, lineText(write.place().Pos(), pos))
}
