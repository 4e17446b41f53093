package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
)

// Table is results, in order.
type Table struct {
	Files   []string // of the program
	Matrix  Matrix
	Results []*Result
}

// tableJSON is a Table in JSON.
type tableJSON struct {
	Schema string     `json:"schema"`
	Files  []string   `json:"files"`
	Axes   []axisJSON `json:"axes"`
	Points []*Result  `json:"points"`
}

// WriteJSON writes t as an object on one line.
func (t *Table) WriteJSON(w io.Writer) error {
	points := t.Results
	if points == nil {
		points = []*Result{}
	}
	_, err := w.Write(encode(tableJSON{"simtrun.sweep/v1", t.Files, t.Matrix.axes(), points}))
	return err
}

func (m Matrix) axes() []axisJSON {
	all := []axisJSON{}
	for i := range m {
		all = append(all, axisJSON{m[i].Name(), m[i].Values})
	}
	return all
}

// axisOf converts an axis from JSON.
func axisOf(a axisJSON) Axis {
	directive, param, _ := strings.Cut(a.Name, " ")
	return Axis{Directive: directive, Param: param, Values: a.Values}
}

// Count returns how many points have the status.
func (t *Table) Count(s Status) (n int) {
	for _, r := range t.Results {
		if r.Status == s {
			n++
		}
	}
	return n
}

// Indexes returns the points with the status, such as "0 2-4".
func (t *Table) Indexes(s Status) string {
	var words []string
	for i := 0; i < len(t.Results); i++ {
		first := i
		for i < len(t.Results) && t.Results[i].Status == s {
			i++
		}
		switch from := t.Results[first].Index; i - first {
		case 0:
		case 1:
			words = append(words, strconv.Itoa(from))
		default:
			words = append(words, fmt.Sprintf("%d-%d", from, t.Results[i-1].Index))
		}
	}
	return strings.Join(words, " ")
}

// column is a column of figures, with its name in CSV.
type column struct {
	name string
	text func(f *Figures) string
}

var columns = []column{
	{"kernel", func(f *Figures) string { return cxx.Short(f.Kernel) }},
	{"gpu", func(f *Figures) string { return f.GPU }},
	{"divergence", func(f *Figures) string { return f.Divergence }},
	{"sched", func(f *Figures) string { return f.Policy }},
	{"cta_order", func(f *Figures) string { return f.Order }},
	{"cost", func(f *Figures) string { return f.Cost }},
	{"grid", func(f *Figures) string { return extent(f.Grid) }},
	{"block", func(f *Figures) string { return extent(f.Block) }},
	{"shared_dynamic", func(f *Figures) string { return strconv.FormatInt(f.Dynamic, 10) }},
	{"warp_instructions", func(f *Figures) string { return strconv.FormatUint(f.Instrs, 10) }},
	{"cycles", func(f *Figures) string { return strconv.FormatInt(f.Cycles, 10) }},
	{"time_us", func(f *Figures) string { return number(f.Microseconds) }},
	{"waves_per_multiprocessor", func(f *Figures) string { return number(f.Waves.PerMultiprocessor) }},
	{"waves", func(f *Figures) string { return strconv.FormatInt(f.Waves.Count, 10) }},
	{"last_wave", func(f *Figures) string { return number(f.Waves.Last) }},
	{"wave_efficiency", func(f *Figures) string { return number(f.Waves.Efficiency) }},
	{"blocks_per_sm", func(f *Figures) string { return strconv.Itoa(f.Occupancy.CTAs) }},
	{"occupancy_theoretical", func(f *Figures) string { return number(f.Occupancy.Theoretical) }},
	{"occupancy_achieved", func(f *Figures) string { return number(f.Occupancy.Achieved) }},
	{"limiters", func(f *Figures) string { return strings.Join(f.Occupancy.Limiters, " ") }},
	{"warps_active", func(f *Figures) string { return number(f.Warps) }},
	{"issued", func(f *Figures) string { return strconv.FormatUint(f.Issued, 10) }},
	{"ipc", func(f *Figures) string { return number(f.IPC) }},
	{"slots_used", func(f *Figures) string { return number(f.SlotsUsed) }},
	{"main_stall", func(f *Figures) string { return f.Stall }},
	{"main_stall_share", func(f *Figures) string { return number(f.StallShare) }},
	{"l2_bytes", func(f *Figures) string { return strconv.FormatInt(f.L2Bytes, 10) }},
	{"dram_bytes", func(f *Figures) string { return strconv.FormatInt(f.DRAMBytes, 10) }},
}

// number formats a figure with all its digits.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// extent formats a size as typed: 132, or 132x4.
func extent(d [3]uint32) string {
	text := strconv.FormatUint(uint64(d[0]), 10)
	if d[1] > 1 || d[2] > 1 {
		text += fmt.Sprintf("x%d", d[1])
	}
	if d[2] > 1 {
		text += fmt.Sprintf("x%d", d[2])
	}
	return text
}

