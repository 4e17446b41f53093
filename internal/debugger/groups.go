package debugger

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/memory"
)

// formats are the format letters of print, as in gdb.
const formats = "xdutfacozs"

// checkFormat accepts "" and single letters of formats.
func checkFormat(format string) error {
	if format == "i" {
		return errors.New("no format /i; every stop shows the next instruction, x/4i four from there, disas all of the function")
	}
	if len(format) > 1 || !strings.Contains(formats, format) {
		return errorf("no format /%s; there are /x hexadecimal, /d signed, /u unsigned, /t binary, /f floating point, /a address, /c character, /o octal, /z hexadecimal with all digits, /s strings", format)
	}
	return nil
}

// reformat reinterprets the bits of v as a format requires.
func (v *value) reformat(format string) value {
	r := *v
	width := v.width()
	switch {
	case format == "s":
	case format == "d" && width > 1:
		r.typ = map[int]isa.Type{8: isa.S8, 16: isa.S16, 32: isa.S32, 64: isa.S64}[width]
	case format == "f" && width > 8:
		r.typ = map[int]isa.Type{16: isa.F16, 32: isa.F32, 64: isa.F64}[width]
	case format != "":
		r.typ = map[int]isa.Type{1: isa.U8, 8: isa.U8, 16: isa.U16, 32: isa.U32, 64: isa.U64}[width]
		for lane, bits := range r.bits { // those above are extended from a literal's
			r.bits[lane] = truncated(bits, width)
		}
	}
	return r
}

// text returns the value in a lane.
func (d *Debugger) text(v *value, format string, lane int) string {
	bits := v.bits[lane]
	switch {
	case v.void>>lane&1 != 0:
		return "-"
	case v.cxx != nil && (format == "" || format == "s"):
		if text, ok := d.cxxText(v, lane); ok {
			return text
		}
		return d.text(&value{typ: v.typ, bits: v.bits, space: v.space}, "", lane)
	case v.high != nil:
		return fmt.Sprintf("0x%016x%016x", v.high[lane], bits)
	case format == "x":
		return fmt.Sprintf("0x%x", bits)
	case format == "z":
		return fmt.Sprintf("0x%0*x", max(v.typ.Bits()/4, 1), bits)
	case format == "o" && bits != 0:
		return fmt.Sprintf("0%o", bits)
	case format == "t":
		return fmt.Sprintf("0b%b", bits)
	case format == "a" && v.isPointer():
		return d.pointee(v, lane)
	case format == "a":
		return d.pointerText(v.space, bits)
	case format == "c":
		return "'" + escaped(byte(bits)) + "'"
	case v.typ == isa.Pred:
		return strconv.FormatBool(bits != 0)
	case v.typ.Class() == isa.Float:
		return floatText(v.typ.Bits(), v.float(lane))
	case v.typ.Class() == isa.Signed:
		return strconv.FormatInt(v.signed(lane), 10)
	}
	return strconv.FormatUint(bits, 10)
}

// laneGroup is lanes with values that are shown as one.
type laneGroup struct {
	lanes.Affine
	text string         // the value of the first
	off  bool           // the lanes are inactive
	in   *memory.Region // buffer into which the values point, or nil
	size int64          // of what pointers of C++ point to; 0 for others
}

// affineFormats are the formats in which affine integers are shown as one. Hexadecimal is not included, because users
// who choose it want the digits.
const affineFormats = "dus"

// mostGroups is the most groups in one line; more are shown lane by lane.
const mostGroups = 8

// grouped shows v in the lanes of has, with inactive lanes in brackets.
func (d *Debugger) grouped(v *value, format string, has, active lanes.Mask) string {
	shown := v.reformat(format)
	if v.uniform {
		return "= " + d.text(&shown, format, 0)
	}
	if has == 0 {
		return "(no lanes)"
	}
	groups := append(d.groups(&shown, format, has&active, false), d.groups(&shown, format, has&^active, true)...)
	if len(groups) > mostGroups && v.cxx != nil {
		groups = mergedByText(groups)
	}
	if len(groups) > mostGroups {
		return d.lanesInRows(&shown, format, has, active)
	}
	sorted.By(groups, func(a, b laneGroup) int { return firstLane(a.Lanes) - firstLane(b.Lanes) })
	cells := make([]cell, len(groups))
	for i := range groups {
		cells[i] = cell{groups[i].show(), groups[i].off}
	}
	return d.joined(cells)
}

