package report

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sorted"
)

// DiffSchema identifies the JSON format of a Diff.
const DiffSchema = "simtrun.diff/v1"

// Diff is the difference between two runs, a and b.
type Diff struct {
	Schema    string       `json:"schema"`
	Different bool         `json:"different"` // in anything except conditions
	Launches  []LaunchDiff `json:"launches"`  // with at least one difference
	Dumps     []DumpDiff   `json:"dumps"`     // with differences
	Outcomes  []WordDiff   `json:"outcomes"`  // of the run: exit status, errors, warnings
}

// LaunchDiff is the difference between two launches of the same number.
type LaunchDiff struct {
	Launch     int          `json:"launch"` // from 0
	A          string       `json:"a"`      // kernel; "" if the run has no such launch
	B          string       `json:"b"`
	Conditions []WordDiff   `json:"conditions"` // that differ: GPU, grid and so on
	CyclesA    *int64       `json:"cycles_a,omitempty"`
	CyclesB    *int64       `json:"cycles_b,omitempty"`
	Metrics    []MetricDiff `json:"metrics"` // that differ
	// that differ, by the difference in cycles, or without a clock in executions
	Lines []LineDiff `json:"lines"`
}

// WordDiff is a property of both.
type WordDiff struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// MetricDiff is a metric that differs; a missing value means that the launch does not have it.
type MetricDiff struct {
	Name string   `json:"name"`
	Unit string   `json:"unit"`
	A    *float64 `json:"a,omitempty"`
	B    *float64 `json:"b,omitempty"`
}

// LineDiff is a source line with different figures.
type LineDiff struct {
	Text string       `json:"text"`
	A    *LineFigures `json:"a,omitempty"` // missing if that run has no such line
	B    *LineFigures `json:"b,omitempty"`
}

// LineFigures are the figures of a line.
type LineFigures struct {
	File       string `json:"file"`
	Line       int32  `json:"line"`
	Runs       uint64 `json:"runs"`
	Lanes      uint64 `json:"lanes"`
	Cycles     uint64 `json:"cycles"` // of warps
	State      string `json:"state"`  // in which warps waited longest; "" if they did not wait
	Sectors    uint64 `json:"sectors"`
	Wavefronts uint64 `json:"wavefronts"`
}

// DumpDiff is a dumped buffer with different elements.
type DumpDiff struct {
	Name      string       `json:"name"`
	TypeA     string       `json:"type_a"` // of an element; "" if the run did not dump it
	TypeB     string       `json:"type_b"`
	CountA    int64        `json:"count_a"`
	CountB    int64        `json:"count_b"`
	Different int64        `json:"different"` // number of elements, including those that only one run has
	Elements  []ElementIn2 `json:"elements"`  // the first of those that both have
}

// ElementIn2 is the value of an element in both runs.
type ElementIn2 struct {
	Index int64  `json:"index"`
	A     string `json:"a"`
	B     string `json:"b"`
}

// mostElements is the most different elements that are shown per dump.
const mostElements = 10

// NewDiff compares two runs.
func NewDiff(a, b *Document) *Diff {
	d := &Diff{Schema: DiffSchema, Launches: []LaunchDiff{}, Dumps: []DumpDiff{}}
	for i := range max(len(a.Launches), len(b.Launches)) {
		l := diffLaunches(i, a, b)
		d.Different = d.Different || l.differs()
		if l.differs() || len(l.Conditions) > 0 {
			d.Launches = append(d.Launches, l)
		}
	}
	d.addDumps(a.Dumps, b.Dumps)
	d.Outcomes = wordDiffs([]WordDiff{
		{"exit status", fmt.Sprint(a.Summary.Exit), fmt.Sprint(b.Summary.Exit)},
		{"errors", fmt.Sprint(a.Summary.Errors), fmt.Sprint(b.Summary.Errors)},
		{"warnings", fmt.Sprint(a.Summary.Warnings), fmt.Sprint(b.Summary.Warnings)},
	})
	d.Different = d.Different || len(d.Dumps)+len(d.Outcomes) > 0
	return d
}

// wordDiffs returns those that differ.
func wordDiffs(all []WordDiff) []WordDiff {
	return slices.DeleteFunc(all, func(w WordDiff) bool { return w.A == w.B })
}

// differs reports whether anything except the conditions differs.
func (l *LaunchDiff) differs() bool {
	return l.A == "" || l.B == "" || l.bothTimed() && *l.CyclesA != *l.CyclesB || len(l.Metrics)+len(l.Lines) > 0
}

func (l *LaunchDiff) bothTimed() bool { return l.CyclesA != nil && l.CyclesB != nil }

