package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/profile"
	"github.com/simtrun/simtrun/sm"
)

// writeWarps writes what schedulers and warps did in which cycles, if there is a clock.
func writeWarps(w *sheet, l profiled) {
	t := l.Profile.Total.Time
	if t == nil {
		return
	}
	w.WriteString("\nSchedulers (means over the active cycles of their SMs)\n")
	fmt.Fprintf(w, "  %-22s %-14.2f %-22s %.2f  %.1f %%\n", "warps", t.WarpsActive(), "eligible warps", t.WarpsEligible(), 100*t.WarpsEligible()/t.WarpsActive())
	fmt.Fprintf(w, "  %-22s %-14s %-22s %.1f\n", "issue slots used", fmt.Sprintf("%.1f %%", 100*t.SlotsUsed()), "cycles per issue", t.WarpsActive()/t.SlotsUsed())
	writeStalls(w, l)
}

// stalled is the cycles in which warps did not issue an instruction, the state in which
// they were longest, and for how long.
func stalled(c *profile.Counts) (cycles uint64, state sm.State, longest uint64) {
	if c.Time == nil {
		return 0, sm.NotSelected, 0
	}
	s := &c.Time.States
	state, _ = c.Time.MainStall()
	return s.Total() - s[sm.Selected], state, s[state]
}

// byStall are the instructions for which warps did something else than issue them, those
// first that took longest.
func (l profiled) byStall() []instruction {
	rows := slices.DeleteFunc(executed(l.Profile), func(in instruction) bool {
		cycles, _, _ := stalled(in.counts())
		return cycles == 0
	})
	slices.SortStableFunc(rows, func(a, b instruction) int {
		m, _, _ := stalled(a.counts())
		n, _, _ := stalled(b.counts())
		return cmp.Compare(n, m)
	})
	return rows
}

func writeStalls(w *sheet, l profiled) {
	rows := l.byStall()
	if len(rows) == 0 {
		return
	}
	all := l.Profile.Total.Time.States.Total()
	instrColumn := w.instrColumn(58)
	w.WriteString("\nStalls (by cycles of warps)\n")
	fmt.Fprintf(w, "  %5s  %-*s %10s %7s  %s\n", "line", instrColumn, cut("instruction", instrColumn), "cycles", "", "mostly")
	for _, in := range rows[:min(len(rows), mostRows)] {
		cycles, state, longest := stalled(in.counts())
		fmt.Fprintf(w, "  %5s  %-*s %10d %7s  %s %s\n", l.lineOf(in.pos()), instrColumn, cut(in.text(), instrColumn), cycles, percent(cycles, all), state, percent(longest, cycles))
	}
	writeMore(w, len(rows))
}

// From these on Nsight Compute points out what warps wait for.
const (
	idleSlots     = 0.2 // of the issue slots
	stalledAtLine = 0.1 // of the cycles of warps, at a line
	fewEligible   = 0.2 // of the warps
)

// adviceOnTime is what keeps schedulers from issuing.
func (l profiled) adviceOnTime() []advice {
	var all []advice
	t := l.Profile.Total.Time
	if 1-t.SlotsUsed() < idleSlots {
		return nil
	}
	if active, eligible := t.WarpsActive(), t.WarpsEligible(); eligible < fewEligible*active {
		all = append(all, advice{fmt.Sprintf("%.2f of a scheduler's %.2f warps can issue: more warps or shorter waits fill empty slots", eligible, active), 1 - t.SlotsUsed()})
	}
	for _, in := range l.byStall() {
		_, state, longest := stalled(in.counts())
		if share := float64(longest) / float64(t.States.Total()); share > stalledAtLine {
			all = append(all, advice{fmt.Sprintf("%s: warps wait in %s for %d of their cycles", where(in.pos()), state, longest), share})
		}
	}
	return all
}
