package debugger

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/memory"
)

// formatOf returns the format for a value in the lanes of has: that of addresses for pointers, unless the user chose
// a format.
func (d *Debugger) formatOf(v *value, format string, has lanes.Mask) string {
	if v.uniform {
		has = lanes.AllLanes
	}
	if format == "" && v.typ == isa.U64 && (v.space != "" || !v.literal && d.arePointers(v, has)) {
		return "a"
	}
	return format
}

// arePointers reports whether the value points into buffers in all lanes of m in which it is not 0, and at least one
// of them is not 0.
func (d *Debugger) arePointers(v *value, m lanes.Mask) bool {
	some := false
	for left := m &^ v.void; left != 0; left &= left - 1 {
		addr := v.bits[firstLane(left)]
		if addr != 0 && d.pointsTo(addr) == nil {
			return false
		}
		some = some || addr != 0
	}
	return some
}

// regionOf returns the region that a value points into in all lanes of m, or nil.
func (d *Debugger) regionOf(v *value, m lanes.Mask) *memory.Region {
	var in *memory.Region
	for left := m &^ v.void; left != 0; left &= left - 1 {
		r := d.pointsTo(v.bits[firstLane(left)])
		if r == nil || in != nil && r != in || v.space != "" && !sameMemory(v.space, "global") {
			return nil
		}
		in = r
	}
	return in
}

// pointerText returns an address in a space ("" for a generic address) as name+offset.
func (d *Debugger) pointerText(space string, addr uint64) string {
	s, err := d.scopeHere()
	if err != nil {
		s = d.nowhere()
	}
	if in, at, ok := s.window(addr); ok && space == "" {
		return s.addressText(in, at)
	}
	if space == "" {
		space = "global"
	}
	return s.addressText(space, addr)
}

// withNumber returns the text of an address, followed by its numeric value.
func withNumber(text string, v *value) string {
	if strings.Contains(text, "0x") {
		return text
	}
	return fmt.Sprintf("%s (0x%x)", text, v.bits[0])
}
