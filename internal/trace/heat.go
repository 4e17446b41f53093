package trace

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// heat records the activity of the lanes of one warp, instruction by instruction.
type heat struct {
	at      warpAt
	threads lanes.Mask
	columns []column
	more    int // instructions after mostColumns
}

// column is the state of a warp's lanes at one instruction.
type column struct{ on, waiting, ended lanes.Mask }

const (
	mostColumns = 4096
	// rowColumns is the number of columns in a row.
	rowColumns = 64
)

// column adds the state of the warp's lanes at s.
func (t *Tracer) column(s *step, st *warpState) {
	if st.heat == nil {
		st.heat = &heat{at: s.at, threads: st.threads}
		t.heats = append(t.heats, st.heat)
	}
	h := st.heat
	if len(h.columns) == mostColumns {
		h.more++
		return
	}
	c := column{on: s.active, waiting: s.atBarrier, ended: st.threads &^ (st.live | s.active)}
	if s.arrived {
		c.waiting |= s.executing
	}
	h.columns = append(h.columns, c)
}

// atBarrier returns the lanes of a warp that wait at a barrier of its CTA.
func atBarrier(w interp.Warp) lanes.Mask {
	m := lanes.Mask(0)
	for _, wt := range w.Waiting() {
		if wt.Barrier >= 0 {
			m |= wt.Lanes
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
	case c.ended>>lane&1 != 0:
		return 'x'
	}
	return '.'
}

// picture returns the rows for the lanes of the warp, in block number cta. Lanes with equal rows share one; lanes
// without a thread have none.
func (h *heat) picture(cta int64) string {
	var b strings.Builder
	for first := 0; first < len(h.columns); first += rowColumns {
		columns := h.columns[first:min(first+rowColumns, len(h.columns))]
		fmt.Fprintf(&b, "heat b%d.w%d  instructions %d-%d   # on  . masked  w barrier  x exited\n",
			cta, h.at.warp, first, first+len(columns)-1)
		rows, masks := h.rows(columns)
		width := 0
		for _, m := range masks {
			width = max(width, len(m.Ranges()))
		}
		for i, row := range rows {
			fmt.Fprintf(&b, " l%-*s  %s\n", width, masks[i].Ranges(), row)
		}
	}
	if h.more > 0 {
		fmt.Fprintf(&b, "heat b%d.w%d  %d more instructions\n", cta, h.at.warp, h.more)
	}
	return b.String()
}

// rows returns the distinct rows, in the order of their lowest lanes, and the lanes of each.
func (h *heat) rows(columns []column) (rows []string, masks []lanes.Mask) {
	place := make(map[string]int)
	for left := h.threads; left != 0; left &= left - 1 {
		lane := firstLane(left)
		cells := make([]byte, len(columns))
		for i := range columns {
			cells[i] = columns[i].cell(lane)
		}
		row := string(cells)
		i, known := place[row]
		if !known {
			i = len(rows)
			place[row] = i
			rows, masks = append(rows, row), append(masks, 0)
		}
		masks[i] |= 1 << lane
	}
	return rows, masks
}
