package debugger

import (
	"maps"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// column is the state of a warp's lanes at one instruction.
type column struct {
	number           uint64 // of the instruction in the warp, from 0
	on, waiting, off lanes.Mask
}

// history holds the latest observed instructions of a warp.
type history struct {
	at      warpAt
	threads lanes.Mask
	waiting lanes.Mask // lanes at barriers when last determined; 0 if no lane has arrived at one since
	columns [mostColumns]column
	n       int // observed in all; the latest is at (n-1) % mostColumns
}

const (
	mostColumns = 256
	// usualColumns is how many columns heat shows if the width is unlimited.
	usualColumns = 64
	// mostHistories limits the warps that are kept after their blocks have ended.
	mostHistories = 1024
)

// note adds the next instruction to the history of its warp.
func (l *eventLog) note(w interp.Warp, s *divergence.Split) {
	h := l.history
	if h == nil || h.at != l.at {
		h = l.historyOf(w)
		l.history = h
	}
	if h.waiting != 0 {
		h.waiting = atBarrier(w)
	}
	h.columns[h.n%mostColumns] = column{number: l.executed, on: s.Mask, waiting: h.waiting, off: h.threads &^ w.Control().Live()}
	h.n++
}

func (l *eventLog) historyOf(w interp.Warp) *history {
	h := l.histories[l.at]
	if h == nil {
		h = &history{at: l.at, threads: w.Threads()}
		l.histories[l.at] = h
	}
	return h
}

// unnote removes the latest note: the warp could not execute its instruction.
func (l *eventLog) unnote() { l.history.n-- }

// noteArrival adds lanes that have arrived at a barrier to the latest column of the executing warp.
func (l *eventLog) noteArrival(m lanes.Mask) {
	h := l.history
	h.waiting |= m
	h.columns[(h.n-1)%mostColumns].waiting |= m
}

// forget drops the logs of warps that are no longer resident, once there are many.
func (l *eventLog) forget() {
	if len(l.histories) < mostHistories {
		return
	}
	resides := make(map[warpAt]bool)
	for _, w := range l.d.session.Warps() {
		resides[placeOf(w)] = true
	}
	maps.DeleteFunc(l.histories, func(at warpAt, _ *history) bool { return !resides[at] })
	maps.DeleteFunc(l.divergences, func(at warpAt, _ []divergenceAt) bool { return !resides[at] })
	maps.DeleteFunc(l.exits, func(at warpAt, _ map[int]codeAt) bool { return !resides[at] })
}

// atBarrier returns the lanes of a warp that wait at a barrier of its CTA.
func atBarrier(w interp.Warp) lanes.Mask {
	m := lanes.Mask(0)
	for _, wait := range w.Waiting() {
		if wait.Barrier >= 0 {
			m |= wait.Lanes
		}
	}
	return m
}

// cell returns the character for a lane in the column.
func (c *column) cell(lane int) byte {
	switch {
	case c.waiting>>lane&1 != 0:
		return 'w'
	case c.on>>lane&1 != 0:
		return '#'
	case c.off>>lane&1 != 0:
		return 'x'
	}
	return '.'
}

// latest returns the last n observed instructions, without gaps.
func (h *history) latest(n int) []column {
	if h == nil {
		return nil
	}
	var columns []column
	for i := max(0, h.n-min(n, mostColumns-1)); i < h.n; i++ {
		c := h.columns[i%mostColumns]
		if k := len(columns); k > 0 && columns[k-1].number+1 != c.number {
			columns = columns[:0] // a gap: the launch ran at full speed in between
		}
		columns = append(columns, c)
	}
	return columns
}

// heatCommand shows what the lanes of the warp in focus did, in as many rows as the width requires.
func (d *Debugger) heatCommand(c *call) error {
	at := warpAt{d.focus.cta, d.focus.warp}
	if _, err := d.warp(); err != nil && d.session != nil {
		return err
	}
	var err error
	n := max(usualColumns, d.columns())
	if c.args != "" {
		if n, err = count(c.args); err != nil {
			return err
		}
	}
	h := d.log.histories[at]
	columns := h.latest(n)
	if len(columns) == 0 {
		return errorf("nothing of %s was seen: it has not executed anything, or the launch ran at full speed; step, or set a breakpoint first", d.warpText(at))
	}
	_, labels := heatRows(h.threads, columns)
	width := 0
	for _, label := range labels {
		width = max(width, len(label))
	}
	perRow := usualColumns
	if all := d.columns(); all > 0 {
		perRow = max(16, all-width-len(" l  "))
	}
	if c.args == "" {
		columns = columns[max(0, len(columns)-perRow):]
	}
	for len(columns) > 0 {
		some := columns[:min(perRow, len(columns))]
		columns = columns[len(some):]
		d.printf("heat %s  instructions %d-%d   # on  . masked  w barrier  x exited\n", d.warpText(at), some[0].number, some[len(some)-1].number)
		rows, labels := heatRows(h.threads, some)
		for i, row := range rows {
			d.printf(" l%-*s  %s\n", width, labels[i], d.dimRuns(row))
		}
	}
	return nil
}

// heatRows returns one row of cells for each set of lanes that did the same, with the lanes as labels.
func heatRows(threads lanes.Mask, columns []column) (rows, labels []string) {
	who := make(map[string]lanes.Mask)
	for left := threads; left != 0; left &= left - 1 {
		cells := make([]byte, len(columns))
		for i := range columns {
			cells[i] = columns[i].cell(firstLane(left))
		}
		row := string(cells)
		if who[row] == 0 {
			rows = append(rows, row)
		}
		who[row] |= left & -left
	}
	for _, row := range rows {
		labels = append(labels, rangesText(who[row]))
	}
	return rows, labels
}

// dimRuns dims the stretches of a row in which lanes are inactive.
func (d *Debugger) dimRuns(row string) string {
	var b strings.Builder
	for len(row) > 0 {
		n := len(row) - len(strings.TrimLeft(row, ".x"))
		b.WriteString(d.dimmed(row[:n]))
		row = row[n:]
		n = len(row) - len(strings.TrimLeft(row, "#w"))
		b.WriteString(row[:n])
		row = row[n:]
	}
	return b.String()
}
