package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/profile"
)

// sourceLine is a line of source, and what all instructions on it came to.
type sourceLine struct {
	pos    isa.Pos // of the first of them
	fn     *profile.Func
	text   string // of the source, or else of the first of them
	counts profile.Counts
}

// lines is the lines with instructions of the functions that ran, one after the
// other, in the order of the source. What .loc says of where they came from is not followed.
func (r *Run) lines(l profiled) []sourceLine {
	var all []sourceLine
	for i := range l.Profile.Funcs {
		fn := &l.Profile.Funcs[i]
		if !slices.ContainsFunc(fn.Instrs, func(c profile.Counts) bool { return c.Runs > 0 }) {
			continue
		}
		var lines []sourceLine
		at := make(map[int32]int) // in lines, by number of the line
		for pc := range fn.Code {
			pos := fn.Code[pc].Pos
			n, ok := at[pos.Line]
			if !ok {
				n = len(lines)
				at[pos.Line] = n
				lines = append(lines, sourceLine{pos: pos, fn: fn, text: r.text(fn, pc)})
			}
			lines[n].counts.Add(&fn.Instrs[pc])
		}
		slices.SortStableFunc(lines, func(a, b sourceLine) int { return byPlace(a.pos, b.pos) })
		all = append(all, lines...)
	}
	return all
}

// text is the source line of an instruction, without its indentation.
func (r *Run) text(fn *profile.Func, pc int) string {
	pos := fn.Code[pc].Pos
	if text := strings.TrimSpace(r.Sources.line(pos.File, int(pos.Line))); text != "" {
		return strings.ReplaceAll(text, "\t", " ")
	}
	return fn.Text(pc)
}

func writeSource(w *sheet, r *Run) {
	for i, l := range r.profiles() {
		if i > 0 {
			w.WriteString("\n")
		}
		writeHeading(w, l)
		var fn *profile.Func
		for _, line := range r.lines(l) {
			if line.fn != fn {
				fn = line.fn
				fmt.Fprintf(w, "\n%s\n", fn.Name)
				fmt.Fprintf(w, "%6s %10s %5s  %-*s %10s %6s %8s%s  %s\n", "line", "runs", "avg", lanes.Width, "lanes", "lost slots", "sec/rq", "conflict", l.cyclesColumn("cycles"), "source")
			}
			writeLine(w, l, &line)
		}
	}
}

func writeLine(w *sheet, l profiled, line *sourceLine) {
	c := &line.counts
	sectors, banks := lineTraffic(c)
	cycles := "-"
	if c.Time != nil {
		cycles = percent(c.Time.States.Total(), l.Profile.Total.Time.States.Total())
	}
	fmt.Fprintf(w, "%6s %10d %5s  %-*s %10d %6s %8s%s  %s\n", l.lineOf(line.pos), c.Runs, over(c.Lanes, c.Runs),
		lanes.Width, bar(c), c.LostSlots(), sectors, banks, l.cyclesColumn(cycles), line.text)
	for _, note := range l.notes(c) {
		w.sentence(fmt.Sprintf("%24s^ ", ""), note)
	}
}

// cyclesColumn is text in the column that a launch with a clock has for the share of
// cycles, or "".
func (l profiled) cyclesColumn(text string) string {
	if l.Profile.Total.Time == nil {
		return ""
	}
	return fmt.Sprintf(" %7s", text)
}

// bar is the active lanes as a bar of 32 columns: # for a lane, . for a lost
// slot; empty for what did not run.
func bar(c *profile.Counts) string {
	if c.Runs == 0 {
		return ""
	}
	n := int((2*c.Lanes + c.Runs) / (2 * c.Runs)) // rounded
	return strings.Repeat("#", n) + strings.Repeat(".", lanes.Width-n)
}

// lineTraffic is the sectors per request and the bank conflicts of a line.
func lineTraffic(c *profile.Counts) (sectors, banks string) {
	var cached, shared profile.Traffic
	for _, t := range c.Traffic {
		if t.Sectors > 0 {
			cached.Sectors += t.Sectors
			cached.Requests += t.Requests
		}
		shared.Wavefronts += t.Wavefronts
		shared.IdealWavefronts += t.IdealWavefronts
	}
	return over(cached.Sectors, cached.Requests), conflicts(&shared)
}

// notes is what the columns of a line do not say.
func (l profiled) notes(c *profile.Counts) []string {
	var ns []string
	if _, state, longest := stalled(c); longest > 0 {
		all := l.Profile.Total.Time.States.Total()
		if float64(longest) > stalledAtLine*float64(all) {
			ns = append(ns, fmt.Sprintf("warps wait in %s for %s of their cycles", state, percent(longest, all)))
		}
	}
	if c.Divergences > 0 && c.CausedSlots() > 0 {
		verb := "diverges"
		if c.LostExited > 0 {
			verb = "ends some lanes"
		}
		ns = append(ns, fmt.Sprintf("%s in %s of its runs, %s: costs %d lane slots", verb, percent(c.Divergences, c.Runs), sides(c), c.CausedSlots()))
	}
	for i := range c.Traffic {
		t := &c.Traffic[i]
		if t.Sectors > t.IdealSectors {
			ns = append(ns, fmt.Sprintf("%d sectors in %s memory, %d ideal", t.Sectors, t.Space, t.IdealSectors))
		}
		if t.Wavefronts > t.IdealWavefronts {
			ns = append(ns, fmt.Sprintf("%d wavefronts, %d ideal, %d-way at worst", t.Wavefronts, t.IdealWavefronts, t.WorstConflict))
		}
		if t.Contention > t.Requests {
			ns = append(ns, fmt.Sprintf("%s lanes at one place, %d at worst", over(t.Contention, t.Requests), t.WorstContention))
		}
		if t.Words > t.Requests {
			ns = append(ns, fmt.Sprintf("%s different constants at once", over(t.Words, t.Requests)))
		}
	}
	return ns
}
