// Package html draws a report as one self-contained page: it uses no network, and scripts only for sorting tables.
package html

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/report/chart"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sorted"
)

//go:embed page.css
var style string

// launchStyle is the style sheet of what WriteLaunch draws; the explorer has it, too.
//
//go:embed launch.css
var launchStyle string

// script sorts tables; the explorer has it, too.
//
//go:embed sort.js
var script string

// Limits that keep the page below 2 MB.
const (
	mostLaunches = 16
	mostLines    = 1000 // of source, over all launches: those with most cycles, or executions without a clock
	mostColumns  = 160  // of a source line
	mostText     = 200_000
)

// view is the data of the page.
type view struct {
	*report.Document
	Title    string
	Overview string // the page "summary", as text
	Launches []launchView
	Hidden   int            // launches that are omitted
	Over     []chart.Figure // of the time of the run
}

// launchView is the data of a launch on the page.
type launchView struct {
	*report.Launch
	ID      int
	Size    string
	Cards   []chart.Card
	Figures []chart.Figure
	Advice  []adviceView
	Lines   []lineView
	Has     columns
	Hidden  int // lines that are omitted
	most    int // lines
	Timed   bool
}

type adviceView struct {
	Share, Rule, What, Change, Place, Link string
}

// lineView is a row of the table of source lines.
type lineView struct {
	ID, Line, From, FromFile, Function, Code, Comment, PTX, Mostly, MostlyDoc, Sectors, Wavefronts, Conflicts string
	Runs, Lost                                                                                                uint64
	Average                                                                                                   string
	Lanes                                                                                                     int // of 32, rounded
	Cycles                                                                                                    uint64
	Share                                                                                                     string
	Heat                                                                                                      int // per cent of the hottest line
	Live                                                                                                      int
	Chains                                                                                                    []string // calls through which it was inlined
}

// columns says which optional columns have a value in at least one row. The others are omitted, to keep the table
// narrow.
type columns struct {
	From, Mostly, Conflicts, Sectors, Wavefronts, Lost, Live bool
}

func (c *columns) add(l *lineView) {
	c.From = c.From || l.From != ""
	c.Mostly = c.Mostly || l.Mostly != ""
	c.Conflicts = c.Conflicts || l.Conflicts != ""
	c.Sectors = c.Sectors || l.Sectors != ""
	c.Wavefronts = c.Wavefronts || l.Wavefronts != ""
	c.Lost = c.Lost || l.Lost > 0
	c.Live = c.Live || l.Live > 0
}

// Write draws a report.
func Write(w io.Writer, d *report.Document) error {
	v := &view{Document: d}
	var names []string
	shown := min(len(d.Launches), mostLaunches)
	v.Hidden = len(d.Launches) - shown
	for i := range shown {
		l := &d.Launches[i]
		v.Launches = append(v.Launches, newLaunchView(d, l, i, mostLines/shown))
		if !slices.Contains(names, l.Kernel) {
			names = append(names, l.Kernel)
		}
	}
	v.Title = strings.Join(names, ", ") + " on " + d.GPU
	if d.GPU == "none" {
		v.Title = strings.Join(names, ", ") + ", without a clock"
	}
	var text strings.Builder
	if err := report.Pages()[0].Write(&text, d, 100); err != nil {
		return err
	}
	v.Overview = text.String()
	if len(v.Overview) > mostText {
		v.Overview = strings.ToValidUTF8(v.Overview[:mostText], "") + "\n… simtrun report prints the rest"
	}
	v.Over = chart.OverTime(d)
	return v.node().Render(w)
}

// newLaunchView returns the data of a launch, with at most lines source lines.
func newLaunchView(d *report.Document, l *report.Launch, id, lines int) launchView {
	v := launchView{Launch: l, ID: id, Size: fmt.Sprintf("grid %s, block %s", size(l.Grid), size(l.Block)), Timed: l.Time != nil, most: lines}
	v.Cards, v.Figures = chart.Cards(l), chart.Of(l)
	v.addLines(d)
	for i := range l.Advice {
		a := &l.Advice[i]
		one := adviceView{Share: chart.Percent(a.Share), Rule: a.Rule, What: a.What, Change: a.Change}
		if a.File != "" {
			where := l.LineOf(a.Place)
			one.Place = where
			if a.File == l.File {
				one.Place = "line " + where
			}
			for _, line := range v.Lines {
				if line.Line == where {
					one.Link = line.ID
					break
				}
			}
		}
		v.Advice = append(v.Advice, one)
	}
	return v
}

func size(d [3]uint32) string { return fmt.Sprintf("%d×%d×%d", d[0], d[1], d[2]) }

