package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/source"
)

// WriteMetrics writes the table of metrics: name, unit, definition, and the metric of Nsight Compute with the same
// definition.
func WriteMetrics(w io.Writer) error { return writeMetrics(w, profile.Metrics()) }

// WriteMetricsLike is WriteMetrics for the metrics with word in their names or in that of Nsight Compute, or, if there
// are none, in their definitions. If there are none either, the error suggests a name.
func WriteMetricsLike(w io.Writer, word string) error {
	var like, about []profile.Metric
	var names []string
	for _, m := range profile.Metrics() {
		names = append(names, m.Name)
		has := func(text string) bool {
			return len(word) > 2 && strings.Contains(strings.ToLower(text), strings.ToLower(word))
		}
		switch {
		case has(m.Name) || m.NCU != "" && m.NCU == word:
			like = append(like, m)
		case has(m.Doc) || has(m.NCU):
			about = append(about, m)
		}
	}
	if like == nil && isa.Nearest(word, names) == "" {
		like = about
	}
	if like == nil {
		return fmt.Errorf("no metric %q%s", word, cmp.Or(isa.DidYouMean(word, names), "; simtrun metrics lists them"))
	}
	return writeMetrics(w, like)
}

func writeMetrics(w io.Writer, metrics []profile.Metric) error {
	b := bufio.NewWriter(w)
	for _, m := range metrics {
		fmt.Fprintf(b, "%s (%s)\n    %s\n", m.Name, m.Unit, m.Doc)
		if m.NCU != "" {
			fmt.Fprintf(b, "    ncu: %s\n", m.NCU)
		}
	}
	return b.Flush()
}

// metricsJSON is a JSON object of metrics in the order of the table: name to number, or to null for a ratio of zero
// to zero.
type metricsJSON []profile.Value

// metricsOf returns all metrics of a launch; without a clock, those that need none.
func metricsOf(p *profile.Profile) metricsJSON {
	var values metricsJSON
	for _, m := range profile.Metrics() {
		if m.Clock && p.Total.Time == nil {
			continue
		}
		v, ok := m.Of(&p.Total)
		if !ok {
			v = math.NaN()
		}
		values = append(values, profile.Value{Metric: &m, Number: v})
	}
	return values
}

// MarshalJSON implements json.Marshaler.
func (m metricsJSON) MarshalJSON() ([]byte, error) {
	o := &objectText{}
	for _, v := range m {
		text := "null"
		if !math.IsNaN(v.Number) {
			text = exact(v.Number)
		}
		o.add(v.Name, text)
	}
	return o.end(), nil
}

// instructionJSON is an executed instruction.
type instructionJSON struct {
	File    string `json:"file"`
	Line    int32  `json:"line"`
	Column  int32  `json:"column"`
	PTXLine int32  `json:"ptx_line,omitempty"` // if file, line and column are those of another source
	Name
	PC          int         `json:"pc"` // in the function
	Instruction string      `json:"instruction"`
	Calls       []Call      `json:"calls,omitempty"` // through which the line was inlined, the innermost first
	Metrics     metricsJSON `json:"metrics"`         // those that are not 0
}

// instructionsOf returns the executed instructions of a launch, function by function in the order of their PCs.
func instructionsOf(p *profile.Profile) []instructionJSON {
	var all []instructionJSON
	for _, in := range executed(p) {
		at := in.place()
		pos := at.Pos()
		o := instructionJSON{File: pos.File, Line: pos.Line, Column: pos.Col, Name: nameOf(in.fn.Name), PC: in.pc, Instruction: source.Text(in.fn.Func, in.pc), Metrics: nonZero(in.counts())}
		if c := compiledOf(at); c != nil {
			o.PTXLine, o.Calls = c.PTXLine, c.Calls
		}
		all = append(all, o)
	}
	return all
}

// nonZero returns the metrics of a part of a launch, without those that do not apply to it.
func nonZero(c *profile.Counts) []profile.Value {
	var vs []profile.Value
	for _, v := range profile.Values(c) {
		if v.Number != 0 {
			vs = append(vs, v)
		}
	}
	return vs
}

// exact formats a metric so that it parses to the same value.
func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rounded formats a metric for people: counts in full, ratios with three decimals.
func rounded(v float64) string {
	if v == float64(int64(v)) {
		return exact(v)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}