// WriteCSV writes a line for each point: its index, the values of its axes as typed, its status, and all figures.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"index"}
	for i := range t.Matrix {
		head = append(head, "--"+t.Matrix[i].Name())
	}
	head = append(head, "status", "error")
	for _, c := range columns {
		head = append(head, c.name)
	}
	out.Write(head) // out keeps errors
	for _, r := range t.Results {
		row := append([]string{strconv.Itoa(r.Index)}, r.Values...)
		row = append(row, string(r.Status), r.Error)
		for _, c := range columns {
			text := ""
			if r.Figures != nil {
				text = c.text(r.Figures)
			}
			row = append(row, text)
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// WriteText writes the settings that all points share, and a line for each point with those that differ.
func (t *Table) WriteText(w io.Writer) error {
	rows := [][]string{t.heading()}
	for _, r := range t.Results {
		rows = append(rows, t.row(r))
	}
	widths := columnWidths(rows)
	var b strings.Builder
	b.WriteString(t.title())
	for i, row := range rows {
		b.WriteByte('\n')
		line := ""
		for k, cell := range row {
			switch last := len(rows[0]) - 1; {
			case k == last || k == len(row)-1 && k > len(t.varying()):
				line += "  " + cell // the last column, or the error
			default:
				line += fmt.Sprintf("  %*s", widths[k], cell)
			}
		}
		b.WriteString(strings.TrimRight(line[2:], " "))
		if i == len(rows)-1 {
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// varying returns the indexes of axes with several values.
func (t *Table) varying() (axes []int) {
	for i := range t.Matrix {
		if len(t.Matrix[i].Values) > 1 {
			axes = append(axes, i)
		}
	}
	return axes
}

func (t *Table) heading() []string {
	head := []string{"#"}
	for _, k := range t.varying() {
		head = append(head, t.Matrix[k].label())
	}
	return append(head, "time", "waves", "occupancy", "slots", "IPC", "main stall")
}

func (t *Table) row(r *Result) []string {
	row := []string{strconv.Itoa(r.Index)}
	for _, k := range t.varying() {
		row = append(row, r.Values[k])
	}
	f := r.Figures
	if f == nil {
		return append(row, strings.TrimSuffix(string(r.Status)+": "+r.Error, ": "))
	}
	stall := "none"
	if f.StallShare > 0 {
		stall = fmt.Sprintf("%s %.1f %%", f.Stall, 100*f.StallShare)
	}
	if r.Status != OK {
		stall += "  " + r.Error
	}
	return append(row, duration(f.Microseconds), waves(f.Waves.PerMultiprocessor),
		fmt.Sprintf("%.1f %%", 100*f.Occupancy.Achieved), fmt.Sprintf("%.1f %%", 100*f.SlotsUsed), fmt.Sprintf("%.2f", f.IPC), stall)
}

// waves formats a number of waves.
func waves(n float64) string {
	if n < 0.01 {
		return "<0.01"
	}
	return fmt.Sprintf("%.2f", n)
}

// columnWidths returns the widths of the columns. It ignores the extra cells of points without figures.
func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for k, cell := range row {
			if len(row) == len(rows[0]) || k < len(row)-1 {
				widths[k] = max(widths[k], len([]rune(cell)))
			}
		}
	}
	return widths
}

// duration formats a time with its unit and at least three digits.
func duration(microseconds float64) string {
	switch {
	case microseconds < 1e3:
		return fmt.Sprintf("%.2f us", microseconds)
	case microseconds < 1e6:
		return fmt.Sprintf("%.2f ms", microseconds/1e3)
	}
	return fmt.Sprintf("%.2f s", microseconds/1e6)
}

// common are the columns that the title shows if they are equal at all points.
var common = []string{"grid", "block", "gpu", "divergence", "sched", "cta_order", "cost"}

// title returns the files, and the settings that all points share.
func (t *Table) title() string {
	words := []string{strings.Join(t.Files, " "), fmt.Sprintf("%d points", len(t.Results))}
	if len(t.Results) == 1 {
		words[1] = "1 point"
	}
	for _, c := range columns {
		if text, same := t.same(&c); same && !t.varies(c.name) {
			switch {
			case c.name == "kernel":
				words = append([]string{text}, words...)
			case slices.Contains(common, c.name):
				words = append(words, strings.ReplaceAll(c.name, "_", "-")+" "+text)
			}
		}
	}
	return strings.Join(words, "  ") + "\n"
}

// varies reports whether a column is an axis with several values.
func (t *Table) varies(column string) bool {
	return slices.ContainsFunc(t.varying(), func(k int) bool { return strings.ReplaceAll(t.Matrix[k].Directive, "-", "_") == column })
}

// same returns a column's text if it is equal at all points that have one.
func (t *Table) same(c *column) (text string, same bool) {
	for _, r := range t.Results {
		if r.Figures == nil {
			continue
		}
		one := c.text(r.Figures)
		if same && one != text {
			return "", false
		}
		text, same = one, true
	}
	return text, same
}