func equal[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

func diffLaunches(i int, a, b *Document) LaunchDiff {
	d := LaunchDiff{Launch: i, Conditions: []WordDiff{}, Metrics: []MetricDiff{}, Lines: []LineDiff{}}
	var la, lb *Launch
	if i < len(a.Launches) {
		la = &a.Launches[i]
		d.A = la.Kernel
		d.CyclesA = la.cycles()
	}
	if i < len(b.Launches) {
		lb = &b.Launches[i]
		d.B = lb.Kernel
		d.CyclesB = lb.cycles()
	}
	if la == nil || lb == nil {
		return d
	}
	timed := d.bothTimed() || la.Time == nil && lb.Time == nil // or neither has a clock
	wa, wb := a.conditions(la), b.conditions(lb)
	for k := range min(len(wa), len(wb)) { // metrics of time come last
		wa[k].B = wb[k].A
		d.Conditions = append(d.Conditions, wa[k])
	}
	d.Conditions = wordDiffs(d.Conditions)
	d.Metrics = append(d.Metrics, diffMetrics(la, lb, timed)...)
	d.Lines = append(d.Lines, diffLines(a, la, b, lb, timed)...)
	return d
}

func (l *Launch) cycles() *int64 {
	if l.Time == nil {
		return nil
	}
	return &l.Time.Cycles
}

// conditions returns the conditions of a launch, as side A.
func (d *Document) conditions(l *Launch) []WordDiff {
	all := []WordDiff{{"kernel", cxx.Name(l.Symbol()), ""}, {"file", l.File, ""}, {"grid", sizeText(l.Grid), ""}, {"block", sizeText(l.Block), ""},
		{"cluster", strings.TrimPrefix(l.clusterText(), "cluster "), ""}, {"dynamic shared memory", fmt.Sprint(l.Shared), ""}, {"gpu", d.GPU, ""}, {"divergence", d.Divergence, ""}}
	t := l.Time
	if t == nil {
		return all
	}
	if t.Partial {
		all = append(all, WordDiff{"time is that", "until the run ended", ""})
	} else {
		all = append(all, WordDiff{"time is that", "of the launch", ""})
	}
	return append(all, WordDiff{"sched", t.Policy, ""}, WordDiff{"cta-order", t.Order, ""}, WordDiff{"cost", t.Cost, ""},
		WordDiff{"dual-issue", fmt.Sprint(t.DualIssue), ""}, WordDiff{"warm icache", fmt.Sprint(t.WarmCode), ""}, WordDiff{"registers", fmt.Sprint(t.Resources.Registers), ""})
}

// diffMetrics returns the metrics that differ, in the order of the table: without those of time if only one launch
// has a clock.
func diffMetrics(a, b *Launch, timed bool) (all []MetricDiff) {
	ofTime := make(map[string]bool)
	for _, m := range profile.Metrics() {
		ofTime[m.Name] = m.Clock
	}
	at := make(map[string]int) // in all
	for i := range a.Metrics {
		m := &a.Metrics[i]
		at[m.Name] = len(all)
		all = append(all, MetricDiff{m.Name, m.Unit, &m.Value, nil})
	}
	for i := range b.Metrics {
		m := &b.Metrics[i]
		if n, ok := at[m.Name]; ok {
			all[n].B = &m.Value
		} else {
			all = append(all, MetricDiff{m.Name, m.Unit, nil, &m.Value})
		}
	}
	return slices.DeleteFunc(all, func(m MetricDiff) bool { return equal(m.A, m.B) || !timed && ofTime[m.Name] })
}

// diffLines matches lines by number if the source is the same, otherwise by text, in order of occurrence. If only one
// launch has a clock, differences in cycles do not count.
func diffLines(a *Document, la *Launch, b *Document, lb *Launch, timed bool) []LineDiff {
	type key struct {
		function int
		text     string
		number   int // of the lines with this text, or of the line
	}
	same := slices.Equal(a.source(la.File), b.source(lb.File))
	keys := func(d *Document, l *Launch) (lines []Line, all []key) {
		seen := make(map[key]int)
		for _, line := range d.Lines(l) {
			k := key{function: slices.Index(l.symbols(), line.Symbol()), text: line.Text}
			if same {
				k.number = int(line.Line)
			} else {
				k.number = seen[k]
				seen[key{k.function, k.text, 0}]++
			}
			lines, all = append(lines, line), append(all, k)
		}
		return lines, all
	}
	var diffs []LineDiff
	at := make(map[key]int) // in diffs
	lines, all := keys(a, la)
	for i := range lines {
		at[all[i]] = len(diffs)
		diffs = append(diffs, LineDiff{Text: lines[i].Text, A: lines[i].figures()})
	}
	lines, all = keys(b, lb)
	for i := range lines {
		if n, ok := at[all[i]]; ok {
			diffs[n].B = lines[i].figures()
		} else {
			diffs = append(diffs, LineDiff{Text: lines[i].Text, B: lines[i].figures()})
		}
	}
	diffs = slices.DeleteFunc(diffs, func(d LineDiff) bool { return d.A != nil && d.B != nil && d.A.counts(timed) == d.B.counts(timed) })
	sorted.Stable(diffs, func(a, b LineDiff) int {
		return cmp.Or(cmp.Compare(b.weight(timed), a.weight(timed)), cmp.Compare(b.weight(false), a.weight(false)))
	})
	return diffs
}

func (d *Document) source(file string) []string {
	for i := range d.Sources {
		if d.Sources[i].Name == file {
			return d.Sources[i].Lines
		}
	}
	return nil
}

func (l *Line) figures() *LineFigures {
	f := &LineFigures{File: l.File, Line: l.Line, Runs: l.Counts.Runs, Lanes: l.Counts.Lanes, Sectors: sumOf(&l.Counts, func(t *profile.Traffic) uint64 { return t.Sectors }),
		Wavefronts: sumOf(&l.Counts, func(t *profile.Traffic) uint64 { return t.Wavefronts })}
	if l.Counts.Time != nil {
		f.Cycles = l.Counts.Time.States.Total()
		if state, longest := mainStall(&l.Counts.Time.States); longest > 0 {
			f.State = state.String()
		}
	}
	return f
}

// counts returns f with only the figures that are compared: without place and text, and without cycles unless both
// are timed.
func (f *LineFigures) counts(timed bool) LineFigures {
	c := *f
	c.File, c.Line, c.State = "", 0, ""
	if !timed {
		c.Cycles = 0
	}
	return c
}

// weight returns the difference of a line in cycles, or in executions.
func (d *LineDiff) weight(cycles bool) float64 {
	of := func(f *LineFigures) float64 {
		switch {
		case f == nil:
			return 0
		case cycles:
			return float64(f.Cycles)
		}
		return float64(f.Runs)
	}
	return math.Abs(of(d.A) - of(d.B))
}

// addDumps compares dumped buffers by name.
func (d *Diff) addDumps(a, b []DumpData) {
	for i := range a {
		other := &DumpData{}
		if n := slices.IndexFunc(b, func(x DumpData) bool { return x.Name == a[i].Name }); n >= 0 {
			other = &b[n]
		}
		d.addDump(a[i].Name, &a[i], other)
	}
	for i := range b {
		if !slices.ContainsFunc(a, func(x DumpData) bool { return x.Name == b[i].Name }) {
			d.addDump(b[i].Name, &DumpData{}, &b[i])
		}
	}
}

func (d *Diff) addDump(name string, a, b *DumpData) {
	if a.Type == b.Type && bytes.Equal(a.Data, b.Data) {
		return
	}
	one := DumpDiff{Name: name, TypeA: a.Type, TypeB: b.Type, CountA: a.Count, CountB: b.Count, Different: max(a.Count, b.Count), Elements: []ElementIn2{}}
	da, errA := launch.NewDump(name, a.Type, a.Count, a.Data)
	db, errB := launch.NewDump(name, b.Type, b.Count, b.Data)
	if a.Type == b.Type && errA == nil && errB == nil {
		one.Different = max(a.Count, b.Count) - min(a.Count, b.Count)
		for i := range min(a.Count, b.Count) {
			if x, y := da.Bits(i), db.Bits(i); x != y {
				if one.Different++; len(one.Elements) < mostElements {
					one.Elements = append(one.Elements, ElementIn2{i, da.Elem.Text(x), db.Elem.Text(y)})
				}
			}
		}
	}
	d.Dumps = append(d.Dumps, one)
}

const (
	mostMetrics   = 20 // shown in a difference
	mostDiffLines = 10
)

// Write writes the differences, wrapped to a number of columns (0 is unlimited). Runs are called a and b.
func (d *Diff) Write(w io.Writer, columns int) error {
	s := &sheet{w: bufio.NewWriter(w), columns: columns}
	if !d.Different {
		s.WriteString("no difference\n")
	}
	for i := range d.Launches {
		d.Launches[i].write(s)
	}
	for i := range d.Dumps {
		d.Dumps[i].write(s)
	}
	for _, o := range d.Outcomes {
		fmt.Fprintf(s, "%s: %s, %s\n", o.Name, o.A, o.B)
	}
	return s.flush()
}

func (l *LaunchDiff) write(w *sheet) {
	switch {
	case l.A == "":
		fmt.Fprintf(w, "launch %d: only b has it, %s\n", l.Launch, l.B)
		return
	case l.B == "":
		fmt.Fprintf(w, "launch %d: only a has it, %s\n", l.Launch, l.A)
		return
	}
	fmt.Fprintf(w, "launch %d: %s\n", l.Launch, l.A)
	for _, c := range l.Conditions {
		fmt.Fprintf(w, "  %-34s %s, %s\n", c.Name, cmp.Or(c.A, "-"), cmp.Or(c.B, "-"))
	}
	if l.bothTimed() != (l.CyclesA != nil || l.CyclesB != nil) {
		which := map[bool]string{true: "a", false: "b"}[l.CyclesA != nil]
		fmt.Fprintf(w, "  only %s has a clock: times are not compared\n", which)
	}
	row := func(name, a, b, change string) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-34s %14s %14s %9s", cut(name, 34), a, b, change), " "))
	}
	if l.differs() {
		row("", "a", "b", "")
	}
	if l.bothTimed() && l.differs() {
		row("cycles", fmt.Sprint(*l.CyclesA), fmt.Sprint(*l.CyclesB), change(float64(*l.CyclesA), float64(*l.CyclesB)))
	}
	shown := slices.DeleteFunc(slices.Clone(l.Metrics), func(m MetricDiff) bool { return m.Name == "elapsed_cycles" || strings.HasPrefix(m.Name, "stalled_") })
	sorted.Stable(shown, func(a, b MetricDiff) int { return cmp.Compare(b.weight(), a.weight()) })
	for _, m := range shown[:min(len(shown), mostMetrics)] {
		a, b, by := "-", "-", ""
		if m.A != nil {
			a = rounded(*m.A)
		}
		if m.B != nil {
			b = rounded(*m.B)
		}
		if m.A != nil && m.B != nil {
			by = change(*m.A, *m.B)
		}
		row(m.Name, a, b, by)
	}
	if n := len(l.Metrics) - min(len(shown), mostMetrics); n > 0 && len(shown) > mostMetrics {
		fmt.Fprintf(w, "  … %s, --json\n", Count(int64(n), "more metric"))
	}
	l.writeLines(w)
}

