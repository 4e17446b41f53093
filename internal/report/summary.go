package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sorted"
)

const (
	mostRows  = 5  // rows of a table on the summary
	screen    = 40 // lines of the summary of a launch with a clock
	fewStalls = 5  // states that it shows

	usualColumns = 80 // width of that summary if none is given
)

func writeSummary(w *sheet, d *Document) {
	eachProfile(w, d, func(l *Launch) {
		if l.Time != nil {
			writeScreen(w, d, l)
			return
		}
		writeTotals(w, l)
		writeDivergence(w, l)
		writeMemory(w, l, mostRows)
		writeBarriers(w, l)
		writeAdvice(w, l, mostRows, 0)
	})
}

// writeScreen writes the summary of a launch with a clock.
func writeScreen(w *sheet, d *Document, l *Launch) {
	start := w.lines - 1 // the heading is on the screen, too
	if w.columns <= 0 {
		w.columns = usualColumns
		defer func() { w.columns = 0 }()
	}
	writeFacts(w, d.GPU, l)
	writeUnits(w, l)
	writeStates(w, l)
	writeCostly(w, l)
	writeAdvice(w, l, len(l.Advice), screen-(w.lines-start))
}

// writeFacts writes the time of a launch, and how it filled the GPU.
func writeFacts(w *sheet, gpu string, l *Launch) {
	t, c := l.Time, &l.Counts
	o, r := &t.Occupancy, &t.Resources
	fact := func(name, format string, args ...any) {
		w.sentence(fmt.Sprintf("%-13s", name), fmt.Sprintf(format, args...))
	}
	w.WriteString("\n")
	until := ""
	if t.Partial {
		until = " " + notToItsEnd
	}
	fact("Time", "%s%s, %s at %g MHz; gpu %s, sched %s", Count(t.Cycles, "cycle"), until, duration(t.Microseconds), t.ClockMHz, gpu, t.Policy)
	if len(t.Assumed) > 0 {
		fact("Assumed", "the times of %s, but for the peak of the tensor cores", strings.Join(t.Assumed, ", "))
	}
	compute, memory := t.busiest()
	fact("Throughput", "%s", throughputText(compute, memory))
	fact("Waves", "%.2f: %s, %d a wave; the last of %d is %s full", t.Waves.PerMultiprocessor, Count(l.Blocks, "block"), t.Waves.Blocks, t.Waves.Count, percentOf(t.Waves.Last))
	fact("SMs", "%d of %d used, busy %s; tail %s, %s", t.SMsUsed(), len(t.SMs), percentOf(t.SMsBusy()), Count(t.Tail(), "cycle"), percentOf(share(float64(t.Tail()), float64(t.Cycles))))
	fact("Occupancy", "%s achieved, %s theoretical: %s an SM, by %s", percentOf(o.Achieved), percentOf(o.Theoretical), Count(int64(o.BlocksPerSM), "block"), list(o.Limiters))
	fact("Block", "%s, %s each (%s), %s shared", Count(int64(l.threads()), "thread"), Count(int64(r.Registers), "register"), r.RegistersText(), Count(int64(l.Shared+r.SharedStatic), "byte"))
	slots := float64(t.issueSlots())
	fact("Issue", "%s of slots, IPC %.2f; %.2f warps a scheduler, %.2f eligible", percentOf(t.SlotsUsed()), t.IPC(), share(float64(t.WarpCycles), slots), share(float64(t.Eligible), slots))
	fact("Instructions", "%d executed, %d issued; lanes %s active, %d diverged", c.Runs, t.Issued, percent(c.Lanes, c.Lanes+c.LostSlots()), c.DivergentBranches)
}

// throughputText names the busiest pipe and level of memory, if any was used.
func throughputText(compute, memory unitShare) string {
	pipes := fmt.Sprintf("compute %s (%s)", percentOf(compute.share), compute.name)
	levels := fmt.Sprintf("memory %s (%s)", percentOf(memory.share), memory.name)
	switch {
	case compute.name == "" && memory.name == "":
		return "no pipe and no memory is used"
	case compute.name == "":
		return levels + " of peak, no pipe is used"
	case memory.name == "":
		return pipes + " of peak, no memory is used"
	}
	return pipes + ", " + levels + " of peak"
}

