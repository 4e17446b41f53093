package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Line is a source line with the sums over all its instructions.
type Line struct {
	Name
	Place                 // of its first instruction
	From   []Frame        // of its first instruction
	Text   string         // of the source, or of the first instruction if the source is not available
	PTX    []*Instruction // compiled from the line; nil if it is PTX written by hand
	Chains []string       // the calls through which its instructions were inlined
	Live   int            // the most live registers at one of its instructions
	FLOPs  uint64
	Counts profile.Counts
}

// Lines returns the lines that have instructions of the executed functions, function by function in source order: of
// the source that was compiled, if there is one.
func (d *Document) Lines(l *Launch) []Line {
	type key struct {
		function, file string
		line           int32
	}
	var all []Line
	at := make(map[key]int) // index in all
	order := make(map[string]int)
	for i := range l.Instructions {
		in := &l.Instructions[i]
		if _, known := order[in.Symbol()]; !known {
			order[in.Symbol()] = len(order)
		}
		k := key{in.Symbol(), in.File, in.Line}
		n, known := at[k]
		if !known {
			n = len(all)
			at[k] = n
			all = append(all, Line{Name: in.Name, Place: in.Place, From: in.From, Text: d.text(in)})
		}
		if in.PTXLine > 0 {
			all[n].PTX = append(all[n].PTX, in)
		}
		all[n].addChain(in)
		all[n].Live = max(all[n].Live, in.Live)
		all[n].FLOPs += in.FLOPs
		all[n].Counts.Add(&in.Counts)
	}
	sorted.Stable(all, func(a, b Line) int {
		return cmp.Or(cmp.Compare(order[a.Symbol()], order[b.Symbol()]), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return all
}

// text returns the source line of an instruction, without indentation.
func (d *Document) text(in *Instruction) string {
	if text := strings.TrimSpace(d.sourceLine(in.Place)); text != "" {
		return strings.ReplaceAll(text, "\t", " ")
	}
	return in.Text + ";"
}

// sourceLine returns a source line; "" if it is not available.
func (d *Document) sourceLine(p Place) string {
	for i := range d.Sources {
		if f := &d.Sources[i]; f.Name == p.File && p.Line >= 1 && int(p.Line) <= len(f.Lines) {
			return f.Lines[p.Line-1]
		}
	}
	return ""
}

// sourceColumns is the width at which the page has all of its columns.
const sourceColumns = 140

func writeSource(w *sheet, d *Document) {
	wide := w.columns <= 0 || w.columns >= sourceColumns
	eachProfile(w, d, func(l *Launch) {
		function, lines, place := "", d.Lines(l), leastPlace+1
		if l.ShowPTX {
			place = max(place, len("ptx:99999"))
		}
		for i := range lines {
			place = max(place, utf8.RuneCountInString(l.placeCell(lines[i].Place, mostPlace)))
		}
		for i, line := range lines {
			if line.Symbol() != function || i == 0 {
				function = line.Symbol()
				fmt.Fprintf(w, "\n%s\n%s  %s\n", line.Function, sourceRow(l, wide, fmt.Sprintf("%*s", place, "line"), "runs", "avg", "lanes", "lost slots", "sec/rq", "wav/rq", "conflict", "cycles", "live", "mostly"), "source")
			}
			writeLine(w, l, l.placeCell(line.Place, mostPlace), &line, wide, place)
			if l.ShowPTX {
				for _, in := range line.PTX {
					writeLine(w, l, fmt.Sprintf("ptx:%d", in.PTXLine), &Line{Text: in.ptxText(), Live: in.Live, Counts: in.Counts}, wide, place)
				}
			}
		}
	})
}

// sourceRow returns the columns before the source. Without a clock it omits those on time. Unless wide is set, it
// also omits the bar and the figures that notes repeat.
func sourceRow(l *Launch, wide bool, line, runs, avg, bar, lost, sectors, wavefronts, banks, cycles, live, mostly string) string {
	row := fmt.Sprintf("%s %10s %5s", line, runs, avg)
	if wide {
		row += fmt.Sprintf("  %-*s %10s", lanes.Width, bar, lost)
	}
	row += fmt.Sprintf(" %6s", sectors)
	if wide {
		row += fmt.Sprintf(" %6s", wavefronts)
	}
	row += fmt.Sprintf(" %8s", banks)
	if l.Time == nil {
		return row
	}
	row += fmt.Sprintf(" %7s %4s", cycles, live)
	if wide {
		row += fmt.Sprintf("  %-24s", mostly)
	}
	return row
}

// writeLine writes a row; its first cell has a given number of columns. Only rows of lines have notes.
func writeLine(w *sheet, l *Launch, first string, line *Line, wide bool, columns int) {
	c := &line.Counts
	sectors, banks := lineTraffic(c)
	cycles, mostly := "-", ""
	if c.Time != nil {
		cycles = percent(c.Time.States.Total(), l.Time.WarpCycles)
		state, longest := mainStall(&c.Time.States)
		if longest > 0 {
			mostly = fmt.Sprintf("%s %s", state, percent(longest, c.Time.States.Total()))
		}
	}
	fmt.Fprintf(w, "%s  %s\n", sourceRow(l, wide, fmt.Sprintf("%*s", columns, first), fmt.Sprint(c.Runs), over(c.Lanes, c.Runs), bar(c), fmt.Sprint(c.LostSlots()), sectors, wavefrontsOf(c), banks, cycles, fmt.Sprint(line.Live), mostly), line.Text)
	if line.File == "" {
		return
	}
	for _, chain := range line.ShownChains() {
		w.sentence(fmt.Sprintf("%24s^ in ", ""), chain)
	}
	for _, note := range l.notes(c) {
		w.sentence(fmt.Sprintf("%24s^ ", ""), note)
	}
}

// bar shows the active lanes as 32 columns: # for a lane, . for a lost slot; it is empty for a line that did not
// execute.
func bar(c *profile.Counts) string {
	if c.Runs == 0 {
		return ""
	}
	n := int((2*c.Lanes + c.Runs) / (2 * c.Runs)) // rounded
	return strings.Repeat("#", n) + strings.Repeat(".", lanes.Width-n)
}

// lineTraffic returns the sectors per request and the bank conflicts of a line.
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

// wavefrontsOf returns the wavefronts per request of a line, through L1 or shared memory.
func wavefrontsOf(c *profile.Counts) string {
	var all, requests uint64
	for i := range c.Traffic {
		if n := passes(&c.Traffic[i]); n > 0 {
			all, requests = all+n, requests+c.Traffic[i].Requests
		}
	}
	return over(all, requests)
}

// passes returns the wavefronts of requests to shared memory and through L1.
func passes(t *profile.Traffic) uint64 { return t.Wavefronts + t.L1Wavefronts }

// statesText lists the states in which warps spent at least a hundredth of all their cycles, in descending order.
func (l *Launch) statesText(s *sm.States) string {
	var states []sm.State
	for state := range sm.NumStates {
		if ratioOf(s[state], l.Time.WarpCycles) >= leastShare {
			states = append(states, state)
		}
	}
	sorted.Stable(states, func(a, b sm.State) int { return cmp.Compare(s[b], s[a]) })
	var texts []string
	for _, state := range states {
		texts = append(texts, fmt.Sprintf("%s %s", state, percent(s[state], l.Time.WarpCycles)))
	}
	return strings.Join(texts, ", ")
}

// notes returns the facts about a line that its columns do not show.
func (l *Launch) notes(c *profile.Counts) []string {
	var ns []string
	if cycles, _, _ := stalled(c); l.Time != nil && ratioOf(cycles, l.Time.WarpCycles) > stalledAtLine {
		ns = append(ns, "of all warp cycles: "+l.statesText(&c.Time.States))
	}
	if c.Divergences > 0 && c.CausedSlots() > 0 {
		verb := "diverges"
		if c.LostExited > 0 {
			verb = "ends some lanes"
		}
		ns = append(ns, fmt.Sprintf("%s in %s of its runs, %s: costs %d lane slots", verb, percent(c.Divergences, c.Runs), sides(c), c.CausedSlots()))
	}
	for _, t := range bySpace(c.Traffic) {
		if t.Sectors > t.IdealSectors {
			ns = append(ns, fmt.Sprintf("%d sectors in %s memory, %d ideal", t.Sectors, t.Space, t.IdealSectors))
		}
		if t.Wavefronts > t.IdealWavefronts {
			ns = append(ns, fmt.Sprintf("%d wavefronts, %d ideal, %d-way at worst", t.Wavefronts, t.IdealWavefronts, t.WorstConflict))
		}
		if t.Contention > t.atomics {
			ns = append(ns, fmt.Sprintf("%s lanes at one place, %d at worst", over(t.Contention, t.atomics), t.WorstContention))
		}
		if t.Words > t.Requests {
			ns = append(ns, fmt.Sprintf("%s different constants at once", over(t.Words, t.Requests)))
		}
	}
	return ns
}

// spaceTraffic is the traffic of a state space. atomics are the requests that Contention is of.
type spaceTraffic struct {
	profile.Traffic
	atomics uint64
}

// bySpace adds up loads, stores and atomics of each state space, in the order in which the spaces first occur.
func bySpace(traffic []profile.Traffic) (all []spaceTraffic) {
	for i := range traffic {
		t := &traffic[i]
		n := slices.IndexFunc(all, func(of spaceTraffic) bool { return of.Space == t.Space })
		if n < 0 {
			n = len(all)
			all = append(all, spaceTraffic{Traffic: profile.Traffic{Space: t.Space}})
		}
		to := &all[n]
		to.Requests, to.Words = to.Requests+t.Requests, to.Words+t.Words
		to.Sectors, to.IdealSectors = to.Sectors+t.Sectors, to.IdealSectors+t.IdealSectors
		to.Wavefronts, to.IdealWavefronts = to.Wavefronts+t.Wavefronts, to.IdealWavefronts+t.IdealWavefronts
		to.WorstConflict = max(to.WorstConflict, t.WorstConflict)
		if t.Contention > 0 {
			to.Contention, to.atomics = to.Contention+t.Contention, to.atomics+t.Requests
			to.WorstContention = max(to.WorstContention, t.WorstContention)
		}
	}
	return all
}