// weight returns the relative difference of a metric.
func (m *MetricDiff) weight() float64 {
	if m.A == nil || m.B == nil || *m.A == 0 || *m.B == 0 {
		return math.Inf(1)
	}
	return math.Abs(math.Log(math.Abs(*m.B / *m.A)))
}

// change returns how much larger b is than a, in percent.
func change(a, b float64) string {
	if a == 0 {
		return ""
	}
	return fmt.Sprintf("%+.1f %%", 100*(b-a)/a)
}

func (l *LaunchDiff) writeLines(w *sheet) {
	if len(l.Lines) == 0 {
		return
	}
	what := "cycles"
	if !l.bothTimed() {
		what = "runs"
	}
	textColumn := w.instrColumn(46)
	fmt.Fprintf(w, "\n  %5s %5s  %-*s %9s %9s  %s\n", "a", "b", textColumn, "source", what+" a", what+" b", "sectors a, b")
	for _, line := range l.Lines[:min(len(l.Lines), mostDiffLines)] {
		cells := func(f *LineFigures) (place, figure, sectors string) {
			switch {
			case f == nil:
				return "-", "-", "-"
			case what == "runs":
				return fmt.Sprint(f.Line), fmt.Sprint(f.Runs), fmt.Sprint(f.Sectors)
			}
			return fmt.Sprint(f.Line), fmt.Sprint(f.Cycles), fmt.Sprint(f.Sectors)
		}
		placeA, a, sectorsA := cells(line.A)
		placeB, b, sectorsB := cells(line.B)
		sectors := ""
		if sectorsA != sectorsB && (line.A == nil || line.B == nil || line.A.Sectors+line.B.Sectors > 0) {
			sectors = sectorsA + ", " + sectorsB
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %5s %5s  %-*s %9s %9s  %s", placeA, placeB, textColumn, cut(line.Text, textColumn), a, b, sectors), " "))
	}
	if n := len(l.Lines) - mostDiffLines; n > 0 {
		fmt.Fprintf(w, "  … %s, --json\n", Count(int64(n), "more line"))
	}
}

func (d *DumpDiff) write(w *sheet) {
	switch {
	case d.TypeA == "":
		fmt.Fprintf(w, "%s: only b dumps it\n", d.Name)
	case d.TypeB == "":
		fmt.Fprintf(w, "%s: only a dumps it\n", d.Name)
	case d.TypeA != d.TypeB:
		fmt.Fprintf(w, "%s: %d elements of %s, %d of %s\n", d.Name, d.CountA, d.TypeA, d.CountB, d.TypeB)
	default:
		fmt.Fprintf(w, "%s: %d of %d elements differ\n", d.Name, d.Different, max(d.CountA, d.CountB))
	}
	for _, e := range d.Elements {
		fmt.Fprintf(w, "  [%d] %s, %s\n", e.Index, e.A, e.B)
	}
}
