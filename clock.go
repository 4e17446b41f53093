package simtrun

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sm"
)

// Clock says that launches are timed, as by simtrun run, and how: a string is what the
// command's flag of the same name takes, and "" what the GPU has. What launches leave
// in memory is the same without.
type Clock struct {
	Sched     string // the policy of the warp schedulers: gty, gto, oldest, stalled, lrr, bank-aware, random:SEED
	CTAOrder  string // the SM that gets the next CTA: most-room, round-robin, linear
	Cost      string // what instructions cost: lowered, ptx
	DualIssue bool   // a warp may issue two instructions in a cycle
}

// options are how package sm takes c on a GPU.
func (c *Clock) options(on *gpu.Config) (o sm.Options, err error) {
	o.DualIssue = c.DualIssue
	if o.Policy, err = sm.ParsePolicy(cmp.Or(c.Sched, on.Policy)); err != nil {
		return o, fmt.Errorf("Clock.Sched: %w", err)
	}
	if o.Order, err = sm.ParseOrder(cmp.Or(c.CTAOrder, on.CTAs.Order)); err != nil {
		return o, fmt.Errorf("Clock.CTAOrder: %w", err)
	}
	if o.Cost, err = cost.ParseMode(cmp.Or(c.Cost, cost.Lowered.String())); err != nil {
		return o, fmt.Errorf("Clock.Cost: %w", err)
	}
	return o, nil
}

// directives are c as directives of a run.
func (c *Clock) directives() []directive {
	all := []directive{{"sched", "Clock.Sched", c.Sched}, {"cta-order", "Clock.CTAOrder", c.CTAOrder}, {"cost", "Clock.Cost", c.Cost}}
	if c.DualIssue {
		all = append(all, directive{"dual-issue", "Clock.DualIssue", "true"})
	}
	return all
}

// Errors of what needs a launch without a clock.
var (
	errClockSplit = errors.New("Options.Split is for machines without a clock")
	errClockRaces = errors.New("races are looked for without a clock")
	errClockStep  = errors.New("Launch.Step is for machines without a clock")
)
