package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Undefined is the set of ways in which a launch got values that PTX leaves undefined, although no instruction of it is
// an error by itself. A launch without a check records no more than that it happened.
type Undefined uint8

const (
	// UndefinedShuffle: a lane read, by a shuffle, a lane that did not execute the shuffle with it.
	UndefinedShuffle Undefined = 1 << iota
	// UndefinedLifetime: a thread accessed the shared memory of another CTA of its cluster, and nothing ensured that
	// this CTA had started and had not ended.
	UndefinedLifetime
)

// Lines returns a sentence for each member of u, with the check that names the place.
func (u Undefined) Lines() (lines []string) {
	if u&UndefinedShuffle != 0 {
		lines = append(lines, "a shuffle read lanes that are not in its mask, have exited or do not exist, so its result is undefined there; --check sync finds uses of it")
	}
	if u&UndefinedLifetime != 0 {
		lines = append(lines, "a block accessed shared memory of another block of its cluster that may not have started or may have ended, so the result is undefined; --check race names the access")
	}
	return lines
}

// exchangeAmong executes an exchange among the lanes of m, whose operands are in f.
func (e *Engine) exchangeAmong(op *lanes.Op, f *lanes.File, m lanes.Mask) {
	if m != lanes.AllLanes && isa.Kind(op.Kind) == isa.Shuffle && e.Stats.Undefined&UndefinedShuffle == 0 && e.readsAbsent(op, f, m) {
		e.Stats.Undefined |= UndefinedShuffle
	}
	op.Fn(f, op, m)
}

// readsAbsent reports whether lanes of m read other lanes than those by a shuffle. It executes the shuffle on values
// that are not 0: a lane that reads an absent one gets 0.
func (e *Engine) readsAbsent(op *lanes.Op, f *lanes.File, m lanes.Mask) bool {
	const first = lanes.ScratchBytes
	if e.present == nil {
		e.present = lanes.NewFile(first + 5*lanes.Slot64)
		for lane := range lanes.Width {
			lanes.Reg[uint32](e.present, first)[lane] = 1
		}
	}
	at := *op
	at.A, at.B, at.C, at.D, at.D2 = first, first+lanes.Slot64, first+2*lanes.Slot64, first+3*lanes.Slot64, first+4*lanes.Slot64
	copyLanes(e.present, at.B, f, op.B, 32, m)
	copyLanes(e.present, at.C, f, op.C, 32, m)
	at.Fn(e.present, &at, m)
	for left := m; left != 0; left &= left - 1 {
		if lanes.Reg[uint32](e.present, at.D)[firstLane(left)] == 0 {
			return true
		}
	}
	return false
}

// takeUndefined records what compiled code has found.
func (e *Engine) takeUndefined() {
	if ctx := e.native.ctx; ctx.ReadsAbsent != 0 {
		ctx.ReadsAbsent = 0
		e.Stats.Undefined |= UndefinedShuffle
	}
}

// Lifetimes of shared memory: a CTA's exists from its start to its end. Only barriers of the cluster are taken for
// what makes a CTA wait for others; kernels that may wait in other ways are not watched (program.WaitsForOthers).

// accessesPeer records an access to the shared memory of CTA peer of the cluster, which may be the warp's own.
func (e *Engine) accessesPeer(peer *CTA) {
	if peer == e.cta || e.Stats.Undefined&UndefinedLifetime != 0 {
		return
	}
	if !peer.Cluster.synced && !e.p.WaitsForOthers() {
		e.Stats.Undefined |= UndefinedLifetime
	}
	peer.accessed = true
}

// endsLifetime is called when the last thread of the CTA has exited.
func (e *Engine) endsLifetime() {
	if e.cta.accessed && !e.p.WaitsForOthers() {
		e.Stats.Undefined |= UndefinedLifetime
	}
}
