// Package report writes what profiles hold: pages of text for people, CSV and
// JSON for programs.
package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/profile"
)

// Run is the launches to report on, in the order in which they ran.
type Run struct {
	Launches []Launch
	// Source is a line of a source file, from 1, or "" if it is not at hand. A nil
	// Source has no line.
	Source func(file string, line int) string
	// Columns is the width of what pages are shown on, which their lines keep to, or
	// 0 for any.
	Columns int
}

// Launch is one launch of a kernel and its profile.
type Launch struct {
	Kernel      string
	Grid, Block isa.Dim
	Profile     *profile.Profile
}

// Page is a way to show a run.
type Page struct {
	Name, Doc string
	write     func(w *sheet, r *Run)
}

// pages is all of them, the default first.
var pages = []Page{
	{"summary", "one screen: where lane slots were lost, what memory was asked for, what could be gained", writeSummary},
	{"source", "every source line: executions, active lanes, lost slots, memory", writeSource},
	{"raw", "every metric: name, unit, value", writeRaw},
}

// Pages is the pages that there are, the default first.
func Pages() []Page { return slices.Clone(pages) }

// ParsePage is the page of that name. Its error lists the names.
func ParsePage(name string) (Page, error) {
	var names []string
	for _, p := range pages {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Page{}, fmt.Errorf("no page %q; there are %s", name, strings.Join(names, ", "))
}

// Write writes the page of r to w, whose error it returns.
func (p Page) Write(w io.Writer, r *Run) error {
	s := &sheet{w: bufio.NewWriter(w), columns: r.Columns}
	p.write(s, r)
	return s.flush()
}

// writeHeading writes the line above all of a launch.
func writeHeading(w *sheet, l *Launch) {
	fmt.Fprintf(w, "%s  %s  grid %dx%dx%d  block %dx%dx%d  warps %d\n", l.Kernel, l.file(),
		l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z, isa.Warps(l.Grid, l.Block))
}

// file is the source file of the kernel.
func (l *Launch) file() string {
	if len(l.Profile.Funcs) == 0 {
		return ""
	}
	return l.Profile.Funcs[0].Pos.File
}

// instruction is one that ran: where it is and what was counted.
type instruction struct {
	fn *profile.Func
	pc int
}

func (in *instruction) counts() *profile.Counts { return &in.fn.Instrs[in.pc] }
func (in *instruction) pos() isa.Pos            { return in.fn.Code[in.pc].Pos }

// text is the instruction without its semicolon.
func (in *instruction) text() string { return strings.TrimSuffix(in.fn.Text(in.pc), ";") }

// executed is the instructions that ran, function by function.
func (l *Launch) executed() []instruction {
	var ins []instruction
	for i := range l.Profile.Funcs {
		fn := &l.Profile.Funcs[i]
		for pc := range fn.Instrs {
			if fn.Instrs[pc].Runs > 0 {
				ins = append(ins, instruction{fn, pc})
			}
		}
	}
	return ins
}

// lineOf is the line of pos, with its file if that is not the kernel's.
func (l *Launch) lineOf(pos isa.Pos) string {
	if pos.File == l.file() {
		return fmt.Sprint(pos.Line)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(pos.File), pos.Line)
}

// byPlace orders positions as the files have them.
func byPlace(a, b isa.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// over is a/b with one decimal, or "-" where b is 0.
func over(a, b uint64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(a)/float64(b))
}

// percent is a/b with one decimal and its sign, or "-" where b is 0.
func percent(a, b uint64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(b))
}

// cut is text in n columns at the most.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
