package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
)

// WriteCSV writes the page's figures as a table whose first line has the column names, without prose. Launches are
// numbered from 0.
func (p Page) WriteCSV(w io.Writer, d *Document) error {
	t := &table{csv.NewWriter(w)}
	p.csv(t, d)
	t.out.Flush()
	return t.out.Error()
}

// table is a CSV file being written; it keeps the first error.
type table struct{ out *csv.Writer }

// row writes a row of texts and numbers.
func (t *table) row(cells ...any) {
	var texts []string
	for _, c := range cells {
		switch c := c.(type) {
		case string:
			texts = append(texts, c)
		case int:
			texts = append(texts, strconv.Itoa(c))
		case int32:
			texts = append(texts, strconv.Itoa(int(c)))
		case int64:
			texts = append(texts, strconv.FormatInt(c, 10))
		case uint64:
			texts = append(texts, strconv.FormatUint(c, 10))
		case float64:
			texts = append(texts, exact(c))
		case *float64:
			text := ""
			if c != nil {
				text = exact(*c)
			}
			texts = append(texts, text)
		}
	}
	t.out.Write(texts)
}

// metricsTable writes the metrics of each launch.
func metricsTable(t *table, d *Document) {
	t.row("launch", "kernel", "metric", "unit", "value", "ncu")
	for i, l := range d.profiles() {
		for _, m := range l.Metrics {
			t.row(i, l.Kernel, m.Name, m.Unit, m.Value, m.NCU)
		}
	}
}

// linesTable writes the nonzero metrics of each source line that has instructions.
func linesTable(t *table, d *Document) {
	t.row("launch", "kernel", "file", "line", "function", "metric", "unit", "value")
	for i, l := range d.profiles() {
		for _, line := range d.Lines(l) {
			for _, v := range nonZero(&line.Counts) {
				t.row(i, l.Kernel, line.File, line.Line, line.Function, v.Name, v.Unit, v.Number)
			}
			if line.Counts.Runs > 0 {
				t.row(i, l.Kernel, line.File, line.Line, line.Function, "live_registers", "register", line.Live)
			}
		}
	}
}

// smsTable writes the SMs of launches with a clock.
func smsTable(t *table, d *Document) {
	head := []any{"launch", "kernel", "sm", "blocks", "active_cycles", "first_cycle", "last_cycle", "tail_cycles", "warp_cycles", "issued", "memory_pipe_cycles", "l1_sectors", "l1_hits"}
	for state := range sm.NumStates {
		head = append(head, "cycles_"+state.String())
	}
	t.row(head...)
	for i, l := range d.profiles() {
		if l.Time == nil {
			continue
		}
		for id := range l.Time.SMs {
			m := &l.Time.SMs[id]
			cells := []any{i, l.Kernel, id, m.Blocks, m.ActiveCycles, m.FirstCycle, m.LastCycle, l.Time.tail(m), m.WarpCycles, m.Issued, m.MemoryPipe, m.L1Sectors, m.L1Hits}
			for _, cycles := range m.Stalls {
				cells = append(cells, cycles)
			}
			t.row(cells...)
		}
	}
}

// memoryTable writes the requests of lanes by kind and space, to each array in shared memory and to each buffer, and
// the memory levels of launches with a clock; the column "of" says which of these a row is. Shared memory has no
// sectors, and requests through L1 have no ideal wavefronts.
func memoryTable(t *table, d *Document) {
	t.row("launch", "kernel", "name", "requests", "lanes", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts", "bytes", "hits", "pending", "hit_rate", "busy_cycles", "of_peak", "of", "worst_conflict")
	for i, l := range d.profiles() {
		for k := range l.Counts.Traffic {
			a := &l.Counts.Traffic[k]
			cells := []any{i, l.Kernel, trafficName(a), a.Requests, a.Lanes, "", "", "", "", "", "", "", "", "", "", "space", ""}
			if a.Sectors > 0 {
				cells[5], cells[6], cells[9] = a.Sectors, a.IdealSectors, a.Sectors*sectorBytes
			}
			if n := passes(a); n > 0 {
				cells[7] = n
			}
			if a.Wavefronts > 0 {
				cells[8] = a.IdealWavefronts
			}
			t.row(cells...)
		}
		for _, a := range l.Arrays {
			t.row(i, l.Kernel, a.Name, a.Requests, "", "", "", a.Wavefronts, a.IdealWavefronts, "", "", "", "", "", "", "shared_array", a.WorstConflict)
		}
		for _, b := range l.Buffers {
			t.row(i, l.Kernel, b.Name, b.Requests, "", b.Sectors, b.IdealSectors, "", "", b.Sectors*sectorBytes, "", "", "", "", "", "buffer", "")
		}
		if l.Time == nil {
			continue
		}
		for _, v := range l.Time.Levels {
			t.row(i, l.Kernel, v.Name, v.Requests, "", v.Sectors, "", "", "", v.Bytes, v.Hits, v.Pending, v.HitRate, v.Busy, v.OfPeak, "level", "")
		}
	}
}

// adviceTable writes all advice.
func adviceTable(t *table, d *Document) {
	t.row("launch", "kernel", "rank", "rule", "file", "line", "figure", "unit", "gain", "gain_unit", "share", "what", "change")
	for i, l := range d.profiles() {
		for rank, a := range l.Advice {
			t.row(i, l.Kernel, rank+1, a.Rule, a.File, a.Line, a.Figure, a.Unit, a.Gain, a.GainUnit, a.Share, a.What, a.Change)
		}
	}
}

// trafficName returns the name of a kind of requests, such as global_load.
func trafficName(t *profile.Traffic) string {
	return strings.ReplaceAll(t.Space.String(), "::", "_") + "_" + t.Kind.String()
}
