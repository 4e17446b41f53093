package functional

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Prover proves for other drivers, such as package sm, that a launch does not end. A Prover is for one launch.
type Prover struct {
	copies [][]*resident // by cluster
	undo   undo
}

// errProgress says that a probed launch makes progress.
var errProgress = errors.New("progress")

// Prove runs copies of the resident CTAs of a launch without a clock, for at most the given number of warp
// instructions, as long as they change no memory, call no system function, and no CTA ends. It returns the
// *interp.Hang that it finds, or nil: that some lanes wait for ever, or that every warp repeats its state, does not
// depend on the order in which warps run. waiting is the number of CTAs that have not started. The launch and memory
// stay unchanged. If the host may write the launch's memory, the result is an *interp.Awaiting. CTAs without live
// lanes prove nothing: with a clock, they reside until their stores have left the SM.
func (p *Prover) Prove(g *interp.Grid, ctas []*interp.CTA, waiting int64, steps uint64) error {
	if len(ctas) == 0 {
		return nil
	}
	s := newSession(g, g.NewEngine())
	s.engine.Isolate()
	s.total, s.probing, s.capacity = waiting, true, interp.Capacity{CTAs: len(ctas), GPU: len(ctas)}
	s.orderless = s.isOrderless()
	p.undo = undo{s: s}
	s.observe(interp.ObserversOf([]interp.Observer{&p.undo}))
	defer p.undo.revert()
	seen := make(map[*interp.Cluster]bool)
	for _, c := range ctas {
		if seen[c.Cluster] {
			continue
		}
		i := len(seen)
		seen[c.Cluster] = true
		if i == len(p.copies) && !p.addCopy(g) {
			return nil // the host's memory does not suffice for a proof
		}
		for rank, c := range c.Cluster.CTAs {
			r := p.copies[i][rank]
			c.CopyTo(r.CTA)
			r.Slot, r.Shared.Number = c.Slot, c.Shared.Number
			r.slice, r.stuck = ctaSlice{}, false
			r.repetition.begin()
			for w := range r.warps {
				r.warps[w].start()
				r.warps[w].waits = true // most likely
			}
			if c.Live > 0 {
				s.resident = append(s.resident, r)
			}
		}
	}
	for len(s.resident) > 0 && s.engine.Stats.WarpInstrs < steps && !s.changed {
		if err := s.round(context.Background()); err != nil {
			if isAwaiting(err) && !s.changed {
				return err
			}
			if hang, ok := errors.AsType[*interp.Hang](err); ok && hang.Rule != interp.RuleSteps && !s.changed {
				return hang
			}
			return nil
		}
	}
	return nil
}

// addCopy allocates a copy of one more cluster, if the host's memory suffices.
func (p *Prover) addCopy(g *interp.Grid) bool {
	var ctas []*interp.CTA
	for range g.Shape.ClusterSize() {
		to, err := g.NewCopy()
		if err != nil {
			return false
		}
		ctas = append(ctas, to)
	}
	interp.Join(ctas)
	p.copies = append(p.copies, newResidents(ctas))
	return true
}

// undo saves the old contents of memory where it is changed.
type undo struct {
	s             *Session
	before, after []byte // of the present access
	changes       []change
}

type change struct {
	place []byte
	held  []byte
}

// Accessed implements interp.AccessObserver.
func (u *undo) Accessed(at *interp.Place, a *interp.Access) {
	if u.mayChange(at, a) {
		u.before = a.AppendTo(u.before[:0], a.Lanes)
	}
}

// Completed implements interp.CompletionObserver.
func (u *undo) Completed(at *interp.Place, a *interp.Access) {
	if !u.mayChange(at, a) {
		return
	}
	u.after = a.AppendTo(u.after[:0], a.Lanes)
	if bytes.Equal(u.before, u.after) {
		return
	}
	held := slices.Clone(u.before)
	u.s.changed = true
	u.s.engine.EndRun()
	for m := a.Lanes; m != 0; m &= m - 1 {
		place := a.Mem[a.At(firstLane(m)):][:a.Size]
		u.changes = append(u.changes, change{place, held[:a.Size]})
		held = held[a.Size:]
	}
}

// mayChange reports whether an access may change memory that warps share. All other memory belongs to the copies.
func (u *undo) mayChange(at *interp.Place, a *interp.Access) bool {
	space := isa.Space(a.Space)
	return a.Kind != isa.Load && space != isa.Local && space != isa.Param
}

// revert restores memory. If several lanes wrote one place, the first has saved the old contents.
func (u *undo) revert() {
	for _, c := range slices.Backward(u.changes) {
		copy(c.place, c.held)
	}
}
