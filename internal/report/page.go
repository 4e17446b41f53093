package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Page is a view of a report.
type Page struct {
	Name, Doc string
	write     func(w *sheet, d *Document)
	csv       func(w *table, d *Document)
}

// pages lists all pages, the default first.
var pages = []Page{
	{"summary", "one screen: time, occupancy, pipes, memory, stalls, the most expensive lines, and possible gains", writeSummary, metricsTable},
	{"source", "every source line: executions, active lanes, stalls, memory, live registers", writeSource, linesTable},
	{"sm", "every SM: blocks, when it was busy, the tail", writeSMs, smsTable},
	{"memory", "from lanes to device memory: requests, sectors, wavefronts, hit rates, bytes, share of the peak", writeMemoryPage, memoryTable},
	{"advice", "all possible gains, the largest first", writeAllAdvice, adviceTable},
	{"raw", "every metric: name, unit, value, and Nsight Compute's name", writeRaw, metricsTable},
}

// Pages returns all pages, the default first.
func Pages() []Page { return slices.Clone(pages) }

// PageNames returns the names of the pages, in order.
func PageNames() []string {
	var names []string
	for _, p := range pages {
		names = append(names, p.Name)
	}
	return names
}

// ParsePage returns the page of that name. The error lists the names.
func ParsePage(name string) (Page, error) {
	for _, p := range pages {
		if p.Name == name {
			return p, nil
		}
	}
	return Page{}, isa.Unknown("page", name, PageNames())
}

// Write writes the page of d to w, wrapped to a number of columns (0 is unlimited). It returns w's error.
func (p Page) Write(w io.Writer, d *Document, columns int) error {
	s := &sheet{w: bufio.NewWriter(w), columns: columns}
	p.write(s, d)
	return s.flush()
}

// profiles returns the launches with counters, in execution order.
func (d *Document) profiles() []*Launch {
	var all []*Launch
	for i := range d.Launches {
		if l := &d.Launches[i]; len(l.Functions) > 0 {
			all = append(all, l)
		}
	}
	return all
}

// eachProfile writes the launches with counters, each under its heading.
func eachProfile(w *sheet, d *Document, write func(l *Launch)) {
	for i, l := range d.profiles() {
		if i > 0 {
			w.WriteString("\n")
		}
		writeHeading(w, l)
		write(l)
	}
}

// writeHeading writes the heading of a launch, wrapped if it is too long.
func writeHeading(w *sheet, l *Launch) {
	columns := w.columns
	if columns <= 0 {
		columns = usualColumns
	}
	line := l.Kernel
	for _, part := range []string{l.File, "grid " + sizeText(l.Grid), l.clusterText(), "block " + sizeText(l.Block), fmt.Sprintf("warps %d", l.Warps)} {
		if part == "" {
			continue
		}
		if utf8.RuneCountInString(line)+2+utf8.RuneCountInString(part) > columns {
			w.WriteString(line + "\n")
			line = ""
		}
		line += "  " + part
	}
	w.WriteString(line + "\n")
}

// clusterText returns the size of clusters; "" without clusters.
func (l *Launch) clusterText() string {
	if l.Cluster == nil {
		return ""
	}
	return "cluster " + sizeText(*l.Cluster)
}

func sizeText(d [3]uint32) string { return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2]) }

// threads returns the threads per block.
func (l *Launch) threads() int64 { return int64(l.Block[0]) * int64(l.Block[1]) * int64(l.Block[2]) }

// LineOf returns the line of a place, with its file if that is not the kernel's.
func (l *Launch) LineOf(p Place) string {
	if p.File == l.File {
		return fmt.Sprint(p.Line)
	}
	return p.short()
}

const (
	leastPlace = 5 // columns for a place in a table
	someFile   = 8 // the least columns for one with a file
	mostPlace  = 18
)

// places formats the places of instructions for a column of a table on w, and returns its width. others is the width
// of the table's other columns, without that of instructions.
func (l *Launch) places(w *sheet, others int, of []*Instruction) (texts []string, width int) {
	width = leastPlace
	most := mostPlace
	if w.columns > 0 {
		most = min(max(w.columns-others-leastInstr, someFile), mostPlace)
	}
	for _, in := range of {
		text := l.placeCell(in.Place, most)
		texts, width = append(texts, text), max(width, utf8.RuneCountInString(text))
	}
	return texts, width
}

// placeCell formats a place for a table cell: it shortens long file names, and never the line number.
func (l *Launch) placeCell(p Place, most int) string {
	text := l.LineOf(p)
	if colon := strings.LastIndexByte(text, ':'); colon >= 0 {
		return cut(text[:colon], max(2, most-(len(text)-colon))) + text[colon:]
	}
	return text
}

// short returns a place for messages.
func (p Place) short() string { return fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line) }

// executed returns the executed instructions that satisfy keep, function by function, or in descending order of by.
// by may be nil.
func (l *Launch) executed(keep func(in *Instruction) bool, by func(in *Instruction) uint64) []*Instruction {
	var ins []*Instruction
	for i := range l.Instructions {
		if in := &l.Instructions[i]; in.Counts.Runs > 0 && (keep == nil || keep(in)) {
			ins = append(ins, in)
		}
	}
	if by != nil {
		sorted.Stable(ins, func(a, b *Instruction) int { return cmp.Compare(by(b), by(a)) })
	}
	return ins
}

// over returns a/b with one decimal, or "-" if b is 0.
func over(a, b uint64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(a)/float64(b))
}

// percent returns a/b in percent with one decimal, or "-" if b is 0.
func percent(a, b uint64) string {
	if b == 0 {
		return "-"
	}
	return percentOf(float64(a) / float64(b))
}

// percentOf returns a share in percent with one decimal.
func percentOf(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// cut shortens text to at most n columns.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
