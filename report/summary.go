package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/profile"
)

// mostRows bounds a table on the summary.
const mostRows = 5

func writeSummary(w *sheet, r *Run) {
	for i, l := range r.profiles() {
		if i > 0 {
			w.WriteString("\n")
		}
		writeHeading(w, l)
		writeTotals(w, l)
		writeWarps(w, l)
		writeDivergence(w, l)
		writeMemory(w, l)
		writeBarriers(w, l)
		writeAdvice(w, l)
	}
}

func writeTotals(w *sheet, l profiled) {
	t := &l.Profile.Total
	diverged, branches := 0, 0
	for _, in := range executed(l.Profile) {
		if c := in.counts(); c.Branches > 0 {
			branches++
			if c.DivergentBranches > 0 {
				diverged++
			}
		}
	}
	slots := t.Lanes + t.LostSlots()
	w.WriteString("\nSummary\n")
	fmt.Fprintf(w, "  %-22s %-14d %-22s %d\n", "warp instructions", t.Runs, "lane instructions", t.Lanes)
	fmt.Fprintf(w, "  %-22s %-14s %-22s %d  %s\n", "active lanes", percent(t.Lanes, slots), "lane slots lost", t.LostSlots(), percent(t.LostSlots(), slots))
	fmt.Fprintf(w, "  %-22s %-14d %-22s %s\n", "divergent branches", t.DivergentBranches, "branch sites diverged", fmt.Sprintf("%d of %d", diverged, branches))
}

// writeMore says how many rows a table leaves out.
func writeMore(w *sheet, rows int) {
	if rows > mostRows {
		fmt.Fprintf(w, "  … %d more, --page source\n", rows-mostRows)
	}
}

// writeDivergence lists what lane slots were lost to.
func writeDivergence(w *sheet, l profiled) {
	total := &l.Profile.Total
	if total.CausedSlots() == 0 {
		return
	}
	rows := executed(l.Profile)
	rows = slices.DeleteFunc(rows, func(in instruction) bool { return in.counts().CausedSlots() == 0 })
	slices.SortStableFunc(rows, func(a, b instruction) int {
		return cmp.Compare(b.counts().CausedSlots(), a.counts().CausedSlots())
	})
	lost := "lost lane slots"
	if w.columns > 0 && w.columns < 80+len(lost) {
		lost = "lost slots"
	}
	instrColumn := w.instrColumn(60 + len(lost))
	w.WriteString("\nDivergence (by lane slots lost)\n")
	fmt.Fprintf(w, "  %5s  %-*s %9s %7s  %-11s %s  %7s  %s\n", "line", instrColumn, cut("instruction", instrColumn), "runs", "split", "lanes/side", lost, "", "source")
	uniformity := uniformityOf(rows)
	for _, in := range rows[:min(len(rows), mostRows)] {
		c := in.counts()
		fmt.Fprintf(w, "  %5s  %-*s %9d %7s  %-11s %*d  %7s  %s\n", l.lineOf(in.pos()), instrColumn, cut(in.text(), instrColumn),
			c.Runs, percent(c.Divergences, c.Runs), sides(c), len(lost), c.CausedSlots(), percent(c.CausedSlots(), total.CausedSlots()), uniformity(in))
	}
	writeMore(w, len(rows))
	if n := total.LostBlock; n > 0 {
		fmt.Fprintf(w, "  %5s  %-*s %9s %7s  %-11s %*d  %7s\n", "-", instrColumn, cut(fmt.Sprintf("block of %d threads", l.Block.Count()), instrColumn),
			"-", "-", "-", len(lost), n, percent(n, total.CausedSlots()))
	}
}

// uniformityOf tells, of instructions, the uniformity of what their lanes diverge
// by: "uniform", or what it depends on, "thread" or "data".
func uniformityOf(rows []instruction) func(in instruction) string {
	byFunc := make(map[*profile.Func][]flow.Uniformity)
	for _, in := range rows {
		if byFunc[in.fn] == nil {
			byFunc[in.fn] = flow.Uniformities(in.fn.Func)
		}
	}
	return func(in instruction) string {
		return strings.TrimSuffix(byFunc[in.fn][in.pc].String(), "-dependent")
	}
}

