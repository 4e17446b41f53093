package launch

import (
	"context"
	"os"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sass"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// clock returns how launches on a GPU are timed. It is nil if they are functional: on request, or because divergence
// is forced, which package sm does not support.
func (m *Layer) clock(on *gpu.Config) (*sm.Options, error) {
	t, functional, by := &m.timing, m.functional.value, m.functional.at
	if m.split.given {
		if m.functional.given && !functional {
			return nil, by.errorf("%s needs launches without a clock", m.split.at)
		}
		functional, by = true, m.split.at
	}
	if t.sass.given && t.cost.value == cost.PTX {
		return nil, t.sass.at.errorf("sass and cost ptx cannot be combined: sass gives the machine code of PTX instructions, and cost ptx charges one slot for each")
	}
	if !functional {
		return t.options(on), nil
	}
	if name, at, given := t.given(); given {
		return nil, at.errorf("%s needs a run with a clock; %s makes this one functional", name, by)
	}
	return nil, nil
}

// setSASS reads a listing of machine code from a file.
func (l *Layer) setSASS(text string, at Origin) error {
	listing, err := os.ReadFile(text)
	if err != nil {
		return err
	}
	all, err := sass.Parse(string(listing))
	if err != nil {
		return err
	}
	return l.timing.sass.set(all, at)
}

// options returns t's settings, with the GPU's defaults for the rest.
func (t *timing) options(on *gpu.Config) *sm.Options {
	o := sm.DefaultOptions(on)
	if t.policy.given {
		o.Policy = t.policy.value
	}
	if t.order.given {
		o.Order = t.order.value
	}
	o.Cost, o.DualIssue, o.WarmCode, o.SASS = t.cost.value, t.dualIssue.value, t.warmCode.value, t.sass.value
	return &o
}

// UseClock makes p's launches timed, unless its directives ask for functional ones. Without it every plan is
// functional.
func (p *Plan) UseClock() { p.Clock = p.clock }

// Session is a launch under way, with or without a clock.
type Session interface {
	Continue(ctx context.Context) error
	Done() bool
	Stats() interp.Stats
}

// begin begins launches. Several launches need a clock.
func (o *Observed) begin(ls []sm.Launch) (Session, error) {
	if o.Session != nil {
		if s, err := o.Session(ls[0].Machine, &ls[0].Launch); s != nil || err != nil {
			return s, err
		}
	}
	if o.Clock == nil {
		return functional.BeginAgain(ls[0].Machine, ls[0].Launch)
	}
	timed := *o.Clock
	provers := make(map[*interp.Grid]*functional.Prover)
	timed.Prove = func(g *interp.Grid, ctas []*interp.CTA, waiting int64, steps uint64) error {
		if provers[g] == nil {
			provers[g] = new(functional.Prover)
		}
		return provers[g].Prove(g, ctas, waiting, steps)
	}
	return sm.BeginAll(ls, timed)
}

// from returns o for a launch that starts that many cycles after the first.
func (o Observed) from(since int64) Observed {
	if o.Clock != nil {
		clock := *o.Clock
		clock.Since = since
		o.Clock = &clock
	}
	return o
}