// unitShare is a unit and its utilisation.
type unitShare struct {
	name  string
	share float64
}

// busiest returns the pipe and the level of memory with the highest utilisation.
func (t *Time) busiest() (compute, memory unitShare) {
	for _, p := range t.Pipes {
		if p.OfPeak > compute.share && p.Name != isa.LSU.String() {
			compute = unitShare{p.Name, p.OfPeak}
		}
	}
	for _, l := range t.Levels {
		if l.OfPeak > memory.share && l.Name != "dram_read" && l.Name != "dram_write" {
			memory = unitShare{levelNames[l.Name], l.OfPeak}
		}
	}
	if len(t.Levels) == 0 {
		memory.name = "no caches"
	}
	return compute, memory
}

// writeUnits writes pipes and levels of memory in two columns.
func writeUnits(w *sheet, l *Launch) {
	t := l.Time
	pipes := slices.Clone(t.Pipes)
	sorted.Stable(pipes, func(a, b Pipe) int { return cmp.Compare(b.OfPeak, a.OfPeak) })
	levels := slices.DeleteFunc(slices.Clone(t.Levels), func(v Level) bool { return v.Name == "dram_read" || v.Name == "dram_write" })
	fmt.Fprintf(w, "\n%-28s %s\n", "Pipes            of peak", "Memory           of peak          bytes     hits")
	for i := range max(min(len(pipes), mostRows), len(levels)) {
		left, right := "", ""
		if i < min(len(pipes), mostRows) {
			left = fmt.Sprintf("  %-13s %8s", pipes[i].Name, percentOf(pipes[i].OfPeak))
		}
		if i < len(levels) {
			v := &levels[i]
			hits := ""
			if v.HitRate != nil {
				hits = percentOf(*v.HitRate)
			}
			right = fmt.Sprintf("  %-14s %8s %14d %8s", levelNames[v.Name], percentOf(v.OfPeak), v.Bytes, hits)
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-28s %s", left, right), " "))
	}
}

// writeStates writes the states in which warps waited longest.
func writeStates(w *sheet, l *Launch) {
	t := l.Time
	var states []sm.State
	for s := sm.NotSelected; s < sm.NumStates; s++ {
		if t.Stalls[s] > 0 {
			states = append(states, s)
		}
	}
	sorted.Stable(states, func(a, b sm.State) int { return cmp.Compare(t.Stalls[b], t.Stalls[a]) })
	text := "selected " + percent(t.Stalls[sm.Selected], t.WarpCycles)
	for _, s := range states[:min(len(states), fewStalls)] {
		text += fmt.Sprintf(", %s %s", s, percent(t.Stalls[s], t.WarpCycles))
	}
	w.WriteString("\n")
	w.sentence("Warp states  ", text)
}

// writeCostly writes the lines with most warp cycles.
func writeCostly(w *sheet, l *Launch) {
	rows := l.byLine(func(in *Instruction) bool { return in.cycles() > 0 }, (*Instruction).cycles)
	if len(rows) == 0 {
		return
	}
	shown := rows[:min(len(rows), mostRows)]
	places, placeColumn := l.places(w, 54, shown)
	instrColumn := w.instrColumn(54 + placeColumn)
	fmt.Fprintf(w, "\nLines (by cycles of warps)\n")
	fmt.Fprintf(w, "  %*s  %-*s %8s  %-20s %9s %8s\n", placeColumn, "line", instrColumn, cut("instruction", instrColumn), "cycles", "mostly", "sec/req", "conflict")
	for i, in := range shown {
		states := sm.States(in.Stalls)
		state, longest := mainStall(&states)
		sectors, banks := lineTraffic(&in.Counts)
		mostly := "-"
		if longest > 0 {
			mostly = fmt.Sprintf("%s %.0f%%", state, 100*ratioOf(longest, in.cycles()))
		}
		fmt.Fprintf(w, "  %*s  %-*s %8s  %-20s %9s %8s\n", placeColumn, places[i], instrColumn, cut(in.Text, instrColumn), percent(in.cycles(), l.Time.WarpCycles), cut(mostly, 20), sectors, banks)
	}
	writeMore(w, len(rows), mostRows)
}

// cycles returns the cycles of warps for which this was the next instruction.
func (in *Instruction) cycles() uint64 {
	states := sm.States(in.Stalls)
	return states.Total()
}

// stalled returns the cycles in which warps did not issue, the most frequent state in them, and its cycles.
func stalled(c *profile.Counts) (cycles uint64, state sm.State, longest uint64) {
	if c.Time == nil {
		return 0, sm.NotSelected, 0
	}
	s := &c.Time.States
	state, longest = mainStall(s)
	return s.Total() - s[sm.Selected], state, longest
}

func writeTotals(w *sheet, l *Launch) {
	t := &l.Counts
	diverged, branches := 0, 0
	for _, in := range l.executed(func(in *Instruction) bool { return in.Counts.Branches > 0 }, nil) {
		branches++
		if in.Counts.DivergentBranches > 0 {
			diverged++
		}
	}
	slots := t.Lanes + t.LostSlots()
	w.WriteString("\nSummary\n")
	fmt.Fprintf(w, "  %-22s %-14d %-22s %d\n", "warp instructions", t.Runs, "lane instructions", t.Lanes)
	fmt.Fprintf(w, "  %-22s %-14s %-22s %d  %s\n", "active lanes", percent(t.Lanes, slots), "lane slots lost", t.LostSlots(), percent(t.LostSlots(), slots))
	fmt.Fprintf(w, "  %-22s %-14d %-22s %s\n", "divergent branches", t.DivergentBranches, "branch sites diverged", fmt.Sprintf("%d of %d", diverged, branches))
}

// writeMore says how many rows a table omits.
func writeMore(w *sheet, rows, most int) {
	if rows > most {
		fmt.Fprintf(w, "  … %d more, --page source\n", rows-most)
	}
}

// writeDivergence lists the causes of lost lane slots.
func writeDivergence(w *sheet, l *Launch) {
	total := &l.Counts
	if total.CausedSlots() == 0 {
		return
	}
	caused := func(in *Instruction) uint64 { return in.Counts.CausedSlots() }
	rows := l.byLine(func(in *Instruction) bool { return caused(in) > 0 }, caused)
	lost := "lost lane slots"
	if w.columns > 0 && w.columns < 80+len(lost) {
		lost = "lost slots"
	}
	shown := rows[:min(len(rows), mostRows)]
	places, placeColumn := l.places(w, 55+len(lost), shown)
	instrColumn := w.instrColumn(55 + len(lost) + placeColumn)
	w.WriteString("\nDivergence (by lane slots lost)\n")
	fmt.Fprintf(w, "  %*s  %-*s %9s %7s  %-11s %s  %7s  %s\n", placeColumn, "line", instrColumn, cut("instruction", instrColumn), "runs", "split", "lanes/side", lost, "", "source")
	for i, in := range shown {
		c := &in.Counts
		fmt.Fprintf(w, "  %*s  %-*s %9d %7s  %-11s %*d  %7s  %s\n", placeColumn, places[i], instrColumn, cut(in.Text, instrColumn),
			c.Runs, percent(c.Divergences, c.Runs), sides(c), len(lost), c.CausedSlots(), percent(c.CausedSlots(), total.CausedSlots()), cmp.Or(in.Uniformity, "uniform"))
	}
	writeMore(w, len(rows), mostRows)
	if n := total.LostBlock; n > 0 {
		fmt.Fprintf(w, "  %*s  %-*s %9s %7s  %-11s %*d  %7s\n", placeColumn, "-", instrColumn, cut("block of "+Count(int64(l.threads()), "thread"), instrColumn),
			"-", "-", "-", len(lost), n, percent(n, total.CausedSlots()))
	}
}

// sides returns the mean number of lanes on each side of a divergent branch.
func sides(c *profile.Counts) string {
	if c.Divergences == 0 {
		return "-"
	}
	mean := func(n uint64) string { return fmt.Sprintf("%.3g", float64(n)/float64(c.Divergences)) }
	return mean(c.LargerSides) + " / " + mean(c.OtherSides)
}

// access is the requests of one instruction to one space.
type access struct {
	*Instruction
	*profile.Traffic
}

// accesses returns the requests of the launch, by excess.
func (l *Launch) accesses() []access {
	var as []access
	for _, in := range l.byLine(nil, nil) {
		for i := range in.Counts.Traffic {
			as = append(as, access{in, &in.Counts.Traffic[i]})
		}
	}
	sorted.Stable(as, func(a, b access) int { return cmp.Compare(b.excess(), a.excess()) })
	return as
}

// excess returns the cost of requests above their minimum: extra sectors, or the serialisation by bank conflicts,
// different words or addresses.
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

// writeMemory writes at most most rows about the memory requests of instructions.
func writeMemory(w *sheet, l *Launch, most int) {
	rows := l.accesses()
	if len(rows) == 0 {
		return
	}
	shown := rows[:min(len(rows), most)]
	var ins []*Instruction
	for i := range shown {
		ins = append(ins, shown[i].Instruction)
	}
	places, placeColumn := l.places(w, 65, ins)
	instrColumn := w.instrColumn(65 + placeColumn)
	w.WriteString("\nMemory (by traffic beyond the ideal)\n")
	fmt.Fprintf(w, "  %*s  %-*s %10s %6s %12s %6s  %-9s  %s\n", placeColumn, "line", instrColumn, cut("instruction", instrColumn), "requests", "lanes", "sectors/req", "ideal", "conflicts", "in turn")
	for i, a := range shown {
		sectors, ideal := "-", "-"
		if a.Sectors > 0 {
			sectors, ideal = over(a.Sectors, a.Requests), over(a.IdealSectors, a.Requests)
		}
		fmt.Fprintf(w, "  %*s  %-*s %10d %6s %12s %6s  %-9s  %s\n", placeColumn, places[i], instrColumn, cut(a.Text, instrColumn),
			a.Requests, over(a.Lanes, a.Requests), sectors, ideal, conflicts(a.Traffic), inTurn(a.Traffic))
	}
	writeMore(w, len(rows), most)
}

// conflicts returns the mean degree of bank conflicts.
func conflicts(t *profile.Traffic) string {
	switch {
	case t.Wavefronts == 0:
		return "-"
	case t.Wavefronts == t.IdealWavefronts:
		return "none"
	}
	return fmt.Sprintf("%.3g-way", float64(t.Wavefronts)/float64(t.IdealWavefronts))
}

// inTurn returns how many lanes or words of a request are serialised on average.
func inTurn(t *profile.Traffic) string {
	switch {
	case t.Kind == isa.Atomic:
		return over(t.Contention, t.Requests) + " lanes"
	case t.Space == isa.Const:
		return over(t.Words, t.Requests) + " words"
	}
	return "-"
}

func writeBarriers(w *sheet, l *Launch) {
	rows := l.byLine(func(in *Instruction) bool { return in.Counts.Arrivals > 0 }, nil)
	if len(rows) == 0 {
		return
	}
	shown := rows[:min(len(rows), mostRows)]
	places, placeColumn := l.places(w, 44, shown)
	instrColumn := w.instrColumn(44 + placeColumn)
	w.WriteString("\nBarriers\n")
	for i, in := range shown {
		c := &in.Counts
		fmt.Fprintf(w, "  %*s  %-*s %10d arrivals, of %s lanes each\n", placeColumn, places[i], instrColumn, cut(in.Text, instrColumn), c.Arrivals, over(c.ArrivedLanes, c.Arrivals))
	}
	writeMore(w, len(rows), mostRows)
}

// RegistersText says where the number of registers per thread comes from, and how many live registers do not fit.
func (r *Resources) RegistersText() string {
	if r.RegistersSpilled == 0 {
		return r.RegistersFrom
	}
	return fmt.Sprintf("%s; about %d more would be spilled", r.RegistersFrom, r.RegistersSpilled)
}
