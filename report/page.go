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
	"github.com/simtrun/simtrun/launch"
	"github.com/simtrun/simtrun/profile"
)

// Page is a way to show the profiles of a run.
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

// PageNames is the names of the pages, in their order.
func PageNames() []string {
	var names []string
	for _, p := range pages {
		names = append(names, p.Name)
	}
	return names
}

// ParsePage is the page of that name. Its error lists the names.
func ParsePage(name string) (Page, error) {
	for _, p := range pages {
		if p.Name == name {
			return p, nil
		}
	}
	return Page{}, fmt.Errorf("no page %q; there are %s", name, strings.Join(PageNames(), ", "))
}

// Write writes the page of r to w, whose error it returns. Its lines keep to a
// width of so many columns, or to none if that is 0.
func (p Page) Write(w io.Writer, r *Run, columns int) error {
	s := &sheet{w: bufio.NewWriter(w), columns: columns}
	p.write(s, r)
	return s.flush()
}

// profiled is a launch that has a profile.
type profiled struct{ *launch.Launched }

// profiles are the launches that have a profile, in the order in which they ran.
func (r *Run) profiles() []profiled {
	var all []profiled
	if r.Result == nil {
		return nil
	}
	for i := range r.Result.Launches {
		if l := &r.Result.Launches[i]; l.Profile != nil {
			all = append(all, profiled{l})
		}
	}
	return all
}

// writeHeading writes the line above all of a launch.
func writeHeading(w *sheet, l profiled) {
	fmt.Fprintf(w, "%s  %s  grid %s  block %s  warps %d\n", l.Kernel, l.file(), dimText(l.Grid), dimText(l.Block), isa.Warps(l.Grid, l.Block))
}

// file is the source file of the kernel.
func (l profiled) file() string {
	if len(l.Profile.Funcs) == 0 {
		return ""
	}
	return l.Profile.Funcs[0].Pos.File
}

// lineOf is the line of pos, with its file if that is not the kernel's.
func (l profiled) lineOf(pos isa.Pos) string {
	if pos.File == l.file() {
		return fmt.Sprint(pos.Line)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(pos.File), pos.Line)
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
func executed(p *profile.Profile) []instruction {
	var ins []instruction
	for i := range p.Funcs {
		fn := &p.Funcs[i]
		for pc := range fn.Instrs {
			if fn.Instrs[pc].Runs > 0 {
				ins = append(ins, instruction{fn, pc})
			}
		}
	}
	return ins
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