// sides is how many lanes went each way, on average, where they diverged.
func sides(c *profile.Counts) string {
	if c.Divergences == 0 {
		return "-"
	}
	mean := func(n uint64) string { return fmt.Sprintf("%.3g", float64(n)/float64(c.Divergences)) }
	return mean(c.LargerSides) + " / " + mean(c.OtherSides)
}

// access is the requests of one instruction to one space.
type access struct {
	instruction
	*profile.Traffic
}

// accesses is the requests of the launch, those first that cost most beyond what
// they need.
func (l profiled) accesses() []access {
	var as []access
	for _, in := range executed(l.Profile) {
		c := in.counts()
		for i := range c.Traffic {
			as = append(as, access{in, &c.Traffic[i]})
		}
	}
	slices.SortStableFunc(as, func(a, b access) int { return cmp.Compare(b.excess(), a.excess()) })
	return as
}

// excess is what the requests cost beyond what they need: sectors, or turns that
// banks, words and places make lanes wait for.
func (a *access) excess() uint64 {
	n := a.Sectors - a.IdealSectors + a.Wavefronts - a.IdealWavefronts
	if a.Words > 0 {
		n += a.Words - a.Requests
	}
	if a.Contention > 0 {
		n += a.Contention - a.Requests
	}
	return n
}

func writeMemory(w *sheet, l profiled) {
	rows := l.accesses()
	if len(rows) == 0 {
		return
	}
	instrColumn := w.instrColumn(70)
	w.WriteString("\nMemory (by what is asked for beyond the ideal)\n")
	fmt.Fprintf(w, "  %5s  %-*s %10s %6s %12s %6s  %-9s  %s\n", "line", instrColumn, cut("instruction", instrColumn), "requests", "lanes", "sectors/req", "ideal", "conflicts", "in turn")
	for _, a := range rows[:min(len(rows), mostRows)] {
		sectors, ideal := "-", "-"
		if a.Sectors > 0 {
			sectors, ideal = over(a.Sectors, a.Requests), over(a.IdealSectors, a.Requests)
		}
		fmt.Fprintf(w, "  %5s  %-*s %10d %6s %12s %6s  %-9s  %s\n", l.lineOf(a.pos()), instrColumn, cut(a.text(), instrColumn),
			a.Requests, over(a.Lanes, a.Requests), sectors, ideal, conflicts(a.Traffic), inTurn(a.Traffic))
	}
	writeMore(w, len(rows))
}

// conflicts is the degree of bank conflicts, on average.
func conflicts(t *profile.Traffic) string {
	switch {
	case t.Wavefronts == 0:
		return "-"
	case t.Wavefronts == t.IdealWavefronts:
		return "none"
	}
	return fmt.Sprintf("%.3g-way", float64(t.Wavefronts)/float64(t.IdealWavefronts))
}

// inTurn is how many lanes or words of a request are served one after the other,
// on average.
func inTurn(t *profile.Traffic) string {
	switch {
	case t.Kind == isa.Atomic:
		return over(t.Contention, t.Requests) + " lanes"
	case t.Space == isa.Const:
		return over(t.Words, t.Requests) + " words"
	}
	return "-"
}

func writeBarriers(w *sheet, l profiled) {
	var rows []instruction
	for _, in := range executed(l.Profile) {
		if in.counts().Arrivals > 0 {
			rows = append(rows, in)
		}
	}
	if len(rows) == 0 {
		return
	}
	instrColumn := w.instrColumn(49)
	w.WriteString("\nBarriers\n")
	for _, in := range rows[:min(len(rows), mostRows)] {
		c := in.counts()
		fmt.Fprintf(w, "  %5s  %-*s %10d arrivals, of %s lanes each\n", l.lineOf(in.pos()), instrColumn, cut(in.text(), instrColumn), c.Arrivals, over(c.ArrivedLanes, c.Arrivals))
	}
	writeMore(w, len(rows))
}
