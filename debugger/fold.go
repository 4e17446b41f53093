package debugger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// formats are the letters that print takes, as gdb has them.
const formats = "xdutfac"

// checkFormat reports whether a format is one letter of those, or "".
func checkFormat(format string) error {
	if len(format) > 1 || !strings.Contains(formats, format) {
		return fmt.Errorf("no format /%s; there are /x hexadecimal, /d signed, /u unsigned, /t binary, /f floating point, /a address, /c character", format)
	}
	return nil
}

// reformat is v as a format has its bits read.
func (v *value) reformat(format string) value {
	r := *v
	width := v.width()
	switch {
	case format == "d" && width > 1:
		r.typ = map[int]isa.Type{8: isa.S8, 16: isa.S16, 32: isa.S32, 64: isa.S64}[width]
	case format == "f" && width > 8:
		r.typ = map[int]isa.Type{16: isa.F16, 32: isa.F32, 64: isa.F64}[width]
	case format != "":
		r.typ = map[int]isa.Type{1: isa.U8, 8: isa.U8, 16: isa.U16, 32: isa.U32, 64: isa.U64}[width]
	}
	return r
}

// text is the value in a lane.
func (d *Debugger) text(v *value, format string, lane int) string {
	bits := v.bits[lane]
	switch {
	case v.void>>lane&1 != 0:
		return "-"
	case format == "x":
		return fmt.Sprintf("0x%x", bits)
	case format == "t":
		return fmt.Sprintf("0b%b", bits)
	case format == "a":
		return d.regionText(bits)
	case format == "c":
		return strconv.QuoteRuneToASCII(rune(byte(bits)))
	case v.typ == isa.Pred:
		return strconv.FormatBool(bits != 0)
	case v.typ.Class() == isa.Float:
		return floatText(v.typ.Bits(), v.float(lane))
	case v.typ.Class() == isa.Signed:
		return strconv.FormatInt(v.signed(lane), 10)
	}
	return strconv.FormatUint(bits, 10)
}

// run is lanes with one value, or whose values grow by step from lane to lane.
type run struct {
	lanes  lanes.Mask
	text   string // of the first
	start  int64  // its value
	step   int64
	linear bool
	off    bool // the lanes are inactive
}

// stepFormats are the formats in which integers on a line are folded.
const stepFormats = "xdu"

// mostRuns is how many runs stand in a line; more are shown lane by lane.
const mostRuns = 8

// lanesFolded shows v in the lanes of has, those beside active in brackets.
func (d *Debugger) lanesFolded(v *value, format string, has, active lanes.Mask) string {
	shown := v.reformat(format)
	if v.uniform {
		return "= " + d.text(&shown, format, 0)
	}
	if has == 0 {
		return "(no lanes)"
	}
	runs := append(d.runs(&shown, format, has&active, false), d.runs(&shown, format, has&^active, true)...)
	if len(runs) > mostRuns {
		return d.lanesInRows(&shown, format, has, active)
	}
	slices.SortFunc(runs, func(a, b run) int { return firstLane(a.lanes) - firstLane(b.lanes) })
	parts := make([]string, len(runs))
	for i, r := range runs {
		parts[i] = r.String()
		if format == "x" && r.linear {
			parts[i] = r.hexText()
		}
		if r.off {
			parts[i] = "[" + parts[i] + "]"
		}
	}
	return strings.Join(parts, "   ")
}

// runs folds lanes of m that follow each other in it: those with one value, or
// three and more whose integers lie on a line.
func (d *Debugger) runs(v *value, format string, m lanes.Mask, off bool) []run {
	var runs []run
	steps := v.typ.IsInt() && strings.Contains(stepFormats, format)
	for m != 0 {
		lane := firstLane(m)
		r := run{lanes: 1 << lane, text: d.text(v, format, lane), start: v.signed(lane), off: off}
		for left := m &^ r.lanes; left != 0 && d.text(v, format, firstLane(left)) == r.text; left &= left - 1 {
			r.lanes |= left & -left
		}
		if steps && r.lanes.Count() == 1 {
			r.extend(v, m&^v.void)
		}
		runs = append(runs, r)
		m &^= r.lanes
	}
	return runs
}

// extend makes r, which is one lane, a linear run if it is one for at least
// three lanes of m.
func (r *run) extend(v *value, m lanes.Mask) {
	first, rest := firstLane(r.lanes), m&^r.lanes
	if r.lanes&m == 0 || rest == 0 {
		return
	}
	next := firstLane(rest)
	step := (v.signed(next) - r.start) / int64(next-first)
	on := r.lanes
	for ; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		if v.signed(lane)-r.start != step*int64(lane-first) {
			break
		}
		on |= 1 << lane
	}
	if on.Count() >= 3 {
		r.lanes, r.step, r.linear = on, step, true
	}
}

// String is "7: 5", "0-15: 5" or, if it is linear, "0-15: 4*lane+8".
func (r run) String() string {
	if !r.linear {
		return rangesText(r.lanes) + ": " + r.text
	}
	base := r.start - r.step*int64(firstLane(r.lanes))
	slope := "lane"
	switch r.step {
	case 1:
	case -1:
		slope = "-lane"
	default:
		slope = fmt.Sprintf("%d*lane", r.step)
	}
	switch {
	case base == 0:
		return rangesText(r.lanes) + ": " + slope
	case r.step == -1:
		return fmt.Sprintf("%s: %d-lane", rangesText(r.lanes), base)
	}
	return fmt.Sprintf("%s: %s%+d", rangesText(r.lanes), slope, base)
}

// hexText has the first value, and what a lane adds to it.
func (r run) hexText() string {
	sign, step, first := "+", r.step, firstLane(r.lanes)
	if step < 0 {
		sign, step = "-", -step
	}
	at := "lane"
	if first > 0 {
		at = fmt.Sprintf("(lane-%d)", first)
	}
	return fmt.Sprintf("%s: %s%s0x%x*%s", rangesText(r.lanes), r.text, sign, step, at)
}

// perRow is how many lanes stand in a row.
const perRow = 8

// lanesInRows shows values that do not fold.
func (d *Debugger) lanesInRows(v *value, format string, has, active lanes.Mask) string {
	cells, width := [lanes.Width]string{}, 0
	for lane := range cells {
		switch {
		case has>>lane&1 == 0:
			cells[lane] = "."
		case active>>lane&1 == 0:
			cells[lane] = "[" + d.text(v, format, lane) + "]"
		default:
			cells[lane] = d.text(v, format, lane)
		}
		width = max(width, len(cells[lane]))
	}
	var b strings.Builder
	for first := 0; first < lanes.Width; first += perRow {
		var row strings.Builder
		fmt.Fprintf(&row, "\n  %2d:", first)
		for _, cell := range cells[first : first+perRow] {
			fmt.Fprintf(&row, " %-*s", width, cell)
		}
		b.WriteString(strings.TrimRight(row.String(), " "))
	}
	return b.String()
}
