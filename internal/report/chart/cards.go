package chart

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/report"
)

// Card is one of the main figures of a launch.
type Card struct{ Name, Value, Note string }

// Percent formats a share as on text pages.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// Ratio returns a over b, and 0 for b = 0.
func Ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Cards returns the main figures of a launch: 8 with a clock and 2 without, which fill rows of 4 or 2.
func Cards(l *report.Launch) []Card {
	c := &l.Counts
	slots := c.Lanes + c.LostSlots()
	active := Card{"active lanes", Percent(Ratio(float64(c.Lanes), float64(slots))), fmt.Sprintf("%d divergent branches", c.DivergentBranches)}
	executed := Card{"warp instructions", fmt.Sprint(c.Runs), fmt.Sprintf("%d of lanes", c.Lanes)}
	t := l.Time
	if t == nil {
		return []Card{executed, active}
	}
	o, r, until := &t.Occupancy, &t.Resources, ""
	if t.Partial {
		until = ", until the run ended"
	}
	return []Card{
		{"time", fmt.Sprintf("%.2f µs", t.Microseconds), fmt.Sprintf("%s at %g MHz%s", report.Count(t.Cycles, "cycle"), t.ClockMHz, until)},
		{"waves", fmt.Sprintf("%.2f", t.Waves.PerMultiprocessor), fmt.Sprintf("%s, %d a wave", report.Count(l.Blocks, "block"), t.Waves.Blocks)},
		{"SMs busy", Percent(t.SMsBusy()), fmt.Sprintf("%d of %d used, tail %s", t.SMsUsed(), len(t.SMs), report.Count(t.Tail(), "cycle"))},
		{"occupancy", Percent(o.Achieved), fmt.Sprintf("theoretical %s, by %s", Percent(o.Theoretical), strings.Join(o.Limiters, ", "))},
		{"registers", fmt.Sprint(r.Registers), fmt.Sprintf("a thread, %s; %d bytes of shared memory a block", r.RegistersText(), l.Shared+r.SharedStatic)},
		{"issue slots used", Percent(t.SlotsUsed()), fmt.Sprintf("IPC %.2f, %d issued", t.IPC(), t.Issued)},
		executed, active,
	}
}
