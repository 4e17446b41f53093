package interp

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Canceler takes CTAs out of a launch that have not started.
type Canceler interface {
	// Cancel takes the CTAs of the next cluster out of the launch, or the next CTA of a launch without clusters, and
	// returns the number of the first, or false if all have started or were taken out.
	Cancel() (number int64, ok bool)
}

// cancelRequest is a request to cancel CTAs, by a lane of a CTA.
type cancelRequest struct {
	cta      *CTA
	at       isa.Dim // of the CTA
	answer   uint64  // address of the answer in shared memory
	mbarrier uint64  // address of the mbarrier
	all      bool    // all CTAs of the cluster get the answer
	fault    *Fault  // template for faults of the instruction: without a cause
}

// cancelLaunch executes clusterlaunchcontrol.try_cancel at pc for the lanes of m, which is not empty, one after the
// other. With a clock, answers are written when the deferred operations of the exchange are applied.
func (e *Engine) cancelLaunch(pc int, m lanes.Mask) error {
	if e.watcher != nil {
		return errWatched
	}
	in := &e.fn.Info[pc]
	for ; m != 0; m &= m - 1 {
		lane := firstLane(m)
		r := cancelRequest{cta: e.cta, at: e.cta.At, all: e.fn.Src.Code[pc].Mods[isa.AllCTAs] != 0, fault: e.faultOf(pc, 1<<lane, nil)}
		if _, err := e.locateShared(in.Answer, pc, 1<<lane, "place for an answer"); err != nil {
			return err
		}
		r.answer = e.acc.At(lane)
		own := e.acc.Region == e.cta.Shared.Number
		if _, err := e.locateShared(in.Mbarrier, pc, 1<<lane, "mbarrier"); err != nil {
			return err
		}
		r.mbarrier = e.acc.At(lane)
		if own = own && e.acc.Region == e.cta.Shared.Number; !own {
			return e.fault(pc, 1<<lane, violated(RuleCluster, "the answer goes to another block's shared memory, or to an mbarrier there"))
		}
		if e.journal != nil {
			d := e.addDeferred()
			e.cancels = append(e.cancels, r)
			d.call, d.cancel = noCall, int32(len(e.cancels))
			e.journal.Defer(e.effect.Deferred)
			continue
		}
		if err := e.answerCancel(pc, lane, &r); err != nil {
			return e.fault(pc, 1<<lane, err)
		}
	}
	return nil
}

// answerOf takes CTAs out of the launch and returns the answer to a request.
func (e *Engine) answerOf() (low, high uint64) {
	if e.Canceler == nil {
		return 0, 0
	}
	n, ok := e.Canceler.Cancel()
	if !ok {
		return 0, 0
	}
	e.m.done.Add(int64(e.grid.Shape.ClusterSize()))
	first := e.grid.Shape.At(n)
	return lanes.CancelAnswer(first.X, first.Y, first.Z)
}

// completeTx returns the new value of a request's mbarrier in a CTA, or an error.
func (r *cancelRequest) completeTx(c *CTA) (lanes.Mbarrier, error) {
	b := lanes.Mbarrier(binary.LittleEndian.Uint64(c.Shared.Data[r.mbarrier:]))
	if !b.IsValid() {
		return b, violated(RuleMbarrier, "no mbarrier is at shared 0x%x of block (%d,%d,%d): it was not initialised, or something else was written there", r.mbarrier, c.At.X, c.At.Y, c.At.Z)
	}
	after, err := b.Expect(-lanes.AnswerBytes)
	if err != nil {
		return b, violated(RuleMbarrierOver, "%v: %d bytes, of an mbarrier at shared 0x%x with a tx-count of %d", err, lanes.AnswerBytes, r.mbarrier, b.Tx())
	}
	return after, nil
}

// to returns the CTAs that get the answer, all of which must have mbarriers.
func (r *cancelRequest) to() ([]*CTA, error) {
	all := []*CTA{r.cta}
	if r.all {
		all = r.cta.Cluster.CTAs
	}
	for _, c := range all {
		if c.Live == 0 {
			return nil, violated(RuleCluster, "the answer goes to block (%d,%d,%d) of the cluster, which has ended", c.At.X, c.At.Y, c.At.Z)
		}
		if _, err := r.completeTx(c); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// answerCancel answers a request at once, with accesses of the lane that observers see.
func (e *Engine) answerCancel(pc, lane int, r *cancelRequest) error {
	all, err := r.to()
	if err != nil {
		return err
	}
	low, high := e.answerOf()
	k := e.copyScratch()
	for i, c := range all {
		bytes := k.bytes[lane*lanes.AnswerBytes:][:lanes.AnswerBytes]
		binary.LittleEndian.PutUint64(bytes, low)
		binary.LittleEndian.PutUint64(bytes[8:], high)
		e.answerAccess(pc, lane, c, isa.Store, r.answer, bytes, true)
		after, _ := r.completeTx(c)
		bytes = k.bytes[lane*lanes.MbarrierBytes:][:lanes.MbarrierBytes]
		binary.LittleEndian.PutUint64(bytes, uint64(after))
		e.answerAccess(pc, lane, c, isa.Atomic, r.mbarrier, bytes, i < len(all)-1)
	}
	if e.effect != nil {
		e.effect.Changed = true
	}
	return nil
}

// answerAccess writes bytes to shared memory of a CTA of the cluster for a lane.
func (e *Engine) answerAccess(pc, lane int, c *CTA, kind isa.Kind, at uint64, bytes []byte, more bool) {
	r := &c.Shared
	e.acc = lanes.Access{Mem: r.Data, Base: r.Base, Region: r.Number, Space: uint8(r.Space), Size: uint64(len(bytes))}
	e.acc.Off[lane] = at
	e.event.CompleteTx = kind == isa.Atomic
	e.notifyMoving(kind, pc, 1<<lane, more)
	copy(r.Data[at:], bytes)
	e.notifyMoved(1 << lane)
	e.event.CompleteTx = false
}

// completeCancel answers a request at the exchange. If the CTA has ended since, it gets no answer and cancels
// nothing.
func (e *Engine) completeCancel(r *cancelRequest) error {
	if r.cta.At != r.at || r.cta.Live == 0 {
		return nil
	}
	all, err := r.to()
	if err != nil {
		r.fault.Rule, r.fault.Err = ruleOf(err), err
		return r.fault
	}
	low, high := e.answerOf()
	for _, c := range all {
		after, _ := r.completeTx(c)
		binary.LittleEndian.PutUint64(c.Shared.Data[r.answer:], low)
		binary.LittleEndian.PutUint64(c.Shared.Data[r.answer+8:], high)
		binary.LittleEndian.PutUint64(c.Shared.Data[r.mbarrier:], uint64(after))
	}
	return nil
}
