package report

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/simtrun/simtrun/profile"
)

func writeRaw(w *sheet, r *Run) {
	for i := range r.Launches {
		if i > 0 {
			w.WriteString("\n")
		}
		l := &r.Launches[i]
		writeHeading(w, l)
		w.WriteString("\n")
		for _, v := range profile.Values(&l.Profile.Total) {
			fmt.Fprintf(w, "  %-36s %-18s %s\n", v.Name, v.Unit, rounded(v.Number))
		}
	}
}

// exact is a metric's value such that it reads back the same.
func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rounded is a metric's value for people: counts in full, ratios with three
// decimals.
func rounded(v float64) string {
	if v == float64(int64(v)) {
		return exact(v)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// WriteCSV writes the metrics of each launch, which are counted from 0: launch,
// kernel, metric, unit, value.
func WriteCSV(w io.Writer, r *Run) error {
	out := csv.NewWriter(w)
	out.Write([]string{"launch", "kernel", "metric", "unit", "value"}) // out keeps errors
	for i := range r.Launches {
		l := &r.Launches[i]
		for _, v := range profile.Values(&l.Profile.Total) {
			out.Write([]string{strconv.Itoa(i), l.Kernel, v.Name, v.Unit, exact(v.Number)})
		}
	}
	out.Flush()
	return out.Error()
}

// WriteLinesCSV writes the metrics, those that are not 0, of each source line
// that ran: launch, kernel, file, line, function, metric, unit, value.
func WriteLinesCSV(w io.Writer, r *Run) error {
	out := csv.NewWriter(w)
	out.Write([]string{"launch", "kernel", "file", "line", "function", "metric", "unit", "value"})
	for i := range r.Launches {
		l := &r.Launches[i]
		for _, line := range r.lines(l) {
			for _, v := range nonZero(&line.counts) {
				out.Write([]string{strconv.Itoa(i), l.Kernel, line.pos.File, strconv.Itoa(int(line.pos.Line)), line.fn.Name, v.Name, v.Unit, exact(v.Number)})
			}
		}
	}
	out.Flush()
	return out.Error()
}

// nonZero is the metrics of a part of a launch without those that have nothing
// to do with it.
func nonZero(c *profile.Counts) []profile.Value {
	var vs []profile.Value
	for _, v := range profile.Values(c) {
		if v.Number != 0 {
			vs = append(vs, v)
		}
	}
	return vs
}

// WriteMetrics writes the table of metrics: name, unit, definition, and the
// metric of Nsight Compute that is defined the same way.
func WriteMetrics(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, m := range profile.Metrics() {
		fmt.Fprintf(b, "%s (%s)\n    %s\n", m.Name, m.Unit, m.Doc)
		if m.NCU != "" {
			fmt.Fprintf(b, "    ncu: %s\n", m.NCU)
		}
	}
	return b.Flush()
}