// mergedByText joins groups that are shown alike, wherever their lanes are, if that leaves few.
func mergedByText(groups []laneGroup) []laneGroup {
	var merged []laneGroup
	for _, g := range groups {
		i := slices.IndexFunc(merged, func(m laneGroup) bool { return m.text == g.text && m.off == g.off })
		switch {
		case g.Step != 0:
			return groups
		case i >= 0:
			merged[i].Lanes |= g.Lanes
		default:
			merged = append(merged, g)
		}
	}
	if len(merged) > mostGroups/2 {
		return groups
	}
	return merged
}

// groups splits the lanes of m into groups of neighbours with the same text, or of three or more with affine
// integers.
func (d *Debugger) groups(v *value, format string, m lanes.Mask, off bool) []laneGroup {
	var texts [lanes.Width]string
	var values [lanes.Width]uint64
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		texts[lane], values[lane] = d.text(v, format, lane), uint64(v.signed(lane))
	}
	ints, in := lanes.Mask(0), (*memory.Region)(nil)
	if format == "a" {
		in = d.regionOf(v, m)
	}
	if in != nil || v.high == nil && v.isCounted() && v.typ.IsInt() && strings.Contains(affineFormats, format) {
		ints = m &^ v.void
	}
	var groups []laneGroup
	for _, g := range lanes.AffineGroups(&values, m, ints, func(a, b int) bool { return texts[a] == texts[b] }) {
		one := laneGroup{Affine: g, text: texts[firstLane(g.Lanes)], off: off, in: in}
		if v.isPointer() {
			one.size = elementSize(v)
		}
		groups = append(groups, one)
	}
	return groups
}

// show returns "7: 5", "0-15: 5" or, for affine values, "0-15: 4*lane+8"; in brackets if the lanes are inactive.
func (g *laneGroup) show() string {
	text := g.text
	switch {
	case g.Step == 0:
	case g.in != nil:
		text = g.pointerText()
	default:
		text = g.affineText()
	}
	text = rangesText(g.Lanes) + ": " + text
	if g.off {
		return "[" + text + "]"
	}
	return text
}

// affineText returns the formula of the values. Values that decrease by one are "5-lane".
func (g *laneGroup) affineText() string {
	switch {
	case int64(g.Step) != -1:
		return g.Formula()
	case g.Base == 0:
		return "-lane"
	}
	return fmt.Sprintf("%d-lane", int64(g.Base))
}

// pointerText returns the formula of addresses: "y+4*lane+16".
func (g *laneGroup) pointerText() string {
	from := g.Affine
	from.Base -= g.in.Base
	if n := g.size; n > 0 && int64(from.Step)%n == 0 && int64(from.Base)%n == 0 {
		from.Step, from.Base = uint64(int64(from.Step)/n), uint64(int64(from.Base)/n)
		return fmt.Sprintf("&%s[%s]", g.in.Name, from.Formula())
	}
	formula := from.Formula()
	if !strings.HasPrefix(formula, "-") {
		formula = "+" + formula
	}
	return g.in.Name + formula
}

// allText returns the value, if it is the same in all lanes of has.
func (d *Debugger) allText(v *value, format string, has lanes.Mask) (string, bool) {
	if has.Count() < 2 {
		return "", false
	}
	text := d.text(v, format, firstLane(has))
	for left := has; left != 0; left &= left - 1 {
		if d.text(v, format, firstLane(left)) != text {
			return "", false
		}
	}
	return text, true
}

// maskText shows a predicate as the mask of the lanes of has in which it is true, and those lanes, with the inactive
// ones in brackets.
func (d *Debugger) maskText(v *value, has, active lanes.Mask) string {
	on := v.holds() & has
	cells := []cell{{fmt.Sprintf("%08x", uint32(on)), false}}
	switch {
	case on == 0:
		cells = append(cells, cell{"none", false})
	case on == has:
		cells = append(cells, cell{"all", false})
	}
	if on != has && on&active != 0 {
		cells = append(cells, cell{rangesText(on & active), false})
	}
	if on != has && on&^active != 0 {
		cells = append(cells, cell{"[" + rangesText(on&^active) + "]", true})
	}
	if void := v.void & has; void != 0 {
		cells = append(cells, cell{"(no value in " + lanesText(void) + ")", false})
	}
	return d.joined(cells)
}

// perRow is the number of lanes in a row.
const perRow = 8

// lanesInRows shows values lane by lane.
func (d *Debugger) lanesInRows(v *value, format string, has, active lanes.Mask) string {
	cells := make([]cell, lanes.Width)
	for lane := range cells {
		switch {
		case has>>lane&1 == 0:
			cells[lane] = cell{".", true}
		case active>>lane&1 == 0:
			cells[lane] = cell{"[" + d.text(v, format, lane) + "]", true}
		default:
			cells[lane] = cell{d.text(v, format, lane), false}
		}
	}
	return d.inRows(cells)
}
