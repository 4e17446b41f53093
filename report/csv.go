package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/simtrun/simtrun/profile"
)

// WriteCSV writes the metrics of each launch, which are counted from 0: launch,
// kernel, metric, unit, value.
func WriteCSV(w io.Writer, r *Run) error {
	out := csv.NewWriter(w)
	out.Write([]string{"launch", "kernel", "metric", "unit", "value"}) // out keeps errors
	for i, l := range r.profiles() {
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
	for i, l := range r.profiles() {
		for _, line := range r.lines(l) {
			for _, v := range nonZero(&line.counts) {
				out.Write([]string{strconv.Itoa(i), l.Kernel, line.pos.File, strconv.Itoa(int(line.pos.Line)), line.fn.Name, v.Name, v.Unit, exact(v.Number)})
			}
		}
	}
	out.Flush()
	return out.Error()
}
