package interp

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/sorted"
)

// The state of an mbarrier is entirely in its 8 bytes of shared memory, so that saving, comparing and watching memory
// covers mbarriers. No lane waits at an mbarrier: programs poll.

// mbarrier executes the operation on an mbarrier at pc for the lanes of m, which is not empty, one after the other.
func (e *Engine) mbarrier(pc int, m lanes.Mask) error {
	for m != 0 {
		group, err := e.locateShared(e.fn.Info[pc].Mbarrier, pc, m, "mbarrier")
		if err != nil {
			return err
		}
		m &^= group
		if e.fn.Src.Code[pc].Mods[isa.Multicast] != 0 {
			err = e.mbarriersOfCTAs(pc, group, m != 0)
		} else {
			err = e.mbarriersOf(pc, group, m != 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mbarriersOfCTAs executes the operation at pc for the lanes of m, each at its place in e.acc, in the shared memory
// of the CTAs in its mask. If more is set, other lanes follow.
func (e *Engine) mbarriersOfCTAs(pc int, m lanes.Mask, more bool) error {
	side, at := e.fn.Info[pc].Mbarrier, e.acc
	for ; m != 0; m &= m - 1 {
		lane := firstLane(m)
		for ranks := lanes.Reg[uint32](e.path.File, e.fn.Ops[pc].C)[lane] & 0xffff; ranks != 0; ranks &= ranks - 1 {
			p := e.findShared(isa.PeerAddress(bits.TrailingZeros32(ranks), at.At(lane)), 0)
			if err := e.checkSide(side, pc, lane, isa.Atomic, lanes.MbarrierBytes, "mbarrier", p); err != nil {
				return err
			}
			e.acc = p.access(lane, 0, lanes.MbarrierBytes)
			if err := e.mbarriersOf(pc, 1<<lane, more || m&(m-1) != 0 || ranks&(ranks-1) != 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// mbarriersOf executes the operation at pc for the lanes of m, with mbarriers in one CTA's shared memory at the
// places in e.acc. If more is set, other lanes follow.
func (e *Engine) mbarriersOf(pc int, m lanes.Mask, more bool) error {
	in := &e.fn.Src.Code[pc]
	k := e.copyScratch()
	op := in.MbarrierOp()
	again := lanes.Mask(0) // lanes that initialise an mbarrier again
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		b := e.mbarrierBefore(lane, m)
		k.before[lane] = b
		switch {
		case op == isa.MbarInit:
			if b.IsValid() {
				again |= left & -left
			}
		case !b.IsValid():
			return e.fault(pc, left&-left, violated(RuleMbarrier, "no mbarrier is at shared 0x%x%s: it was not initialised, or something else was written there", e.acc.At(lane), e.inBlock(e.acc.Region)))
		}
		after, err := e.changedBy(pc, lane, b)
		if err != nil {
			return e.fault(pc, left&-left, err)
		}
		binary.LittleEndian.PutUint64(k.bytes[lane*lanes.MbarrierBytes:], uint64(after))
	}
	if again != 0 {
		e.warn(pc, again, RuleMbarrierInit, "this initialises an existing mbarrier: PTX leaves that undefined without an mbarrier.inval before it",
			func() []Involved { return []Involved{involved(Affects, e.where(again))} })
	}
	kind := in.Spec.Kind
	e.notifyMoving(kind, pc, m, more)
	e.mbarrierResults(in, pc, m)
	if kind != isa.Load {
		for left := m; left != 0; left &= left - 1 {
			lane := firstLane(left)
			copy(e.acc.Mem[e.acc.At(lane):], k.bytes[lane*lanes.MbarrierBytes:][:lanes.MbarrierBytes])
		}
		if op == isa.MbarInit || op == isa.MbarInval {
			e.listMbarriers(op == isa.MbarInit, m)
		}
	}
	if e.effect != nil {
		e.effect.Changed = e.effect.Changed || kind == isa.Atomic
		e.addMbarriers(pc, m)
	}
	e.notifyMoved(m)
	return nil
}

// mbarrierBefore returns the mbarrier that a lane finds: as the latest lane of m before it has left it, or as it is
// in memory.
func (e *Engine) mbarrierBefore(lane int, m lanes.Mask) lanes.Mbarrier {
	at := e.acc.At(lane)
	for other := lane - 1; other >= 0; other-- {
		if m>>other&1 != 0 && e.acc.At(other) == at {
			return lanes.Mbarrier(binary.LittleEndian.Uint64(e.copying.bytes[other*lanes.MbarrierBytes:]))
		}
	}
	return lanes.Mbarrier(binary.LittleEndian.Uint64(e.acc.Mem[at:]))
}

// changedBy returns the mbarrier after the operation at pc in a lane.
func (e *Engine) changedBy(pc, lane int, b lanes.Mbarrier) (after lanes.Mbarrier, err error) {
	in, n := &e.fn.Src.Code[pc], e.mbarrierCount(pc, lane)
	switch op, how := in.MbarrierOp(), in.Mods[isa.MbarHow]; {
	case op == isa.MbarInit:
		after, err = lanes.NewMbarrier(n)
	case op == isa.MbarInval:
		return 0, nil
	case op == isa.MbarExpectTx:
		after, err = b.Expect(int64(n))
	case op == isa.MbarCompleteTx:
		after, err = b.Expect(-int64(n))
	case in.Mods[isa.Async] != 0 && in.Mods[isa.NoInc] == 0:
		if after = b; b.Pending() == lanes.MaxMbarrier { // one more is expected, and arrives at once
			err = lanes.ErrMbarrierPending
		}
	case op == isa.MbarArrive, op == isa.MbarArriveDrop:
		if after = b; how == isa.ArriveExpectTx {
			after, err = b.Expect(int64(n))
			n = 1
		}
		if err == nil && op == isa.MbarArrive {
			after, err = after.Arrive(n)
		} else if err == nil {
			after, err = after.Drop(n)
		}
		if err == nil && how == isa.ArriveNoComplete && after.Parity() != b.Parity() {
			return b, violated(RuleMbarrierOver, "%d arrivals with .noComplete complete the phase, in which %d were pending", n, b.Pending())
		}
	default:
		return b, nil
	}
	if err != nil {
		return b, violated(RuleMbarrierOver, "%v: %d, of an mbarrier at shared 0x%x%s with %d pending arrivals and a tx-count of %d", err, n, e.acc.At(lane), e.inBlock(e.acc.Region), b.Pending(), b.Tx())
	}
	return after, nil
}

// mbarrierCount returns the count of the operation at pc in a lane: 1 without an operand.
func (e *Engine) mbarrierCount(pc, lane int) uint32 {
	in := &e.fn.Src.Code[pc]
	for i := range in.Args {
		if in.Args[i].Kind != isa.NoOperand && in.Spec.Formals()[i].Name == 'b' {
			return lanes.Reg[uint32](e.path.File, e.fn.Ops[pc].B)[lane]
		}
	}
	return 1
}

// mbarrierResults sets the results of an operation: the state before, or whether a phase is
// complete.
func (e *Engine) mbarrierResults(in *isa.Instr, pc int, m lanes.Mask) {
	op, file := &e.fn.Ops[pc], e.path.File
	switch in.MbarrierOp() {
	case isa.MbarArrive, isa.MbarArriveDrop:
		d := lanes.Reg[uint64](file, op.D)
		for left := m; left != 0; left &= left - 1 {
			d[firstLane(left)] = uint64(e.copying.before[firstLane(left)])
		}
	case isa.MbarTestWait, isa.MbarTryWait:
		done := lanes.Mask(0)
		for left := m; left != 0; left &= left - 1 {
			if lane := firstLane(left); e.copying.before[lane].Completed(askedParity(file, in, op, lane)) {
				done |= left & -left
			}
		}
		if done == 0 {
			e.waits, e.path.Limit = true, 0
		}
		p := lanes.Pred(file, op.D)
		*p = *p&^m | done
	}
}

// askedParity returns the parity of the phase that a lane tests.
func askedParity(file *lanes.File, in *isa.Instr, op *lanes.Op, lane int) uint32 {
	if in.Mods[isa.Parity] != 0 {
		return lanes.Reg[uint32](file, op.B)[lane] & 1
	}
	return lanes.Mbarrier(lanes.Reg[uint64](file, op.B)[lane]).Parity()
}

// isWait reports whether the instruction at pc tests whether a phase of an mbarrier is complete.
func isWait(f *program.Func, pc int) bool {
	return f.Info[pc].Mbarrier != nil && f.Src.Code[pc].Spec.Kind == isa.Load
}

// addMbarriers adds the mbarriers of the lanes of m, at the places in e.acc, to the effect.
func (e *Engine) addMbarriers(pc int, m lanes.Mask) {
	in, op := &e.fn.Src.Code[pc], &e.fn.Ops[pc]
	all, file := e.effect.Mbarriers, e.path.File
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		before := e.copying.before[lane]
		at := AtMbarrier{Region: e.acc.Region, Addr: e.acc.At(lane), Parity: before.Parity()}
		if in.Spec.Kind == isa.Load {
			at.Parity = askedParity(file, in, op, lane)
			at.Passed = before.Completed(at.Parity)
		}
		if n := len(all); n == 0 || all[n-1] != at {
			all = append(all, at)
		}
	}
	e.effect.Mbarriers = all
}

// listMbarriers records in the CTA that the mbarriers of the lanes of m, at the places in e.acc, were initialised or
// invalidated.
func (e *Engine) listMbarriers(initialised bool, m lanes.Mask) {
	c := e.owner(e.acc.Region)
	for left := m; left != 0; left &= left - 1 {
		addr := uint64(e.acc.At(firstLane(left)))
		switch i, listed := slices.BinarySearch(c.mbarriers, addr); {
		case initialised && !listed:
			c.mbarriers = sorted.Insert(c.mbarriers, i, addr)
		case !initialised && listed:
			c.mbarriers = slices.Delete(c.mbarriers, i, i+1)
		}
	}
}

// Initialised returns the addresses in the shared memory of the warp's CTA at which mbarriers were initialised and
// not invalidated since, in ascending order. The program may have overwritten them. The slice must not be changed.
func (w Warp) Initialised() []uint64 { return w.c.mbarriers }

// MbarrierAt returns the mbarrier at an address in the shared memory of the warp's CTA.
func (w Warp) MbarrierAt(addr uint64) lanes.Mbarrier {
	return lanes.Mbarrier(binary.LittleEndian.Uint64(w.c.Shared.Data[addr:]))
}

// MbarrierText describes the state of an mbarrier.
func MbarrierText(b lanes.Mbarrier) string {
	return fmt.Sprintf("in a phase of parity %d: %d of %d arrivals are pending, the tx-count is %d", b.Parity(), b.Pending(), b.Expected(), b.Tx())
}

// farthestWait is how many instructions of a loop are searched for a wait.
const farthestWait = 32

// Mbarriers describes, in a line for each, the mbarriers that a split at the head of a loop polls, and what they wait
// for.
func (w Warp) Mbarriers(s *divergence.Split) (lines []string) {
	f := w.code(s.Frame)
	for pc := s.PC; pc < min(s.PC+farthestWait, len(f.Src.Code)); pc++ {
		switch {
		case f.Src.Code[pc].Is(isa.Branch) && int(f.Info[pc].Target) <= pc:
			return lines
		case !isWait(f, pc):
			continue
		}
		if addr, ok := w.polled(s, pc, firstLane(s.Mask)); ok {
			lines = append(lines, fmt.Sprintf("mbarrier at shared 0x%x of block (%d,%d,%d), %s", addr, w.c.At.X, w.c.At.Y, w.c.At.Z, MbarrierText(w.MbarrierAt(addr))))
		}
	}
	return lines
}

// polled returns the address of the mbarrier that a lane of a split tests by the wait at pc, with the present values
// of its registers; ok is false if that is not in the shared memory of its CTA.
func (w Warp) polled(s *divergence.Split, pc, lane int) (addr uint64, ok bool) {
	side, file := w.code(s.Frame).Info[pc].Mbarrier, w.w.Windows[s.Frame].File
	addr = lanes.Reg[uint64](file, side.Op.A)[lane]
	if !side.Info.Wide {
		addr = uint64(lanes.Reg[uint32](file, side.Op.A)[lane])
	}
	if addr += side.Op.Imm; side.Info.Space == isa.Generic {
		addr -= isa.SharedWindow
	}
	addr = uint64(uint32(addr))
	return addr, addr+lanes.MbarrierBytes <= uint64(len(w.c.Shared.Data))
}

// Polling is a group of lanes in a loop that waits for an incomplete phase of an mbarrier.
type Polling struct {
	Addr   uint64 // in the shared memory of their CTA
	Parity uint32 // of the phase
	Lanes  lanes.Mask
	PC     int // of the wait
}

// Polling lists the mbarriers that the lanes of a split poll, without success so far: those of waits in the present
// loop, with the present values of registers.
func (w Warp) Polling(s *divergence.Split) (all []Polling) {
	f, file := w.code(s.Frame), w.w.Windows[s.Frame].File
	first, end := w.loop(s)
	for pc := first; pc < end; pc++ {
		if !isWait(f, pc) {
			continue
		}
		for left := f.Ops[pc].Active(file, s.Mask); left != 0; left &= left - 1 {
			lane := firstLane(left)
			addr, ok := w.polled(s, pc, lane)
			if !ok {
				continue
			}
			parity, b := askedParity(file, &f.Src.Code[pc], &f.Ops[pc], lane), w.MbarrierAt(addr)
			if !b.IsValid() || b.Completed(parity) {
				continue
			}
			i := slices.IndexFunc(all, func(p Polling) bool { return p.Addr == addr && p.Parity == parity && p.PC == pc })
			if i < 0 {
				i, all = len(all), append(all, Polling{Addr: addr, Parity: parity, PC: pc})
			}
			all[i].Lanes |= left & -left
		}
	}
	return all
}

// loop returns the instructions around the place of a split that are repeated, from the target of a branch to that
// branch. There are none if the loop is long or does more than compute, read and sleep.
func (w Warp) loop(s *divergence.Split) (first, end int) {
	f := w.code(s.Frame)
	for end = s.PC; end < min(s.PC+farthestWait, len(f.Src.Code)); end++ {
		first = int(f.Info[end].Target)
		if !f.Src.Code[end].Is(isa.Branch) || first > s.PC {
			continue
		}
		if end-first > farthestWait || !onlyReads(f.Src.Code[first:end]) {
			break
		}
		return first, end
	}
	return 0, 0
}

// onlyReads reports whether instructions change nothing but registers.
func onlyReads(code []isa.Instr) bool {
	for i := range code {
		switch code[i].Spec.Kind {
		case isa.Compute, isa.Nop, isa.Load, isa.Branch:
		default:
			return false
		}
	}
	return true
}