// addLines adds the source lines of the launch, only the hottest if there are too many.
func (v *launchView) addLines(d *report.Document) {
	lines := d.Lines(v.Launch)
	weight := func(l *report.Line) uint64 {
		if v.Timed {
			states := statesOf(l)
			return states.Total()
		}
		return l.Counts.Runs
	}
	if len(lines) > v.most {
		all := slices.Clone(lines)
		sorted.Stable(all, func(a, b report.Line) int { return cmp.Compare(weight(&b), weight(&a)) })
		least := weight(&all[v.most-1])
		v.Hidden = len(lines) - v.most
		room := v.most // how many of the lines at the threshold fit, the first ones
		for i := range all[:v.most] {
			if weight(&all[i]) > least {
				room--
			}
		}
		lines = slices.DeleteFunc(lines, func(l report.Line) bool {
			if weight(&l) == least {
				room--
				return room < 0
			}
			return weight(&l) < least
		})
	}
	hottest := uint64(1)
	for i := range lines {
		hottest = max(hottest, weight(&lines[i]))
	}
	main := compiledFile(lines)
	for i := range lines {
		l := &lines[i]
		states := statesOf(l)
		row := lineView{ID: fmt.Sprintf("l%d-%d", v.ID, i), Line: v.LineOf(l.Place), Chains: l.ShownChains(), Function: cut(l.Function), Runs: l.Counts.Runs, Lost: l.Counts.LostSlots(),
			Cycles: states.Total(), Heat: int(100 * weight(l) / hottest), Live: l.Live}
		row.Code, row.Comment = splitComment(cut(l.Text))
		row.From, row.FromFile = from(l, main)
		row.PTX = v.ptxText(l)
		if l.Counts.Runs > 0 {
			row.Average = fmt.Sprintf("%.1f", float64(l.Counts.Lanes)/float64(l.Counts.Runs))
		}
		row.Lanes = int(chart.Ratio(float64(l.Counts.Lanes), float64(l.Counts.Runs)) + 0.5)
		row.Sectors, row.Wavefronts, row.Conflicts = traffic(&l.Counts)
		if v.Timed {
			row.Share = chart.Percent(chart.Ratio(float64(row.Cycles), float64(v.Time.WarpCycles)))
			row.Mostly, row.MostlyDoc = mostly(&states)
		}
		v.Has.add(&row)
		v.Lines = append(v.Lines, row)
	}
}

// ptxText returns the PTX that was compiled from a line, with the line of each instruction there and, with a clock, the
// machine instructions that it charges and their share of the cycles; "" for PTX written by hand.
func (v *launchView) ptxText(l *report.Line) string {
	var b strings.Builder
	for _, in := range l.PTX {
		more := in.MachineText()
		if more != "" {
			more = "  → " + more
		}
		if states := sm.States(in.Stalls); v.Timed && states.Total() > 0 {
			more += "  " + chart.Percent(chart.Ratio(float64(states.Total()), float64(v.Time.WarpCycles)))
		}
		fmt.Fprintf(&b, "%5d  %s;%s\n", in.PTXLine, in.Text, more)
	}
	return b.String()
}

// compiledFile returns the file from which most of the lines were compiled; "" if .loc names none.
func compiledFile(lines []report.Line) (file string) {
	counts := make(map[string]int)
	for i := range lines {
		if place := callerPlace(&lines[i]); place != nil {
			counts[place.File]++
			if counts[place.File] > counts[file] {
				file = place.File
			}
		}
	}
	return file
}

// callerPlace returns the place in the kernel's own code from which a line was compiled: for inlined
// code, the outermost call. It is nil if .loc names none.
func callerPlace(l *report.Line) *report.Place {
	if len(l.From) == 0 {
		return nil
	}
	return &l.From[len(l.From)-1].Place
}

// from returns the place from which a line was compiled: only its number if it is in the file main.
func from(l *report.Line, main string) (text, file string) {
	place := callerPlace(l)
	switch {
	case place == nil, *place == l.Place:
		return "", ""
	case place.File == main:
		return fmt.Sprint(place.Line), place.File
	}
	return fmt.Sprintf("%s:%d", path.Base(filepath.ToSlash(place.File)), place.Line), place.File
}

// splitComment splits a source line before its comment. It ignores // in a string literal.
func splitComment(text string) (code, comment string) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quoted:
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && (strings.HasPrefix(text[i:], "//") || strings.HasPrefix(text[i:], "/*")):
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// cut shortens a long text.
func cut(text string) string {
	if r := []rune(text); len(r) > mostColumns {
		return string(r[:mostColumns]) + "…"
	}
	return text
}

func statesOf(l *report.Line) sm.States {
	if l.Counts.Time == nil {
		return sm.States{}
	}
	return l.Counts.Time.States
}

// mostly returns the state in which warps waited longest, with its share of all cycles, and the definition of that
// state.
func mostly(s *sm.States) (text, doc string) {
	main := sm.NotSelected
	for state := main; state < sm.NumStates; state++ {
		if s[state] > s[main] {
			main = state
		}
	}
	if s[main] == 0 {
		return "", ""
	}
	return fmt.Sprintf("%s %s", main, chart.Percent(float64(s[main])/float64(s.Total()))), main.Doc()
}

// traffic returns the sectors and wavefronts per request and the degree of bank conflicts of a line; "" without any.
func traffic(c *profile.Counts) (sectors, passes, conflicts string) {
	var all, requests, wavefronts, ideal, passed, served uint64
	for i := range c.Traffic {
		t := &c.Traffic[i]
		if t.Sectors > 0 {
			all, requests = all+t.Sectors, requests+t.Requests
		}
		wavefronts, ideal = wavefronts+t.Wavefronts, ideal+t.IdealWavefronts
		if n := t.Wavefronts + t.L1Wavefronts; n > 0 {
			passed, served = passed+n, served+t.Requests
		}
	}
	if requests > 0 {
		sectors = fmt.Sprintf("%.1f", float64(all)/float64(requests))
	}
	if served > 0 {
		passes = fmt.Sprintf("%.1f", float64(passed)/float64(served))
	}
	if ideal > 0 {
		conflicts = fmt.Sprintf("%.3g", float64(wavefronts)/float64(ideal))
	}
	return sectors, passes, conflicts
}

// laneBar draws 32 lanes, active and inactive, as SVG; nothing for a line that did not execute.
func (l *lineView) laneBar() chart.Markup {
	if l.Runs == 0 {
		return ""
	}
	return chart.Markup(fmt.Sprintf(`<svg class="lanebar" viewBox="0 0 %d 8" width="64" height="10" preserveAspectRatio="none" aria-hidden="true"><rect class="off" width="%[1]d" height="8"/><rect class="on" width="%d" height="8"/></svg>`, lanes.Width, l.Lanes))
}
