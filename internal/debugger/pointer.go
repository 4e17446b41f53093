package debugger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/memory"
)

// formatOf returns the format for a value in the lanes of has: that of addresses for pointers, unless the user chose
// a format.
func (d *Debugger) formatOf(v *value, format string, has lanes.Mask) string {
	if v.uniform {
		has = lanes.AllLanes
	}
	if v.isPointer() && (format == "" || format == "s") {
		return "a"
	}
	if format == "" && v.cxx != nil {
		return ""
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

// pointee returns the text of a pointer of C++ in a lane: the object that it points to, as "&acc.v[1]" or "&in[3]", or
// its number; and the string that a pointer to char points to.
func (d *Debugger) pointee(v *value, lane int) string {
	s, err := d.scopeHere()
	if err != nil {
		s = d.nowhere()
	}
	space, addr := v.space, v.bits[lane]
	if in, at, ok := s.window(addr); ok && space == "" {
		space, addr = in, at
	}
	if space == "" {
		space = "global"
	}
	if space == "global" && addr == 0 {
		return "0x0"
	}
	if text := s.pointedString(v, space, addr, lane); text != "" {
		return d.pointeeName(v, s, space, addr) + text
	}
	return d.pointeeName(v, s, space, addr)
}

// pointeeName returns the object at an address to which a pointer points, or its number.
func (d *Debugger) pointeeName(v *value, s *scope, space string, addr uint64) string {
	size := int64(0)
	if to := v.cxx.Bare().To; to != nil {
		if to.Bare().Kind == debuginfo.Function {
			return d.functionAt(addr)
		}
		size = to.Size
	}
	if b := d.regionAt(addr); space == "local" || space == "shared" || b == nil || d.program.Machine.Var(b.Name) != nil {
		l, ok := s.variableAt(space, addr)
		for _, caller := range d.callers(s) {
			if !ok {
				l, ok = caller.variableAt(space, addr)
			}
		}
		if ok {
			return "&" + l.text + pathTo(l.typ, int64(addr-l.addr.bits[s.lead()]), size)
		}
	}
	if o, ok := s.objectAt(space, addr); ok && size > 0 && addr != o.addr && (addr-o.addr)%uint64(size) == 0 {
		return fmt.Sprintf("&%s[%d]", o.name, (addr-o.addr)/uint64(size))
	}
	if r := d.pointsTo(addr); space == "global" && r != nil && isLiteral(r.Name) {
		return fmt.Sprintf("0x%x", addr)
	}
	return s.addressText(space, addr)
}

// isLiteral reports whether a variable of PTX is a string of the source, which has no name there.
func isLiteral(name string) bool {
	return strings.HasPrefix(name, "_$_str") || strings.HasPrefix(name, "$str") || strings.HasPrefix(name, "__unnamed_")
}

// functionAt returns the name of the function at an address, or the address.
func (d *Debugger) functionAt(addr uint64) string {
	if fn := d.program.Machine.FuncAt(addr); fn != nil {
		return "&" + source.Name(fn.Name)
	}
	return fmt.Sprintf("0x%x", addr)
}

// callers returns the scopes of the functions that called the one of a scope.
func (d *Debugger) callers(s *scope) (all []*scope) {
	if s.frame == divergence.NoFrame {
		return nil
	}
	chain, err := d.chainHere()
	if err != nil {
		return nil
	}
	for _, a := range chain {
		if a.frame != s.frame {
			all = append(all, &scope{d: d, w: s.w, frame: a.frame, active: s.active, pc: a.code.pc, outer: a.outer})
		}
	}
	return all
}

// regionAt returns a buffer at an address; nil for variables.
func (d *Debugger) regionAt(addr uint64) *Buffer {
	for i := range d.program.Buffers {
		if b := &d.program.Buffers[i]; addr-b.Base < uint64(len(b.Data)) {
			return b
		}
	}
	return nil
}

// variableAt returns the visible variable of the source that contains an address of a space.
func (s *scope) variableAt(space string, addr uint64) (lvalue, bool) {
	all := s.variables()
	if info := s.info(); info != nil {
		all = slices.Concat(all, info.Globals())
	}
	for _, v := range all {
		if v.Name == "" { // a string
			continue
		}
		l, err := s.located(v)
		if err != nil || !l.inMemory || !sameMemory(l.space, space) || v.Type.Bare().Kind == debuginfo.Reference {
			continue
		}
		if from := l.addr.bits[s.lead()]; addr >= from && addr-from < uint64(max(v.Type.Size, 1)) {
			return l, true
		}
	}
	return lvalue{}, false
}

// pathTo returns the members and indices that lead to an object of some size at an offset: ".v[1]", or an offset in
// bytes if none is there.
func pathTo(t *debuginfo.Type, offset, size int64) string {
	b := t.Bare()
	switch {
	case offset == 0 && (t.Size == size || size == 0):
		return ""
	case b.Kind == debuginfo.Array && b.To != nil && b.To.Size > 0:
		return fmt.Sprintf("[%d]", offset/b.To.Size) + pathTo(b.To, offset%b.To.Size, size)
	case b.Kind == debuginfo.Struct:
		for i := range b.Fields {
			if f := &b.Fields[i]; offset >= f.Offset && offset < f.Offset+max(f.Type.Size, 1) && f.Bits == 0 {
				name := "." + f.Name
				if f.Base || f.Name == "" {
					name = ""
				}
				return name + pathTo(f.Type, offset-f.Offset, size)
			}
		}
	}
	if offset == 0 {
		return ""
	}
	return " + " + plural(uint64(offset), "byte")
}
